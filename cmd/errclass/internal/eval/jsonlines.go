package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// maxLine is the maximum length of a line, in bytes.
const maxLine = 64 << 20

// readLines calls the function add for every line that is not blank. Errors of add
// get the position as a prefix.
func readLines(r io.Reader, name string, add func(text []byte, position string) error) error {
	in := lines.NewReader(r, maxLine, nil)
	for number := 1; ; number++ {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		position := fmt.Sprintf("%s:%d", name, number)
		if line.Piece {
			return fmt.Errorf("%s: longer than %d bytes", position, maxLine)
		}
		text := bytes.TrimPrefix(line.Text(), []byte(lines.BOM))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		if err := add(text, position); err != nil {
			return fmt.Errorf("%s: %w", position, err)
		}
	}
}

// decodingFault describes an error of json.Unmarshal without the names of Go types.
func decodingFault(err error) error {
	var fault *json.UnmarshalTypeError
	if !errors.As(err, &fault) {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if fault.Field == "" {
		return fmt.Errorf("not a JSON object, but a JSON %s", fault.Value)
	}
	switch fault.Type.Kind() {
	case reflect.Slice:
		return fmt.Errorf("%q is a JSON %s; make it a list of strings", fault.Field, fault.Value)
	case reflect.Float64:
		return fmt.Errorf("%q is a JSON %s; make it a number", fault.Field, fault.Value)
	default:
		return fmt.Errorf("%q holds a JSON %s; make it a string", fault.Field, fault.Value)
	}
}
