package response

// GrpcNames are the gRPC status codes by number, as Go spells them.
var GrpcNames = [...]string{
	"OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists",
	"PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange",
	"Unimplemented", "Internal", "Unavailable", "DataLoss", "Unauthenticated",
}

// GrpcName returns the code with a name in any spelling, or "". Google's APIs write
// DEADLINE_EXCEEDED, Connect and Twirp deadline_exceeded. CANCELLED may have two Ls.
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

// equalFold reports whether s and name are equal, apart from case and underscores.
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

// Screaming turns ResourceExhausted into RESOURCE_EXHAUSTED.
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
