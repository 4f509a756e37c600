package evidence

import "strconv"

// databaseError converts a db.response.status_code to an error that the classifier
// recognises. It returns nil for other codes, such as ORA-00060 or an HTTP status.
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
