package mask_test

import "strings"

// inColours returns texts with <31> in the place of a colour, once for each spelling of
// the escape character.
func inColours(texts ...string) (all []string) {
	for _, esc := range []string{"\x1b", `\x1b`, `\u001b`, `\033`, `\e`, `\\u001b`} {
		for _, text := range texts {
			all = append(all, strings.NewReplacer("<31>", esc+"[31m", "<0>", esc+"[0m", "<K>", esc+"[K").Replace(text))
		}
	}
	return all
}

// colourShapes are texts with a secret and with colours of a terminal.
var colourShapes = func() (all []shape) {
	for _, text := range inColours(
		"<31>ERRO<0>[0000] boom  <31>pwd<0>=correcthorse",
		"<31>ERR<0> boom <31>pwd=<0>correcthorse",
		`<31>cookie<0>="sid=correcthorse"`,
		`<31>authorization<0>="correcthorse"`,
		"<31>authorization: bearer correcthorse<0>",
		"<31><K>creds<0><K>: correcthorse9",
		"<31>mysql -uroot -pcorrecthorse shop<0>: exit 1",
		"+ <31>redis-cli -a correcthorse<0>",
		"<31>--token correcthorse<0>",
		"<31>secret<0> => <31>correcthorse9<0>",
	) {
		all = append(all, shape{"colour", text, "correcthorse"})
	}
	for _, text := range inColours("<31>otp<0>=482913", "<31>pin<0>: 482913<0>") {
		all = append(all, shape{"colour", text, "482913"})
	}
	return append(all, []shape{
		{"colour", "\x1b[38;2;255;100;100mpwd\x1b[0m=correcthorse", "correcthorse"},
		{"colour", "\x1b[1m\x1b[31mpwd\x1b[39m\x1b[0m=correcthorse", "correcthorse"},
		{"no escape character", "[31mpwd[0m=correcthorse", "correcthorse"},
		{"after an escape", `{"cmd":"set -e\nmysql -uroot -pcorrecthorse shop"}`, "correcthorse"},
		{"after an escape", `{"cmd":"tool \\\n--token correcthorse"}`, "correcthorse"},
	}...)
}()

// colourInnocent are texts with colours, but without a secret.
var colourInnocent = append(inColours(
	"<31>ERRO<0>[0000] boom  <31>status<0>=503 <31>token<0>=expired",
	"<31>PASS<0> src/login.test.js",
	"<31>AUTH<0> failed",
	"<31>mysql<0>: command not found",
	"<31>req_011CSHoEeqs5C35K2UPwZ4ok<0> failed",
	"<31>request_id<0>=<31>q7Xw29LbTz81Zq8mT3vXw9LbR2nY<0>",
	"<31>trace<0>=q7Xw29LbTz81Zq8mT3vXw9LbR2nY",
	"<31>max_tokens<0>=4096 <31>key<0>=user",
), "token[31m", "a[m]=b", `C:\e\mysql -v`, `{"msg":"failed:\nreq_011CSHoEeqs5C35K2UPwZ4ok"}`)
