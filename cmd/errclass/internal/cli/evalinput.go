package cli

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

// corpus is the input of the command eval.
type corpus struct {
	files   []string
	entries []eval.Entry // entries to evaluate
	rest    []eval.Entry // entries left out by --split
}

// readCorpus reads all files at the paths into one corpus.
func readCorpus(s Streams, paths []string, part split) (c corpus, err error) {
	var all eval.Corpus
	for _, path := range paths {
		files := []string{path}
		if path != "-" {
			if files, err = eval.Files(path); err != nil {
				return c, err
			}
		}
		for _, name := range files {
			if err := readSlice(s, &all, name); err != nil {
				return c, err
			}
		}
		c.files = append(c.files, files...)
	}
	for _, e := range all.Entries {
		if part.n == 0 || e.In(part.k, part.n) {
			c.entries = append(c.entries, e)
		} else {
			c.rest = append(c.rest, e)
		}
	}
	if len(c.entries) == 0 {
		return c, fmt.Errorf("%s: no entries to evaluate", strings.Join(paths, ", "))
	}
	return c, nil
}

func readSlice(s Streams, c *eval.Corpus, name string) error {
	f, err := s.open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.Read(f, name)
}

// predict returns the predictions for the corpus. With --cross-validate, the predictions
// come from cross-validation by the trainer programs at the paths, and not from c.
func (f *evalFlags) predict(s Streams, paths []string, corpus corpus, c *classify.Classifier) (eval.Predictions, error) {
	if !f.crossValidate {
		return eval.Predict(corpus.entries, c), nil
	}
	all := eval.Predictions{}
	for _, path := range paths {
		predictions, err := eval.CrossValidate(path, s.Err)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, predictions)
	}
	if missing := all.Missing(corpus.entries); len(missing) > 0 {
		return nil, fmt.Errorf("cross-validation has no answer for %d of %d entries: %s", len(missing), len(corpus.entries), shortList(missing))
	}
	return all, nil
}

// readPredictions reads saved predictions, without those for the entries in rest.
func readPredictions(s Streams, name string, rest []eval.Entry) (eval.Predictions, error) {
	f, err := s.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	predictions, err := eval.ReadPredictions(f, name)
	if err != nil {
		return nil, err
	}
	for _, e := range rest {
		delete(predictions, e.ID)
	}
	return predictions, nil
}

// refuseCorpusAsOutput returns an error if --predictions would overwrite a file of
// the corpus.
func (f *evalFlags) refuseCorpusAsOutput(s Streams, files []string) error {
	out, err := os.Stat(f.predictions)
	if err != nil || !out.Mode().IsRegular() {
		return nil
	}
	for _, name := range files {
		if in, err := s.stat(name); err == nil && os.SameFile(in, out) {
			return usagef("--predictions %s: this file is part of the corpus; write to another one", f.predictions)
		}
	}
	return nil
}

func savePredictions(name string, predictions eval.Predictions, entries []eval.Entry) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(predictions.Write(f, entries), f.Close())
}
