// Command train makes the model's table from the labelled messages, the phrases and
// the examples of the rules:
//
//	go run ./cmd/train -rules ../classify/rules -out table     write the table
//	go run ./cmd/train -rules ../classify/rules -cross-validate
//
// Cross-validation divides the messages by product into five parts. It trains on
// four parts, the phrases and the examples, and tests on the fifth part. On one
// platform the same inputs always give the same table.
package main

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/corpus"
	"github.com/errclass/errclass/internal/model"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("train: ")
	o := defaults
	rules := flag.String("rules", "../classify/rules", "folder of the rule documents")
	out := flag.String("out", "", "file to write the table to")
	validate := flag.Bool("cross-validate", false, "print cross-validated results")
	predictions := flag.String("predictions", "", "file to write the cross-validated answers to, one JSON object per line; - for standard output")
	flag.IntVar(&o.Features, "features", o.Features, "number of features in the table")
	flag.IntVar(&o.Select, "select", o.Select, "how many times each text is learned to select the features")
	flag.IntVar(&o.Epochs, "epochs", o.Epochs, "how many times each text is learned with these features")
	flag.IntVar(&o.Adapt, "adapt", o.Adapt, "how many times each text is learned after the quantisation")
	flag.Float64Var(&o.AdaptRate, "adapt-rate", o.AdaptRate, "the rate after the quantisation")
	flag.Float64Var(&o.Rate, "rate", o.Rate, "learning rate of the first epoch; it falls to 0")
	flag.Float64Var(&o.Dropout, "dropout", o.Dropout, "share of the features that are left out at random")
	flag.Float64Var(&o.Smoothing, "smoothing", o.Smoothing, "probability that is given to all reasons together, in equal parts")
	flag.Float64Var(&o.Sharpness, "sharpness", o.Sharpness, "factor of all scores")
	flag.Float64Var(&o.Category, "category", o.Category, "weight of the category in the loss; the reason has 1")
	flag.Float64Var(&o.Decay, "decay", o.Decay, "weight of the L2 penalty")
	flag.Float64Var(&o.Example, "example", o.Example, "weight of a rule's example and of a phrase; a message has 1")
	flag.IntVar(&o.Rare, "rare", o.Rare, "least number of texts that have a feature")
	flag.Parse()
	if err := run(*rules, *out, *validate, *predictions, o); err != nil {
		log.Fatal(err)
	}
}

func run(rules, out string, validate bool, predictions string, o options) error {
	entries, err := corpus.Read(corpus.Slices)
	if err != nil {
		return err
	}
	examples, err := readExamples(rules)
	if err != nil {
		return err
	}
	phrases, err := corpus.ReadPhrases(corpus.Phrases, entries)
	if err != nil {
		return err
	}
	if predictions != "-" {
		fmt.Printf("%d messages, %d examples of rules, %d phrases\n", len(entries), len(examples), len(phrases))
	}
	examples = append(examples, phraseTexts(phrases)...)
	if validate || predictions != "" {
		questions := crossValidate(entries, func(training []corpus.Entry) *model.Model {
			return model.New(train(append(texts(training), examples...), o))
		})
		if validate {
			writeScores(os.Stdout, questions)
			writeReliability(os.Stdout, questions)
		}
		if err := savePredictions(predictions, questions); err != nil {
			return err
		}
	}
	if out == "" {
		return nil
	}
	start := time.Now()
	all := append(texts(entries), examples...)
	t := train(all, o)
	if t.Inputs, err = inputs(all, o); err != nil {
		return err
	}
	data := t.Encode()
	fmt.Printf("%s: %d features, %d bytes, trained in %.0f s\n", out, len(t.Features), len(data), time.Since(start).Seconds())
	return os.WriteFile(out, data, 0o644)
}

// savePredictions writes the answers to the file with this name. For "-" it writes
// to standard output, and for "" it writes nothing.
func savePredictions(name string, questions []question) error {
	switch name {
	case "":
		return nil
	case "-":
		return writePredictions(os.Stdout, questions)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(writePredictions(f, questions), f.Close())
}

// texts returns the training texts of the entries.
func texts(entries []corpus.Entry) []text {
	all := make([]text, len(entries))
	for i, e := range entries {
		all[i] = text{Text: e.Message, Reason: e.Reason}
	}
	return all
}

// phraseTexts returns the training texts of the phrases.
func phraseTexts(phrases []corpus.Phrase) []text {
	all := make([]text, len(phrases))
	for i, p := range phrases {
		all[i] = text{Text: p.Message, Reason: p.Reason, Example: true}
	}
	return all
}

// inputs returns a hash of all data that determine a table: the reasons, the
// options, the texts with their variations, and the features.
func inputs(texts []text, o options) (sum [sha256.Size]byte, err error) {
	texts = withVariations(texts)
	h := sha256.New()
	out := json.NewEncoder(h)
	if err := out.Encode(struct {
		Reasons []classify.Reason
		Options options
		Texts   []text
	}{classify.Reasons(), o, texts}); err != nil {
		return sum, err
	}
	for _, t := range texts {
		for _, group := range model.Features(t.Text) {
			if err := binary.Write(h, binary.LittleEndian, group); err != nil {
				return sum, err
			}
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}
