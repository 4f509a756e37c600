package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/errclass/errclass/classify"
)

// Prediction is the answer for one message.
type Prediction struct {
	ID       string            `json:"id"` // id of the entry
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	Rule     string            `json:"rule"`
	// Confidence is the probability that the reason is right, or 0 if unknown.
	Confidence float64 `json:"confidence"`
}

// Predictions maps the id of an entry to the prediction for its message.
type Predictions map[string]Prediction

// Predict classifies the messages of the entries with c.
func Predict(entries []Entry, c *classify.Classifier) Predictions {
	all := make(Predictions, len(entries))
	for _, e := range entries {
		r := c.Message(e.Message)
		all[e.ID] = Prediction{ID: e.ID, Category: r.Category, Reason: r.Reason, Rule: r.Rule, Confidence: r.Confidence}
	}
	return all
}

// family returns the prefix of the rule's id, such as "net" for "net/hang-up".
func (p Prediction) family() string {
	family, _, _ := strings.Cut(p.Rule, "/")
	return family
}

// Write writes the predictions for the entries, one JSON object per line.
func (p Predictions) Write(w io.Writer, entries []Entry) error {
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	for _, e := range entries {
		if err := out.Encode(p[e.ID]); err != nil {
			return err
		}
	}
	return nil
}

// ReadPredictions reads the output of [Predictions.Write]. It ignores blank lines. An
// error about a line begins with name and the line number.
func ReadPredictions(r io.Reader, name string) (Predictions, error) {
	all := Predictions{}
	err := readLines(r, name, func(text []byte, _ string) error {
		var p Prediction
		if err := json.Unmarshal(text, &p); err != nil {
			return decodingFault(err)
		}
		if err := p.check(); err != nil {
			return err
		}
		if _, ok := all[p.ID]; ok {
			return fmt.Errorf("a second prediction for id %q", p.ID)
		}
		all[p.ID] = p
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// check returns an error if p is not a valid prediction, for example because p was read
// from a corpus.
func (p Prediction) check() error {
	switch {
	case p.ID == "":
		return errors.New(`no id; add "id"`)
	case p.Rule == "":
		return fmt.Errorf(`entry %q: no rule, so this is not a prediction; --predictions writes them`, p.ID)
	case p.Confidence < 0 || p.Confidence > 1:
		return fmt.Errorf("entry %q: confidence %v; use a number from 0 to 1", p.ID, p.Confidence)
	}
	if err := checkCategory(p.ID, p.Category); err != nil {
		return err
	}
	return checkReason(p.ID, p.Reason)
}

// Missing returns the ids of the entries without a prediction, in the order of the
// entries.
func (p Predictions) Missing(entries []Entry) []string {
	ids := []string{}
	for _, e := range entries {
		if _, ok := p[e.ID]; !ok {
			ids = append(ids, e.ID)
		}
	}
	return ids
}
