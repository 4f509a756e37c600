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
	run   int    // the number of class, set by byFirst
}

// keyPrefixes are those that providers document, and hashes of passwords.
var keyPrefixes = []keyPrefix{
	// Model providers.
	{"sk-", 8, wordly, false, 0}, {"sk_", 8, wordly, false, 0}, {"pk-lf-", 8, wordly, false, 0}, {"pk_live_", 8, wordly, false, 0},
	{"pk_test_", 8, wordly, false, 0}, {"rk_live_", 8, wordly, false, 0}, {"rk_test_", 8, wordly, false, 0}, {"rk-", 12, wordly, true, 0}, {"pk-", 12, wordly, true, 0},
	{"xai-", 16, wordly, false, 0}, {"gsk_", 16, wordly, false, 0}, {"hf_", 16, wordly, false, 0}, {"api_org_", 16, wordly, false, 0},
	{"r8_", 20, wordly, false, 0}, {"pplx-", 16, wordly, false, 0}, {"fw_", 20, wordly, true, 0}, {"nvapi-", 16, wordly, false, 0}, {"tvly-", 12, wordly, false, 0},
	{"jina_", 16, wordly, false, 0}, {"pa-", 24, wordly, true, 0}, {"esecret_", 16, wordly, false, 0}, {"csk-", 16, wordly, true, 0}, {"lsv2_", 16, wordly, false, 0},
	// Clouds.
	{"AKIA", 12, upper | digit, false, 0}, {"ASIA", 12, upper | digit, false, 0}, {"ABIA", 16, upper | digit, false, 0}, {"ACCA", 16, upper | digit, false, 0},
	{"AIza", 16, wordly, false, 0}, {"ya29.", 8, wordly | dot, false, 0}, {"1//0", 20, wordly, false, 0}, {"GOCSPX-", 16, wordly, false, 0},
	{"dop_v1_", 16, wordly, false, 0}, {"doo_v1_", 16, wordly, false, 0}, {"dor_v1_", 16, wordly, false, 0}, {"LTAI", 12, alnum, true, 0},
	{"hvs.", 16, wordly, false, 0}, {"hvb.", 16, wordly, false, 0}, {"hvr.", 16, wordly, false, 0}, {"fo1_", 16, wordly, false, 0}, {"FlyV1", 16, wordly | base64 | space, true, 0},
	{"dapi", 32, wordly, true, 0}, {"dckr_pat_", 16, wordly, false, 0}, {"dp.pt.", 16, alnum, false, 0}, {"dp.st.", 16, alnum | dash | dot, false, 0}, {"tskey-", 12, wordly, false, 0},
	{"CCIPAT_", 16, wordly, false, 0}, {"pul-", 32, hexa, true, 0}, {"HRKU-", 16, wordly, false, 0}, {"rnd_", 20, alnum, true, 0}, {"sbp_", 20, alnum, true, 0}, {"sb_secret_", 12, wordly, false, 0},
	{"pscale_", 20, wordly | dot, true, 0}, {"vercel_", 20, wordly, true, 0}, {"cfut_", 20, wordly, true, 0}, {"v1.0-", 30, wordly, true, 0}, {"eu01xx", 16, alnum, true, 0}, {"NRAK-", 16, alnum, false, 0},
	// Code hosts and package registries.
	{"ghp_", 16, alnum, false, 0}, {"gho_", 16, alnum, false, 0}, {"ghu_", 16, alnum, false, 0}, {"ghs_", 16, alnum, false, 0}, {"ghr_", 16, alnum, false, 0},
	{"github_pat_", 16, wordly, false, 0}, {"glpat-", 16, wordly | dot, false, 0}, {"gldt-", 16, wordly, false, 0}, {"glrt-", 16, wordly, false, 0}, {"glptt-", 16, wordly, false, 0}, {"glcbt-", 16, wordly, false, 0},
	{"ATATT3", 16, wordly | percent, false, 0}, {"ATBB", 20, alnum, true, 0}, {"npm_", 16, alnum, false, 0}, {"pypi-", 16, wordly, false, 0}, {"rubygems_", 16, alnum, false, 0},
	{"cio", 32, alnum, true, 0}, {"oy2", 40, alnum, true, 0}, {"CLOJARS_", 16, alnum, false, 0}, {"AKCp", 20, alnum, true, 0}, {"cmVmdGtu", 20, alnum, false, 0}, {"sqp_", 20, alnum, false, 0}, {"squ_", 20, alnum, false, 0},
	// Payments, mail, chat, monitoring.
	{"whsec_", 16, alnum | base64, false, 0}, {"sq0atp-", 16, wordly, false, 0}, {"sq0csp-", 16, wordly, false, 0}, {"EAAA", 40, wordly, true, 0}, {"EAAC", 40, alnum, true, 0},
	{"shpat_", 16, alnum, false, 0}, {"shpss_", 16, alnum, false, 0}, {"shpca_", 16, alnum, false, 0}, {"shppa_", 16, alnum, false, 0}, {"access_token$", 16, alnum | percent, true, 0},
	{"SG.", 16, wordly | dot, false, 0}, {"key-", 32, hexa, true, 0}, {"SK", 32, hexa, true, 0}, {"sendinblue", 32, wordly, true, 0}, {"xkeysib-", 16, wordly, false, 0},
	{"xoxa-", 8, wordly, false, 0}, {"xoxb-", 8, wordly, false, 0}, {"xoxc-", 8, wordly, false, 0}, {"xoxd-", 8, wordly | percent, false, 0}, {"xoxe-", 8, wordly, false, 0}, {"xoxe.", 8, wordly | dot, false, 0},
	{"xoxo-", 8, wordly, false, 0}, {"xoxp-", 8, wordly, false, 0}, {"xoxr-", 8, wordly, false, 0}, {"xoxs-", 8, wordly, false, 0}, {"xapp-", 8, wordly, false, 0},
	{"PMAK-", 16, wordly, false, 0}, {"figd_", 16, wordly, false, 0}, {"lin_api_", 16, alnum, false, 0}, {"secret_", 32, alnum, true, 0}, {"ntn_", 20, alnum, true, 0}, {"pat-na1-", 16, wordly, false, 0}, {"pat-eu1-", 16, wordly, false, 0},
	{"glsa_", 16, wordly, false, 0}, {"glc_", 16, alnum | base64, true, 0}, {"sntrys_", 16, wordly | percent, false, 0}, {"sntryu_", 16, wordly, false, 0}, {"phc_", 20, alnum, false, 0}, {"phx_", 20, alnum, false, 0}, {"sgp_", 20, wordly, false, 0},
	{"EZAK", 20, alnum, true, 0}, {"EZTK", 20, alnum, true, 0}, {"duffel_", 20, wordly, true, 0}, {"AGE-SECRET-KEY-", 16, alnum, false, 0}, {"p8e-", 16, alnum, true, 0}, {"tfp_", 20, wordly, true, 0}, {"dt0c01.", 16, alnum | dot, false, 0},
	// JSON web tokens and other base64 of an object.
	{"eyJ", 16, wordly | dot | base64 | percent, false, 0},
	// Hashes of passwords.
	{"$2a$", 20, alnum | base64 | dot | percent, false, 0}, {"$2b$", 20, alnum | base64 | dot | percent, false, 0}, {"$2y$", 20, alnum | base64 | dot | percent, false, 0},
	{"$1$", 20, alnum | base64 | dot | percent, false, 0}, {"$5$", 20, alnum | base64 | dot | percent, false, 0}, {"$6$", 20, alnum | base64 | dot | percent, false, 0}, {"$y$", 20, alnum | base64 | dot | percent, false, 0},
	{"$apr1$", 20, alnum | base64 | dot | percent, false, 0}, {"$argon2", 20, wordly | base64 | dot | percent, false, 0}, {"$pbkdf2", 20, wordly | base64 | dot | percent, false, 0}, {"$scrypt$", 20, wordly | base64 | dot | percent, false, 0},
	{"{SSHA}", 16, alnum | base64 | percent, false, 0}, {"{SHA}", 16, alnum | base64 | percent, false, 0},
}

// maxRuns bounds the number of classes in keyPrefixes.
const maxRuns = 16

// byFirst are the prefixes by their first byte.
var byFirst = func() (t [128][]keyPrefix) {
	numbers := map[uint16]int{}
	for _, p := range keyPrefixes {
		n, ok := numbers[p.class]
		if !ok {
			n = len(numbers)
			numbers[p.class] = n
		}
		p.run = n
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
		passwords passwds pw contraseña пароль пароля паролем 密码 密碼 口令 パスワード 비밀번호 hasło lösenord adgangskode heslo salasana wachtwoord şifre jelszó parola
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
	passKinds = set("passin passout passwd db user smtp mail email ftp sftp ssh root admin database mysql pg postgres redis mongo http https proxy auth login my key store ldap wifi basic imap")
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

// wideNames end words of languages that put no space between them.
var wideNames = strings.Fields("密码 密碼 口令 パスワード 비밀번호")
