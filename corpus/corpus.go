// Package corpus holds labelled error messages and reads them. The messages are in
// files called slices, and [Read] reads all slices of a folder. README.md describes
// the slices and their fields, and TAXONOMY.md describes the labels. No package that
// users import needs this module.
package corpus

import (
	"bufio"
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify"
)

// Slices has the files of the corpus, one for each slice.
//
//go:embed slices/*.jsonl
var Slices embed.FS

// Phrases has the file phrases.jsonl: see [Phrase].
//
//go:embed phrases.jsonl
var Phrases embed.FS

// Phrase is an error text that a program could print, but that no known product
// prints. So phrases serve to train the classifier, but not to measure it.
type Phrase struct {
	Message  string            `json:"message"`
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
}

// Entry is one labelled message.
type Entry struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`    // what printed the message
	Product string `json:"product"` // the product that writes the message, in lower case
	Message string `json:"message"`
	// Category and Reason are the expected answers. Accept and AcceptCategory are
	// other answers that count as correct.
	Category       classify.Category   `json:"category"`
	Reason         classify.Reason     `json:"reason"`
	Accept         []classify.Reason   `json:"accept"`
	AcceptCategory []classify.Category `json:"accept_category,omitempty"`
	Source         string              `json:"source"` // where the message was found
	Slice          string              `json:"-"`      // the file's name without .jsonl
}

// Read reads the files slices/*.jsonl of dir in the order of their names. Each line
// must be an entry with all required fields, no unknown field, and labels that
// exist. No two lines may have the same id or the same message. Messages that differ
// only in digits count as the same. If a line is invalid, the error begins with the
// file and the line.
func Read(dir fs.FS) ([]Entry, error) {
	names, err := fs.Glob(dir, "slices/*.jsonl")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, errors.New("no files slices/*.jsonl")
	}
	r := reader{ids: map[string]string{}, messages: map[string]string{}}
	for _, name := range names {
		if err := r.read(dir, name); err != nil {
			return nil, err
		}
	}
	return r.entries, nil
}

// ReadPhrases reads the file phrases.jsonl of dir. Each line must be a phrase with
// labels that exist. No earlier line and no entry may have the same message.
// Messages that differ only in digits count as the same. If a line is invalid, the
// error begins with the file and the line.
func ReadPhrases(dir fs.FS, entries []Entry) ([]Phrase, error) {
	const name = "phrases.jsonl"
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	seen := map[string]string{}
	for i := range entries {
		seen[withoutDigits(entries[i].Message)] = fmt.Sprintf("entry %q", entries[i].ID)
	}
	var all []Phrase
	err = eachLine(f, name, func(at string, line []byte) error {
		var p Phrase
		if err := decode(line, &p); err != nil {
			return fmt.Errorf("not a phrase: %w", err)
		}
		message := withoutDigits(p.Message)
		switch first, ok := seen[message]; {
		case message == "":
			return errors.New("no message")
		case !slices.Contains(classify.Categories(), p.Category):
			return fmt.Errorf("unknown category %q", p.Category)
		case !p.Reason.Valid():
			return fmt.Errorf("unknown reason %q", p.Reason)
		case ok:
			return fmt.Errorf("the same message as %s", first)
		}
		seen[message] = at
		all = append(all, p)
		return nil
	})
	return all, err
}

// reader collects the entries of several files. To find duplicates, its fields ids
// and messages map each id and each message to a file and line.
type reader struct {
	entries       []Entry
	ids, messages map[string]string
}

// maxLine limits the length of a line, in bytes.
const maxLine = 1 << 20

func (r *reader) read(dir fs.FS, name string) error {
	f, err := dir.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return eachLine(f, name, func(at string, line []byte) error {
		e, err := parse(line)
		if err != nil {
			return err
		}
		if first, ok := r.ids[e.ID]; ok {
			return fmt.Errorf("id %q is already used at %s", e.ID, first)
		}
		message := withoutDigits(e.Message)
		if first, ok := r.messages[message]; ok {
			return fmt.Errorf("entry %q has the same message as %s", e.ID, first)
		}
		r.ids[e.ID], r.messages[message] = at, at
		e.Slice = strings.TrimSuffix(path.Base(name), ".jsonl")
		r.entries = append(r.entries, e)
		return nil
	})
}

// eachLine calls visit for each line of a file. The argument position is the name of
// the file and the line number, such as "slices/a.jsonl:3". eachLine adds the
// position to an error of visit.
func eachLine(f io.Reader, name string, visit func(position string, line []byte) error) error {
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		position := fmt.Sprintf("%s:%d", name, number)
		if err := visit(position, lines.Bytes()); err != nil {
			return fmt.Errorf("%s: %w", position, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, number+1, err)
	}
	return nil
}

// decode decodes the JSON value of a line into v. It returns an error if text
// follows the value.
func decode(line []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}

// parse reads one line and checks its fields.
func parse(line []byte) (Entry, error) {
	var e Entry
	if err := decode(line, &e); err != nil {
		return e, fmt.Errorf("not an entry: %w", err)
	}
	for _, field := range []struct{ name, value string }{
		{"id", e.ID},
		{"kind", e.Kind},
		{"product", e.Product},
		{"message", strings.TrimSpace(e.Message)},
		{"category", string(e.Category)},
		{"reason", string(e.Reason)},
		{"source", e.Source},
	} {
		if field.value == "" {
			return e, fmt.Errorf("entry %q has no %s", e.ID, field.name)
		}
	}
	if e.Accept == nil {
		return e, fmt.Errorf("entry %q has no accept; an empty list is valid", e.ID)
	}
	if e.Product != strings.ToLower(e.Product) {
		return e, fmt.Errorf("entry %q: product %q is not in lower case", e.ID, e.Product)
	}
	for _, c := range append([]classify.Category{e.Category}, e.AcceptCategory...) {
		if !slices.Contains(classify.Categories(), c) {
			return e, fmt.Errorf("entry %q: unknown category %q", e.ID, c)
		}
	}
	for _, reason := range append([]classify.Reason{e.Reason}, e.Accept...) {
		if !reason.Valid() {
			return e, fmt.Errorf("entry %q: unknown reason %q", e.ID, reason)
		}
	}
	return e, nil
}

// withoutDigits returns the message with each run of digits replaced by one 0.
func withoutDigits(message string) string {
	var b strings.Builder
	last := rune(0)
	for _, c := range strings.TrimSpace(message) {
		if '0' <= c && c <= '9' {
			c = '0'
			if last == c {
				continue
			}
		}
		b.WriteRune(c)
		last = c
	}
	return b.String()
}
