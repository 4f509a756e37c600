package classify_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/race"
)

// mostAllocated is the largest number of bytes that a classification may allocate,
// for any evidence.
const mostAllocated = race.PoolFactor * 4 << 20

const mega = 1 << 20

// These errors have very large values. The values exist before the measurement begins,
// so their memory is not counted.
type (
	rawBody struct {
		StatusCode int
		raw        string
	}
	outerBody struct { // an SDK's error without the outer object of the envelope
		StatusCode int
		Code, Type string
		raw        string
	}
	textBody struct {
		StatusCode int
		Body       string
	}
	bytesBody struct {
		StatusCode   int
		ResponseBody []byte
	}
	statusBody struct {
		StatusCode int
		Header     http.Header
		Body       string
	}
	asksAfter   struct{ RetryAfter string }
	answersCode struct{ code string }
	spelledCode string // a named type, as in Twirp
	namesMore   struct{ ErrorCode, Reason string }
	says        struct{ text string }
	saysAfter   struct{ says }
	asksURL     struct {
		Request    *http.Request
		StatusCode int
	}
	status200k struct {
		ErrStatus struct {
			Reason, Message string
			Code            int32
			Details         []string
		}
	}
	spelled struct{ code spelledCode }
	over    struct{ err error } // a wrapper with methods that allocate nothing
)

func (rawBody) Error() string           { return "so it goes" }
func (e rawBody) RawJSON() string       { return e.raw }
func (outerBody) Error() string         { return "so it goes" }
func (e outerBody) RawJSON() string     { return e.raw }
func (textBody) Error() string          { return "so it goes" }
func (bytesBody) Error() string         { return "so it goes" }
func (statusBody) Error() string        { return "so it goes" }
func (asksAfter) Error() string         { return "so it goes" }
func (answersCode) Error() string       { return "so it goes" }
func (e answersCode) Code() string      { return e.code }
func (e answersCode) ErrorCode() string { return e.code }
func (e answersCode) Reason() string    { return e.code }
func (spelled) Error() string           { return "so it goes" }
func (e spelled) Code() spelledCode     { return e.code }
func (namesMore) Error() string         { return "so it goes" }
func (e says) Error() string            { return e.text }
func (saysAfter) Timeout() bool         { return true }
func (asksURL) Error() string           { return "so it goes" }
func (e *status200k) Error() string     { return e.ErrStatus.Message }
func (over) Error() string              { return "so it goes" }
func (e over) Unwrap() error            { return e.err }
func (over) Timeout() bool              { return true }

// These types are details of a gRPC status. Each has a large value.
type (
	bigInfo struct {
		text string
		meta map[string]string
	}
	bigViolation struct{ text string }
	bigQuota     struct{ list []bigViolation }
)

func (d bigInfo) GetReason() string              { return d.text }
func (d bigInfo) GetDomain() string              { return d.text }
func (d bigInfo) GetMetadata() map[string]string { return d.meta }
func (v bigViolation) GetSubject() string        { return v.text }
func (v bigViolation) GetDescription() string    { return v.text }
func (v bigViolation) GetQuotaId() string        { return v.text }
func (v bigViolation) GetQuotaMetric() string    { return v.text }
func (q bigQuota) GetViolations() []bigViolation { return q.list }

func many[T any](n int, item func(i int) T) []T {
	all := make([]T, n)
	for i := range all {
		all[i] = item(i)
	}
	return all
}

// fill repeats text to a length of at most size bytes.
func fill(text string, size int) string { return strings.Repeat(text, size/len(text)) }

// within returns err, wrapped n times.
func within(n int, err error) error {
	for range n {
		err = over{err}
	}
	return err
}

type excess struct {
	name string
	e    classify.Evidence
}

// excesses returns evidence that is far beyond the limits of a classifier.
func excesses() []excess {
	object := `{"error":{"type":"a","message":"b c"}},`
	small := `{"a":1},`
	body64 := `{"error":{"message":"` + fill("overloaded and so on ", 64<<10-100) + `"}}`
	dense64 := `[` + fill(small, 64<<10-100) + `{}]`
	quoted := `{"error":{"message":"x"}}`
	for len(quoted) < 60<<10 {
		text, _ := json.Marshal(fill(quoted+" ", max(len(quoted)+1, 16<<10)))
		quoted = `{"error":{"message":` + string(text) + `}}`
	}
	huge := fill("so it goes ", 64*mega)
	huge2 := fill("rate limit exceeded; retry after 5s ", 64*mega)
	other, another := saying(huge[:mega]+"y"), saying(huge[:mega]+"z")
	bytes64 := []byte(huge2)
	waits := fill("1s", 16*mega)
	names := make(http.Header, 1<<20)
	for i := range 1 << 20 {
		names[fmt.Sprintf("Ratelimit-%d-Reset", i)] = []string{"5"}
	}
	headers := func(name string, values ...string) classify.Evidence {
		return classify.Evidence{Status: 429, Header: http.Header{name: values}}
	}
	failed := func(err error) classify.Evidence { return classify.Evidence{Err: err} }
	joined := func(n int, item func(i int) error) classify.Evidence { return failed(branches(many(n, item))) }
	keys := func(name, value string) string {
		var b strings.Builder
		b.WriteString(`{"error":{"x":1`)
		for i := 0; b.Len() < 62<<10; i++ {
			fmt.Fprintf(&b, `,"%s%s":%q`, name, strings.Repeat("_", i%300), value)
			if i%300 == 299 {
				name = "_" + name
			}
		}
		return b.String() + `}}`
	}
	meta := map[string]string{}
	for i := range 1 << 16 {
		meta[fmt.Sprint("key", i)] = "v"
	}
	k8s := &status200k{}
	k8s.ErrStatus.Message, k8s.ErrStatus.Reason, k8s.ErrStatus.Code = huge, huge, 500
	k8s.ErrStatus.Details = many(1<<20, func(int) string { return huge })
	loop := map[string]any{}
	loop["again"] = loop
	response := func(h http.Header) error {
		return &stripeLike{StatusCode: 429, Response: &http.Response{StatusCode: 429, Header: h}}
	}
	return []excess{
		{"body of words", classify.Evidence{Status: 400, Body: bytes64}},
		{"body of JSON", classify.Evidence{Status: 400, Body: []byte(`[` + fill(object, 64*mega) + `{}]`)}},
		{"body of one object", classify.Evidence{Status: 400, Body: []byte(`{"error":{"message":"` + huge + `"}}`)}},
		{"body of blanks", classify.Evidence{Status: 400, Body: []byte(fill(" ", 64*mega))}},
		{"body of small objects", classify.Evidence{Status: 400, Body: []byte(dense64)}},
		{"body of empty objects", classify.Evidence{Status: 400, Body: []byte("[" + fill("{},", 64<<10-9) + "{}]")}},
		{"body of numbers", classify.Evidence{Status: 400, Body: []byte(`{"error":[` + fill("1,", 64<<10-20) + "1]}")}},
		{"body of open arrays", classify.Evidence{Status: 400, Body: []byte(fill("[", 64<<10))}},
		{"body of open objects", classify.Evidence{Status: 400, Body: []byte(fill(`{"a":`, 64<<10))}},
		{"body of open strings", classify.Evidence{Status: 400, Body: []byte(fill(`{ `, 64) + `{"` + fill("a", 64<<10-200))}},
		{"body of starts", classify.Evidence{Status: 400, Body: []byte(fill(`{"a":[{"b":"c d"},`, 64<<10))}},
		{"body that is deep", classify.Evidence{Status: 400, Body: []byte(fill(`{"a":`, 35_000) + "1" + fill("}", 7_000))}},
		{"body of messages", classify.Evidence{Status: 400, Body: []byte(keys("message", "so it goes"))}},
		{"body of codes", classify.Evidence{Status: 400, Body: []byte(keys("code", "so it goes"))}},
		{"body of waits", classify.Evidence{Status: 400, Body: []byte(keys("retryafter", "1s1s"))}},
		{"body of events", classify.Evidence{Status: 400, Body: []byte(fill("data: "+object+"\n\n", 64<<10))}},
		{"body in a body", classify.Evidence{Status: 400, Body: []byte(quoted)}},
		{"page of words", classify.Evidence{Status: 400, Body: []byte("<p>" + fill("a ", 64<<10-10))}},
		{"page of tags", classify.Evidence{Status: 400, Body: []byte(fill("<p>a</p>", 64<<10))}},
		{"XML of codes", classify.Evidence{Status: 400, Body: []byte("<x>" + fill("<Code>a</Code>", 64<<10))}},

		{"RawJSON", failed(rawBody{500, huge2})},
		{"RawJSON inside its envelope", failed(outerBody{StatusCode: 500, raw: `{"message":"` + huge + `"}`})},
		{"body field of text", failed(textBody{500, huge2})},
		{"body field of bytes", failed(bytesBody{500, bytes64})},
		{"joined, a body each", joined(300, func(int) error { return rawBody{500, body64} })},
		{"joined, a dense body each", joined(300, func(int) error { return textBody{500, dense64} })},
		{"joined, a body of codes each", joined(300, func(i int) error {
			return textBody{500, fmt.Sprintf(`{"code":"c%d","message":"m %d retry after %ds"}`, i, i, i)}
		})},
		{"joined, a response each", joined(300, func(int) error { return statusBody{429, names, body64} })},
		{"joined, a huge body each", joined(300, func(int) error { return bytesBody{500, []byte(body64)} })},
		{"wrapped 64 deep, a body each", failed(deepBodies(63, body64))},
		{"wrapped 60 deep", failed(within(60, rawBody{500, huge2}))},

		{"a million header names", classify.Evidence{Status: 429, Header: names}},
		{"a million header values", headers("Retry-After", many(1<<20, func(i int) string { return fmt.Sprint(i, "s") })...)},
		{"a million bad header values", headers("Retry-After", many(1<<20, func(i int) string { return fmt.Sprint("Mon, ", i, " Jan 2006 15:04:05") })...)},
		{"Retry-After without end", headers("Retry-After", waits)},
		{"Retry-After of digits", headers("Retry-After", fill("9", 16*mega))},
		{"Retry-After of blanks", headers("Retry-After", fill(" ", 16*mega))},
		{"Retry-After-Ms of digits", headers("Retry-After-Ms", fill("9", 16*mega)+"x")},
		{"a huge date", classify.Evidence{Status: 429, Header: http.Header{"Date": {fill("Mon, ", 16*mega)}, "Retry-After": {"5"}}}},
		{"huge resets", classify.Evidence{Status: 403, Header: http.Header{"X-Ratelimit-Reset": {waits}, "X-Ratelimit-Remaining": {fill("0", 16*mega) + "x"}, "X-Ratelimit-Status": {waits}}}},
		{"X-Amzn-Errortype", headers("X-Amzn-Errortype", fill("a:", 16*mega))},
		{"a header's name", headers(fill("anthropic-", 16*mega), "5")},
		{"an SDK's headers", failed(response(names))},
		{"joined, a million headers each", joined(256, func(int) error { return response(names) })},
		{"joined, huge headers each", joined(256, func(int) error { return response(http.Header{"Retry-After": {waits}, "Date": {waits}}) })},
		{"a field RetryAfter", failed(asksAfter{waits})},
		{"joined, a field RetryAfter each", joined(256, func(int) error { return asksAfter{waits} })},

		{"a code method", failed(answersCode{huge})},
		{"a code method of underscores", failed(spelled{spelledCode(fill("_", 64*mega))})},
		{"code fields", failed(namesMore{huge, huge})},
		{"joined, three codes each", joined(256, func(i int) error { return answersCode{fmt.Sprint(i, " ") + huge[:64<<10]} })},
		{"a host", failed(asksURL{&http.Request{URL: &url.URL{Host: fill("API.", 16*mega)}}, 500})},
		{"stderr", failed(&exec.ExitError{Stderr: bytes64})},
		{"joined, stderr each", joined(256, func(int) error { return &exec.ExitError{Stderr: []byte(huge[:64<<10])} })},

		{"a status of gRPC", failed(grpcErr(8, huge, bigInfo{huge, meta}))},
		{"a status with a million details", failed(grpcErr(8, "so it goes", many(1<<20, func(int) any { return bigInfo{"a", nil} })...))},
		{"a status with huge violations", failed(grpcErr(8, huge, bigQuota{many(1<<16, func(int) bigViolation { return bigViolation{huge} })}))},
		{"joined statuses", joined(256, func(int) error {
			return grpcErr(8, body64, bigInfo{body64, meta}, bigQuota{many(64, func(int) bigViolation { return bigViolation{body64} })})
		})},
		{"a status of Kubernetes", failed(k8s)},
		{"joined statuses of Kubernetes", joined(256, func(int) error { return k8s })},
		{"an unpacked envelope", failed(&genaiError{Code: 429, Message: huge, Status: huge})},
		{"an unpacked envelope of details", failed(&genaiError{Code: 429, Details: many(1<<18, func(int) map[string]any { return map[string]any{"reason": "x"} })})},
		{"an unpacked envelope within itself", failed(&genaiError{Code: 429, Details: []map[string]any{loop}})},
		{"joined unpacked envelopes", joined(256, func(int) error {
			return &genaiError{Code: 429, Message: body64, Details: many(600, func(int) map[string]any { return map[string]any{"reason": "\x01<>"} })}
		})},

		{"a type", classify.Evidence{Type: huge}},
		{"a type of words", classify.Evidence{Type: huge2}},
		{"a message", classify.Evidence{Message: huge2}},
		{"a message beside a status", classify.Evidence{Message: huge2, Status: 500}},
		{"an error's text", failed(says{huge2})},
		{"an error's text that times out", failed(fmt.Errorf("x: %w", within(3, saysAfter{says{huge2}})))},
		{"64 texts that time out", failed(deepTexts(60, huge2))},
		{"a request of huge texts", failed(&url.Error{Op: "Get", Err: says{huge2[:8*mega]}})},
		{"everything", classify.Evidence{
			Err:     branches(many(300, func(int) error { return statusBody{429, http.Header{"Retry-After": {waits}}, body64} })),
			Message: huge2, Type: huge, Status: 429, Header: names, Body: []byte(dense64),
		}},

		{"text of dates", classify.Evidence{Message: fill("retry after: Mon, 1 x, 1y, 1z, 1 a, 1 b, 1 c, 1 ", 64<<10)}},
		{"text of dates that are close", classify.Evidence{Message: fill("retry after: Mon, 02 Jan 2006 15:04:99 GMT ", 64<<10)}},
		{"text of waits", classify.Evidence{Message: "retry after " + fill("1s", 64<<10-20)}},
		{"text of numbers", classify.Evidence{Message: fill("retry after 1,000,000,000,000,000,000 ", 64<<10)}},
		{"text of wide lines", classify.Evidence{Message: fill(fill("so it goes and ", 75)+"\n", 64<<10)}},
		{"text of odd spaces", classify.Evidence{Message: fill("so\u00a0it  goes\t\x1b[31mand on \n", 64*mega)}},
		{"text of gaps in wide lines", classify.Evidence{Message: fill(fill("so  it goes and ", 75)+"\n", 64*mega)}},
		{"texts of gaps", classify.Evidence{
			Err:     branches(many(256, func(int) error { return textBody{500, fill("so\u00a0it  goes\n", 60<<10)} })),
			Message: fill("so\u00a0it  goes\n", mega), Type: fill("so\u00a0it  goes\n", mega),
			Body: []byte(fill("so\u00a0it  goes\n", mega)),
		}},
		{"a million branches", joined(1<<20, func(int) error { return rawBody{500, "x"} })},
		{"a million causes", classify.Evidence{Err: within(60, errors.New("x")), Cause: branches(many(1<<20, func(int) error { return errors.New("x") }))}},
		{"values as causes", classify.Evidence{
			Err:   branches(many(256, func(int) error { return other })),
			Cause: another,
		}},
	}
}

type saying string

func (s saying) Error() string { return "so it goes" }

type stripeLike struct {
	StatusCode int
	Response   *http.Response
}

func (*stripeLike) Error() string { return "so it goes" }

type deepBody struct {
	textBody
	err error
}

func (e deepBody) Unwrap() error { return e.err }

func deepBodies(n int, body string) (err error) {
	for range n {
		err = deepBody{textBody{500, body}, err}
	}
	return err
}

type deepText struct {
	saysAfter
	err error
}

func (e deepText) Unwrap() error { return e.err }

func deepTexts(n int, text string) (err error) {
	for range n {
		err = deepText{saysAfter{says{text}}, err}
	}
	return err
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestExcessIsBounded checks that no classification panics or allocates more than
// mostAllocated. The test isn't parallel, because it measures the whole process.
func TestExcessIsBounded(t *testing.T) {
	wide, err := classify.New(classify.WithMaxBytes(mega))
	require.NoError(t, err)
	mine, err := classify.New(classify.WithBase(classify.Minimal), classify.WithRules(classify.Rule{ID: "mine", Reason: classify.ReasonPolicy, Pattern: "boom"}))
	require.NoError(t, err)
	all := excesses()
	for _, c := range []struct {
		name string
		*classify.Classifier
		most uint64
	}{
		{"standard", classify.Standard, mostAllocated},
		{"1 MiB", wide, mostAllocated},
		{"minimal", classify.Minimal, mostAllocated},
		{"unlimited", mine, mostAllocated},
	} {
		c.Error(errors.New("HTTP 429")) // loads the rules before the measurement
		for _, tt := range all {
			t.Run(c.name+"/"+tt.name, func(t *testing.T) {
				var got classify.Result
				began := time.Now()
				most := c.most
				if tt.e.Err != nil { // the classifier calls Error once
					most += allocated(func() { _ = tt.e.Err.Error() })
				}
				bytes := allocated(func() { got = c.Classify(tt.e) })
				t.Logf("%s: %.1f ms, %.2f MB, %s", tt.name, float64(time.Since(began).Microseconds())/1000, float64(bytes)/mega, got.Rule)
				assert.LessOrEqual(t, bytes, most)
				assert.NotContains(t, got.Rule, "panic")
				reads := tt.e.Err != nil || tt.e.Message != "" || c.Classify(classify.Evidence{Status: 500}) != (classify.Result{})
				assert.Equal(t, reads, got.Category != "")
			})
		}
	}
}

// TestNestedJoinsAreBounded checks err = errors.Join(err, e) in a loop. The text of each
// error must be copied only once. The test isn't parallel, because it measures the whole
// process.
func TestNestedJoinsAreBounded(t *testing.T) {
	for _, size := range []int{100, 700, 30_000} {
		var first, last error
		for i := range 120 {
			e := errors.New(fmt.Sprint("item ", i, strings.Repeat(" so it goes", size/11)))
			first, last = errors.Join(first, e), errors.Join(e, last)
		}
		for _, err := range []error{first, last} {
			classify.Error(err)
			bytes := allocated(func() { classify.Error(err) })
			assert.Less(t, bytes, uint64(mostAllocated), "%d bytes each", size)
		}
	}
}

// BenchmarkExcess measures the classification of very large evidence. Each
// classification should take less than 10 ms.
func BenchmarkExcess(b *testing.B) {
	for _, tt := range excesses() {
		b.Run(tt.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				classify.Standard.Classify(tt.e)
			}
		})
	}
}
