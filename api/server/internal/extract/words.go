package extract

import "strings"

// kinship is how a person or an animal is related to the speaker.
type kinship struct {
	name        string
	cardinality Cardinality
	kind        string
}

var kin = []kinship{
	{"wife", Single, KindPerson}, {"husband", Single, KindPerson}, {"partner", Single, KindPerson}, {"spouse", Single, KindPerson},
	{"girlfriend", Single, KindPerson}, {"boyfriend", Single, KindPerson}, {"fiancé", Single, KindPerson}, {"fiancée", Single, KindPerson},
	{"mother", Single, KindPerson}, {"father", Single, KindPerson}, {"landlord", Single, KindPerson},
	{"sister", Many, KindPerson}, {"brother", Many, KindPerson}, {"son", Many, KindPerson}, {"daughter", Many, KindPerson},
	{"child", Many, KindPerson}, {"cousin", Many, KindPerson}, {"aunt", Many, KindPerson}, {"uncle", Many, KindPerson},
	{"niece", Many, KindPerson}, {"nephew", Many, KindPerson}, {"grandmother", Many, KindPerson}, {"grandfather", Many, KindPerson},
	{"friend", Many, KindPerson}, {"roommate", Many, KindPerson}, {"flatmate", Many, KindPerson}, {"neighbour", Many, KindPerson},
	{"colleague", Many, KindPerson}, {"teammate", Many, KindPerson}, {"mentor", Many, KindPerson}, {"therapist", Many, KindPerson},
	{"doctor", Many, KindPerson}, {"dentist", Many, KindPerson}, {"teacher", Many, KindPerson}, {"accountant", Many, KindPerson},
	{"lawyer", Many, KindPerson}, {"tech lead", Single, KindPerson}, {"team lead", Single, KindPerson}, {"skip-level", Single, KindPerson},
	{"product manager", Many, KindPerson}, {"project manager", Many, KindPerson},
	{"dog", Many, KindThing}, {"cat", Many, KindThing}, {"pet", Many, KindThing}, {"horse", Many, KindThing}, {"rabbit", Many, KindThing},
	{"kid", Many, KindPerson}, {"baby", Many, KindPerson},
}

// kinOf returns the kinship that words name ("older sister", "mum").
func kinOf(words string) (kinship, bool) {
	if f := strings.Fields(words); len(f) > 1 {
		switch f[0] {
		case "older", "elder", "younger", "little", "big", "baby", "oldest", "eldest", "youngest", "twin", "half", "step", "best", "good", "new", "current", "other":
			words = strings.Join(f[1:], " ")
		}
	}
	switch words {
	case "mum", "mom", "mama", "ma", "mommy", "mummy":
		words = "mother"
	case "dad", "papa", "daddy":
		words = "father"
	case "gf":
		words = "girlfriend"
	case "bf":
		words = "boyfriend"
	case "hubby":
		words = "husband"
	case "sis":
		words = "sister"
	case "bro":
		words = "brother"
	case "gran", "grandma", "granny", "nana":
		words = "grandmother"
	case "grandpa", "granddad":
		words = "grandfather"
	case "neighbor":
		words = "neighbour"
	case "coworker", "co-worker":
		words = "colleague"
	case "fiance":
		words = "fiancé"
	case "fiancee":
		words = "fiancée"
	case "pm":
		words = "product manager"
	case "puppy":
		words = "dog"
	case "kitten":
		words = "cat"
	}
	for _, k := range kin {
		if k.name == words {
			return k, true
		}
	}
	return kinship{}, false
}

// isBoss says whether words name whom the speaker reports to.
func isBoss(words string) bool {
	switch strings.TrimPrefix(strings.TrimPrefix(words, "new "), "current ") {
	case "manager", "boss", "line manager", "direct manager", "supervisor", "engineering manager", "em", "team leader", "direct report manager":
		return true
	}
	return false
}

// attributes are what the speaker has one of.
var attributes = []string{
	"editor", "ide", "shell", "terminal", "browser", "os", "operating system", "laptop", "phone", "keyboard layout", "window manager",
	"email", "email address", "github handle", "github username", "username", "handle", "pronouns", "native language", "mother tongue",
	"default branch", "hometown", "nationality", "nickname", "language", "programming language", "job title", "package manager", "note app", "search engine", "color scheme",
	"theme", "font", "commit style", "blood type", "shoe size", "distro", "main language", "daily driver", "staging url", "city",
	"employer", "company", "time zone", "timezone", "birthday", "name", "full name", "first name", "surname", "last name",
}

// attributeOf returns the attribute that words name, "" when they name none. What is favourite or preferred is one.
func attributeOf(words string) string {
	words = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(words, "new "), "current "), "main ")
	if isBoss(words) {
		return "manager"
	}
	if words == "bday" {
		return "birthday"
	}
	for _, p := range []string{"favorite ", "favourite ", "preferred ", "default "} {
		if rest, ok := strings.CutPrefix(words, p); ok && rest != "" && len(strings.Fields(rest)) <= 3 {
			return strings.Replace(words, "favorite", "favourite", 1)
		}
	}
	for _, a := range attributes {
		if a == words {
			return a
		}
	}
	return ""
}

// relationName makes a relation's name of words.
func relationName(words string) string {
	return strings.NewReplacer(" ", "_", "-", "_", "'", "").Replace(strings.ToLower(words))
}

// isRoleNoun says whether a word can end what someone is by profession.
func isRoleNoun(low string) bool { return roleNouns()[low] }

var roleNouns = wordSet(`engineer developer dev programmer designer manager lead architect analyst scientist teacher nurse doctor student writer
editor consultant contractor freelancer founder cofounder co-founder ceo cto cfo coo cio ciso vp admin administrator sysadmin sre devops researcher
professor lecturer lawyer attorney accountant translator interpreter journalist intern director owner maintainer technician mechanic chef cook
baker pharmacist dentist therapist psychologist physicist chemist biologist mathematician statistician economist librarian photographer musician
artist illustrator animator producer recruiter marketer salesperson salesman electrician plumber carpenter pilot paramedic physician surgeon vet
veterinarian coach trainer tester qa dba officer coordinator specialist strategist planner operator assistant secretary banker trader auditor
president chairman chairwoman head postdoc phd-student undergrad graduate trainee apprentice farmer gardener driver courier barista waiter
entrepreneur retiree staffer principal supervisor advisor adviser guide curator archivist geologist astronomer sculptor dancer actor actress
singer composer novelist poet blogger podcaster streamer youtuber tutor educator instructor optician midwife firefighter detective soldier
tech clerk cashier janitor stylist tailor butcher surveyor technologist representative rep`)

// nationalities are words with a capital that are no names.
var nationalities = wordSet(`german french italian spanish portuguese dutch english british american canadian australian chinese japanese korean
indian russian ukrainian polish czech slovak hungarian romanian bulgarian greek turkish swedish norwegian danish finnish icelandic irish scottish
welsh swiss austrian belgian brazilian mexican argentinian chilean colombian peruvian egyptian moroccan nigerian kenyan ghanaian ethiopian
israeli iranian iraqi lebanese syrian pakistani bangladeshi thai vietnamese indonesian malaysian filipino singaporean taiwanese croatian serbian
slovenian bosnian albanian estonian latvian lithuanian georgian armenian kazakh european asian african catholic muslim jewish christian hindu
buddhist`)

// isLanguage says whether a word is a language that people speak.
func isLanguage(low string) bool { return languages()[low] }

var languages = wordSet(`english german french italian spanish portuguese dutch flemish mandarin cantonese chinese japanese korean hindi urdu
bengali punjabi tamil telugu marathi gujarati russian ukrainian belarusian polish czech slovak hungarian romanian bulgarian greek turkish swedish
norwegian danish finnish icelandic irish gaelic welsh basque catalan galician arabic hebrew persian farsi kurdish pashto swahili amharic yoruba
igbo hausa zulu xhosa afrikaans thai vietnamese indonesian malay tagalog filipino croatian serbian slovenian slovene bosnian albanian estonian
latvian lithuanian georgian armenian azerbaijani kazakh uzbek mongolian nepali sinhala burmese khmer lao latin esperanto tshiluba lingala
luxembourgish maltese yiddish frisian asl`)

// isTech says whether a name is that of a known tool, language, product or service of computing: one moves to
// Kubernetes in another way than to Ghent.
func isTech(name string) bool {
	low := strings.ToLower(name)
	if tech()[low] {
		return true
	}
	first, _, _ := strings.Cut(low, " ")
	return tech()[first] || strings.ContainsAny(name, "+#_/.") || mixedCase(name)
}

// mixedCase is for names such as GitLab and PostgreSQL: a capital behind a small letter.
func mixedCase(name string) bool {
	small := false
	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z' && small:
			return !strings.HasPrefix(name, "Mc") && !strings.HasPrefix(name, "Mac") && !strings.HasPrefix(name, "De") && !strings.HasPrefix(name, "Le")
		case r == ' ' || r == '-' || r == '\'':
			small = false
		default:
			small = r >= 'a' && r <= 'z'
		}
	}
	return false
}

var tech = wordSet(`go golang rust python java kotlin scala swift ruby php perl c c++ c# f# haskell ocaml elixir erlang clojure javascript js
typescript ts node nodejs node.js deno bun react vue svelte angular solid nextjs next.js nuxt django flask fastapi rails laravel spring express
postgres postgresql mysql mariadb sqlite mongodb mongo redis valkey memcached cassandra dynamodb cockroachdb clickhouse elasticsearch opensearch
snowflake bigquery duckdb neo4j kafka rabbitmq nats pulsar zookeeper etcd consul docker podman kubernetes k8s k3s nomad helm terraform opentofu
pulumi ansible puppet chef vagrant packer aws azure gcp heroku vercel netlify cloudflare digitalocean linode hetzner fly flyio render railway
jenkins circleci travis buildkite github gitlab bitbucket gitea forgejo codeberg sourcehut drone teamcity argo argocd flux tekton bazel buck
gradle maven make cmake ninja npm pnpm yarn pip poetry uv conda cargo brew homebrew apt nix nixos guix git mercurial svn jujutsu jj vim neovim
nvim emacs helix vscode code sublime atom zed intellij goland pycharm webstorm jetbrains xcode eclipse notepad nano kakoune cursor windsurf copilot claude
chatgpt gemini ollama linux ubuntu debian fedora arch archlinux manjaro alpine centos rhel suse opensuse gentoo freebsd openbsd windows macos mac
ios android chrome chromium firefox safari edge brave arc vivaldi opera bash zsh fish nushell powershell tmux zellij screen kitty alacritty wezterm ghostty
iterm iterm2 terminal ripgrep rg fzf fd bat eza exa zoxide jq yq curl wget htop slack discord teams zoom mattermost matrix element signal telegram
whatsapp jira linear asana trello notion obsidian logseq roam confluence miro figma sketch photoshop gimp inkscape blender fastmail gmail
protonmail proton outlook thunderbird hey grafana prometheus datadog sentry splunk loki tempo jaeger zipkin opentelemetry newrelic pagerduty
opsgenie vault sops 1password bitwarden keepass lastpass nginx apache caddy traefik envoy haproxy istio linkerd grpc graphql rest protobuf json
yaml toml xml html css sass tailwind bootstrap webpack vite esbuild rollup parcel babel eslint prettier biome ruff black mypy pyright pytest jest
vitest mocha cypress playwright selenium junit spark hadoop flink airflow dagster dbt looker tableau superset metabase powerbi excel latex
markdown org-mode wayland x11 i3 sway hyprland gnome kde plasma xfce systemd wsl virtualbox vmware qemu proxmox s3 minio ceph zfs btrfs tailscale wireguard
openvpn okta auth0 keycloak stripe paypal twilio sendgrid mailgun firebase supabase planetscale neon turso tidb raycast alfred shopify wordpress
drupal ghost hugo jekyll astro gatsby eleventy unity unreal godot bevy opengl vulkan cuda pytorch tensorflow jax sklearn pandas numpy polars jupyter
raspberry arduino esp32 oauth saml ldap`)

func isMonth(low string) bool   { _, ok := monthOf(low); return ok }
func isWeekday(low string) bool { _, ok := weekdayOf(low); return ok }
