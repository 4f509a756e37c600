package mask

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// digestBytes is the length of a digest. With 4096 names, two names have the same digest
// with a probability of 3 in 100 million.
const digestBytes = 6

// suffixLen is the length of the digest's suffix of a name, such as "~0123456789ab".
const suffixLen = 1 + 2*digestBytes

// Name returns a name for text, such as the key of a tenant. It is Text(text). If that
// differs from text, a short digest of text is added, so that different secrets have
// different names. The name of a name is the name itself. Name is safe for concurrent
// use.
func Name(text string) (name string) {
	defer guard(&name)
	return named(text, clean, func(text string) string { return text })
}

// Endpoint returns a name for an endpoint. User information, query and fragment are
// removed from the URL. Secrets in the path are masked. Then a digest of the URL without
// the removed parts is added, as in [Name]. If the URL is invalid, Endpoint can also remove
// other parts of the URL. Endpoint is safe for concurrent use.
func Endpoint(endpoint string) (name string) {
	defer guard(&name)
	return named(endpoint, endpointName, bareEndpoint)
}

// named returns masked(text), and a digest of bare(text) if both differ.
func named(text string, masked, bare func(string) string) string {
	if plain := WithoutDigest(text); plain != text && masked(plain) == plain {
		return text
	}
	name := masked(text)
	if name == text || !strings.Contains(name, Masked) {
		return name
	}
	raw := bare(text)
	if raw == name {
		return name
	}
	sum := sha256.Sum256([]byte("errclass name\x00" + raw))
	return fmt.Sprintf("%s~%x", name, sum[:digestBytes])
}

// WithoutDigest returns a result of [Name] or [Endpoint] without the digest. Other names
// are returned unchanged.
func WithoutDigest(name string) string {
	at := len(name) - suffixLen
	if at < len(Masked) || name[at] != '~' || !strings.Contains(name[:at], Masked) {
		return name
	}
	for _, c := range []byte(name[at+1:]) {
		if ('0' > c || c > '9') && ('a' > c || c > 'f') {
			return name
		}
	}
	return name[:at]
}
