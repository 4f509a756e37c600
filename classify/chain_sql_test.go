package classify_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/errclass/errclass/classify"
)

type (
	// pgError imitates *pgconn.PgError. *pq.Error has the same methods.
	pgError struct{ Severity, Code, Message string }
	// oldPQ imitates an old version of *pq.Error, without the method SQLState.
	pqCode string
	oldPQ  struct {
		Severity string
		Code     pqCode
		Message  string
	}
	// mysqlError is *mysql.MySQLError.
	mysqlError struct {
		Number   uint16
		SQLState [5]byte
		Message  string
	}
	// mssqlError is mssql.Error.
	mssqlError struct{ Number int32 }
	// mongoError is mongo.ServerError.
	mongoError string
)

func (*pgError) Error() string                   { return "so it goes" }
func (e *pgError) SQLState() string              { return e.Code }
func (*oldPQ) Error() string                     { return "so it goes" }
func (*mysqlError) Error() string                { return "so it goes" }
func (mssqlError) Error() string                 { return "so it goes" }
func (e mssqlError) SQLErrorNumber() int32       { return e.Number }
func (mongoError) Error() string                 { return "so it goes" }
func (e mongoError) HasErrorLabel(l string) bool { return l == string(e) }

func TestDatabases(t *testing.T) {
	t.Parallel()
	runTyped(t, []typedCase{
		{name: "postgres: serialization", err: &pgError{Code: "40001"}, reason: classify.ReasonTransient, rule: "sqlstate/40001"},
		{name: "postgres: too many connections", err: &pgError{Code: "53300"}, reason: classify.ReasonTransient},
		{name: "postgres: disk", err: &pgError{Code: "53100"}, reason: classify.ReasonResource},
		{name: "postgres: password", err: &pgError{Code: "28P01"}, reason: classify.ReasonAuthentication},
		{name: "postgres: a class", err: &pgError{Code: "42P01"}, reason: classify.ReasonInvalidRequest, rule: "sqlstate/class-42"},
		{name: "postgres: connection", err: &pgError{Code: "08006"}, reason: classify.ReasonNetwork},
		{name: "postgres: says nothing", err: &pgError{Code: "XX000"}, reason: classify.ReasonUnknown},
		{name: "postgres: the text quotes data", err: fmt.Errorf("%w: Key (note)=(HTTP 402)", &pgError{Code: "40001"}), reason: classify.ReasonTransient},
		{name: "postgres: no code", err: &pgError{}, reason: classify.ReasonUnknown},
		{name: "pgx: closed before", err: errors.Join(errors.New("conn closed"), errors.New("two items were left alone")), reason: classify.ReasonNetwork, rule: "go/pgconn.ErrConnClosed"},
		{name: "mysql: closed before", err: errors.Join(errors.New("invalid connection"), errors.New("two items were left alone")), reason: classify.ReasonNetwork, rule: "go/mysql.ErrInvalidConn"},
		{name: "lib/pq", err: &oldPQ{Severity: "FATAL", Code: "57P01"}, reason: classify.ReasonTransient},
		{name: "mysql: deadlock", err: &mysqlError{Number: 1213}, reason: classify.ReasonTransient, rule: "mysql/1213"},
		{name: "mysql: access", err: &mysqlError{Number: 1045}, reason: classify.ReasonAuthentication},
		{name: "mysql: by state", err: &mysqlError{Number: 65535, SQLState: [5]byte{'2', '3', '0', '0', '0'}}, reason: classify.ReasonInvalidRequest, rule: "sqlstate/class-23"},
		{name: "mysql: says nothing", err: &mysqlError{Number: 65535, SQLState: [5]byte{'H', 'Y', '0', '0', '0'}}, reason: classify.ReasonUnknown},
		{name: "sql server: deadlock", err: mssqlError{1205}, reason: classify.ReasonTransient, rule: "mssql/1205"},
		{name: "sql server: login", err: mssqlError{18456}, reason: classify.ReasonAuthentication},
		{name: "mongo: network", err: mongoError("NetworkError"), reason: classify.ReasonNetwork},
		{name: "mongo: retry", err: mongoError("TransientTransactionError"), reason: classify.ReasonTransient},
		{name: "mongo: no label", err: mongoError("x"), reason: classify.ReasonUnknown},
	})
}
