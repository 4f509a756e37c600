package triage

import (
	"encoding/json"
	"io"

	"github.com/errclass/errclass/classify"
)

const (
	// maxCorpus limits how many lines WriteCorpus writes.
	maxCorpus = 200
	// uncertain is the confidence below which a person should label a group.
	uncertain = 0.6
)

// corpusLine is a line of a corpus, in the field order of corpus/README.md.
type corpusLine struct {
	ID       string            `json:"id"`
	Kind     string            `json:"kind"`
	Product  string            `json:"product"`
	Message  string            `json:"message"`
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	Accept   []classify.Reason `json:"accept"`
	Source   string            `json:"source"`
}

// WriteCorpus writes corpus lines for the largest groups with an unknown or uncertain
// reason. It writes at most 200 lines and returns their number. A person must fill in
// the category and the reason of each line. Until then, errclass eval refuses the
// file.
func WriteCorpus(w io.Writer, r *Report) (n int, err error) {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range r.Groups {
		g := &r.Groups[i]
		if g.Reason != classify.ReasonUnknown && g.Confidence >= uncertain || len(g.Examples) == 0 {
			continue
		}
		if n == maxCorpus {
			break
		}
		x := g.Examples[0]
		line := corpusLine{ID: "triage-" + g.ID, Kind: "logline", Message: x.Text, Accept: []classify.Reason{}, Source: "errclass triage"}
		if x.Source != "" {
			line.Message = x.Source
		}
		if len(g.Services) > 0 {
			line.Product = g.Services[0].Name
		}
		if err := enc.Encode(line); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
