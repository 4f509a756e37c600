// Command outage simulates failing providers under load. Two clients make the same
// requests at the same time: one retries in a plain loop, the other uses package
// resilience. The program needs no network:
//
//	go run ./examples/outage                            # 10,000 tasks, 2 per second to each endpoint; takes seconds
//	go run ./examples/outage -tasks 1000000 -rate 500   # takes minutes
//	go run ./examples/outage -tasks 200000 -all         # three runs: 0.2, 2 and 50 tasks per second
//	go run ./examples/outage -tasks 700000 -all         # a fourth run: 500 tasks per second
//
// It exits with code 1 if one of the aims in figures.go is missed.
//
//	plan.go       the endpoints and their troubles: periods in which calls fail
//	world.go      the endpoints, as an http.RoundTripper without a network
//	client.go     the two clients; newGated is the code to copy
//	simulate.go   runs the tasks, and counts the actions of breakers and queue
//	figures.go    the results and the aims
//	report.go     the tables
//	faketime.go   fake time
//
// Only the endpoints and the clock are simulated. Two runs with the same seed may
// differ by a few calls.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

// errMissed is the error of a run that misses one of the aims in figures.go. The exit
// code is then 1.
var errMissed = errors.New("an aim was missed")

// options are the flags.
type options struct {
	seed   uint64
	tasks  int
	rates  []float64 // tasks a second to each endpoint
	bridge time.Duration
}

// allRates are the rates that the flag -all simulates, in tasks per second to each
// endpoint.
var allRates = []float64{0.2, 2, 50, 500}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "`seed` of the troubles and tasks")
	flag.IntVar(&o.tasks, "tasks", 10_000, "`number` of tasks")
	rate := flag.Float64("rate", 2, "tasks a `second` to each endpoint")
	all := flag.Bool("all", false, "simulate 0.2, 2, 50 and 500 tasks a second, where -tasks is enough")
	flag.DurationVar(&o.bridge, "bridge", 10*time.Minute,
		"how long after an opening new calls wait (circuitBreaker.bridgeMs); the default of resilience is 30s")
	flag.Parse()
	o.rates = []float64{*rate}
	if *all {
		o.rates = allRates
	}
	if err := o.check(*all); err != nil {
		fmt.Fprintln(os.Stderr, "outage:", err)
		os.Exit(2)
	}
	underFakeTime(
		func(bubble func(func())) error { return run(os.Stdout, bubble, o) },
		func(err error) { fmt.Fprintln(os.Stderr, "outage:", err) })
}

// check returns an error if a flag's value makes no sense. If all is true, it removes
// the rates for which o.tasks is too small, and fails only if no rate is left.
func (o *options) check(all bool) error {
	var fit []float64
	for _, rate := range o.rates {
		if !(rate > 0 && rate <= 10_000) {
			return fmt.Errorf("-rate %g: must be above 0 and at most 10000", rate)
		}
		n := fewest(rate)
		if o.tasks >= n {
			fit = append(fit, rate)
			continue
		}
		err := fmt.Errorf("-tasks %d is too few for %g a second: an endpoint would have no trouble; use %d", o.tasks, rate, n)
		if !all {
			return err
		}
		fmt.Fprintln(os.Stderr, "outage: left out:", err)
	}
	if len(fit) == 0 {
		return fmt.Errorf("-tasks %d is too few for any rate; use %d", o.tasks, fewest(allRates[0]))
	}
	o.rates = fit
	return nil
}

// run simulates the tasks at each rate and prints the figures. The function bubble
// runs its argument under fake time, with a new clock.
func run(w io.Writer, bubble func(func()), o options) error {
	var all []figures
	for _, rate := range o.rates {
		var f figures
		var err error
		bubble(func() { f, err = simulate(context.Background(), o, rate) })
		if err != nil {
			return fmt.Errorf("%g a second: %w", rate, err)
		}
		report(w, f)
		all = append(all, f)
	}
	if len(all) > 1 {
		summary(w, all)
	}
	for _, f := range all {
		if !f.met() {
			return errMissed
		}
	}
	return nil
}
