package resilience

import (
	"encoding/json"
	"errors"

	"github.com/errclass/errclass/internal/mask"
	"github.com/errclass/errclass/resilience/internal/restart"
)

// maskedError is an error with a masked text. It has no Unwrap method, because the
// inner error shows the secret. It has no other method that writes the error, such as
// MarshalJSON, LogValue or Format, so a log handler calls Error.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Is(target error) bool { return errors.Is(e.err, target) }

func (e *maskedError) As(target any) bool { return errors.As(e.err, target) }

// maskError returns an error for a log record. Its text is the masked text of err.
func maskError(err error) error { return &maskedError{mask.Text(restart.ErrorText(err)), err} }

// MarshalJSON encodes the event. It masks secrets in texts. It removes user
// information and the query from the endpoint.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event // without this method
	e.Key, e.Agent, e.From, e.To = mask.Text(e.Key), mask.Text(e.Agent), mask.Text(e.From), mask.Text(e.To)
	e.Target = e.Target.masked()
	e.Result, e.Cause = maskResult(e.Result), maskResult(e.Cause)
	return json.Marshal(plain(e))
}
