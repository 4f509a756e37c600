package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/errclass/errclass/cmd/errclass/internal/triage"
	"github.com/errclass/errclass/internal/shapes"
)

func newTriage(s Streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "triage [FILE...]",
		Short: "Show what is wrong: the errors of logs in groups, since when, and what to do",
		Long: `Triage reads logs and puts their errors into groups. Each group has a template, a
count, the first and the last time, the rate over time, category and reason. Below
the table it says what to do about the most frequent reasons.

It reads files, plain or compressed by gzip or zstd, and all files of a directory.
Without files, and for "-", it reads standard input. It knows the same logs as
errclass logs: JSON of the common loggers, logfmt, text logs and stack traces. The
fields error.category and error.reason are used if a line has them.

A line is an error if its level is error or above. A line without a level is one if
it has an error field or a stack trace, or if a rule knows its text. A message and
its stack trace are one error.

A template has placeholders for values: <num>, <ip>, <path>, <str> and others. <*>
stands for words that differ from line to line. Secrets are masked in all output.

Several files are read side by side, in order of time. Times without a zone are UTC.
Memory is constant: beyond --max-groups the rarest groups are given up. Their errors
are counted, and a message says how many.

With --html, triage also writes one page for a browser: errors over time by category,
and all groups to sort, search and filter by time. It has at most 5 MB.

A file that cannot be read is named on standard error, the rest is read, and the exit
code is 1. The same holds for binary files, damaged archives and cut lines.`,
		Example: `  errclass triage app.jsonl
  errclass triage --html errors.html /var/log/app
  kubectl logs -l app=shop --prefix --since=1h | errclass triage
  journalctl -o json --since today | errclass triage
  errclass triage --format json app.jsonl.zst | jq 'select(.reason == "network")'
  errclass triage --rules-out new.yaml --corpus-out new.jsonl app.jsonl
  errclass triage --rules new.yaml app.jsonl`,
	}
	out := addFormat(cmd, "a table, or one JSON object a group and line")
	rules := addRules(cmd)
	top := cmd.Flags().Int("top", 20, "groups in the table; 0 shows all")
	bound := cmd.Flags().Int("max-groups", triage.DefaultMaxGroups, "most groups in memory")
	quiet := cmd.Flags().Bool("quiet", false, "no progress bar")
	var files outputFiles
	cmd.Flags().StringVar(&files.html, "html", "", "write a page with errors over time and all groups to `file`; it needs no network")
	cmd.Flags().StringVar(&files.rules, "rules-out", "", "write a rules `file` for the largest unknown groups; choose the reasons in it")
	cmd.Flags().StringVar(&files.corpus, "corpus-out", "", "write a corpus `file` of unknown and uncertain groups; fill in the labels for errclass eval")
	var keys shapes.Keys
	cmd.Flags().StringSliceVar(&keys.Levels, "level-key", nil, "`key` of the level, besides the known ones")
	cmd.Flags().StringSliceVar(&keys.Message, "message-key", nil, "`key` of the message, besides the known ones")
	cmd.Flags().StringSliceVar(&keys.Errors, "error-key", nil, "`key` of the error, besides the known ones")
	cmd.RunE = func(_ *cobra.Command, names []string) error {
		if len(names) == 0 {
			names = []string{"-"}
		}
		if *top < 0 || *bound < 1 {
			return usagef("--top takes 0 or more, --max-groups 1 or more")
		}
		if err := files.refuseInputs(s, append(rules.files(), names...)); err != nil {
			return err
		}
		sigs := notifyInterrupts("triage", s.Err, s.readsPipe(names[0]))
		defer sigs.stop()
		c, err := rules.classifier()
		if err != nil {
			return err
		}
		in, release := s.In, func() {}
		if slices.Contains(names, "-") { // the reader reads ahead
			in, release = sigs.reader(s.In)
		}
		o := triage.Options{Inputs: names, Stdin: in, Open: sigs.open, Classifier: c, Keys: keys, MaxGroups: *bound}
		bar := &triageProgress{streams: s}
		if !*quiet {
			o.Progress = bar
		}
		report := triage.Run(sigs.ctx, o)
		bar.done()
		release()
		sigs.finish()
		sig := sigs.stop()
		if sig != nil {
			fmt.Fprintf(s.Err, "errclass triage: ended by a signal (%s) after %d lines; the rest was not read\n", sig, report.Lines)
		}
		for _, note := range report.Notes {
			fmt.Fprintf(s.Err, "errclass triage: %s: %s\n", inputName(note.File), printable(note.Problem))
		}
		if r := report.Rest; r.Groups > 0 {
			fmt.Fprintf(s.Err, "errclass triage: more than %d groups: %d of %d errors are in none, those of the %d rarest groups; see --max-groups\n",
				r.Bound, r.Events, report.Events, r.Groups)
		}
		err = files.write(s, report)
		if *out == formatJSON {
			err = errors.Join(err, writeTriageJSON(s.Out, report))
		} else {
			err = errors.Join(err, writeTriage(s, report, *top))
		}
		switch {
		case sig != nil:
			return errors.Join(err, endBy(sig))
		case err != nil:
			return err
		case len(report.Notes) > 0:
			return codeError(ExitFailed)
		}
		return nil
	}
	return cmd
}

// inputName returns the name of an input in a form for people.
func inputName(name string) string {
	if name == "-" {
		return "standard input"
	}
	return printable(name)
}

// triageProgress shows a progress bar on a terminal while files are read.
type triageProgress struct {
	streams Streams
	bar     *progressBar
}

// Start shows the bar if the total size of the files is known and large.
func (p *triageProgress) Start(bytes int64, known bool) {
	if known && bytes >= minProgress && isTerminal(p.streams.Err) {
		p.bar = startProgress(p.streams.Err, bytes)
	}
}

// Read advances the bar by n bytes.
func (p *triageProgress) Read(n int) {
	if p.bar != nil {
		p.bar.tracker.Increment(int64(n))
	}
}

func (p *triageProgress) done() { p.bar.done() }
