// Command outage simulates a day of failing providers with and without package
// resilience. The day has 10,000 tasks and five endpoints, four of which have
// outages. It needs no network and takes seconds:
//
//	go run ./examples/outage            # -seed N for another day, -tasks N for more
//
// It simulates the day three times: without retries, with a client that retries
// every failed request five times, and with package resilience. Only the
// http.RoundTripper of the http.Client differs; the calling code is the same.
//
//	script.go     the outages of each endpoint
//	world.go      the endpoints, as an http.RoundTripper without a network
//	client.go     the three clients; newClassified is the code to copy
//	simulate.go   runs the tasks of a day and counts the actions of breakers and queue
//	figures.go    the results and the goals (specification 004)
//	report.go     table and chart
//	faketime.go   fake time
//
// The executor, the breakers, the backoff and the restart queue are those of package
// resilience, not simulations. A seed always gives the same figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// errMissed is returned if a goal was missed. The exit code is then 1.
var errMissed = errors.New("a goal was missed")

func main() {
	seed := flag.Uint64("seed", 1, "seed of the day's outages and tasks")
	tasks := flag.Int("tasks", 10_000, "number of tasks")
	flag.Parse()
	underFakeTime(
		func(bubble func(func())) error { return run(os.Stdout, bubble, *seed, *tasks) },
		func(err error) { fmt.Fprintln(os.Stderr, "outage:", err) })
}

// run simulates a day with each strategy in its own bubble of fake time and
// prints the figures.
func run(w io.Writer, bubble func(func()), seed uint64, tasks int) error {
	results, err := compare(bubble, seed, tasks)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "A day of %d tasks, seed %d\n", tasks, seed)
	met := report(w, results)
	chart(w, results)
	if !met {
		return errMissed
	}
	return nil
}

// compare simulates each strategy.
func compare(bubble func(func()), seed uint64, tasks int) (map[strategy]figures, error) {
	results := map[strategy]figures{}
	for _, how := range strategies {
		var err error
		bubble(func() { results[how], err = simulate(context.Background(), seed, tasks, how) })
		if err != nil {
			return nil, fmt.Errorf("%s: %w", how, err)
		}
	}
	return results, nil
}
