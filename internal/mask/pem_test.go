package mask_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/mask"
)

const keyLine = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

// TestEndOfKey checks where a private key ends. The text after it stays.
func TestEndOfKey(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"no END line", "a -----BEGIN PRIVATE KEY-----\n" + keyLine + "\nMzEf+w==\nHTTP 429\nx", "a [masked]\nHTTP 429\nx"},
		{"END line", "-----BEGIN PRIVATE KEY-----\n" + keyLine + "\n-----END PRIVATE KEY-----\nHTTP 429", "[masked]\nHTTP 429"},
		{"headers", "-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,F00\n\n" + keyLine + "\nHTTP 429", "[masked]\nHTTP 429"},
		{"spaces", "-----BEGIN PRIVATE KEY----- " + keyLine + " " + keyLine + " failed to parse", "[masked] failed to parse"},
		{"log with prefixes", "web | -----BEGIN PRIVATE KEY-----\nweb | " + keyLine + "\nweb | HTTP 429", "web | [masked]\nweb | HTTP 429"},
		{"log with prefixes, END line", "a | -----BEGIN PRIVATE KEY-----\na | " + keyLine + "\na | MzEf\na | -----END PRIVATE KEY-----\na | ok", "a | [masked]\na | ok"},
		{"cut in the first line", "-----BEGIN PRIVATE KEY-----\nMII", "[masked]"},
		{"short", "a\n-----BEGIN RSA PRIVATE KEY-----\nfoo\n-----END RSA PRIVATE KEY-----\nb", "a\n[masked]\nb"},
		{"CRLF", "-----BEGIN PRIVATE KEY-----\r\n" + keyLine + "\r\nMzEf+w==\r\nHTTP 429\r\n", "[masked]\r\nHTTP 429\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, tt.want, mask.Text(tt.text))
			for depth, text, want := 0, tt.text, tt.want; depth < 3; depth++ { // in a string, in a string within a string
				text, want = inString(text), inString(want)
				assert.Equal(t, `"`+want+`" x`, mask.Text(`"`+text+`" x`), "escaped %d times", depth+1)
			}
		})
	}
}

// inString escapes text for a string of JSON.
func inString(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\r", `\r`, "\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(text)
}

// pemInnocent are texts about private keys.
var pemInnocent = []string{
	"key must start with -----BEGIN PRIVATE KEY-----\nHTTP 429 Too Many Requests\n",
	`{"msg":"key must start with -----BEGIN PRIVATE KEY-----\nHTTP 429 Too Many Requests\n"}`,
	"expected -----BEGIN RSA PRIVATE KEY----- but found -----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEbGg1wcD3ERKx8mTlq0Vb5NyZaGs\n-----END CERTIFICATE-----",
	"a key is between -----BEGIN PRIVATE KEY----- and -----END PRIVATE KEY-----, in PEM",
	"no -----BEGIN PRIVATE KEY----- line\n\nx509: failed to load key\ngoroutine 1 [running]:",
	"-----BEGIN PRIVATE KEY-----\nerror: file is empty\nexit status 1",
}
