package main

import (
	"fmt"
	"strings"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"

	"github.com/errclass/errclass/corpus"
)

// batchSize is the number of records in a batch.
const batchSize = 1000

// recurring is the number of different error texts in a source that repeats its
// texts.
const recurring = 500

// source generates records. Record n is the same in every run.
type source struct {
	messages []string // error messages
	errors   int      // share in percent
	repeated bool     // the texts of errors recur; otherwise every text is new
}

// newSource returns a source of the messages in the corpus that have one line and at
// most 1000 bytes.
func newSource(percent int, repeated bool) (*source, error) {
	entries, err := corpus.Read(corpus.Slices)
	if err != nil {
		return nil, err
	}
	s := &source{errors: percent, repeated: repeated}
	for _, e := range entries {
		if len(e.Message) <= 1000 && !strings.Contains(e.Message, "\n") {
			s.messages = append(s.messages, e.Message)
		}
	}
	return s, nil
}

// isError reports whether record n is an error. The errors are spread evenly.
func (s *source) isError(n int) bool { return n*s.errors/100 != (n+1)*s.errors/100 }

// text returns the text of record n.
func (s *source) text(n int) string {
	if !s.isError(n) {
		return fmt.Sprintf("GET /api/v1/orders/%d 200 in %d ms, user 7c9e6679, cache hit, 3 rows of orders and 12 rows of positions read, session kept", n, n%97)
	}
	errs := n * s.errors / 100 // errors before this one
	if s.repeated {
		return s.messages[errs%recurring*len(s.messages)/recurring]
	}
	message := s.messages[errs%len(s.messages)]
	return fmt.Sprintf("%s (request %d)", message, n)
}

// fill writes record n to r.
func (s *source) fill(n int, r plog.LogRecord) {
	r.SetTimestamp(pcommon.Timestamp(1_800_000_000_000_000_000 + n))
	r.SetSeverityNumber(plog.SeverityNumberInfo)
	r.SetSeverityText("INFO")
	if s.isError(n) {
		r.SetSeverityNumber(plog.SeverityNumberError)
		r.SetSeverityText("ERROR")
	}
	r.Body().SetStr(s.text(n))
	a := r.Attributes()
	a.PutInt("n", int64(n))
	a.PutStr("code.function.name", "shop.orders.Handle")
	a.PutStr("thread.name", "worker-7")
	a.PutDouble("duration", float64(n)/7)
	a.PutEmptyBytes("raw").FromRaw([]byte{0, byte(n), 0xff})
	a.PutEmptySlice("tags").AppendEmpty().SetStr("é\u0000\U0001f600")
	r.SetTraceID([16]byte{1, byte(n)})
}

// batch makes the records with the numbers first to end-1.
func (s *source) batch(first, end int) plog.Logs {
	logs := plog.NewLogs()
	rl := logs.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "orders")
	sl := rl.ScopeLogs().AppendEmpty()
	sl.Scope().SetName("load")
	sl.LogRecords().EnsureCapacity(end - first)
	for n := first; n < end; n++ {
		s.fill(n, sl.LogRecords().AppendEmpty())
	}
	return logs
}
