package otelclass

import "strconv"

// databaseError gives a code of db.response.status_code the form that the
// system's drivers give it, which the classifier reads: what the codes mean is
// known there. It is nil for a code that stands for itself, such as ORA-00060
// or the HTTP status of a search engine.
func databaseError(system, code string) error {
	switch system {
	case "mysql", "mariadb":
		if n, err := strconv.ParseUint(code, 10, 16); err == nil {
			return &mysqlError{Number: uint16(n)}
		}
	case "microsoft.sql_server", "mssql":
		if n, err := strconv.ParseInt(code, 10, 32); err == nil {
			return sqlServerError(n)
		}
	}
	if len(code) == 5 {
		return sqlState(code) // ISO/IEC 9075
	}
	return nil
}

// sqlState, mysqlError and sqlServerError have no text: all that is known is
// the code.
type sqlState string

func (sqlState) Error() string      { return "" }
func (s sqlState) SQLState() string { return string(s) }

type mysqlError struct {
	Number  uint16
	Message string
}

func (*mysqlError) Error() string { return "" }

type sqlServerError int32

func (sqlServerError) Error() string           { return "" }
func (e sqlServerError) SQLErrorNumber() int32 { return int32(e) }
