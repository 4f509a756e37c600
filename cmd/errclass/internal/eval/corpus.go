// Package eval measures a classifier against a labelled corpus.
//
// A corpus is a file of JSON lines. Each line has a message and its right
// category and reason. [Read] reads and checks a corpus, [Entry.In] selects a
// fixed part of it, and [Evaluate] classifies the messages and returns a
// [Report].
package eval

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// Entry is one labelled message.
type Entry struct {
	ID      string
	Kind    string // what wrote the message; may be empty
	Message string
	// Category and Reason are the right answers. Accept and AcceptCategory are
	// further answers that count as right.
	Category       classify.Category
	Reason         classify.Reason
	Accept         []classify.Reason
	AcceptCategory []classify.Category
}

// In reports whether the entry belongs to part k of n. The part is the first byte
// of the SHA-256 of the entry's id, modulo n. So changes to other entries do not
// move the entry to another part.
func (e Entry) In(k, n int) bool { return int(sha256.Sum256([]byte(e.ID))[0])%n == k }

// Prefix returns the id up to its first hyphen: "llm" of "llm-017".
func (e Entry) Prefix() string {
	prefix, _, _ := strings.Cut(e.ID, "-")
	return prefix
}

// maxLine is the length of the longest valid line of a corpus.
const maxLine = 64 << 20

// Read reads a corpus. It ignores blank lines and unknown keys (source, note).
// Any other fault is an error that begins with name and the line number.
func Read(r io.Reader, name string) ([]Entry, error) {
	var entries []Entry
	firstLine := map[string]int{}
	in := lines.NewReader(r, maxLine, nil)
	for number := 1; ; number++ {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			return entries, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if line.Piece {
			return nil, fmt.Errorf("%s:%d: longer than %d bytes", name, number, maxLine)
		}
		text := bytes.TrimPrefix(line.Text(), []byte(lines.BOM))
		if len(bytes.TrimSpace(text)) == 0 {
			continue
		}
		e, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, number, err)
		}
		if first, ok := firstLine[e.ID]; ok {
			return nil, fmt.Errorf("%s:%d: id %q is already used on line %d; give every entry an id of its own", name, number, e.ID, first)
		}
		firstLine[e.ID] = number
		entries = append(entries, e)
	}
}

// parse reads and checks one entry.
func parse(line []byte) (Entry, error) {
	var raw struct {
		ID             string              `json:"id"`
		Kind           string              `json:"kind"`
		Message        *string             `json:"message"`
		Category       classify.Category   `json:"category"`
		Reason         classify.Reason     `json:"reason"`
		Accept         []classify.Reason   `json:"accept"`
		AcceptCategory []classify.Category `json:"accept_category"`
	}
	err := json.Unmarshal(line, &raw)
	var fault *json.UnmarshalTypeError
	switch {
	case errors.As(err, &fault) && fault.Field == "":
		return Entry{}, fmt.Errorf("not a JSON object, but a JSON %s", fault.Value)
	case fault != nil && fault.Type.Kind() == reflect.Slice:
		return Entry{}, fmt.Errorf("%q is a JSON %s; make it a list of strings", fault.Field, fault.Value)
	case fault != nil:
		return Entry{}, fmt.Errorf("%q holds a JSON %s; make it a string", fault.Field, fault.Value)
	case err != nil:
		return Entry{}, fmt.Errorf("not a JSON object: %w", err)
	}
	switch {
	case raw.ID == "":
		return Entry{}, errors.New(`no id; add "id"`)
	case raw.Message == nil:
		return Entry{}, fmt.Errorf(`entry %q: no message; add "message"`, raw.ID)
	}
	for _, c := range append(raw.AcceptCategory, raw.Category) {
		if !slices.Contains(classify.Categories(), c) {
			return Entry{}, fmt.Errorf("entry %q: unknown category %q; use one of %s", raw.ID, c, list(classify.Categories()))
		}
	}
	for _, r := range append(raw.Accept, raw.Reason) {
		if !r.Valid() {
			return Entry{}, fmt.Errorf("entry %q: unknown reason %q; use one of %s", raw.ID, r, list(classify.Reasons()))
		}
	}
	return Entry{
		ID: raw.ID, Kind: raw.Kind, Message: *raw.Message, Category: raw.Category, Reason: raw.Reason,
		Accept: raw.Accept, AcceptCategory: raw.AcceptCategory,
	}, nil
}

func list[T ~string](values []T) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return strings.Join(all, ", ")
}
