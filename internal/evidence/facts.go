package evidence

import (
	"cmp"
	"strconv"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/bound"
)

// MaxName is the maximum number of bytes read from a type, a code or a system's
// name.
const MaxName = 512

// Facts holds the attributes of one span, event or log record about an error. The
// zero value is empty. It is not safe for concurrent use.
type Facts struct {
	Exception      bool // there is an exception.* attribute
	ExceptionType  string
	Message, Stack string // message and stack trace of the exception
	ErrorType      string
	OwnDeadline    bool // ErrorType names this program's own deadline; see [Facts.MayBeOwnDeadline]
	Status         int  // an HTTP status from 400 to 599, or 0
	Provider       string
	Stderr         bool // the record is from standard error

	rpc, rpcSystem string // rpc is a code of rpcSystem
	grpc           string // a gRPC status code
	db, dbSystem   string // db is a code of dbSystem
}

// SetText stores an attribute with a text as its value. If the value is neither a
// text nor an integer, call SetText with "".
func (f *Facts) SetText(field Field, s string) {
	switch field {
	case ExceptionType:
		f.Exception, f.ExceptionType = true, name(s)
	case ExceptionMessage:
		f.Exception, f.Message = true, s
	case ExceptionStack:
		f.Exception, f.Stack = true, s
	case HTTPStatus:
		f.Status = cmp.Or(textStatus(s), f.Status)
	case HTTPStatusOld:
		f.Status = cmp.Or(f.Status, textStatus(s))
	case RPCStatus:
		f.rpc = name(s)
	case RPCSystem:
		f.rpcSystem = name(s)
	case GRPCStatus:
		f.grpc = name(s)
	case DBStatus:
		f.db = name(s)
	case DBSystem:
		f.dbSystem = name(s)
	case ErrorType:
		f.ErrorType = name(s)
	case Provider:
		f.Provider = name(s)
	case ProviderOld:
		f.Provider = cmp.Or(f.Provider, name(s))
	case Stream:
		f.Stderr = s == "stderr"
	}
}

// SetInt stores an attribute with an integer as its value. The code 0 means success
// and is ignored.
func (f *Facts) SetInt(field Field, n int64) {
	switch field {
	case HTTPStatus:
		f.Status = cmp.Or(httpStatus(n), f.Status)
	case HTTPStatusOld:
		f.Status = cmp.Or(f.Status, httpStatus(n))
	case None, Text:
	default:
		code := ""
		if n != 0 && field.isCode() {
			code = strconv.FormatInt(n, 10)
		}
		f.SetText(field, code)
	}
}

// isCode reports whether the value of the field is a code, which can be an integer.
func (f Field) isCode() bool {
	switch f {
	case RPCStatus, GRPCStatus, DBStatus:
		return true
	}
	return false
}

// name returns the first MaxName bytes of s.
func name(s string) string { return s[:min(len(s), MaxName)] }

// httpStatus returns n if it is an HTTP status from 400 to 599, or 0.
func httpStatus(n int64) int {
	if n < 400 || n > 599 {
		return 0
	}
	return int(n)
}

func textStatus(s string) int {
	if len(s) < len("400") {
		return 0
	}
	n, _ := strconv.Atoi(name(s))
	return httpStatus(int64(n))
}

// grpcCode returns a gRPC code in the classifier's form: "14" becomes "grpc-status:
// 14". The code 0 becomes "". A code that is not a number stays unchanged.
func grpcCode(code string) string {
	if code == "" {
		return "" // strconv would allocate an error
	}
	n, err := strconv.ParseInt(code, 10, 64)
	switch {
	case err != nil:
		return code
	case n > 0:
		return "grpc-status: " + strconv.FormatInt(n, 10)
	}
	return ""
}

// rpcCode returns the value of rpc.response.status_code. A number from 0 to 16 is a
// gRPC code, unless rpc.system names another system, such as JSON-RPC.
func (f *Facts) rpcCode() string {
	if f.rpc == "" {
		return ""
	}
	if n, err := strconv.Atoi(f.rpc); err == nil && 0 <= n && n <= 16 && (f.rpcSystem == "" || f.rpcSystem == "grpc") {
		return grpcCode(f.rpc)
	}
	return f.rpc
}

// ExceptionEvidence returns exception.type and exception.message as evidence.
// Together they have at most n bytes.
func (f *Facts) ExceptionEvidence(t *bound.Texts, n int) classify.Evidence {
	e := classify.Evidence{Type: t.Cut(f.ExceptionType, MaxName), Provider: f.Provider}
	e.Message = t.Cut(f.Message, n-len(e.Type))
	if err := deadlineError(f.ExceptionType); err != nil {
		// Pass the deadline as an error value, so that it outranks the status.
		e.Err, e.Type, e.Message = &recordedError{e.Message, err}, "", ""
	}
	return e
}

// outcome returns the evidence of how a call ended, with text as the message. If
// error.type names this program's own deadline, it becomes the type of the evidence.
// Otherwise, if there is no other code, error.type becomes the code.
func (f *Facts) outcome(text string) classify.Evidence {
	if f.OwnDeadline {
		return classify.Evidence{Type: f.ErrorType, Message: text}
	}
	e := classify.Evidence{Status: f.Status, Code: cmp.Or(f.rpcCode(), grpcCode(f.grpc)), Message: text, Provider: f.Provider}
	if f.db != "" {
		if e.Err = databaseError(f.dbSystem, f.db, text); e.Err != nil {
			e.Message = "" // the error has the text
		} else {
			e.Code = cmp.Or(e.Code, f.db)
		}
	}
	e.Code = cmp.Or(e.Code, f.ErrorType)
	return e
}
