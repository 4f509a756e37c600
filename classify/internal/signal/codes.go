package signal

// Codes maps codes to reasons. It is sorted by code.
type Codes []struct {
	Code   string
	Reason Reason
}

// Reason returns the reason of a code, or NoReason if t does not have the code.
func (t Codes) Reason(code string) Reason {
	lo, hi := 0, len(t)
	for lo < hi {
		if mid := int(uint(lo+hi) >> 1); t[mid].Code < code {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo < len(t) && t[lo].Code == code {
		return t[lo].Reason
	}
	return NoReason
}
