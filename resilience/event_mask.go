package resilience

import (
	"encoding/json"
	"errors"

	"github.com/errclass/errclass/internal/mask"
)

// maskedError is an error whose text had a secret in it. errors.Is and errors.As
// find what they find in the error itself. It does not unwrap: what prints the
// whole chain would print the secret.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

func (e *maskedError) Is(target error) bool { return errors.Is(e.err, target) }

func (e *maskedError) As(target any) bool { return errors.As(e.err, target) }

// masked returns err, or where its text has a secret an error without it.
func masked(err error) error {
	text := errText(err)
	if clean := mask.Text(text); clean != text {
		return &maskedError{clean, err}
	}
	return err
}

// MarshalJSON writes the event's fields. Secrets in its texts are masked, and the
// endpoint has no user information and no query.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event // without this method
	e.Key, e.Agent, e.From, e.To = mask.Text(e.Key), mask.Text(e.Agent), mask.Text(e.From), mask.Text(e.To)
	e.Target = e.Target.shown()
	e.Result, e.Cause = shownResult(e.Result), shownResult(e.Cause)
	return json.Marshal(plain(e))
}
