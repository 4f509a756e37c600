package response

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/errclass/errclass/classify/internal/signal"
)

// googleFacts returns the signals of the quota in a google.rpc.QuotaFailure. The
// signals have the strength signal.Fact, so they outrank the signals of the message.
func googleFacts(m map[string]any) []signal.Signal {
	var facts []signal.Signal
	for _, key := range [...]string{"quotaId", "quota_id", "quota_limit"} {
		id, _ := m[key].(string)
		switch {
		case strings.Contains(id, "PerDay"):
			facts = append(facts, signal.Of("google/quota-per-day", signal.ReasonBudgetExceeded, signal.Fact))
		case strings.Contains(id, "PerMinute"), strings.Contains(id, "PerSecond"):
			facts = append(facts, signal.Of("google/quota-per-minute", signal.ReasonRateLimit, signal.Fact))
		}
	}
	for _, key := range [...]string{"quotaValue", "quota_value", "quota_limit_value"} {
		if isZero(m[key]) {
			facts = append(facts, signal.Of("google/quota-zero", signal.ReasonBudgetExceeded, signal.Fact))
		}
	}
	return facts
}

// isZero reports whether a value is present and 0.
func isZero(value any) bool {
	switch v := value.(type) {
	case string:
		return v == "0"
	case json.Number:
		return v == "0"
	}
	return false
}

// rpcName returns the name of the code of a google.rpc.Status, such as
// RESOURCE_EXHAUSTED for 8. For other objects it returns "".
func rpcName(m map[string]any, code string) string {
	if _, ok := m["details"].([]any); !ok || m["message"] == nil {
		return ""
	}
	if n, err := strconv.Atoi(code); err == nil && 0 < n && n < len(GrpcNames) {
		return Screaming(GrpcNames[n])
	}
	return ""
}

// bodyProvider returns the provider that an error object identifies beyond doubt, or
// "".
func bodyProvider(m map[string]any) string {
	text := func(key string) string { s, _ := m[key].(string); return s }
	switch {
	case m["type"] == "error" && strings.HasPrefix(text("request_id"), "req_0"):
		return "anthropic"
	case strings.HasPrefix(text("@type"), "type.googleapis.com/") && strings.HasSuffix(text("domain"), "googleapis.com"):
		return "google"
	}
	return ""
}
