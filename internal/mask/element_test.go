package mask_test

import (
	"encoding/json"
	"fmt"
	"html"
)

// inMarkup returns each text as it is, and as it is in HTML, in JSON and in JSON within
// JSON.
func inMarkup(texts ...string) (all []string) {
	for _, text := range texts {
		once, _ := json.Marshal(map[string]string{"msg": text})
		twice, _ := json.Marshal(map[string]string{"body": string(once)})
		all = append(all, text, html.EscapeString(text), string(once), string(twice))
	}
	return all
}

// elementShapes are elements of XML with a secret, and arrows.
var elementShapes = func() (all []shape) {
	for _, text := range inMarkup(
		"<Password>correcthorse</Password>",
		"<d:Password>correcthorse</d:Password>",
		`<wsse:Password Type="http://docs.oasis-open.org/wss/2004/01/x#PasswordText">correcthorse</wsse:Password>`,
		`<password attr='1' x="y">correcthorse`,
		`<entry key="password">correcthorse</entry>`,
		`<entry id="1" key="db.password" x="">correcthorse</entry>`,
		`<env name="DB_PASSWORD">correcthorse</env>`,
		`<header name="Authorization">Bearer correcthorse</header>`,
		"<property><name>db.password</name>\n  <value>correcthorse</value></property>",
		"<key>password</key><string>correcthorse</string>",
		"password => correcthorse",
		`{:password=>"correcthorse"}`,
		"password -> correcthorse",
	) {
		all = append(all, shape{"element", text, "correcthorse"})
	}
	return append(all, []shape{
		{"element", "<password>\n  correcthorse\n</password>", "correcthorse"},
		{"element", "<password><![CDATA[a<b&c d]]></password>", "a<b&c d"},
		{"element", "<apiKey xsi:type=\"xsd:string\">" + hex32 + "</apiKey>", hex32},
		{"element", "body=%3Cpassword%3Ecorrecthorse%3C%2Fpassword%3E", "correcthorse"},
		{"after an escape", `\u003cpwd=correcthorse`, "correcthorse"},
		{"escaped twice", `?a=1\\u0026pwd\\u003dcorrecthorse\\u0026b=2`, "correcthorse"},
	}...)
}()

// elementInnocent are elements without a secret, and text with angle brackets.
var elementInnocent = inMarkup(
	`<password type="string" required="true"/> is missing`,
	`<password minLength="8">required</password>`,
	`<xs:element name="password" type="xs:string"> <xs:annotation>`,
	`<input name="password" type="password">Enter`,
	`<entry key="password">Enter the new one</entry>`,
	`<entry key="color">blueberry</entry><entry key="size">big</entry>`,
	"<name>password</name><type>string</type>",
	"usage: login <user> <password>\n  The password of the user",
	"if (a <token && b > secret) return x > y",
	"std::map<Token, int>::find",
	"token -> string",
	"password => required",
	"<token>\n",
	fmt.Sprintf(`<a name="token" title=%q>Tokens</a>`, "x"),
)
