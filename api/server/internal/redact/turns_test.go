package redact_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lukasa-dev/lukasa/api"
	"github.com/lukasa-dev/lukasa/api/server/internal/redact"
)

// random stands for the part of a key that a vendor makes up. The keys below are put together here, so that no scanner
// takes this file for a leak.
const random = "Rk3vT9xW2mLq8ZbN5cYd7HsJ1fPg4QeUa6TwXz0BvCnM"

func hex(n int) string { return strings.Repeat("9f3b07ce51d8", 10)[:n] }

// one redacts a single user turn.
func one(text string) (string, []api.Redaction) {
	clean, found := redact.Turns([]api.Turn{{Role: "user", Content: text}})
	return clean[0].Content, found
}

func TestSecretsOfVendors(t *testing.T) {
	tests := []struct{ kind, secret string }{
		{"aws_access_key", "AKIA" + "Z7QHX2M5TNWB4KDE"},
		{"aws_access_key", "ASIA" + "Z7QHX2M5TNWB4KDE"},
		{"github_token", "ghp_" + random[:36]},
		{"github_token", "github_pat_" + random[:22] + "_" + random[:20]},
		{"gitlab_token", "glpat-" + random[:20]},
		{"slack_token", "xoxb-" + "123456789012-" + random[:24]},
		{"slack_token", "xapp-" + "1-A0123456789-1234567890123-" + hex(32)},
		{"slack_webhook", "https://hooks.slack.com/" + "services/T0123ABCD/B0123ABCD/" + random[:24]},
		{"discord_webhook", "https://discord.com/api/webhooks/" + "123456789012345678/" + random + random[:20]},
		{"stripe_key", "sk_live_" + random[:24]},
		{"stripe_key", "rk_test_" + random[:24]},
		{"stripe_key", "whsec_" + random[:32]},
		{"openai_key", "sk-" + "proj-" + random},
		{"openai_key", "sk-" + random},
		{"anthropic_key", "sk-ant-" + "api03-" + random},
		{"google_key", "AIza" + "Sy" + random[:33]},
		{"google_oauth_secret", "GOCSPX-" + random[:28]},
		{"npm_token", "npm_" + random[:36]},
		{"pypi_token", "pypi-" + "AgEIcHlwaS5vcmc" + random},
		{"sendgrid_key", "SG." + random[:22] + "." + random[:43]},
		{"twilio_key", "SK" + hex(32)},
		{"mailgun_key", "key-" + hex(32)},
		{"digitalocean_token", "dop_v1_" + hex(64)},
		{"huggingface_token", "hf_" + random[:34]},
		{"databricks_token", "dapi" + hex(32)},
		{"shopify_token", "shpat_" + hex(32)},
		{"linear_key", "lin_api_" + random[:40]},
		{"notion_token", "ntn_" + random[:44]},
		{"figma_token", "figd_" + random},
		{"postman_key", "PMAK-" + hex(24) + "-" + hex(34)},
		{"vault_token", "hvs." + random[:24]},
		{"planetscale_token", "pscale_tkn_" + random},
		{"supabase_key", "sbp_" + hex(40)},
		{"newrelic_key", "NRAK-" + "Z7QHX2M5TNWB4KDEZ7QHX2M5TNW"},
		{"grafana_token", "glsa_" + random[:32] + "_" + hex(8)},
		{"telegram_token", "1234567890:AA" + random[:33]},
		{"docker_token", "dckr_pat_" + random[:27]},
		{"atlassian_token", "ATATT3" + random},
		{"groq_key", "gsk_" + random + random[:8]},
		{"replicate_token", "r8_" + random[:37]},
		{"tailscale_key", "tskey-auth-" + random[:16] + "-" + random[:32]},
		{"age_key", "AGE-SECRET-KEY-1" + strings.Repeat("Q5P2", 15)[:58]},
		{"lukasa_key", "lukasa_sk_" + random},
		{"jwt", "eyJhbGciOiJIUzI1NiJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0." + random},
	}
	for _, tt := range tests {
		t.Run(tt.kind, func(t *testing.T) {
			for _, around := range []string{"use %s for this", "%s", "(%s)", `{"k": "%s"}`, "X=%s\nY=1", "ключ：%s。", "\x1b[1;32m%s\x1b[0m"} {
				before, after, _ := strings.Cut(around, "%s")
				got, found := one(before + tt.secret + after)
				if strings.Contains(got, tt.secret[len(tt.secret)-12:]) {
					t.Errorf("%q was kept: %q", tt.secret, got)
				}
				if len(found) != 1 || found[0].Count != 1 || found[0].Kind != tt.kind {
					t.Errorf("in %q: redactions are %v, want one of %s", around, found, tt.kind)
				}
			}
		})
	}
}

func TestSecretsOfContexts(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"postgres", "postgres://app:" + "vK7%23tideLamp" + "@db-2.internal:5432/x?sslmode=require", "postgres://app:[redacted:connection_password]@db-2.internal:5432/x?sslmode=require"},
		{"no user", "redis://:" + "tideLamp93" + "@cache:6379/0", "redis://:[redacted:connection_password]@cache:6379/0"},
		{"an @ in it", "mongodb+srv://a:" + "p@ss9word" + "@c0.example.net/x", "mongodb+srv://a:[redacted:connection_password]@c0.example.net/x"},
		{"two urls", "amqp://u:" + "one11111" + "@h1,amqp://u:" + "two22222" + "@h2", "amqp://u:[redacted:connection_password]@h1,amqp://u:[redacted:connection_password]@h2"},
		{"ado", "Server=db;User Id=sa;Password=" + "tide-Lamp" + ";Encrypt=true", "Server=db;User Id=sa;Password=[redacted:connection_password];Encrypt=true"},
		{"libpq", "host=db user=app password=" + "tideLamp" + " dbname=x", "host=db user=app password=[redacted:connection_password] dbname=x"},
		{"bearer", `curl -H "Authorization: Bearer ` + random + `" https://x`, `curl -H "Authorization: Bearer [redacted:authorization]" https://x`},
		{"basic", "Authorization: Basic " + "YXBwOnRpZGVMYW1wOTM=", "Authorization: Basic [redacted:authorization]"},
		{"cookie", "Cookie: sid=" + random + "; theme=dark\nHost: x", "Cookie: [redacted:cookie]\nHost: x"},
		{"curl", "curl -s -u admin:" + "tideLamp93" + " https://x", "curl -s -u admin:[redacted:password] https://x"},
		{"env", "DB_HOST=db\nDB_PASSWORD=" + "correct-horse" + "\nDB_PORT=5432", "DB_HOST=db\nDB_PASSWORD=[redacted:password]\nDB_PORT=5432"},
		{"yaml", "password: " + "tide!Lamp93", "password: [redacted:secret]"},
		{"json", `{"client_secret": "` + random[:32] + `", "port": 80}`, `{"client_secret": "[redacted:secret]", "port": 80}`},
		{"header", "X-Api-Key: " + random[:32], "X-Api-Key: [redacted:secret]"},
		{"query", "https://x/y?access_token=" + random[:32] + "&page=2", "https://x/y?access_token=[redacted:secret]&page=2"},
		{"prose", "the wifi password is " + "Tr0ub4dor&3" + ".", "the wifi password is [redacted:password]."},
		{"aws pair", "AKIA" + "Z7QHX2M5TNWB4KDE " + "q9Vt3LmXw0Ye7RbPz1NhKc5uDs8GfJ2aTo4iEv6B", "[redacted:aws_access_key] [redacted:aws_secret_key]"},
		{"azure", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=" + random + random + "==;EndpointSuffix=y", "DefaultEndpointsProtocol=https;AccountName=x;AccountKey=[redacted:azure_key];EndpointSuffix=y"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, found := one(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
			if len(found) == 0 {
				t.Error("nothing was reported")
			}
		})
	}
}

func TestPrivateKeys(t *testing.T) {
	head, foot := "-----BEGIN RSA "+"PRIVATE KEY-----", "-----END RSA "+"PRIVATE KEY-----"
	body := "MIIEowIBAAKCAQEAq8Yw2TnB4vXcb3Bl\nbnNzaC1rZXktdjEAAAAABG5vbmUA\nAAAEbm9uZQ==\n"
	const gone = "[redacted:private_key]"
	tests := []struct{ name, text, want string }{
		{"whole", "a\n" + head + "\n" + body + foot + "\nb", "a\n" + gone + "\nb"},
		{"pgp", "-----BEGIN PGP " + "PRIVATE KEY BLOCK-----\n\n" + body + "-----END PGP " + "PRIVATE KEY BLOCK-----", gone},
		{"cut off", head + "\nProc-Type: 4,ENCRYPTED\n\n" + body + "and then it stops working", gone + "\nand then it stops working"},
		{"escaped", `{"key": "` + head + `\n` + strings.ReplaceAll(body, "\n", `\n`) + foot + `\n"}`, `{"key": "` + gone + `\n"}`},
		{"escaped, cut off", head + `\n` + strings.ReplaceAll(body, "\n", `\n`) + `", "id": 3`, gone + `\n", "id": 3`},
		{"two", head + "\n" + body + head + "\n" + body + foot, gone + "\n" + gone},
		{"carriage returns", head + "\r\n" + strings.ReplaceAll(body, "\n", "\r\n") + foot, gone},
		{"a public key is none", "-----BEGIN PUBLIC KEY-----\n" + body + "-----END PUBLIC KEY-----", "-----BEGIN PUBLIC KEY-----\n" + body + "-----END PUBLIC KEY-----"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _ := one(tt.text)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("text (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLookAlikesAreKept(t *testing.T) {
	for _, text := range []string{
		"request id 7f3c1d0e-52ab-4f7e-9d21-0b8f6a4c9e13",
		"first bad commit is 9fceb02d0ae598e95dc970b74767f19372d61af8",
		"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  reset.tar.gz",
		"sha512-z5K1pQmXKuGw7oS1rS6pQk2v3m9zP3QbY1VqkR4r8xv9sT0yq6n2Jw==",
		"the password reset page 500s; password must be at least 8 characters",
		"DATABASE_URL=postgres://localhost:5432/reset_dev",
		"postgres://app@db/x and postgres://app:${DB_PASSWORD}@db/x and postgres://app:<password>@db/x",
		"https://registry.example.org:443/@scope/pkg",
		"http://localhost:3000?email=ann@example.net",
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"max_tokens: 4096, tokenizer: cl100k_base, primary_key: 123456789",
		"password: string; token = getToken(user) and api_key = os.environ['API_KEY_2']",
		"API_KEY=your-api-key-here SECRET_KEY=changeme TOKEN=${TOKEN} PASSWORD=$PASSWORD",
		"sk-learn-estimators-and-other-long-names, sk-folding-cube-loading-spinner",
		"the bearer of good news, a cookie: tasty",
		"git@github.com:tidewater/shipd.git",
		"-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
		"gläserne Schlüssel und Passwörter; パスワード",
		"pk_live_51H8xLookAlikePublishable",
	} {
		if got, found := one(text); got != text || len(found) > 0 {
			t.Errorf("%q became %q, %v", text, got, found)
		}
	}
}

func TestASecretIsGoneWhereverItIs(t *testing.T) {
	secret := "vK7%23tide" + "Lamp-93xQ"
	clean, found := redact.Turns([]api.Turn{
		{Role: "assistant", Content: "is vK7#tide" + "Lamp-93xQ the password?"},
		{Role: "user", Content: "postgres://app:" + secret + "@db/x and again " + secret},
		{Role: "tool", Content: "nothing here"},
	})
	want := []api.Turn{
		{Role: "assistant", Content: "is [redacted:connection_password] the password?"},
		{Role: "user", Content: "postgres://app:[redacted:connection_password]@db/x and again [redacted:connection_password]"},
		{Role: "tool", Content: "nothing here"},
	}
	if diff := cmp.Diff(want, clean); diff != "" {
		t.Errorf("turns (-want +got):\n%s", diff)
	}
	wantFound := []api.Redaction{{Turn: 0, Kind: "connection_password", Count: 1}, {Turn: 1, Kind: "connection_password", Count: 2}}
	if diff := cmp.Diff(wantFound, found); diff != "" {
		t.Errorf("redactions (-want +got):\n%s", diff)
	}
}

func TestTheTurnsGivenStayAsTheyAre(t *testing.T) {
	secret := "ghp_" + random[:36]
	given := []api.Turn{{Role: "user", Content: secret}}
	redact.Turns(given)
	if given[0].Content != secret {
		t.Errorf("the turn given became %q", given[0].Content)
	}
}
