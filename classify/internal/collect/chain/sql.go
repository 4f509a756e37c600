package chain

import (
	"reflect"
	"strconv"

	"github.com/errclass/errclass/classify/internal/signal"
	"github.com/errclass/errclass/classify/internal/standard"
)

// readSQLState reads an SQLSTATE, a code of five characters (ISO/IEC 9075). Errors of
// pgx and lib/pq have the method SQLState. Other errors have the fields Code and
// Severity.
func (w *Walk) readSQLState(s *Shape, err error) {
	if e, ok := err.(interface{ SQLState() string }); ok {
		w.addSQLState(e.SQLState())
		return
	}
	w.addSQLState(s.text(err, "Code"))
}

// queryCanceled is the SQLSTATE of a query that a timeout or a user ended. The text
// shows which of the two it was.
const queryCanceled = "57014"

// addSQLState adds the signal of an SQLSTATE. The strength is Fact for a known state. It
// is Code for queryCanceled, and for a state of which only the class is known.
func (w *Walk) addSQLState(state string) {
	if len(state) != 5 {
		return
	}
	rule, reason, strength := "sqlstate/"+state, standard.Sqlstate.Reason(state), signal.Fact
	switch {
	case reason == signal.NoReason:
		rule, reason, strength = "sqlstate/class-"+state[:2], standard.SqlstateClass.Reason(state[:2]), signal.Code
	case state == queryCanceled:
		strength = signal.Code
	}
	if reason != signal.NoReason {
		w.Q.Add(signal.Of(rule, reason, strength))
	}
}

// readSQLNumber reads the error numbers of MySQL, MariaDB and SQL Server. If a MySQL
// number is unknown, the SQLSTATE of the error counts instead.
func (w *Walk) readSQLNumber(s *Shape, err error) {
	if e, ok := err.(interface{ SQLErrorNumber() int32 }); ok {
		w.addSQLNumber("mssql/", standard.Mssql, int64(e.SQLErrorNumber()))
		return
	}
	v := s.field(err, "Number")
	if !v.IsValid() || w.addSQLNumber("mysql/", standard.Mysql, int64(v.Uint())) {
		return
	}
	if state := s.field(err, "SQLState"); state.IsValid() {
		text := make([]byte, state.Len())
		reflect.Copy(reflect.ValueOf(text), state)
		w.addSQLState(string(text))
	}
}

func (w *Walk) addSQLNumber(prefix string, table signal.Codes, number int64) bool {
	name := decimal(number)
	reason := table.Reason(name)
	if reason != signal.NoReason {
		w.Q.Add(signal.Of(prefix+name, reason, signal.Fact))
	}
	return reason != signal.NoReason
}

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// readLabels reads the labels of a MongoDB error, which tell drivers to retry.
func (w *Walk) readLabels(err interface{ HasErrorLabel(string) bool }) {
	switch {
	case err.HasErrorLabel("NetworkError"):
		w.Q.Add(signal.Of("mongo/NetworkError", signal.ReasonNetwork, signal.Code))
	case err.HasErrorLabel("RetryableWriteError"), err.HasErrorLabel("TransientTransactionError"):
		w.Q.Add(signal.Of("mongo/retryable", signal.ReasonTransient, signal.Code))
	}
}

// readReply reads a three-digit reply of SMTP or a similar protocol (RFC 5321 4.2):
// 4yz is temporary, 5yz permanent.
func (w *Walk) readReply(s *Shape, err error) {
	v := s.field(err, "Code")
	if !v.IsValid() || v.Int() < 400 || v.Int() > 599 {
		return
	}
	name := decimal(v.Int())
	reason := standard.Reply.Reason(name)
	switch {
	case reason != signal.NoReason:
	case v.Int() < 500:
		reason = signal.ReasonTransient
	default:
		reason = signal.ReasonInvalidRequest
	}
	w.Q.Add(signal.Of("smtp/"+name, reason, signal.Code))
}
