package evidence

import "strconv"

// databaseError converts code, the value of db.response.status_code, to an error.
// The error has the fields of a driver's error, so the classifier recognises it. For
// a code that is neither a driver's number nor an SQLSTATE, databaseError returns
// nil. Examples of such codes are ORA-00060 and the HTTP status of a search engine.
func databaseError(system, code, text string) error {
	switch system {
	case "mysql", "mariadb":
		if n, err := strconv.ParseUint(code, 10, 16); err == nil {
			return &mysqlError{Number: uint16(n), Message: text}
		}
	case "microsoft.sql_server", "mssql":
		if n, err := strconv.ParseInt(code, 10, 32); err == nil {
			return &sqlServerError{int32(n), text}
		}
	}
	if len(code) == 5 {
		return &sqlStateError{code, text} // ISO/IEC 9075
	}
	return nil
}

// mysqlError has the same fields as the error of MySQL's driver. The classifier
// reads these fields.
type mysqlError struct {
	Number  uint16
	Message string
}

func (e *mysqlError) Error() string { return e.Message }

type sqlServerError struct {
	number int32
	text   string
}

func (e *sqlServerError) Error() string         { return e.text }
func (e *sqlServerError) SQLErrorNumber() int32 { return e.number }

type sqlStateError struct{ state, text string }

func (e *sqlStateError) Error() string    { return e.text }
func (e *sqlStateError) SQLState() string { return e.state }
