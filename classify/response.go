package classify

// readResponse takes a provider's response into account.
func (q *inquiry) readResponse(status int, header map[string][]string, body []byte) {
	q.addStatus(status)
}

// readType takes an exception type or an error code into account.
func (q *inquiry) readType(name string) { q.readText(name) }

// httpSignal is what an HTTP status of 400 or more means by itself.
func httpSignal(status int) signal {
	code := string([]byte{byte('0' + status/100), byte('0' + status/10%10), byte('0' + status%10)})
	reason := httpCodes.reason(code)
	switch {
	case reason != "":
	case status >= 500:
		reason = ReasonTransient
	default:
		reason = ReasonInvalidRequest
	}
	return signal{rule: "http/" + code, reason: reason, strength: codeStrength}
}
