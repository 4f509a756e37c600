package mask_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/cputime"
	"github.com/errclass/errclass/internal/mask"
)

// fragments are what hostile texts are made of: everything that begins a
// look-ahead or a look-behind.
var fragments = []string{
	"password=", "password=\"", "password: ", "token:", "Authorization: ", "Authorization: a=b, ", "Cookie: a=b; ", "Authorization%3A", "sk-", "eyJ", "://", "://a:b", "@", "%3A%2F%2F", "%3D", "%2525", `%20\`,
	"-----BEGIN PRIVATE KEY-----", "-----BEGIN CERTIFICATE-----", "-----END PRIVATE KEY-----", "\\\"", "\"key\":\"", "name=API_KEY value=", "id -p", "-pa", `mysql "-pid=id=`, "-puser:", "cookie: -p",
	"--token ", "key ", "key=", "hooks.slack.com/services/", "/hooks/", "aB3", "/", ")", "[", "password: |\n  ", " ", "\n", "\n  ", "a", "A1", "&quot;", "%22token%22%3A%22", ".", ",", ";", "<password>", ">",
	"\x1b[31m", "bearer ", "login x password ", "＝", "：accessToken", `\u003d`, "[masked]", "user:pass@", "-u ", "\x00", "\xff", "%20", "EAAA-", "_EAAA", "duffel_-", "tfp_-",
}

// The limits: how much more a byte may cost than one of ordinary text, and how
// much longer a text may take that is four times as long. A machine that does
// other work makes measurements longer, so what exceeds a limit is measured again;
// what is quadratic exceeds it each time.
const (
	mostTimesOrdinary = 30
	mostGrowth        = 4.5
	noise             = 1.7
	measurements      = 12
)

// repeated has whole units: what a cut leaves may be a secret, and then the text is
// read twice.
func repeated(units string, size int) string {
	return strings.Repeat(units, size/len(units))
}

// costOf is the time in nanoseconds that a byte of text keeps a processor busy.
func costOf(text string, runs int) float64 {
	least := cputime.Of(func() { mask.Text(text) })
	for range runs - 1 {
		least = min(least, cputime.Of(func() { mask.Text(text) }))
	}
	return float64(least.Nanoseconds()) / float64(len(text))
}

const ordinary = "2026-01-02T15:04:05Z level=error GET https://api.example.com/v1/models failed: connection reset by peer (attempt 2), code=503\n"

// checkCost measures a unit that is repeated, at sizes that grow by four.
func checkCost(t require.TestingT, units string, sizes ...int) {
	worst := ""
	for i := range measurements {
		worst = ""
		runs := 1 + min(i, 2)
		base, before := costOf(repeated(ordinary, sizes[0]), 2*runs), 0.0
		for i, size := range sizes {
			cost := costOf(repeated(units, size), runs)
			if cost > mostTimesOrdinary*base {
				worst = fmt.Sprintf("%d bytes cost %.0f ns each, ordinary ones %.0f", size, cost, base)
			}
			if growth := 4 * cost / before; i > 0 && growth > mostGrowth*noise && cost > base {
				worst = fmt.Sprintf("from %d to %d bytes the cost grows by %.1f", sizes[i-1], size, growth)
			}
			before = cost
		}
		if worst == "" {
			return
		}
	}
	require.Empty(t, worst, "%q repeated", units)
}

// TestPrefixCost: a prefix in the run of another one does not read the run to its
// end again. 256 KiB of "-pa" took 13 s.
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

// TestCost: no fragment and no pair of fragments costs much more than ordinary
// text, or grows in cost faster than in length.
func TestCost(t *testing.T) {
	for _, a := range fragments {
		checkCost(t, a, 4<<10, 16<<10, 64<<10)
		for _, b := range fragments {
			checkCost(t, a+b, 4<<10, 16<<10)
		}
	}
}

// TestLateCost: a long run whose look-aheads go beyond its end is read once.
func TestLateCost(t *testing.T) {
	for _, a := range fragments {
		for _, tail := range []string{"%20", ".", " ", "=", "\"", ")", "/", ","} {
			worst := ""
			for range measurements {
				cost := func(size int) float64 {
					return costOf(repeated(a, size/2)+repeated(tail+"b", size/4)+strings.Repeat(tail, size/4/len(tail)), 1)
				}
				small, large := cost(4<<10), cost(16<<10)
				if worst = ""; 4*large/small <= mostGrowth*noise || large < 30 {
					break
				}
				worst = fmt.Sprintf("%.1f", 4*large/small)
			}
			require.Empty(t, worst, "%q, then %q", a, tail)
		}
	}
}
