// Command outage shows what package resilience does for a program whose
// providers fail: a day with 10,000 tasks and five endpoints, of which four have
// troubles of their own. It needs no network and ends within seconds:
//
//	go run ./examples/outage            # -seed N for another day, -tasks N for more
//
// The day is lived through three times: without any retry, with a client that
// repeats every request five times, and with package resilience. What differs
// is the http.RoundTripper of one http.Client; the calling code is the same.
//
//	script.go     what is wrong with which endpoint when
//	world.go      the endpoints, an http.RoundTripper without a network
//	client.go     the three clients; newClassified is what a program would copy
//	simulate.go   the tasks of a day, and what breakers and queue did meanwhile
//	figures.go    what it has come to, and the figures that are asked (specification 004)
//	report.go     table and chart
//	faketime.go   a day takes no time
//
// The executor, the breakers, the backoff and the restart queue are the real
// ones. A seed gives the same figures each time.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

// errMissed: the exit code is 1 then.
var errMissed = errors.New("a goal was missed")

func main() {
	seed := flag.Uint64("seed", 1, "of the day")
	tasks := flag.Int("tasks", 10_000, "that are spread over the day")
	flag.Parse()
	underFakeTime(
		func(bubble func(func())) error { return run(os.Stdout, bubble, *seed, *tasks) },
		func(err error) { fmt.Fprintln(os.Stderr, "outage:", err) })
}

// run lives through a day with each strategy, in a bubble of fake time each,
// and prints what it has come to.
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
