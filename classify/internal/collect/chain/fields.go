package chain

import "reflect"

// interesting returns the exported fields of t that this package reads, as a map from
// name to index. The fields of embedded structs are included.
func interesting(t reflect.Type) map[string][]int {
	var fields map[string][]int
	for _, name := range [...]string{
		"Op", "IsTimeout", "IsTemporary", "IsNotFound", // net
		"StatusCode", "HTTPStatusCode", "HTTPCode", "HTTPStatus", "Status", "Code", // a status
		"Request", "Response", "RawResponse", "Header", "Headers", "Body", "ResponseBody", // the request and the response
		"RetryAfter", "RetryAfterSeconds",
		"Type", "ErrorCode", "Message", "Details", // an API's error
		"Severity", "SQLState", "Number", // a database's error
		"ErrStatus", // Kubernetes
	} {
		f, ok := t.FieldByName(name)
		if !ok || !f.IsExported() {
			continue
		}
		if fields == nil {
			fields = make(map[string][]int)
		}
		fields[name] = f.Index
	}
	if fields == nil {
		return nil
	}
	for name, index := range fields {
		if !fitting(name, t.FieldByIndex(index).Type) {
			delete(fields, name)
		}
	}
	return fields
}

// fitting reports whether this package expects the type t for a field with this
// name.
func fitting(name string, t reflect.Type) bool {
	switch name {
	case "StatusCode", "HTTPStatusCode", "HTTPCode", "HTTPStatus":
		return reflect.Int <= t.Kind() && t.Kind() <= reflect.Int64
	case "Code":
		return t.Kind() == reflect.Int && t.PkgPath() == "" || t.Kind() == reflect.Int64 ||
			t.Kind() == reflect.String || t.Kind() == reflect.Interface
	case "Status":
		return t.Kind() == reflect.Int || t.Kind() == reflect.String
	case "Response", "RawResponse":
		return isResponse(t)
	case "Header", "Headers":
		return t.ConvertibleTo(headerType)
	case "Body", "ResponseBody":
		return t.Kind() == reflect.String || t.ConvertibleTo(bytesType)
	case "Type", "ErrorCode", "Severity":
		return t.Kind() == reflect.String
	case "SQLState":
		return t.Kind() == reflect.Array && t.Len() == 5 && t.Elem().Kind() == reflect.Uint8
	case "Number":
		return t.Kind() == reflect.Uint16
	case "ErrStatus":
		_, ok := t.FieldByName("Reason")
		return ok
	}
	return true
}

var (
	headerType = reflect.TypeFor[map[string][]string]()
	bytesType  = reflect.TypeFor[[]byte]()
)

// isResponse reports whether t is *http.Response or a pointer to a similar struct. A
// similar struct has the fields StatusCode and Header.
func isResponse(t reflect.Type) bool {
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return false
	}
	status, ok1 := t.Elem().FieldByName("StatusCode")
	header, ok2 := t.Elem().FieldByName("Header")
	return ok1 && ok2 && status.Type.Kind() == reflect.Int && header.Type.ConvertibleTo(headerType)
}

// shapeOfFields returns the kinds of evidence in the fields of a type.
func (s *Shape) shapeOfFields() (caps capability) {
	for _, name := range [...]string{"StatusCode", "HTTPStatusCode", "HTTPCode", "HTTPStatus", "Response", "RawResponse", "ErrStatus"} {
		if s.has(name) {
			caps |= canHTTP
		}
	}
	if s.has("Status") || s.has("Code") && s.apiCode() {
		caps |= canHTTP
	}
	switch {
	case s.has("Severity") && s.has("Code"):
		caps |= canSQLState
	case s.has("Number") && s.has("Message"):
		caps |= canSQLNumber
	case s.has("Code") && s.has("Message"):
		caps |= canJSONRPC
	}
	if s.has("ErrorCode") || caps&canHTTP != 0 && (s.has("Code") || s.has("Type")) {
		caps |= canCode
	}
	if s.has("RetryAfter") || s.has("RetryAfterSeconds") {
		caps |= canRetryAfter
	}
	return caps
}

// apiCode reports whether the type has fields that are typical of API errors. Then
// the field Code may be an HTTP status.
func (s *Shape) apiCode() bool {
	return s.has("Message") || s.has("Status") || s.has("Body") || s.has("Header") || s.has("Details")
}

func (s *Shape) has(name string) bool {
	_, ok := s.fields[name]
	return ok
}

// field returns a field of err, or the zero Value. It panics on nil pointers;
// Walk.read recovers the panic.
func (s *Shape) field(err error, name string) reflect.Value {
	index, ok := s.fields[name]
	if !ok {
		return reflect.Value{}
	}
	v := reflect.ValueOf(err)
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v.FieldByIndex(index)
}

// text returns the string in a field, or "".
func (s *Shape) text(err error, name string) string {
	v := s.field(err, name)
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if v.Kind() != reflect.String {
		return ""
	}
	return v.String()
}
