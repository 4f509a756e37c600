package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/eval"
)

// evalFlags are the flags of the command eval.
type evalFlags struct {
	format               *format
	rules                *ruleFlags
	part                 split
	errors               missLimit
	crossValidate        bool
	predictions, against string // names of files; "" = none
	limits               thresholds
}

// split is the value of --split. The zero value selects the whole corpus.
type split struct{ k, n int }

func (p *split) String() string {
	if p.n == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.k, p.n)
}

func (p *split) Type() string { return "K/N" }

// Set parses a text of the form "K/N", where 0 ≤ K < N ≤ 256.
func (p *split) Set(value string) error {
	first, second, ok := strings.Cut(value, "/")
	k, kErr := strconv.Atoi(first)
	n, nErr := strconv.Atoi(second)
	if !ok || kErr != nil || nErr != nil || k < 0 || k >= n || n > 256 {
		return errors.New("use K/N with K from 0 to N-1 and N up to 256, such as 0/2")
	}
	p.k, p.n = k, n
	return nil
}

// minimum is a lower limit for a share, such as the accuracy.
type minimum float64

func (m *minimum) String() string { return strconv.FormatFloat(float64(*m), 'g', -1, 64) }

func (m *minimum) Type() string { return "P" }

// Set parses a share from 0 to 1, or a percentage. A number above 1 is always a
// percentage.
func (m *minimum) Set(value string) error {
	number, isPercent := strings.CutSuffix(value, "%")
	p, err := strconv.ParseFloat(number, 64)
	if isPercent || p > 1 {
		p /= 100
	}
	if err != nil || !(p >= 0 && p <= 1) {
		return errors.New("use a share from 0 to 1, such as 0.95, or a percentage up to 100, such as 95")
	}
	*m = minimum(p)
	return nil
}

// missLimit is how many wrong answers --errors shows. A negative number means all.
type missLimit int

func (m *missLimit) String() string { return strconv.Itoa(int(*m)) }

func (m *missLimit) Type() string { return "N" }

func (m *missLimit) Set(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil {
		return errors.New("use a number, such as 20")
	}
	*m = missLimit(n)
	return nil
}

// split removes the N of "--errors N" from the paths, because pflag treats N as an
// argument.
func (m missLimit) split(cmd *cobra.Command, args []string) (paths []string, misses int, err error) {
	paths, misses = args, int(m)
	if len(args) > 1 && misses < 0 && cmd.Flags().Changed("errors") {
		for i, arg := range args {
			if n, err := strconv.Atoi(arg); err == nil {
				paths, misses = slices.Delete(slices.Clone(args), i, i+1), n
				break
			}
		}
	}
	if len(paths) == 0 {
		return nil, 0, errors.New("no corpus; name a file or a folder, or - for standard input")
	}
	return paths, misses, nil
}

// maximum is an upper limit for a number of entries.
type maximum struct {
	number int
	share  float64 // share of all entries; used if number is negative
}

var anyNumber = maximum{-1, 1}

func (m *maximum) String() string {
	if m.number >= 0 {
		return strconv.Itoa(m.number)
	}
	return strconv.FormatFloat(100*m.share, 'g', -1, 64) + "%"
}

func (m *maximum) Type() string { return "N|P%" }

// Set parses a number of entries, or a percentage of the entries.
func (m *maximum) Set(value string) error {
	if number, ok := strings.CutSuffix(value, "%"); ok {
		p, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
		if err == nil && p >= 0 && p <= 100 {
			*m = maximum{-1, p / 100}
			return nil
		}
	} else if n, err := strconv.Atoi(value); err == nil {
		*m = anyNumber
		if n >= 0 {
			m.number = n
		}
		return nil
	}
	return errors.New("use a number of entries, such as 3, or a percentage of them, such as 1%")
}

// exceeded reports whether n is above the limit. all is the number of all entries.
func (m maximum) exceeded(n, all int) bool {
	if m.number >= 0 {
		return n > m.number
	}
	return float64(n) > m.share*float64(all)
}

type thresholds struct {
	category, reason, f1 minimum
	falseRetries         maximum
}

// check returns an error that lists the missed thresholds.
func (t thresholds) check(r eval.Report) error {
	var missed []error
	for _, l := range []struct {
		name string
		got  float64
		min  minimum
	}{
		{"accuracy of categories", r.CategoryAccuracy, t.category},
		{"accuracy of reasons", r.ReasonAccuracy, t.reason},
		{"macro-F1", r.MacroF1, t.f1},
	} {
		if l.got < float64(l.min) {
			missed = append(missed, fmt.Errorf("%s is %.2f %%, below %.6g %%", l.name, 100*l.got, 100*float64(l.min)))
		}
	}
	if t.falseRetries.exceeded(r.FalseRetries, r.Entries) {
		missed = append(missed, fmt.Errorf("false retries are %d of %d, above %s", r.FalseRetries, r.Entries, t.falseRetries.String()))
	}
	return errors.Join(missed...)
}
