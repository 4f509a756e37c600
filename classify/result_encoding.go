package classify

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"time"
)

var (
	_ json.Marshaler   = Result{}
	_ json.Unmarshaler = (*Result)(nil)
	_ slog.LogValuer   = Result{}
)

// resultJSON is the JSON form of a [Result], also in `errclass classify --format
// json`.
type resultJSON struct {
	Category     Category `json:"category"`
	Reason       Reason   `json:"reason"`
	Rule         string   `json:"rule"`
	Confidence   float64  `json:"confidence,omitempty"`
	Status       int      `json:"status"`
	RetryAfterMS *int64   `json:"retry_after_ms,omitempty"` // nil = the provider named no waiting time; 0 = the provider asks to retry at once
	Derived      bool     `json:"retry_after_derived,omitempty"`
	Provider     string   `json:"provider,omitempty"`
}

// MarshalJSON encodes r like `errclass classify --format json`:
//
//	{"category":"retryable","reason":"rate_limit","rule":"http/429","confidence":0.95,"status":429,"retry_after_ms":1500,"provider":"openai"}
//
// retry_after_ms is in whole milliseconds, rounded up. Four members can be omitted:
//
//   - confidence, if 0
//   - retry_after_ms, if HasRetryAfter is false
//   - retry_after_derived, if false
//   - provider, if unknown
func (r Result) MarshalJSON() ([]byte, error) {
	v := resultJSON{Category: r.Category, Reason: r.Reason, Rule: r.Rule, Confidence: r.Confidence, Status: r.Status, Derived: r.Derived, Provider: r.Provider}
	if r.HasRetryAfter {
		ms := milliseconds(r.RetryAfter)
		v.RetryAfterMS = &ms
	}
	return json.Marshal(v)
}

// UnmarshalJSON decodes the output of [Result.MarshalJSON]. If a member is missing,
// its field gets the zero value. Unknown members are ignored. Unknown categories and
// reasons are kept.
func (r *Result) UnmarshalJSON(data []byte) error {
	var v resultJSON
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	read := Result{Category: v.Category, Reason: v.Reason, Rule: v.Rule, Confidence: v.Confidence, Status: v.Status, Derived: v.Derived, Provider: v.Provider}
	if ms := v.RetryAfterMS; ms != nil {
		const most = math.MaxInt64 / int64(time.Millisecond)
		if *ms > most || *ms < -most {
			return fmt.Errorf("retry_after_ms: %d is more than a time.Duration holds", *ms)
		}
		read.RetryAfter, read.HasRetryAfter = time.Duration(*ms)*time.Millisecond, true
	}
	*r = read
	return nil
}

// LogValue returns r as a group of attributes. Their names are those in JSON. The
// attributes category, reason and rule are always present. Unknown values of
// confidence, status, retry_after_ms and provider are omitted. There is no attribute
// for Derived. If r is zero, the group is empty, and handlers omit the group.
func (r Result) LogValue() slog.Value {
	if r == (Result{}) {
		return slog.GroupValue()
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs,
		slog.String("category", string(r.Category)),
		slog.String("reason", string(r.Reason)),
		slog.String("rule", r.Rule))
	if r.Confidence != 0 {
		attrs = append(attrs, slog.Float64("confidence", r.Confidence))
	}
	if r.Status != 0 {
		attrs = append(attrs, slog.Int("status", r.Status))
	}
	if r.HasRetryAfter {
		attrs = append(attrs, slog.Int64("retry_after_ms", milliseconds(r.RetryAfter)))
	}
	if r.Provider != "" {
		attrs = append(attrs, slog.String("provider", r.Provider))
	}
	return slog.GroupValue(attrs...)
}

// milliseconds returns d in milliseconds, rounded up.
func milliseconds(d time.Duration) int64 {
	ms := d.Milliseconds()
	if d > time.Duration(ms)*time.Millisecond {
		ms++
	}
	return ms
}
