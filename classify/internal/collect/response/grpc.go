package response

// GrpcNames are the names of the gRPC status codes in Go's spelling. The index is
// the code.
var GrpcNames = [...]string{
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists",
	"PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange",
	"Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
}

// GrpcName returns the gRPC code named s in Go's spelling, or "". It ignores case
// and underscores. CANCELLED may have two Ls.
func GrpcName(s string) string {
	if len(s) > 2*len("DEADLINE_EXCEEDED") {
		return ""
	}
	if equalFold(s, "Cancelled") {
		return "Canceled"
	}
	for _, name := range GrpcNames {
		if equalFold(s, name) {
			return name
		}
	}
	return ""
}

// equalFold reports whether s and name are equal, ignoring case and underscores.
func equalFold(s, name string) bool {
	j := 0
	for i := range len(s) {
		if s[i] == '_' {
			continue
		}
		if j == len(name) || s[i]|0x20 != name[j]|0x20 {
			return false
		}
		j++
	}
	return j == len(name)
}

// Screaming returns a name in upper case with underscores: ResourceExhausted ->
// RESOURCE_EXHAUSTED.
func Screaming(name string) string {
	b := make([]byte, 0, len(name)+4)
	for i := range len(name) {
		c := name[i]
		if i > 0 && 'A' <= c && c <= 'Z' && name != "OK" {
			b = append(b, '_')
		}
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}
