package mask

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The words in this file precede secrets, or show that a value is public.

// hooks are the beginnings of webhook URLs. The rest of the path is a secret.
var hooks = []string{
	"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
	"api.telegram.org/bot", "api.telegram.org/file/bot", "outlook.office.com/webhook/", "webhook.office.com/webhookb2/", "hooks.zapier.com/hooks/catch/", "maker.ifttt.com/",
	"open.feishu.cn/open-apis/bot/v2/hook/", "open.larksuite.com/open-apis/bot/v2/hook/", "hc-ping.com/", "events.pagerduty.com/integration/", "hook.integromat.com/", "hook.make.com/",
	"qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", "api.flock.com/hooks/sendmessage/", "hooks.chime.aws/incomingwebhooks/", "rooms.webex.com/webhooks/", "webexapis.com/v1/webhooks/incoming/",
	"webhook.site/", "gotify.example/", "ntfy.sh/", "/hooks/", "/webhooks/", "/webhook/", "/incoming-webhooks/",
}

// vocabulary maps each word of the sets to itself, so that lowerWord need not
// allocate.
var vocabulary = map[string]string{}

// set returns the set of the words in a list, and adds them to vocabulary.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
		vocabulary[w] = w
	}
	return m
}

// longestListed is the maximum length of a word in vocabulary, in bytes.
const longestListed = 48

// lowerWord returns word in lower case and without apostrophes if that form is in
// vocabulary. Otherwise it returns word unchanged.
func lowerWord(word string) string {
	if c := classes(word); c&upper == 0 && c&(quote|nonASCII) == 0 || len(word) > longestListed {
		return word
	}
	var low [longestListed + 2*utf8.UTFMax]byte
	n := 0
	for _, r := range word {
		if n > longestListed {
			return word
		}
		if r != '\'' {
			n += utf8.EncodeRune(low[n:], unicode.ToLower(r))
		}
	}
	if w, ok := vocabulary[string(low[:n])]; ok {
		return w
	}
	return word
}

// These sets have the words in and around the names of secrets. A password's name
// ends with a word of the set passwords.
var (
	passwords = set(`password passwd passphrase passcode pwd passwort kennwort contrasena senha userpass bindpw rootpw adminpw userpw dbpw pgpassword userpassword dbpassword mysqlpwd rootpassword adminpassword
		passwords passwds passwörter kennwörter contraseñas senhas wachtwoorden pw contraseña пароль пароля паролем 密码 密碼 口令 パスワード 비밀번호 hasło lösenord lösenordet passord passordet kodeord kodeordet adgangskode adgangskoden heslo salasana wachtwoord şifre jelszó parola
		keypass storepass truststorepassword keystorepassword sshpass requirepass masterauth masteruserpassword
		пароли şifresi parol paroli parole heslem lozinka lozinku geslo salasõna parool lykilorð aðgangsorð slaptažodis parolă contrasenya pasahitza wagwoord nenosiri
		סיסמה סיסמא رمز पासवर्ड รหัสผ่าน 암호 暗証番号 暗号 密钥 口令码 κωδικός κωδικο գաղտնաբառ პაროლი пароля паролю`)
	manyPasswords = set("passwords passwds passwörter kennwörter contraseñas senhas wachtwoorden пароли")
	// In a map of secrets, a field named in vaultNames has a secret. In a map of
	// passwords, a field named in accountNames also has a secret.
	vaultNames   = set("db database mail email account service bucket owner vendor role admin login primary cache search order")
	accountNames = set("user users username")
	// settings are names of secrets in configuration files.
	settings = set("requirepass masterauth masteruserpassword")
	// codes are names of one-time codes and PINs.
	codes = set("otp totp pin cvv cvc mtan hotp cvv2 cvc2 cvn cvn2 kartenprüfnummer prüfziffer kartenprüfziffer cryptogramme kryptogramm")
	// These are names of the security codes of payment cards. Such a code has three or
	// four digits.
	cards       = set("cvv cvc cvv2 cvc2 cvn cvn2 kartenprüfnummer prüfziffer kartenprüfziffer cryptogramme kryptogramm")
	cardPhrases = strings.Split("cryptogramme visuel|código de seguridad de la tarjeta|código de segurança do cartão|codice di sicurezza della carta|card verification value|card verification number|card verification code", "|")
	// codeKinds are words that precede "code" in the name of a one-time code.
	codeKinds = set("verification security confirmation authentication auth login signin access sms otp totp cvv cvc mfa fa factor time use backup recovery reset activation unlock pairing pin passcode device sign")
	// users are words, such as "login", that precede a user's name.
	users = set("login user username account uid usr")
	// These words can follow a token or a key, as in "has been revoked".
	tokenStates = set("expired revoked rejected invalid deactivated disabled compromised leaked rotated blocked unauthorized refused denied accepted valid malformed recognized longer known found match authorized permitted allowed active")
	keyStates   = set("revoked deactivated disabled compromised leaked rotated unauthorized longer")
	// exitStates are words, such as "failed", that can follow a command line.
	exitStates  = set("failed exited returned")
	auxiliaries = set("has have had is was were been be got not no does did could cannot may can already just")
	// usageWords are words, such as "using", that can precede a token.
	usageWords = set("using with use uses used sent sending via")
	// publicFields are names of fields that are not secrets, even in a map of
	// secrets.
	publicFields = set(`user users username email mail login account region zone host hostname server port url uri endpoint address domain type kind scheme source provider service scope scopes
		created updated expires expiry expiration date time timestamp status state enabled active role roles description label labels title realm issuer audience algorithm alg format
		length size method mode comment note env environment namespace owner vendor bucket database db schema protocol level category reason error code
		backend engine store driver manager plugin prefix suffix mount version policy rotation interval ttl age lifetime optional required external create existing annotations metadata target uid gid minimum maximum min max history storage encryption
		separator template pattern charset complexity folder directory dir title hint placeholder help prompt caption`)
	// codePhrases are names of one-time codes in other languages.
	codePhrases = strings.Split("bestätigungscode|sicherheitscode|zugangscode|einmalcode|anmeldecode|verifizierungscode|aktivierungscode|freischaltcode|prüfcode|authentifizierungscode|einmalpasswort|einmalkennwort|code de vérification|code de sécurité|code de confirmation|código de verificación|código de seguridad|código de verificação|código de segurança|codice di verifica|codice di sicurezza|код подтверждения|код безопасности|проверочный код|одноразовый код|인증 번호|인증 코드|verificatiecode|doğrulama kodu|kod weryfikacyjny|mã xác nhận|mã xác minh|kode verifikasi|رمز التحقق", "|")
	// phrases are names of passwords that consist of several words.
	phrases = strings.Split("mot de passe|clave de acceso|clave secreta|palabra de paso|código de acceso|codigo de acesso|palavra passe|chave de acesso|chave secreta|parola d'ordine|parola chiave|kata sandi|kata kunci|mật khẩu|κωδικός πρόσβασης|كلمة المرور|كلمة السر|رمز عبور|code secret|mots de passe|clave api|clé api|clé secrète|chave api|geheimer schlüssel|api schlüssel|секретный ключ|ключ доступа|कूट शब्द|pass phrase|pass code", "|")
	tokens  = set(`secret token apikey apikeys credential credentials creds jwt signature sig bearer pat authtoken accesstoken refreshtoken idtoken sessiontoken bottoken
		rekey hexkey keymaterial clientsecret appsecret apisecret secretkey accesskey authkey privatekey accountkey masterkey licensekey sharedkey sessionkey signingkey encryptionkey secretaccesskey
		hmac psk sas phpsessid jsessionid sessionid aspsessionid assertion xsrf csrf csrftoken xsrftoken apitoken usertoken auth oauth userkey webhooksecret salt hash passhash`)
	// The credentials of these authorization schemes are parameters such as
	// name=value.
	paramSchemes = set("digest hawk")
	// A word of pairNouns can precede "user:secret". A word of pairFillers can stand
	// between the two: "login as bob:abc".
	pairNouns   = set("credentials creds credential login logon signin auth authenticate authenticated authenticating")
	pairFillers = set("with as using for user is are of were was")
	// This call of set only adds these words to vocabulary. The code compares them with
	// the results of lowerWord, which changes a word to lower case only if the result is
	// in vocabulary.
	_ = set("key pass name code time env hash salt auth oauth hmac sas pat csrf xsrf passcode")
	// headers are names of HTTP headers with values of several words.
	headers = set("authorization authorisation cookie cookies cookie2 setcookie")
	// keyKinds are words that precede "key" in the name of a secret.
	keyKinds = set(`pragma api access secret private auth account shared master encryption signing license service client app application admin server webhook subscription session storage
		function functions deploy integration security ssh gpg pgp crypto cipher aes rsa hmac jwt oauth token consumer bot ingest ingestion write read root user developer partner merchant project
		openai anthropic azure google gemini mistral groq cohere stripe sendgrid twilio datadog dd newrelic cloudflare github gitlab huggingface hf sentry algolia mailgun mapbox pinecone portkey`)
	// passKinds are words before "pass" in the name of a password.
	passKinds = set("passin passout passwd db user smtp mail email ftp sftp ssh root admin database mysql pg postgres redis mongo http https proxy auth login my key store ldap wifi basic imap become sudo su vault enable bind keystore truststore storage archive zip rar pdf wp joomla app sql oracle sa service")
	// notSecret has words in the names of values that are not secrets. Examples of such
	// names are "max_tokens" and "primary key".
	notSecret = set(`max min num number count counts total limit budget prompt completion input output cached usage remaining per primary foreign partition sort row cache routing object map
		dict index unique duplicate composite unexpected expected illegal parse syntax pad bos eos unk method function type hot registry public host last first before after idempotency
		deduplication missing column field json surrogate lookup search group order reading start end stop`)
	// fillers are words between a name and a value, as in "API key provided:".
	fillers = set(`provided given supplied received used specified found sent is was equals with value values of string text plain plaintext raw b64 base64 env prod dev test staging live old new
		current previous default base being to set as got here entered header hex production sandbox the your for lautet ist est es là är é è jest`)
	// schemes are authorization schemes that can also occur without a header.
	schemes = set("bearer basic token apikey bot negotiate ntlm digest hawk ssws dpop geniekey")
)

// benign are ordinary words that can follow a secret's name and are not secrets.
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
	command variable variables env environment flag option argument and/or before first correctly properly hash hashed hashing strength manager prompt field reuse complexity rotation endpoint page form link dialog
	timeout refused ignored present absent unchanged updated created deleted default changeme example placeholder lax strict secure httponly digest negotiate ntlm plain md5 sha1 sha256 hmac rs256 hs256 es256`)

// idNames are the last words of names of ids. Random text after these is not
// masked.
var idNames = set(`id ids uuid guid requestid traceid spanid sha sha1 sha256 sha512 md5 etag hash digest commit revision rev checksum fingerprint ray cursor integrity trace span parent traceparent
	traceref nonce crumb build image layer version tag ref run job pod container instance node event message msg thread conversation correlation correlationid transaction txid tx operation op
	batch order invoice serial session request response rid arn host session-id sid2 snapshot object kid thumbprint file path name user tenant project org workspace query execution workflow model`)

// idPrefixes are the prefixes of ids, such as "req_011C..." and "chatcmpl-...".
var idPrefixes = []string{
	"req_", "req-", "msg_", "resp_", "chatcmpl-", "cmpl-", "run_", "thread_", "asst_", "file-", "file_", "batch_", "toolu_", "srvtoolu_", "call_", "cus_", "ch_", "pi_", "pm_", "evt_", "sub_", "in_", "price_",
	"prod_", "org-", "org_", "proj_", "user-", "user_", "trace_", "trace-", "span_", "gen-", "rs_", "ws_", "fc_", "ft-", "ftjob-", "modelcmpl-", "embd-", "msgbatch_", "session_", "conv_", "item_", "event_",
	"step_", "vs_", "seti_", "si_", "txn_", "re_", "po_", "acct_", "job_", "job-", "task_", "task-", "pod-", "ses_", "container_", "cntr_", "wrkspc_", "wf_", "exec_", "run-", "prj_", "dpl_", "team_", "iad1", "sha1-", "sha256-",
	"sha384-", "sha512-", "h1", "AAAAB3Nza", "AAAAC3Nza", "AAAAE2Vj", "_ZN", "_R", "arn",
}

// unspacedNames are names of secrets in languages without spaces between words.
var unspacedNames = strings.Fields("密码 密碼 口令 パスワード 비밀번호 暗証番号 暗号 密钥 令牌 รหัสผ่าน 암호 秘密鍵 访问密钥 访问令牌")

// unspacedCodes are names of one-time codes in these languages.
var unspacedCodes = strings.Fields("验证码 驗證碼 校验码 校驗碼 动态码 動態碼 确认码 確認碼 认证码 認證碼 安全码 安全碼 認証コード 確認コード 検証コード セキュリティコード 認証番号 確認番号 인증번호 인증코드 확인코드 보안코드")

// copulas are separators between a name and its value in other languages.
var copulas = strings.Fields("「 为 是 為 は が を 은 는 이 가 →  ⇒")
