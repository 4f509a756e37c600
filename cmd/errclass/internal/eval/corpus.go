// Package eval measures a classifier against a labelled corpus.
//
// A corpus is one or more files of JSON lines. Each line has a message with the right
// category and reason. [Corpus.Read] reads a file. [Entry.In] selects a fixed part of
// the entries. [Evaluate] compares predictions with the entries and returns a
// [Report].
package eval

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify"
)

// Entry is one labelled message.
type Entry struct {
	ID      string
	Kind    string // kind of the program that wrote the message; may be empty
	Product string // product that the wording comes from; may be empty
	Slice   string // the name of the file, without its folder and .jsonl
	Message string
	// Category and Reason are the right answers. Accept and AcceptCategory have more
	// answers that count as right.
	Category       classify.Category
	Reason         classify.Reason
	Accept         []classify.Reason
	AcceptCategory []classify.Category
}

// In reports whether the entry belongs to part k of n. The part is the first byte of
// the id's SHA-256, modulo n.
func (e Entry) In(k, n int) bool { return int(sha256.Sum256([]byte(e.ID))[0])%n == k }

// Prefix returns the id before the first hyphen, such as "llm" for "llm-017".
func (e Entry) Prefix() string {
	prefix, _, _ := strings.Cut(e.ID, "-")
	return prefix
}

// Corpus has the entries of one or more files. The zero value is empty.
type Corpus struct {
	Entries   []Entry
	positions map[string]string // for each id, the name of the file and the line number
}

// Read adds the entries of a file. It ignores blank lines and unknown keys, such as
// "source" and "note". An error about a line begins with name and the line number. If
// an id occurs twice, even in different files, Read returns an error.
func (c *Corpus) Read(r io.Reader, name string) error {
	if c.positions == nil {
		c.positions = map[string]string{}
	}
	slice := strings.TrimSuffix(filepath.Base(name), extension)
	return readLines(r, name, func(text []byte, position string) error {
		e, err := parse(text)
		if err != nil {
			return err
		}
		if first, ok := c.positions[e.ID]; ok {
			return fmt.Errorf("id %q is already used at %s; give every entry an id of its own", e.ID, first)
		}
		c.positions[e.ID] = position
		e.Slice = slice
		c.Entries = append(c.Entries, e)
		return nil
	})
}

// parse reads and checks one entry.
func parse(line []byte) (Entry, error) {
	var raw struct {
		ID             string              `json:"id"`
		Kind           string              `json:"kind"`
		Product        string              `json:"product"`
		Message        *string             `json:"message"`
		Category       classify.Category   `json:"category"`
		Reason         classify.Reason     `json:"reason"`
		Accept         []classify.Reason   `json:"accept"`
		AcceptCategory []classify.Category `json:"accept_category"`
	}
	if err := json.Unmarshal(line, &raw); err != nil {
		return Entry{}, decodingFault(err)
	}
	switch {
	case raw.ID == "":
		return Entry{}, errors.New(`no id; add "id"`)
	case raw.Message == nil:
		return Entry{}, fmt.Errorf(`entry %q: no message; add "message"`, raw.ID)
	}
	for _, c := range append(raw.AcceptCategory, raw.Category) {
		if err := checkCategory(raw.ID, c); err != nil {
			return Entry{}, err
		}
	}
	for _, r := range append(raw.Accept, raw.Reason) {
		if err := checkReason(raw.ID, r); err != nil {
			return Entry{}, err
		}
	}
	return Entry{
		ID: raw.ID, Kind: raw.Kind, Product: raw.Product, Message: *raw.Message, Category: raw.Category, Reason: raw.Reason,
		Accept: raw.Accept, AcceptCategory: raw.AcceptCategory,
	}, nil
}

// checkCategory returns an error if c is not a category.
func checkCategory(id string, c classify.Category) error {
	if c == "" {
		return fmt.Errorf("entry %q: no category; fill in one of %s", id, list(classify.Categories()))
	}
	if !slices.Contains(classify.Categories(), c) {
		return fmt.Errorf("entry %q: unknown category %q; use one of %s", id, c, list(classify.Categories()))
	}
	return nil
}

// checkReason returns an error if r is not a reason.
func checkReason(id string, r classify.Reason) error {
	if r == "" {
		return fmt.Errorf("entry %q: no reason; fill in one of %s", id, list(classify.Reasons()))
	}
	if !r.Valid() {
		return fmt.Errorf("entry %q: unknown reason %q; use one of %s", id, r, list(classify.Reasons()))
	}
	return nil
}

func list[T ~string](values []T) string {
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = string(v)
	}
	return strings.Join(all, ", ")
}
