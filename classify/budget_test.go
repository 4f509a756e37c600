package classify

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/hint"
	"github.com/errclass/errclass/classify/internal/collect/response"
	"github.com/errclass/errclass/internal/race"
)

// TestLastLetters checks that hint.LastLetters contains the last letter of every phrase
// in hint.Anchors and hint.Fillers.
func TestLastLetters(t *testing.T) {
	t.Parallel()
	words := hint.Fillers[:]
	for _, a := range hint.Anchors {
		words = append(words[:len(words):len(words)], a.Words)
	}
	for _, w := range words {
		assert.Contains(t, hint.LastLetters, w[len(w)-1:], w)
	}
}

// TestLeftOut checks that evidence beyond a limit does not decide, and that Explain
// lists it.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	const half = DefaultMaxBytes / 2
	filler := strings.Repeat("so it goes ", 1<<20/11)
	body := `{"error":{"message":"` + strings.Repeat("so it goes ", 4000) + `"}}`
	withBodies := func(n int, last string) error {
		all := make([]error, n)
		for i := range all {
			all[i] = respondsWith{500, body}
		}
		return joinedSilently(append(all, respondsWith{500, last}))
	}
	many := http.Header{"Retry-After": {"7"}}
	for i := range collect.MostNames {
		many[fmt.Sprint("X-", i)] = []string{"x"}
	}
	for _, tt := range []struct {
		name string
		e    Evidence
		rule string
		want []Omission
	}{
		{"nothing", Evidence{Status: 500, Body: []byte(body)}, "http/500", nil},
		{"the middle of a message", Evidence{Message: filler[:half] + strings.Repeat("HTTP 402 ", 10) + filler[:half]}, "default",
			[]Omission{{"message", "bytes of text", 98}}},
		{"the rest of a body", Evidence{Status: 500, Body: []byte(filler[:collect.MaxBody] + " insufficient_quota")}, "http/500",
			[]Omission{{"body", "bytes of bodies", len(" insufficient_quota")}}},
		{"a second body that does not fit", Evidence{Err: withBodies(1, body)}, "http/500",
			[]Omission{{"error", "bytes of bodies", len(body)}}},
		{"the body after it, which fits", Evidence{Err: withBodies(2, `{"error":"insufficient_quota"}`)}, "code/insufficient-quota",
			[]Omission{{"error", "bytes of bodies", len(body)}}},
		{"bodies of a chain do not use up the evidence's own", Evidence{Err: withBodies(9, ""), Body: []byte(`{"error":"insufficient_quota"}`)}, "code/insufficient-quota",
			[]Omission{{"error", "bytes of bodies", 8 * len(body)}}},
		{"errors beyond the bound", Evidence{Err: joinedSilently(wide(300, errors.New("x")))}, "default",
			[]Omission{{"error", "errors", 300 - 255}}},
		{"a value that is no header's", Evidence{Status: 429, Header: http.Header{"Retry-After": {strings.Repeat("1s", 1000)}}}, "http/429",
			[]Omission{{"header", "header values", 1}}},
		{"values beyond the bound", Evidence{Status: 429, Header: http.Header{"Retry-After": wide(collect.MostValues+5, "3")}}, "http/429",
			[]Omission{{"header", "header values", 5}}},
		{"names beyond the bound", Evidence{Status: 429, Header: many}, "http/429",
			[]Omission{{"header", "header names", collect.MostNames + 1}}},
		{"JSON that is too dense to decode", Evidence{Status: 500, Body: []byte("[" + strings.Repeat(`{"a":1},`, 8000) + "{}]")}, "http/500",
			[]Omission{{"body", "bytes of bodies as JSON", 8*8000 + 4}}},
		{"waits beyond the bound", Evidence{Message: strings.Repeat("retry after 5s\n", 300)}, "default",
			[]Omission{{"message", "waits", 1}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			x := Standard.Explain(tt.e)
			assert.Equal(t, tt.rule, x.Result.Rule)
			assert.Equal(t, tt.want, x.Omitted)
		})
	}
	assert.Equal(t, 7*time.Second, Standard.Classify(Evidence{Status: 429, Header: many}).RetryAfter, "a usual name is still looked up")
}

func wide[T any](n int, item T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = item
	}
	return all
}

type respondsWith struct {
	StatusCode int
	Body       string
}

func (respondsWith) Error() string { return "so it goes" }

type joinedSilently []error

func (joinedSilently) Error() string     { return "so it goes" }
func (j joinedSilently) Unwrap() []error { return j }

// TestTooManyHeadersAreReadInOrder checks that headers are read in a fixed order,
// even if there are too many.
func TestTooManyHeadersAreReadInOrder(t *testing.T) {
	t.Parallel()
	header := http.Header{"Retry-After": {"2"}}
	for i := range 3 * response.MaxHeaders {
		header[fmt.Sprintf("Ratelimit-%03d-Reset", i)] = []string{fmt.Sprint(i + 10)}
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for range 20 {
		q := collect.Inquiry{Seen: Standard.seen, Now: Standard.At(now).clock(), Set: Standard.rules(), Budget: collect.NewBudget(DefaultMaxBytes)}
		response.ReadHeader(&q, 0, header)
		assert.Equal(t, 2*time.Second, q.Hint.Explicit)
		assert.Equal(t, time.Duration(response.MaxHeaders-2+10)*time.Second, q.Hint.Derived)
	}
}

// TestLimitsDoNotOverflow checks that a classifier with the largest possible limit
// (math.MaxInt) reads texts.
func TestLimitsDoNotOverflow(t *testing.T) {
	t.Parallel()
	c, err := New(WithMaxBytes(math.MaxInt))
	require.NoError(t, err)
	got := c.Classify(Evidence{Err: errors.New("so it goes"), Message: "rate limit exceeded", Status: 500, Body: []byte("so it goes")})
	assert.Equal(t, "rate limit exceeded", c.Explain(Evidence{Status: 500, Message: "rate limit exceeded"}).Signals[0].Text)
	assert.NotEmpty(t, got.Category)
	one, err := New(WithMaxBytes(1))
	require.NoError(t, err)
	assert.Equal(t, ReasonUnknown, one.Message("HTTP 429").Reason)
}

// FuzzExcess repeats a short text to build very large evidence. A classification
// must allocate at most 5 MB. A second classification must have the same result.
func FuzzExcess(f *testing.F) {
	f.Add([]byte{0, 1, 2, 3, 4, 5, 6, 7}, `{"error":{"message":"rate limit","code":"x"}},`, uint16(2000))
	f.Add([]byte{7, 7, 7, 1, 2}, "retry after 1s\n", uint16(9000))
	f.Add([]byte{3, 4, 3, 4}, `{"a":[{`, uint16(60000))
	f.Add([]byte{5, 6, 0}, "Mon, 02 Jan 2006 15:04:99 GMT", uint16(500))
	Standard.Message("so it goes") // loads the rules
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, parts []byte, piece string, times uint16) {
		if len(piece) > 1<<10 || len(parts) > 400 {
			return
		}
		text := strings.Repeat(piece, min(int(times), 1<<18/max(len(piece), 1)))
		e := assemble(parts, text)
		c := Standard.At(now)
		c.Classify(Evidence{Err: e.Err}) // caches the shapes of the types
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := c.Classify(e)
		runtime.ReadMemStats(&after)
		// The limit is 5 MB, because the fuzzing engine allocates too.
		require.LessOrEqual(t, after.TotalAlloc-before.TotalAlloc, uint64(race.PoolFactor*5<<20))
		require.NotContains(t, got.Rule, panicSuffix)
		require.Equal(t, got, c.Classify(e))
	})
}

// assemble builds evidence from one text. Each byte of parts adds one kind of source,
// such as a body or an error. The methods of the added errors allocate nothing.
func assemble(parts []byte, text string) (e Evidence) {
	var all []error
	for _, p := range parts {
		switch p % 12 {
		case 0:
			all = append(all, respondsWith{500, text})
		case 1:
			all = append(all, errors.New(text))
		case 2:
			all = append(all, rawJSON{text})
		case 3:
			e.Body = []byte(text)
		case 4:
			e.Message = text
		case 5:
			e.Header = http.Header{"Retry-After": wide(len(text)%5000, text), "Date": {text}, text: {text}}
		case 6:
			e.Status, e.Type = 429, text
		case 7:
			all = append(all, &stream{&http.Response{StatusCode: 429, Header: http.Header{"X-Ratelimit-Reset": {text}, "Retry-After": {text}}}})
		case 8:
			all = append(all, unpacked{429, text, text, wide(len(text)%300, map[string]any{"reason": text})})
		case 9:
			all = append(all, bodyText{text})
		case 10:
			all = []error{joinedSilently(all)}
		case 11:
			e.Code = text
		}
	}
	if len(all) > 0 {
		e.Err = joinedSilently(all)
	}
	return e
}
