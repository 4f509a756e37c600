// Package evidence reads attributes of OpenTelemetry and decides what they say about
// an error.
//
//   - [FieldOf] finds the meaning of an attribute's name.
//   - [Facts] holds the values of one span, event or log record.
//   - [Decision] classifies these values, the most important first.
package evidence

import "slices"

// Field is the meaning of an attribute.
type Field uint8

// These are the fields. The field None means that the attribute is not read.
const (
	None Field = iota
	ExceptionType
	ExceptionMessage
	ExceptionStack
	HTTPStatus
	HTTPStatusOld
	RPCStatus
	RPCSystem
	GRPCStatus
	DBStatus
	DBSystem
	ErrorType
	Provider
	ProviderOld
	Text   // the text of an error, as log bridges write it
	Stream // the name of a standard stream, as a runtime recorded it
)

// isException reports whether f is an attribute of an exception.
func (f Field) isException() bool { return f-ExceptionType <= ExceptionStack-ExceptionType }

// Name is the key of an attribute that is read, and its meaning.
type Name struct {
	Key   string
	Field Field
}

// Names lists the attributes that are read. Most names come from OpenTelemetry's
// semantic conventions 1.43. Older names follow the current name. The names of
// [Text] attributes are those that log bridges write.
var Names = []Name{
	{"exception.type", ExceptionType},
	{"exception.message", ExceptionMessage},
	{"exception.stacktrace", ExceptionStack},
	{"http.response.status_code", HTTPStatus},
	{"http.status_code", HTTPStatusOld},
	{"rpc.response.status_code", RPCStatus},
	{"rpc.system.name", RPCSystem},
	{"rpc.system", RPCSystem},
	{"rpc.grpc.status_code", GRPCStatus},
	{"db.response.status_code", DBStatus},
	{"db.system.name", DBSystem},
	{"db.system", DBSystem},
	{"error.type", ErrorType},
	{"gen_ai.provider.name", Provider},
	{"gen_ai.system", ProviderOld},
	{"error", Text},
	{"err", Text},
	{"cause", Text},
	{"exception", Text},
	{"stderr", Text},
	{"log.iostream", Stream},
}

// byHash maps the hash of a name to its index in Names, plus 1. No two names have
// the same hash.
var byHash = func() (index [256]uint8) {
	for i, n := range Names {
		index[hash(n.Key)] = uint8(i + 1)
	}
	return index
}()

func hash(key string) uint8 {
	n := len(key)
	return uint8(n*7) + key[0]*15 + key[n/2]*5 + key[n-1]*3
}

// FieldOf returns the Field of an attribute with this name, or None.
func FieldOf(key string) Field {
	if key == "" {
		return None
	}
	if i := byHash[hash(key)]; i > 0 && Names[i-1].Key == key {
		return Names[i-1].Field
	}
	return None
}

// exceptionLengths has bit n set if the name of an exception attribute has n bytes.
var exceptionLengths = func() (lengths uint64) {
	for _, n := range Names {
		if n.Field.isException() {
			lengths |= 1 << len(n.Key)
		}
	}
	return lengths
}()

// IsException reports whether an attribute with this name belongs to an exception.
func IsException(key string) bool {
	return exceptionLengths>>len(key)&1 != 0 && FieldOf(key).isException()
}

// IsErrorText reports whether a map has the text of an error in the member with this
// name. The argument inError is true if the map is the value of a [Text] attribute:
// a logger writes such a map for an error.
func IsErrorText(name string, inError bool) bool {
	return FieldOf(name) == Text || inError && slices.Contains(errorMembers, name)
}

// errorMembers has the names of text members in an error that is logged as a map.
var errorMembers = []string{"message", "msg", "stack", "stacktrace", "stack_trace", "stackTrace"}
