// Loghub measures how well package drain groups the messages of logs. It reads the
// sixteen samples of https://github.com/logpai/loghub. For each sample, it prints the
// grouping accuracy and Drain's published accuracy:
//
//	git clone https://github.com/logpai/loghub /tmp/loghub
//	go run ./internal/triage/loghub /tmp/loghub
//
// A sample has 2,000 lines. Only the text in the column Content is grouped. The
// settings are the same for all samples. There are no regular expressions.
//
// Grouping accuracy is the share of messages in a right group. A right group has
// exactly the messages with one label. The column EventId has the labels.
//
// The published figures come from Table II of Zhu et al., "Tools and Benchmarks for
// Automated Log Parsing", ICSE-SEIP 2019 (https://arxiv.org/abs/1811.03509). In that
// paper, Drain has regular expressions and settings for each sample.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/cmd/errclass/internal/triage/drain"
)

// published has the accuracies of Drain that Table II of the paper lists.
var published = []struct {
	system   string
	accuracy float64
}{
	{"HDFS", 0.998}, {"Hadoop", 0.948}, {"Spark", 0.920}, {"Zookeeper", 0.967}, {"OpenStack", 0.733}, {"BGL", 0.963}, {"HPC", 0.887}, {"Thunderbird", 0.955},
	{"Windows", 0.997}, {"Linux", 0.690}, {"Mac", 0.787}, {"Android", 0.911}, {"HealthApp", 0.780}, {"Apache", 1.000}, {"OpenSSH", 0.788}, {"Proxifier", 0.527},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: loghub DIR, a clone of https://github.com/logpai/loghub")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "loghub:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	var ours, theirs float64
	fmt.Printf("%-12s %8s %8s %8s %8s\n", "system", "here", "Drain", "groups", "labelled")
	for _, p := range published {
		messages, err := read(filepath.Join(dir, p.system, p.system+"_2k.log_structured.csv"))
		if err != nil {
			return err
		}
		r := measure(messages)
		ours += r.accuracy
		theirs += p.accuracy
		fmt.Printf("%-12s %8.3f %8.3f %8d %8d\n", p.system, r.accuracy, p.accuracy, r.groups, r.labels)
	}
	n := float64(len(published))
	fmt.Printf("%-12s %8.3f %8.3f\n", "average", ours/n, theirs/n)
	return nil
}

// message is one line of a sample.
type message struct{ text, label string }

// read reads the messages of a sample with their labels.
func read(name string) ([]message, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.LazyQuotes = true
	rows, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("%s: it has no messages", name)
	}
	text, label := slices.Index(rows[0], "Content"), slices.Index(rows[0], "EventId")
	if text < 0 || label < 0 {
		return nil, errors.New(name + ": the first line must name the columns Content and EventId")
	}
	var messages []message
	for _, row := range rows[1:] {
		messages = append(messages, message{row[text], row[label]})
	}
	return messages, nil
}

type result struct {
	accuracy       float64
	groups, labels int
}

// measure groups messages and compares the groups with the labels.
func measure(messages []message) result {
	tree := drain.New(func(_, _ *drain.Cluster[struct{}]) {})
	found := make([]*drain.Cluster[struct{}], len(messages))
	for i, m := range messages {
		_, masked := fingerprint.Of(strings.TrimSpace(m.text))
		found[i] = tree.Add(masked)
	}
	groups := map[*drain.Cluster[struct{}]]map[string]int{} // the labels of each group
	labels := map[string]int{}
	for i, m := range messages {
		c := found[i].Current()
		if groups[c] == nil {
			groups[c] = map[string]int{}
		}
		groups[c][m.label]++
		labels[m.label]++
	}
	right := 0
	for _, group := range groups {
		for label, n := range group {
			if len(group) == 1 && n == labels[label] {
				right += n
			}
		}
	}
	return result{float64(right) / float64(len(messages)), len(groups), len(labels)}
}
