// Sample writes the log of a made-up shop for one day. It has JSON, logfmt, klog and
// Java lines. One line in ten is an error. The number of errors of each kind goes to
// standard error. Compare these numbers with the groups that "errclass triage" finds:
//
//	go run ./internal/triage/sample 300000 > /tmp/sample.log
//	errclass triage /tmp/sample.log
//
// The same number of lines gives the same log on every machine.
package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"time"
)

func main() {
	lines, err := 0, error(nil)
	if len(os.Args) == 2 {
		lines, err = strconv.Atoi(os.Args[1])
	}
	if len(os.Args) != 2 || err != nil {
		fmt.Fprintln(os.Stderr, "usage: sample LINES")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Stderr, lines); err != nil {
		fmt.Fprintln(os.Stderr, "sample:", err)
		os.Exit(1)
	}
}

// kinds are the kinds of errors. The weight is a percentage of all errors.
var kinds = []struct {
	weight int
	name   string
	text   func(*rand.Rand) string
}{
	{20, "connection refused", func(r *rand.Rand) string {
		return fmt.Sprintf("dial tcp 10.1.%d.%d:5432: connect: connection refused", r.IntN(4), r.IntN(250))
	}},
	{18, "rate limit", func(r *rand.Rand) string {
		return fmt.Sprintf("429 Too Many Requests: rate limit reached for org-%06x, try again in %ds", r.IntN(1<<24), 1+r.IntN(59))
	}},
	{12, "deadlock", func(r *rand.Rand) string {
		return fmt.Sprintf("ERROR: deadlock detected (SQLSTATE 40P01), process %d waits for transaction %d", r.IntN(1e5), r.IntN(1e6))
	}},
	{12, "user", func(r *rand.Rand) string {
		return fmt.Sprintf("basket of user %s does not exist", people[r.IntN(len(people))])
	}},
	{10, "widget", func(r *rand.Rand) string { return fmt.Sprintf("widget %08x: the frobnicator is drained", r.Uint32()) }},
	{10, "key", func(r *rand.Rand) string {
		return fmt.Sprintf("invalid api key sk-live-%016x%016x", r.Uint64(), r.Uint64())
	}},
	{8, "disk", func(r *rand.Rand) string {
		return fmt.Sprintf("write /var/lib/shop/%d/index.db: no space left on device", r.IntN(1e4))
	}},
	{6, "timeout", func(r *rand.Rand) string {
		return fmt.Sprintf(`Post "https://pay.example.com/v1/charges/%d": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`, r.IntN(1e6))
	}},
	{4, "null", func(*rand.Rand) string { return "java.lang.NullPointerException: basket is null" }},
}

var people = []string{"alice", "bob", "carol", "dan", "erin", "frank", "grace", "heidi", "ivan", "judy"}

var services = []string{"api", "basket", "payment", "search"}

// write writes a log to out, and the number of errors of each kind to report.
func write(out, report io.Writer, lines int) error {
	r := rand.New(rand.NewPCG(3, 7)) //nolint:gosec // the same log in every run
	w := bufio.NewWriterSize(out, 1<<20)
	counts := make([]int, len(kinds))
	at := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	step := 24 * time.Hour / time.Duration(max(lines, 1))
	burst := func() bool { return at.Hour() == 15 && at.Minute() < 20 }
	for n := 0; n < lines; {
		at = at.Add(step/2 + time.Duration(r.Int64N(int64(step))))
		if r.IntN(100) >= 10 && (!burst() || r.IntN(2) == 0) {
			fmt.Fprintf(w, `{"time":%q,"level":"INFO","msg":"request served","service":%q,"method":"GET","path":"/v1/items/%d","status":200,"duration_ms":%d.%d,"user":{"id":"u-%d","plan":"pro"}}`+"\n",
				at.Format(time.RFC3339Nano), services[r.IntN(4)], r.IntN(1e6), r.IntN(90), r.IntN(10), r.IntN(1e5))
			n++
			continue
		}
		k := kindOf(r, burst())
		counts[k]++
		n += writeError(w, r, at, kinds[k].text(r))
	}
	total := 0
	for k, n := range counts {
		fmt.Fprintf(report, "%7d %s\n", n, kinds[k].name)
		total += n
	}
	fmt.Fprintf(report, "%7d errors\n", total)
	return w.Flush()
}

func kindOf(r *rand.Rand, burst bool) int {
	if burst && r.IntN(10) > 0 {
		return 0
	}
	n := r.IntN(100)
	for k := range kinds {
		if n -= kinds[k].weight; n < 0 {
			return k
		}
	}
	return 0
}

// writeError writes an error in one of four forms and returns the number of lines.
func writeError(w io.Writer, r *rand.Rand, at time.Time, text string) (lines int) {
	service := services[r.IntN(4)]
	switch r.IntN(8) {
	case 0:
		fmt.Fprintf(w, "time=%s level=error msg=\"request failed\" err=%q service=%s\n", at.Format(time.RFC3339Nano), text, service)
	case 1:
		fmt.Fprintf(w, "E%s       1 server.go:%d] request failed: %s\n", at.Format("0102 15:04:05.000000"), 100, text)
	case 2:
		fmt.Fprintf(w, "%s ERROR request failed: %s\n\tat com.example.Shop.run(Shop.java:%d)\n\tat com.example.Main.main(Main.java:7)\n", at.Format("2006-01-02 15:04:05,000"), text, r.IntN(500))
		return 3
	default:
		fmt.Fprintf(w, `{"time":%q,"level":"ERROR","msg":"request failed","err":%q,"service":%q,"attempt":%d}`+"\n", at.Format(time.RFC3339Nano), text, service, 1+r.IntN(3))
	}
	return 1
}
