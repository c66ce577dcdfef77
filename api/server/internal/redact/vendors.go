package redact

// vendorRules are the shapes of keys that tell by themselves whose they are. A hint is a text that every match has, so
// that a pattern only runs where it can match. Identifiers that are public by design (AWS account ids, Stripe's
// publishable keys, Twilio's account SIDs) are none of them.
func vendorRules() []rule {
	const (
		word  = `[A-Za-z0-9]`
		url   = `[A-Za-z0-9_-]`
		hex   = `[0-9a-fA-F]`
		start = `(?:^|[^A-Za-z0-9_])`
	)
	shape := func(kind, pattern string, hints ...string) rule {
		return rule{kind: kind, hints: hints, pattern: start + `(` + pattern + `)`}
	}
	return []rule{
		shape("aws_access_key", `(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b`, "AKIA", "ASIA", "ABIA", "ACCA"),
		shape("github_token", `(?:gh[pousr]_`+word+`{20,255}|github_pat_\w{20,255})`, "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
		shape("gitlab_token", `(?:gl(?:pat|dt|rt|rtr|ptt|soat|cbt|imt|ft|agent|oas|ffct)-`+url+`[A-Za-z0-9_.-]{15,}|GR1348941`+url+`{20,})`, "gl", "GR1348941"),
		shape("slack_token", `(?:xox[abcdeoprs](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|xwfp-`+url+`{20,})`, "xox", "xapp-", "xwfp-"),
		shape("slack_webhook", `https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}`, "hooks.slack"),
		shape("discord_webhook", `https://(?:\w+\.)?discord(?:app)?\.com/api/(?:v\d+/)?webhooks/\d+/`+url+`{40,}`, "/webhooks/"),
		shape("discord_token", `[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}`, "."),
		shape("stripe_key", `(?:[sr]k_(?:live|test|prod)_`+word+`{16,}|whsec_[A-Za-z0-9+/=]{20,})`, "k_live_", "k_test_", "k_prod_", "whsec_"),
		shape("anthropic_key", `sk-ant-`+url+`{20,}`, "sk-ant-"),
		{kind: "openai_key", hints: []string{"sk-"}, pattern: start + `(sk-` + url + `{20,})`, accept: looksKey},
		shape("google_key", `AIza`+url+`{35}`, "AIza"),
		shape("google_oauth_secret", `(?:GOCSPX-`+url+`{20,}|ya29\.[A-Za-z0-9_.-]{20,}|1//0`+url+`{30,})`, "GOCSPX-", "ya29.", "1//0"),
		shape("npm_token", `npm_`+word+`{30,}`, "npm_"),
		shape("pypi_token", `pypi-`+url+`{32,}`, "pypi-"),
		shape("rubygems_key", `rubygems_`+hex+`{40,}`, "rubygems_"),
		shape("sendgrid_key", `SG\.`+url+`{16,}\.`+url+`{16,}`, "SG."),
		shape("twilio_key", `SK[0-9a-f]{32}\b`, "SK"),
		shape("mailgun_key", `key-[0-9a-f]{32}\b`, "key-"),
		shape("mailchimp_key", `[0-9a-f]{32}-us\d{1,2}\b`, "-us"),
		shape("digitalocean_token", `do[opr]_v1_[0-9a-f]{64}`, "_v1_"),
		shape("huggingface_token", `(?:hf|api_org)_[A-Za-z]{30,}`, "hf_", "api_org_"),
		shape("huggingface_token", `hf_`+word+`{30,}`, "hf_"),
		shape("databricks_token", `dapi[0-9a-f]{32}(?:-\d)?\b`, "dapi"),
		shape("shopify_token", `shp(?:at|ca|pa|ss|tka)_`+hex+`{32}`, "shp"),
		shape("linear_key", `lin_(?:api|oauth|wh)_`+word+`{32,}`, "lin_"),
		shape("notion_token", `(?:secret_`+word+`{43}|ntn_`+word+`{40,})`, "secret_", "ntn_"),
		shape("figma_token", `fig[dour]_`+url+`{40,}`, "fig"),
		shape("postman_key", `PMAK-[0-9a-f]{24}-[0-9a-f]{34}`, "PMAK-"),
		shape("doppler_token", `dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{36,}`, "dp."),
		shape("vault_token", `hv[sbr]\.`+url+`{20,}`, "hvs.", "hvb.", "hvr."),
		shape("planetscale_token", `pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{30,}`, "pscale_"),
		shape("supabase_key", `(?:sbp_[0-9a-f]{40}|sb_secret_`+url+`{20,})`, "sbp_", "sb_secret_"),
		shape("newrelic_key", `NR(?:AK|II|JS)-`+word+`{19,}`, "NRAK-", "NRII-", "NRJS-"),
		shape("grafana_token", `(?:glc_[A-Za-z0-9+/=]{32,}|glsa_`+word+`{32}_`+hex+`{8})`, "glc_", "glsa_"),
		shape("sentry_token", `sntry[su]_[A-Za-z0-9+/=_-]{40,}`, "sntry"),
		shape("telegram_token", `\d{8,10}:AA`+url+`{32,}`, ":AA"),
		shape("azure_secret", `[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`, "Q~"),
		{kind: "azure_key", hints: []string{"Key="}, pattern: `(?:Account|SharedAccess)Key=([A-Za-z0-9+/]{40,}={0,2})`},
		{kind: "azure_signature", hints: []string{"sig="}, pattern: `[?&;]sig=([A-Za-z0-9%+/=_-]{40,})`},
		shape("age_key", `AGE-SECRET-KEY-1[A-Z0-9]{50,}`, "AGE-SECRET-KEY-1"),
		shape("docker_token", `dckr_(?:pat|oat)_`+url+`{20,}`, "dckr_"),
		shape("flyio_token", `(?:fo1_`+url+`{40,}|fm[12][ar]?_[A-Za-z0-9+/=_-]{80,})`, "fo1_", "fm"),
		shape("atlassian_token", `(?:ATATT3|ATCTT3|ATBB)[A-Za-z0-9_=-]{20,}`, "ATATT3", "ATCTT3", "ATBB"),
		shape("dropbox_token", `sl\.(?:u\.)?`+url+`{100,}`, "sl."),
		shape("square_token", `(?:EAAA`+url+`{56,}|sq0(?:atp|csp)-`+url+`{20,})`, "EAAA", "sq0"),
		shape("airtable_token", `pat`+word+`{14}\.[0-9a-f]{64}`, "pat"),
		shape("groq_key", `gsk_`+word+`{40,}`, "gsk_"),
		shape("xai_key", `xai-`+word+`{40,}`, "xai-"),
		shape("replicate_token", `r8_`+word+`{32,}`, "r8_"),
		shape("perplexity_key", `pplx-`+word+`{40,}`, "pplx-"),
		shape("tailscale_key", `tskey-[a-z]+-[A-Za-z0-9-]{16,}`, "tskey-"),
		shape("pulumi_token", `pul-[0-9a-f]{40}`, "pul-"),
		shape("terraform_token", word+`{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}`, ".atlasv1."),
		shape("heroku_key", `HRKU-[A-Za-z0-9_-]{30,}`, "HRKU-"),
		shape("cratesio_token", `cio`+word+`{32}\b`, "cio"),
		shape("lukasa_key", `lukasa_[a-z]{2,8}_[A-Za-z0-9_-]{16,}`, "lukasa_"),
		shape("jwt", `eyJ`+url+`{8,}\.eyJ`+url+`{8,}(?:\.`+url+`*)?`, "eyJ"),
	}
}
