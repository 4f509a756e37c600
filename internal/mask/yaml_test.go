package mask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/mask"
)

// inStrings returns each text as it is, with CRLF, in a string, and in a string within a
// string.
func inStrings(texts ...string) (all []string) {
	for _, text := range texts {
		once := `{"msg":"` + inString(text) + `","n":1}`
		all = append(all, text, strings.ReplaceAll(text, "\n", "\r\n"), once, `{"body":"`+inString(once)+`"}`)
		all = append(all, `{"msg":"`+inString(strings.ReplaceAll(text, "\n", "\r\n"))+`","n":1}`)
	}
	return all
}

// stringShapes are YAML texts in strings.
var stringShapes = func() (all []shape) {
	for _, text := range inStrings(
		"env:\n- name: DB_PASSWORD\n  value: correcthorse\n",
		"env:\n- name: DB_PASSWORD\n  value: correcthorse",
		"- key: \"db.password\"\n  value: \"correcthorse\"\nx: y",
		"password: |\n  correcthorse\n",
		"password: >-\n  correcthorse\nuser: x",
		"x: password: |\n    it's\n    correcthorse",
		"secrets:\n  db: correcthorse\n  n: 1",
		"passwords:\n  root: \"correcthorse\"",
		"passwords:\n- marzipan\n- correcthorse",
		"passwords:\n  - 'marzipan'\n  - 'correcthorse'\nuser: bob",
		"db_password:\n    correcthorse\n",
		"<password>\n  correcthorse\n</password>",
	) {
		all = append(all, shape{"YAML in a string", text, "correcthorse"}, shape{"YAML in a string", strings.ReplaceAll(text, ">", `\u003e`), "correcthorse"})
	}
	return append(all, shape{"continued line in a string", `{"cmd":"tool --password=\\\n  correcthorse"}`, "correcthorse"})
}()

// stringInnocent are texts like stringShapes without a secret.
var stringInnocent = inStrings(
	"env:\n- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: db\n",
	"env:\n- name: LOG_LEVEL\n  value: debug\n",
	"password: |\nuser: bob",
	"description: |\n  the password is required\n",
	"token:\n  expired yesterday\n",
	"secrets:\n  enabled: false\n  rotation: 30d",
	"secrets:\n- db\n- api",
	"enter the password:\nlogin failed",
)

// TestEndOfString checks that YAML in a string ends with the string.
func TestEndOfString(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"password: |\n  correcthorse", "passwords:\n- correcthorse", "secrets:\n  mail: correcthorse"} {
		want := strings.Replace(text, "correcthorse", mask.Masked, 1)
		for range 3 {
			text, want = `{"a":"`+inString(text)+`","b":"c: d\n  e: f"}`, `{"a":"`+inString(want)+`","b":"c: d\n  e: f"}`
			assert.Equal(t, want, mask.Text(text))
		}
	}
}

// yamlShapes are YAML maps of secrets, with one secret per line.
var yamlShapes = []shape{
	{"map of secrets", "secrets:\n  db: hunter\n  api: goldfish\n", "hunter"},
	{"map of secrets", "secrets:\n  db: hunter\n  api: goldfish\n", "goldfish"},
	{"map of secrets", "passwords:\n  root: \"marzipan\"\n  bob: saffron\nuser: x", "marzipan"},
	{"map of secrets", "passwords:\n  root: \"marzipan\"\n  bob: saffron\nuser: x", "saffron"},
	{"map of secrets", "[passwords]\nroot = \"hunter\"\n", "hunter"},
	{"map of secrets", "[secrets]\ndb = \"hunter\"\napi = 'goldfish'\n[other]\nname = \"x\"", "hunter"},
	{"map of secrets", "[secrets]\ndb = \"hunter\"\napi = 'goldfish'\n[other]\nname = \"x\"", "goldfish"},
	{"map of secrets", "[app.secrets]\ndb = \"hunter\"", "hunter"},
	{"map of secrets", "secrets:\n  db:\n    primary: hunter\n", "hunter"},
	{"map of secrets", "app:\n  secrets:\n    mysql: hunter\n  debug: true", "hunter"},
	{"map of secrets", "Passwords:\n    alice: hunter\n    bob: goldfish", "hunter"},
	{"map of secrets", `secrets = { db = "hunter" }`, "hunter"},
	{"map of secrets", "secrets: {db: hunter}", "hunter"},
	{"map of secrets", "user_passwords:\n  alice: hunter", "hunter"},
	{"map of secrets", "secrets:\n  mysql-root: hunter\n  # comment\n  api: goldfish", "hunter"},
	{"map of secrets", "secrets:\n  mysql-root: hunter\n  # comment\n  api: goldfish", "goldfish"},
	{"map of secrets", "secrets:\n    \"db pass\": \"hunter\"", "hunter"},
	{"map of secrets", "- secrets:\n    db: hunter", "hunter"},
	{"map of secrets", "app_secrets:\n  stripe: hunter", "hunter"},
	{"map of secrets", "spec:\n  secrets:\n    a: b1\n    stripe: hunter\n  replicas: 3", "hunter"},
	{"map of secrets", "user-passwords:\n  alice: hunter\n  bob: saffron", "hunter"},
	{"map of secrets", "api_keys:\n  stripe: hunter2x", "hunter2x"},
	{"map of secrets", "passwords:\n  user: hunter", "hunter"},
	{"map of secrets", "[passwords]\n; comment\nalice = hunter\nbob = saffron\n", "hunter"},
	{"map of secrets", "[passwords]\n# c\nalice = hunter\nbob = saffron\n", "saffron"},
	{"map of secrets", "[[secrets]]\nvalue = \"hunter\"", "hunter"},
	{"map of secrets", "[secrets.db]\nmain = \"hunter\"\n\n[x]", "hunter"},
	{"map of secrets", "[\"secrets\"]\nmain = \"hunter\"", "hunter"},
	{"map of secrets", `level=error msg="bad config" config="secrets:\n  mail: hunter\n"`, "hunter"},
	{"map of secrets", `{"secrets": {"db": "hunter"}}`, "hunter"},
	{"map of secrets", `{"secrets":{"stripe":"hunter","n":3}}`, "hunter"},
	{"map of secrets", "secrets: {stripe: hunter, n: 3}", "hunter"},
	{"map of secrets", "map[secrets:map[stripe:hunter]]", "hunter"},
	{"map of secrets", "config:\n  secrets:\n    stripe: hunter\n    paypal: goldfish\n  other: x", "hunter"},
	{"map of secrets", "config:\n  secrets:\n    stripe: hunter\n    paypal: goldfish\n  other: x", "goldfish"},
	{"map of secrets", "passwords:\n  admin: goldfish", "goldfish"},
	{"map of secrets", "app_passwords:\n  deploy: kestrel\n  backup: walrus", "kestrel"},
	{"map of secrets", "secrets:\n  jenkins: 'kestrel'\n", "kestrel"},
	{"map of secrets", "[credentials.passwords]\nops = kestrel", "kestrel"},
	{"map of secrets", "error parsing values.yaml: secrets:\n  smtp: kestrel", "kestrel"},
	{"map of secrets", "contraseñas:\n  ana: kestrel", "kestrel"},
}

// yamlInnocent are texts that resemble yamlShapes but have no secret.
var yamlInnocent = []string{
	"secrets: not found",
	"secrets:\n  - name: regcred",
	"secrets:\n  name: db\n  optional: true",
	"secrets:\n  db_password:\n    file: ./db_password.txt\n  api_key:\n    external: true",
	"secrets:\n  backend: vault\n  path: secret/data/app",
	"secrets:\n  provider: aws\n  region: eu-west-1",
	"tokens:\n  input: 1234\n  output: 42",
	"passwords:\n  min_length: 8\n  policy: strict",
	"password:\n  required: true",
	"secrets:\n  existingSecret: my-secret\n  create: true",
	"secrets:\n  secretName: db-creds\n  create: true",
	"secrets: inherit",
	"secrets:\n  npm_token: ${{ secrets.NPM }}",
	"secrets:\n  token:\n    required: true\n    description: 'NPM token'",
	"[secrets] loaded 3 entries",
	"[secrets]\nbackend = \"vault\"\npath = \"secret/app\"",
	"[tokens]\nmax = 10",
	"secrets:\n\nuser: bob",
	"Secrets:\n  found 3 entries in vault",
	"passwords:\n  file: /etc/app/passwords\n  enabled: true",
	"missing secrets:\n  DB_PASSWORD\n  API_KEY",
	"validation failed for secrets:\n  db: missing\n  api: required",
	"imagePullSecrets:\n  registry: true",
	"services:\n  web:\n    secrets:\n      - db_password\n      - source: api\n        target: api_key",
	"secrets:\n  db:\n    name: prod_db\n    external: true",
	"secrets:\n  my_secret:\n    environment: DB_PASS",
	"secrets:\n  vaultAddr: https://vault.example.com\n  authMethod: kubernetes",
	"secrets:\n  count: 12\n  last_rotated: 2026-01-02",
	"secrets: 12 found\n  db: missing",
	"Error loading secrets:\n  connection refused",
	"Error loading secrets:\n  cause: timeout",
	"failed to read secrets:\n  error: permission denied",
	"secrets:\n  db: not found\n  api: expired",
	"passwords:\n  root: expired\n  bob: unchanged",
	"passwords do not match:\n  expected: yes",
	"[secret]\nrequired = true",
	"[password]\nmin_length = 8\nrequire_upper = true",
	"[password_policy]\nhash = bcrypt",
	"[tokens]\naccess = 3600\nrefresh = 86400",
	"[secrets]\nbackend = vault\n[db]\nname = shop",
	"[auth]\nmethod = ldap",
	"[2026-01-02] secrets reloaded",
	"secrets:\n  enabled: false\n  rotation: 30d",
	"secrets:\n  storage: s3\n  encryption: aes256",
	"passwords:\n  minimum: 12\n  history: 5",
	"[secrets]\nttl = 30m",
	"secrets:\n- db\n- api",
	"Secrets:\n    Name: app\n    Type: Opaque",
	"secrets:\n  apiVersion: v1\n  kind: Secret",
	"mounted secrets:\n  /run/secrets/db\n  /run/secrets/api",
}
