// Command hyperscan compares the speed of package scan with that of Hyperscan. It
// matches the standard rules against the labelled corpus.
//
// It is run by make bench-hyperscan, from the root of the repository:
//
//	go run ./classify/internal/hyperscan
//
// scan.c calls Hyperscan in block mode. It is compiled with the system's C compiler.
// Package scan and Hyperscan take turns. The command prints the median times and their
// ratio. A pattern that Hyperscan refuses is left out for package scan too. If
// libhyperscan-dev (a Debian package) is missing, the command prints a message and exits
// with status 0.
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/internal/scan"
)

//go:embed scan.c
var source []byte

const howToInstall = `Hyperscan is not installed, so there is nothing to compare with. On Debian and Ubuntu:

  apt-get install gcc libc6-dev libhyperscan-dev
`

func main() {
	log.SetFlags(0)
	log.SetPrefix("hyperscan: ")
	corpus := flag.String("corpus", "classify/testdata/corpus.jsonl", "messages, as JSON objects with the key message")
	turns := flag.Int("turns", 41, "how often each side is timed")
	flag.Parse()
	if err := run(*corpus, *turns); err != nil {
		log.Fatal(err)
	}
}

func run(corpus string, turns int) error {
	folder, err := os.MkdirTemp("", "errclass-hyperscan-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	program, err := build(folder)
	if err != nil || program == "" {
		return err
	}
	texts, err := messages(corpus)
	if err != nil {
		return err
	}
	fmt.Printf("%d messages of %d bytes on average, ns a message, medians of %d turns\n\n", len(texts), len(strings.Join(texts, ""))/len(texts), turns)
	fmt.Printf("%8s %8s %8s %10s %8s %8s %9s %9s\n", "patterns", "refused", "states", "hyperscan", "ours", "ratio", "hs finds", "we find")
	for _, n := range []int{20, 100, 300, len(classify.Standard.Rules())} {
		if err := compare(folder, program, patterns(n), texts, turns); err != nil {
			return fmt.Errorf("%d patterns: %w", n, err)
		}
	}
	return nil
}

// build compiles scan.c and returns the path of the program. Without a C compiler or
// without Hyperscan, it returns "".
func build(folder string) (string, error) {
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	probe := exec.Command(cc, "-E", "-x", "c", "-o", os.DevNull, "-")
	probe.Stdin = strings.NewReader("#include <hs/hs.h>\n")
	if probe.Run() != nil {
		fmt.Print(howToInstall)
		return "", nil
	}
	file, program := filepath.Join(folder, "scan.c"), filepath.Join(folder, "scan")
	if err := os.WriteFile(file, source, 0o600); err != nil {
		return "", err
	}
	if out, err := exec.Command(cc, "-O2", "-o", program, file, "-lhs").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s: %w\n%s", cc, err, out)
	}
	return program, nil
}

func messages(path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var all []string
	for line := range bytes.Lines(data) {
		var entry struct{ Message string }
		if err := json.Unmarshal(line, &entry); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, entry.Message)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s holds no messages", path)
	}
	return all, nil
}

// patterns returns n patterns of the standard rules, spread evenly over the list of
// rules.
func patterns(n int) []string {
	rules := classify.Standard.Rules()
	exprs := make([]string, min(n, len(rules)))
	for i := range exprs {
		exprs[i] = rules[i*len(rules)/len(exprs)].Pattern
	}
	return exprs
}

// compare matches exprs against texts with Hyperscan and with package scan, and prints a
// line of the table.
func compare(folder, program string, exprs, texts []string, turns int) error {
	input := filepath.Join(folder, "input")
	if err := os.WriteFile(input, encode(exprs, texts), 0o600); err != nil {
		return err
	}
	theirs, err := start(program, input)
	if err != nil {
		return err
	}
	defer theirs.stop()
	accepted := make([]string, len(theirs.accepted))
	for i, at := range theirs.accepted {
		accepted[i] = exprs[at]
	}
	m, err := scan.Compile(accepted)
	if err != nil {
		return err
	}

	const aTurn = 20 * time.Millisecond
	warm, _, err := theirs.scan(1)
	if err != nil {
		return err
	}
	rounds := int(aTurn/max(warm, time.Microsecond)) + 1
	hs, ours := make([]float64, turns), make([]float64, turns)
	var found, foundHere int
	for i := range turns {
		took, n, err := theirs.scan(rounds)
		if err != nil {
			return err
		}
		tookHere, here := scanAll(m, texts, rounds)
		each := float64(rounds * len(texts))
		hs[i], ours[i] = float64(took)/each, float64(tookHere)/each
		found, foundHere = n, here
	}
	h, o := median(hs), median(ours)
	fmt.Printf("%8d %8d %8d %10.1f %8.1f %8.2f %9d %9d\n", len(exprs), len(exprs)-len(accepted), m.Stats().States, h, o, o/h, found, foundHere)
	return nil
}

// scanAll matches all texts several times, as scan.c does. It returns the total time
// and the number of matches in one round.
func scanAll(m *scan.Matcher, texts []string, rounds int) (took time.Duration, found int) {
	set := make([]uint64, m.Words())
	begin := time.Now()
	for range rounds {
		found = 0
		for _, text := range texts {
			clear(set)
			m.Match(set, text)
			for _, word := range set {
				found += bits.OnesCount64(word)
			}
		}
	}
	return time.Since(begin), found
}

// encode returns the input of scan.c.
func encode(exprs, texts []string) []byte {
	b := fmt.Appendf(nil, "%d\n%d\n", len(exprs), len(texts))
	for _, s := range slices.Concat(exprs, texts) {
		b = fmt.Appendf(b, "%d\n%s", len(s), s)
	}
	return b
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}

// process is a running process of the program that was compiled from scan.c.
type process struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	accepted []int // indexes of the patterns that Hyperscan accepts
}

func start(program, input string) (*process, error) {
	cmd := exec.Command(program, input)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, in: in, out: bufio.NewReader(out)}
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.stop()
		return nil, fmt.Errorf("scan.c: %w", err)
	}
	for field := range strings.FieldsSeq(strings.TrimPrefix(line, "accepted")) {
		at, err := strconv.Atoi(field)
		if err != nil {
			p.stop()
			return nil, fmt.Errorf("scan.c: %w", err)
		}
		p.accepted = append(p.accepted, at)
	}
	return p, nil
}

// scan matches all texts with Hyperscan, several times. It returns the total time
// and the number of matches in one round.
func (p *process) scan(rounds int) (took time.Duration, found int, err error) {
	if _, err := fmt.Fprintln(p.in, rounds); err != nil {
		return 0, 0, err
	}
	_, err = fmt.Fscanln(p.out, &took, &found)
	return took, found, err
}

// stop ends the process by closing its input.
func (p *process) stop() {
	_ = p.in.Close()
	_ = p.cmd.Wait()
}
