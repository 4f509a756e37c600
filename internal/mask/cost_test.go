package mask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/cputime"
	"github.com/errclass/errclass/internal/mask"
)

// fragments are short texts that can be expensive to mask when they are repeated.
var fragments = []string{
	"password=", "password=\"", "password: ", "token:", "Authorization: ", "Authorization: a=b, ", "Cookie: a=b; ", "Authorization%3A", "sk-", "eyJ", "://", "://a:b", "@", "%3A%2F%2F", "%3D", "%2525", `%20\`,
	"-----BEGIN PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----", "-----END PRIVATE KEY-----", "\\\"", "\"key\":\"", "name=API_KEY value=", "id -p", "-pa", `mysql "-pid=id=`, "-puser:", "cookie: -p",
	"--token ", "key ", "key=", "hooks.slack.com/services/", "/hooks/", "aB3", "/", ")", "[", "password: |\n  ", " ", "\n", "\n  ", "a", "A1", "&quot;", "%22token%22%3A%22", ".", ",", ";", "<password>", ">",
	"\x1b[31m", "bearer ", "login x password ", "＝", "：accessToken", `\u003d`, "[masked]", "user:pass@", "-u ", "\x00", "\xff", "%20", "EAAA-", "_EAAA", "duffel_-", "tfp_-",
	"mysql ", "-p ", "curl -u a:", "zip \"x ", "sh -c \"", "echo a|", "set A_TOKEN ", "net use ", "htpasswd -b ", "> AUTH ", "PASS ", "IDENTIFIED BY ", "334 UGFzc3dvcmQ6\n", "a1 LOGIN ", "tokens: [", "tokens: {\"a\":",
	"passwords:\n- a\n", "- b\n", "code is ", "1234 is your ", "otp ", "密码", "密码为", "contraseña ", "->", " -> ", "digest a=b, ", "AC", "login as a:b", "setuser >", "password FOR ", "'x' = ", "map[", "{", "(\"", "connect a/b@",
	"secrets:\n", "  a: b\n", `secrets:\n`, "\n[secrets]\n", "a = b\n", "crypt(", "crypt('a', ", "aes_encrypt((", "senha é ", "senha é “", "\u00a0", "le code d'", "l'", "encrypted KEY 'a' ", "net user a ", "psexec a:b@",
	"\x1b[31mpwd\x1b[0m=", `\u001b[31m`, "[31m", `\\\\`, "-----BEGIN PRIVATE KEY-----\nAb+c\n", "Comment: ",
	"<", "<password a=\"", "<password><![CDATA[", "&lt;", "&gt;", `\u003c`, `\u003e`, `\u003cpassword\u003e`, "%3Cpassword%3E", `<a key="password">`, "<name>password</name>\n<value>",
	`password: |\n  `, `passwords:\n- a\n`, `- b\\n`, "- name: A_TOKEN\\n  value: ", `\\n`, "'", `password="a" -> `, `"a" -> `, `'\''`, `='\''`, `'"'"'`,
}

// repeated repeats a text, but returns at most size bytes.
func repeated(units string, size int) string {
	return strings.Repeat(units, size/len(units))
}

const ordinary = "2026-01-02T15:04:05Z level=error GET https://api.example.com/v1/models failed: connection reset by peer (attempt 2), code=503\n"

// scaling measures mask.Text.
var scaling = cputime.Scaling{Run: func(text string) { mask.Text(text) }, Ordinary: repeated(ordinary, 4<<10), MaxRatio: 15}

// checkCost checks that the time to mask a text grows linearly. The texts repeat the
// string units until they have the given sizes.
func checkCost(t require.TestingT, units string, sizes ...int) {
	require.NoError(t, scaling.Check(func(size int) string { return repeated(units, size) }, sizes...), "%q repeated", units)
}

// TestPrefixCost repeats every key prefix. The time to mask these texts must grow
// linearly.
func TestPrefixCost(t *testing.T) {
	for _, prefix := range mask.Prefixes() {
		for _, units := range []string{prefix, prefix + "-", "_" + prefix, "-" + prefix + ".", prefix + " "} {
			checkCost(t, units, 4<<10, 16<<10)
		}
	}
	for _, units := range []string{"-pa", "EAAA-", "_EAAA", "duffel_-", "tfp_-", "sk-pa-EAAA-$1$"} {
		checkCost(t, units, 4<<10, 16<<10, 64<<10, 256<<10)
	}
}

// TestCost repeats every fragment and every pair of fragments. The time to mask these
// texts must grow linearly.
func TestCost(t *testing.T) {
	for _, a := range fragments {
		checkCost(t, a, 4<<10, 16<<10, 64<<10)
		for _, b := range fragments {
			checkCost(t, a+b, 2<<10, 8<<10)
		}
	}
}

// TestLateCost repeats every fragment and adds another repeated text at the end. The time
// to mask these texts must grow linearly.
func TestLateCost(t *testing.T) {
	for _, a := range fragments {
		for _, tail := range []string{"%20", ".", " ", "=", "\"", ")", "/", ","} {
			text := func(size int) string {
				return repeated(a, size/2) + repeated(tail+"b", size/4) + repeated(tail, size/4)
			}
			require.NoError(t, scaling.Check(text, 4<<10, 16<<10), "%q, then %q", a, tail)
		}
	}
}
