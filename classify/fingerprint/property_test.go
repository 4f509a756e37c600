package fingerprint_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/errclass/errclass/classify/fingerprint"
)

// phrases are parts of error texts without values. Texts with different phrases
// must have different ids.
var phrases = []string{
	"connection refused", "no such file or directory", "permission denied", "quota exceeded", "timed out", "disk full", "HTTP 503", "HTTP 401", "exit status 1",
	"exit status 137", "errno 104", "errno 111", "(SQLSTATE 40P01)", "(SQLSTATE 23505)", `reason: "closed"`, `reason: "expired"`, "ECONNRESET", "x509", "context_length_exceeded",
}

var octet = rapid.IntRange(0, 255)

// valueKinds has a generator of random values for each kind of value.
var valueKinds = map[string]*rapid.Generator[string]{
	"num": rapid.Custom(func(t *rapid.T) string { return fmt.Sprint(rapid.IntRange(0, 1e9).Draw(t, "n")) }),
	"duration": rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprint(rapid.IntRange(0, 9999).Draw(t, "n")) + pick(t, "ms", "s", " seconds", "m", ".5s", "h3m")
	}),
	"size": rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprint(rapid.IntRange(0, 9999).Draw(t, "n")) + pick(t, "MB", " bytes", "KiB", ".5GiB")
	}),
	"ip": rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%d.%d.%d.%d", octet.Draw(t, "a"), octet.Draw(t, "b"), octet.Draw(t, "c"), octet.Draw(t, "d"))
	}),
	"id": rapid.Custom(func(t *rapid.T) string {
		u := rapid.StringMatching("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}").Draw(t, "uuid")
		return pick(t, u, strings.ToUpper(u), "0x"+u[:8])
	}),
	"host": rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching("[a-z]{1,9}(-[0-9]{1,2})?(\\.[a-z]{2,8})?").Draw(t, "name") + pick(t, ".com", ".internal", ".io")
	}),
	"email": rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching("[a-z]{1,9}[.+]?[a-z]{1,5}@[a-z]{2,9}\\.(com|org)").Draw(t, "address")
	}),
	"url": rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching("https?://[a-z]{1,9}(:[0-9]{2,4})?(/[a-z0-9]{1,9}){0,3}(\\?[a-z]=[0-9]{1,3})?").Draw(t, "url")
	}),
	"path": rapid.Custom(func(t *rapid.T) string {
		return rapid.StringMatching("(/[a-z]([a-z0-9_-]{0,8}[a-z0-9])?){2,5}(\\.[a-z]{1,4})?").Draw(t, "path")
	}),
	"time": rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("20%02d-%02d-%02d", rapid.IntRange(0, 99).Draw(t, "y"), rapid.IntRange(1, 12).Draw(t, "m"), rapid.IntRange(1, 28).Draw(t, "d")) +
			pick(t, "T", " ") + fmt.Sprintf("%02d:%02d:%02d", octet.Draw(t, "h")%24, octet.Draw(t, "m")%60, octet.Draw(t, "s")%60) + pick(t, "", "Z", ".123Z", "+02:00")
	}),
	"str": rapid.Custom(func(t *rapid.T) string {
		inside := rapid.StringMatching("[a-zA-Z0-9 _./:-]{0,20}").Draw(t, "text")
		return fmt.Sprintf(pick(t, `"%s"`, "`%s`", `\"%s\"`, "“%s”", "«%s»"), inside)
	}),
}

var kindNames = func() []string {
	var names []string
	for name := range valueKinds {
		names = append(names, name)
	}
	return names
}()

func pick(t *rapid.T, from ...string) string { return rapid.SampledFrom(from).Draw(t, "pick") }

// drawKinds draws a random sequence in which phrases and kinds of values alternate.
func drawKinds(t *rapid.T, label string) []string {
	var kinds []string
	for range rapid.IntRange(1, 4).Draw(t, label) {
		kinds = append(kinds, rapid.SampledFrom(phrases).Draw(t, "phrase"), rapid.SampledFrom(append([]string{""}, kindNames...)).Draw(t, "kind"))
	}
	return kinds
}

// drawText draws a text with the given phrases and with random values of the given
// kinds.
func drawText(t *rapid.T, kinds []string) string {
	var b strings.Builder
	for i := 0; i < len(kinds); i += 2 {
		b.WriteString(kinds[i] + pick(t, " ", "  ", "\n", "\t "))
		if g := valueKinds[kinds[i+1]]; g != nil {
			b.WriteString("for " + g.Draw(t, kinds[i+1]) + " ")
		}
		b.WriteString("; ")
	}
	return b.String()
}

// TestSameIncident checks that ids are equal exactly if the phrases and the kinds of
// values are equal.
func TestSameIncident(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		kinds, others := drawKinds(t, "n"), drawKinds(t, "others")
		if rapid.Bool().Draw(t, "near") { // differs in one place, or in none
			others = append([]string(nil), kinds...)
			i := rapid.IntRange(0, len(kinds)-1).Draw(t, "place")
			others[i] = drawKinds(t, "other")[i%2]
		}
		a, b, c := drawText(t, kinds), drawText(t, kinds), drawText(t, others)
		assert.Equal(t, fingerprint.Sum(a), fingerprint.Sum(b), "%q and %q: %s", a, b, template(b))
		assert.Equal(t, fmt.Sprint(kinds) == fmt.Sprint(others), fingerprint.Sum(a) == fingerprint.Sum(c), "%q and %q: %s", a, c, template(c))
	})
}
