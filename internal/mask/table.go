package mask

import "strings"

// The tables of this file say what secrets look like. Code does not name a
// provider, a word or a prefix of its own.

// keyPrefix is the beginning that a provider gives to its keys.
type keyPrefix struct {
	text  string
	least int    // bytes that must follow
	class uint16 // what those are
	mixed bool   // one of them is a digit, for prefixes that words begin with too
}

// keyPrefixes are those that providers document, and hashes of passwords.
var keyPrefixes = []keyPrefix{
	// Model providers.
	{"sk-", 8, wordly, false}, {"sk_", 8, wordly, false}, {"pk-lf-", 8, wordly, false}, {"pk_live_", 8, wordly, false},
	{"pk_test_", 8, wordly, false}, {"rk_live_", 8, wordly, false}, {"rk_test_", 8, wordly, false}, {"rk-", 12, wordly, true}, {"pk-", 12, wordly, true},
	{"xai-", 16, wordly, false}, {"gsk_", 16, wordly, false}, {"hf_", 16, wordly, false}, {"api_org_", 16, wordly, false},
	{"r8_", 20, wordly, false}, {"pplx-", 16, wordly, false}, {"fw_", 20, wordly, true}, {"nvapi-", 16, wordly, false}, {"tvly-", 12, wordly, false},
	{"jina_", 16, wordly, false}, {"pa-", 24, wordly, true}, {"esecret_", 16, wordly, false}, {"csk-", 16, wordly, true}, {"lsv2_", 16, wordly, false},
	// Clouds.
	{"AKIA", 12, upper | digit, false}, {"ASIA", 12, upper | digit, false}, {"ABIA", 16, upper | digit, false}, {"ACCA", 16, upper | digit, false},
	{"AIza", 16, wordly, false}, {"ya29.", 8, wordly | dot, false}, {"1//0", 20, wordly, false}, {"GOCSPX-", 16, wordly, false},
	{"dop_v1_", 16, wordly, false}, {"doo_v1_", 16, wordly, false}, {"dor_v1_", 16, wordly, false}, {"LTAI", 12, alnum, true},
	{"hvs.", 16, wordly, false}, {"hvb.", 16, wordly, false}, {"hvr.", 16, wordly, false}, {"fo1_", 16, wordly, false}, {"FlyV1", 16, wordly | base64 | space, true},
	{"dapi", 32, wordly, true}, {"dckr_pat_", 16, wordly, false}, {"dp.pt.", 16, alnum, false}, {"dp.st.", 16, alnum | dash | dot, false}, {"tskey-", 12, wordly, false},
	{"CCIPAT_", 16, wordly, false}, {"pul-", 32, hexa, true}, {"HRKU-", 16, wordly, false}, {"rnd_", 20, alnum, true}, {"sbp_", 20, alnum, true}, {"sb_secret_", 12, wordly, false},
	{"pscale_", 20, wordly | dot, true}, {"vercel_", 20, wordly, true}, {"cfut_", 20, wordly, true}, {"v1.0-", 30, wordly, true}, {"eu01xx", 16, alnum, true}, {"NRAK-", 16, alnum, false},
	// Code hosts and package registries.
	{"ghp_", 16, alnum, false}, {"gho_", 16, alnum, false}, {"ghu_", 16, alnum, false}, {"ghs_", 16, alnum, false}, {"ghr_", 16, alnum, false},
	{"github_pat_", 16, wordly, false}, {"glpat-", 16, wordly | dot, false}, {"gldt-", 16, wordly, false}, {"glrt-", 16, wordly, false}, {"glptt-", 16, wordly, false}, {"glcbt-", 16, wordly, false},
	{"ATATT3", 16, wordly | percent, false}, {"ATBB", 20, alnum, true}, {"npm_", 16, alnum, false}, {"pypi-", 16, wordly, false}, {"rubygems_", 16, alnum, false},
	{"cio", 32, alnum, true}, {"oy2", 40, alnum, true}, {"CLOJARS_", 16, alnum, false}, {"AKCp", 20, alnum, true}, {"cmVmdGtu", 20, alnum, false}, {"sqp_", 20, alnum, false}, {"squ_", 20, alnum, false},
	// Payments, mail, chat, monitoring.
	{"whsec_", 16, alnum | base64, false}, {"sq0atp-", 16, wordly, false}, {"sq0csp-", 16, wordly, false}, {"EAAA", 40, wordly, true}, {"EAAC", 40, alnum, true},
	{"shpat_", 16, alnum, false}, {"shpss_", 16, alnum, false}, {"shpca_", 16, alnum, false}, {"shppa_", 16, alnum, false}, {"access_token$", 16, alnum | percent, true},
	{"SG.", 16, wordly | dot, false}, {"key-", 32, hexa, true}, {"SK", 32, hexa, true}, {"sendinblue", 32, wordly, true}, {"xkeysib-", 16, wordly, false},
	{"xoxa-", 8, wordly, false}, {"xoxb-", 8, wordly, false}, {"xoxc-", 8, wordly, false}, {"xoxd-", 8, wordly | percent, false}, {"xoxe-", 8, wordly, false}, {"xoxe.", 8, wordly | dot, false},
	{"xoxo-", 8, wordly, false}, {"xoxp-", 8, wordly, false}, {"xoxr-", 8, wordly, false}, {"xoxs-", 8, wordly, false}, {"xapp-", 8, wordly, false},
	{"PMAK-", 16, wordly, false}, {"figd_", 16, wordly, false}, {"lin_api_", 16, alnum, false}, {"secret_", 32, alnum, true}, {"ntn_", 20, alnum, true}, {"pat-na1-", 16, wordly, false}, {"pat-eu1-", 16, wordly, false},
	{"glsa_", 16, wordly, false}, {"glc_", 16, alnum | base64, true}, {"sntrys_", 16, wordly | percent, false}, {"sntryu_", 16, wordly, false}, {"phc_", 20, alnum, false}, {"phx_", 20, alnum, false}, {"sgp_", 20, wordly, false},
	{"EZAK", 20, alnum, true}, {"EZTK", 20, alnum, true}, {"duffel_", 20, wordly, true}, {"AGE-SECRET-KEY-", 16, alnum, false}, {"p8e-", 16, alnum, true}, {"tfp_", 20, wordly, true}, {"dt0c01.", 16, alnum | dot, false},
	// JSON web tokens and other base64 of an object.
	{"eyJ", 16, wordly | dot | base64 | percent, false},
	// Hashes of passwords.
	{"$2a$", 20, alnum | base64 | dot | percent, false}, {"$2b$", 20, alnum | base64 | dot | percent, false}, {"$2y$", 20, alnum | base64 | dot | percent, false},
	{"$1$", 20, alnum | base64 | dot | percent, false}, {"$5$", 20, alnum | base64 | dot | percent, false}, {"$6$", 20, alnum | base64 | dot | percent, false}, {"$y$", 20, alnum | base64 | dot | percent, false},
	{"$apr1$", 20, alnum | base64 | dot | percent, false}, {"$argon2", 20, wordly | base64 | dot | percent, false}, {"$pbkdf2", 20, wordly | base64 | dot | percent, false}, {"$scrypt$", 20, wordly | base64 | dot | percent, false},
	{"{SSHA}", 16, alnum | base64 | percent, false}, {"{SHA}", 16, alnum | base64 | percent, false},
}

// byFirst are the prefixes by their first byte.
var byFirst = func() (t [128][]keyPrefix) {
	for _, p := range keyPrefixes {
		t[p.text[0]] = append(t[p.text[0]], p)
	}
	return t
}()

// hooks are addresses whose path is the secret: whoever has it may post. The path
// behind is masked. {} stands for one part of a path.
var hooks = []string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	"api.telegram.org/bot", "api.telegram.org/file/bot", "outlook.office.com/webhook/", "webhook.office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "maker.ifttt.com/",
	"open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/", "hc-ping.com/", "events.pagerduty.com/integration/", "hook.integromat.com/", "hook.make.com/",
	"qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "api.flock.com/hooks/sendmessage/", "hooks.chime.aws/incomingwebhooks/", "rooms.webex.com/webhooks/", "webexapis.com/v1/webhooks/incoming/",
	"webhook.site/", "gotify.example/", "ntfy.sh/", "/hooks/", "/webhooks/", "/webhook/", "/incoming-webhooks/",
}

// set makes a set of words.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// Words that names of secrets end with: DB_PASSWORD, accessToken, x-api-key.
var (
	passwords = set(`password passwd passphrase passcode pwd passwort kennwort contrasena senha userpass pgpassword userpassword dbpassword mysqlpwd rootpassword adminpassword
		keypass storepass truststorepassword keystorepassword sshpass`)
	tokens = set(`secret token apikey apikeys credential credentials creds jwt signature sig bearer otp totp pat authtoken accesstoken refreshtoken idtoken sessiontoken bottoken
		clientsecret appsecret apisecret secretkey accesskey authkey privatekey accountkey masterkey licensekey sharedkey sessionkey signingkey encryptionkey secretaccesskey
		hmac psk sas phpsessid jsessionid sessionid aspsessionid assertion xsrf csrf csrftoken xsrftoken apitoken usertoken auth oauth userkey webhooksecret salt hash passhash`)
	// headers have values of several words.
	headers = set("authorization authorisation cookie cookies cookie2 setcookie")
	// key alone names too much else; these words before it make it a secret's.
	keyKinds = set(`api access secret private auth account shared master encryption signing license service client app application admin server webhook subscription session storage
		function functions deploy integration security ssh gpg pgp crypto cipher aes rsa hmac jwt oauth token consumer bot ingest ingestion write read root user developer partner merchant project
		openai anthropic azure google gemini mistral groq cohere stripe sendgrid twilio datadog dd newrelic cloudflare github gitlab huggingface hf sentry algolia mailgun mapbox pinecone portkey`)
	// pass alone is a count of tests.
	passKinds = set("db user smtp mail email ftp sftp ssh root admin database mysql pg postgres redis mongo http https proxy auth login my key store ldap wifi basic imap")
	// Words that make a name one of something else: max_tokens, primary key.
	notSecret = set(`max min num number count counts total limit budget prompt completion input output cached usage remaining per primary foreign partition sort row cache routing object map
		dict index unique duplicate composite unexpected expected illegal parse syntax pad bos eos unk method function type hot registry public host last first before after idempotency
		deduplication missing column field json surrogate lookup search group order reading start end stop`)
	// Words after the name that are not part of it: "API key provided:".
	fillers = set(`provided given supplied received used specified found sent is was equals with value values of string text plain plaintext raw b64 base64 env prod dev test staging live old new
		current previous default base being to set as got here entered header hex production sandbox the your for`)
	// schemes are those of authorization that stand without their header too.
	schemes = set("bearer basic token apikey bot negotiate ntlm digest hawk")
)

// benign are the words of a value that say something about a secret.
var benign = set(`a an and any all also are as at be because been but by can cannot cant could did do does doesnt dont either empty error errors expired expires failed failure fail false file
	for from get given has hasnt have header headers if in incorrect incorrectly into invalid invalidated is isnt it its issue issued issuer key keys length limit malformed mismatch mismatched missing must needs
	never no non none not nothing null nil null-value of off ok on only or out parameter param password passwords please provided real redacted hidden masked filtered removed omitted rejected required requires revoked
	same see sent set should so some string still supplied supported than that the their then there this to token tokens too true type unable unauthorized unauthenticated unavailable
	undefined unexpected unknown unrecognized unset unsupported unverified use used user username users uses using valid validated validation value values verification verified verify was wasnt we were
	when which while will with without wont wrong yes you your access accepted account after allowed api auth authentication authorization authenticated authorized bad basic bearer before
	blank blocked cert certificate changed check checked client code config configured confirm confirmation contains could credential credentials decode denied deny deprecated different disabled
	does-not-match enabled end eof exceeded exchange exhausted expected expiry expiring field format found got identifier identity inactive included insufficient int internal invalid_grant invalid_token
	ip lacks last login lookup match matches max min more name needed new newline next old one optional other parse parsed permission permissions policy prompt read reset request response retry
	scope scopes secret server service session signature signed signing sign size skipped something stale state status text undefined-value unspecified update url via void wait warning whitespace
	bool boolean number integer object array float date file-path path stdin stdout prompt interactive include omit same-origin ephemeral rotated rotation renewed refreshed cancelled canceled pending
	timeout refused ignored present absent unchanged updated created deleted default changeme example placeholder lax strict secure httponly digest negotiate ntlm plain md5 sha1 sha256 hmac rs256 hs256 es256`)

// idNames are the last words of names whose values operators need, however random
// they look.
var idNames = set(`id ids uuid guid requestid traceid spanid sha sha1 sha256 sha512 md5 etag hash digest commit revision rev checksum fingerprint ray cursor integrity trace span parent traceparent
	traceref nonce crumb build image layer version tag ref run job pod container instance node event message msg thread conversation correlation correlationid transaction txid tx operation op
	batch order invoice serial session request response rid arn host session-id sid2 snapshot object kid thumbprint file path name user tenant project org workspace query execution workflow model`)

// idPrefixes begin ids of services: req_011C..., chatcmpl-...
var idPrefixes = []string{
	"req_", "req-", "msg_", "resp_", "chatcmpl-", "cmpl-", "run_", "thread_", "asst_", "file-", "file_", "batch_", "toolu_", "srvtoolu_", "call_", "cus_", "ch_", "pi_", "pm_", "evt_", "sub_", "in_", "price_",
	"prod_", "org-", "org_", "proj_", "user-", "user_", "trace_", "trace-", "span_", "gen-", "rs_", "ws_", "fc_", "ft-", "ftjob-", "modelcmpl-", "embd-", "msgbatch_", "session_", "conv_", "item_", "event_",
	"step_", "vs_", "seti_", "si_", "txn_", "re_", "po_", "acct_", "job_", "job-", "task_", "task-", "pod-", "ses_", "container_", "cntr_", "wrkspc_", "wf_", "exec_", "run-", "prj_", "dpl_", "team_", "iad1", "sha1-", "sha256-",
	"sha384-", "sha512-", "h1", "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "_ZN", "_R", "arn",
}
