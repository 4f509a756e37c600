// Command load tests a Collector with errclass under load, on loopback. It checks
// that no record is lost, doubled or changed. It has four subcommands:
//
//	load [flags] otlp    measure errclass and the transform processor with records from OTLP
//	load [flags] files   measure an agent that reads the log files of containers, with errclass and without
//	load [flags] plan    measure the agent and the gateway of collector/kubernetes
//	load [flags] kill    kill the Collector again and again, and check that every acknowledged record arrives
//
// The printed times are CPU times of the Collector's process per record.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
)

// settings has the values of the flags.
type settings struct {
	collector string // path of the program
	config    string // directory of agent.yaml and gateway.yaml
	records   int
	rounds    int    // how often each case is measured; the cheapest round counts
	percents  []int  // shares of errors in percent
	rules     []int  // how many rules the transform processor gets, per case
	only      string // the only processor to measure, or ""
	slow      int    // records for the transform processor
	kills     int
	dir       string
	args      []string // arguments of the Collector that reads files
}

func main() {
	s := settings{percents: []int{0, 1, 10, 100}, rules: []int{10, 40}}
	flag.StringVar(&s.collector, "collector", "../../.bin/otelcol-errclass", "the Collector")
	flag.StringVar(&s.config, "config", "../../collector/kubernetes/config", "directory of agent.yaml and gateway.yaml")
	flag.IntVar(&s.records, "records", 2_000_000, "records a case")
	flag.IntVar(&s.slow, "transform-records", 100_000, "records a case of the transform processor")
	flag.IntVar(&s.rounds, "rounds", 1, "how often each case is measured; the cheapest counts")
	flag.StringVar(&s.only, "only", "", "a single processor: none, errclass or transform")
	flag.IntVar(&s.kills, "kills", 5, "how often kill kills")
	flag.Var((*numbers)(&s.percents), "errors", "shares of errors, in percent")
	flag.Var((*numbers)(&s.rules), "transform-rules", "numbers of rules of the transform processor")
	gates := flag.String("feature-gates", "stanza.synchronousLogEmitter", "of the Collector that reads files")
	flag.Parse()
	if *gates != "" {
		s.args = []string{"--feature-gates=" + *gates}
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, s, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings, what string) (err error) {
	if s.dir, err = os.MkdirTemp("", "load"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	table := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	defer func() { err = errors.Join(err, table.Flush()) }()
	switch what {
	case "otlp":
		return overOTLP(ctx, s, table)
	case "files":
		return inFiles(ctx, s, table)
	case "plan":
		return plan(ctx, s, table)
	case "kill":
		return kill(ctx, s, table)
	default:
		return fmt.Errorf("what is %q: want otlp, files, plan or kill", what)
	}
}

// numbers is a flag for a list of numbers, separated by commas.
type numbers []int

func (n *numbers) String() string { return strings.Trim(fmt.Sprint(*n), "[]") }

func (n *numbers) Set(text string) error {
	*n = nil
	for field := range strings.SplitSeq(text, ",") {
		x, err := strconv.Atoi(field)
		if err != nil {
			return err
		}
		*n = append(*n, x)
	}
	return nil
}
