// Package drain groups texts that differ only in their values. It is an on-line
// parser of logs after Drain (He et al., "Drain: An Online Log Parsing Approach with
// Fixed Depth Tree", ICWS 2017). [Tree.Add] takes one text and returns its [Cluster].
//
// Before a text is added, package fingerprint replaces its values by placeholders
// such as <num>. Add does the following with the text:
//
//   - It splits the text into words at its spaces. Of neighbouring words that are
//     equal and have a placeholder, it keeps one. Words beyond [MaxWords] become one
//     placeholder.
//   - In a tree of fixed depth, it finds the clusters that have the same number of
//     words and the same first word.
//   - It adds the text to the cluster that has the same words. Words count as the same
//     if they differ only in placeholders: "(<ip>)", "(<host>)" and "()".
//   - If there is no such cluster, the text starts a new one. As soon as five clusters
//     differ in the same words, these words count as values, and the five clusters are
//     merged. So "VM Started" and "VM Stopped" stay two clusters, but "user alice not
//     found" is merged with the texts about four other users.
//
// The last step differs from the paper, in which a text joins the most similar
// cluster at once.
//
// Memory is bounded by the number of clusters, which the caller limits with
// [Tree.Remove]. The time of Add is bounded too: see maxScan.
package drain

import (
	"iter"
	"slices"
	"strings"
)

// Any is the placeholder for any words. Other placeholders, such as <num>, stand for
// a type of value: see package fingerprint.
const Any = "<*>"

// MaxWords limits how many words a template has.
const MaxWords = 128

const (
	depth       = 1   // words that the tree looks at
	maxChildren = 100 // children of a node; further words share the node of [Any]
	similarity  = 0.6 // minimum share of equal words; words with placeholders do not count
	minMerge    = 5   // minimum number of clusters that differ in the same words and are merged
	mergeAll    = 20  // so many similar clusters are merged, whatever words they differ in
	maxScan     = 128 // a text is compared with at most this many clusters of a node: those used last
)

// Cluster is a set of texts with the same template. The caller can store a value of
// type T in each cluster.
type Cluster[T any] struct {
	Value T
	words []word
	leaf  *node[T]
	into  *Cluster[T] // the cluster into which this one was merged, or nil
}

// Template returns the template of the cluster: its words, with placeholders in
// place of values.
func (c *Cluster[T]) Template() string {
	var b strings.Builder
	for i, w := range c.words {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(w.text)
	}
	return b.String()
}

// Current returns the cluster into which c was merged, or c if it was not merged.
func (c *Cluster[T]) Current() *Cluster[T] {
	for c.into != nil {
		if c.into.into != nil {
			c.into = c.into.into
		}
		c = c.into
	}
	return c
}

// Tree holds the clusters and finds the one to which a text belongs. It is not safe
// for concurrent use.
type Tree[T any] struct {
	byLength [MaxWords + 1]node[T] // by the number of words
	words    []word                // words of the current text
	// merge adds the value of one cluster (from) to the value of another (into).
	merge func(into, from *Cluster[T])
}

type node[T any] struct {
	children map[string]*node[T]
	clusters []*Cluster[T] // the recently used ones near the end
}

// New returns an empty tree. The tree calls merge when it merges one cluster into
// another.
func New[T any](merge func(into, from *Cluster[T])) *Tree[T] { return &Tree[T]{merge: merge} }

// Add returns the cluster of a text. If no cluster has similar texts, Add makes a
// new one. The argument masked is the text with placeholders in place of its values.
func (t *Tree[T]) Add(masked string) *Cluster[T] {
	t.words = split(t.words[:0], masked)
	leaf := t.leaf(t.words)
	if c := leaf.find(t.words); c != nil {
		return c
	}
	c := &Cluster[T]{words: cloned(t.words), leaf: leaf}
	t.absorb(c, leaf.similar(c.words))
	leaf.clusters = append(leaf.clusters, c)
	return c
}

// cloned returns a copy of words. The texts of the copied words are parts of one new
// string.
func cloned(words []word) []word {
	size := 0
	for _, w := range words {
		size += len(w.text)
	}
	text := make([]byte, 0, size)
	for _, w := range words {
		text = append(text, w.text...)
	}
	all, out := string(text), slices.Clone(words)
	for i := range out {
		n := len(out[i].text)
		out[i].text, all = all[:n], all[n:]
	}
	return out
}

// word is a word of a template.
type word struct {
	text        string
	placeholder bool // text has a placeholder
}

// split appends the words of a text to words. If words would have more than MaxWords
// elements, the last element becomes Any.
func split(words []word, masked string) []word {
	for text := range strings.FieldsSeq(masked) {
		n := len(words)
		w := word{text, HasHole(text)}
		switch {
		case n > 0 && w.placeholder && trimmed(text) == trimmed(words[n-1].text):
			words[n-1] = w
		case n == MaxWords:
			words[n-1] = word{Any, true}
			return words
		default:
			words = append(words, w)
		}
	}
	return words
}

// trimmed returns a word without the commas and semicolons at its end. These only
// separate the word from the next item of a list.
func trimmed(word string) string { return strings.TrimRight(word, ",;") }

// leaf returns the node for texts with these words.
func (t *Tree[T]) leaf(words []word) *node[T] {
	n := &t.byLength[len(words)]
	for _, w := range words[:min(depth, len(words))] {
		if w.placeholder || isName(w.text) {
			w.text = Any
		}
		n = n.child(w.text)
	}
	return n
}

// isName reports whether a word has digits or punctuation inside, as names do.
// Examples of names are com.example.Update, read_file and a-b.
func isName(word string) bool {
	return strings.ContainsAny(strings.Trim(word, ".,:;()[]{}"), "0123456789._/-@<$")
}

func (n *node[T]) child(word string) *node[T] {
	if c := n.children[word]; c != nil {
		return c
	}
	if len(n.children) >= maxChildren {
		word = Any
		if c := n.children[Any]; c != nil {
			return c
		}
	}
	if n.children == nil {
		n.children = map[string]*node[T]{}
	}
	c := new(node[T])
	n.children[strings.Clone(word)] = c
	return c
}

// find returns the cluster whose template matches the words, or nil. If several
// clusters match, it returns the one whose template has the fewest words Any.
func (n *node[T]) find(words []word) *Cluster[T] {
	best, least := -1, len(words)+1
	for i := len(n.clusters) - 1; i >= max(0, len(n.clusters)-maxScan) && least > 0; i-- {
		if free, ok := matches(n.clusters[i].words, words); ok && free < least {
			best, least = i, free
		}
	}
	if best < 0 {
		return nil
	}
	c := n.clusters[best]
	if best < len(n.clusters)-maxScan/2 { // keep the recently used clusters near the end
		n.clusters = append(slices.Delete(n.clusters, best, best+1), c)
	}
	generalize(c.words, words)
	return c
}

// matches reports whether the words of a text equal those of a cluster, except for
// placeholders. Both must have the same number of words. The result free is the
// number of words Any in the cluster.
func matches(cluster, text []word) (free int, ok bool) {
	for i, w := range cluster {
		switch {
		case w.text == Any:
			free++
		case w.text != text[i].text && !same(w, text[i]):
			return 0, false
		}
	}
	return free, true
}

// positions is a set of indexes of words.
type positions [MaxWords / 64]uint64

// compare compares the words of a cluster with the words of a text. It returns the
// indexes of the words that differ in more than their values, the number of these
// words, and the number of equal words without placeholders.
func compare(cluster, text []word) (differ positions, unequal, equal int) {
	for i, w := range cluster {
		switch {
		case w.text == Any:
		case w.text == text[i].text:
			if !w.placeholder {
				equal++
			}
		case !same(w, text[i]):
			unequal++
			differ[i/64] |= 1 << (i % 64)
		}
	}
	return differ, unequal, equal
}

// similarTo is a cluster, with the indexes of the words in which it differs from a
// text.
type similarTo[T any] struct {
	cluster *Cluster[T]
	differ  positions
}

// similar returns the clusters of the node that have enough words in common with a
// text. The argument words has the words of the text.
func (n *node[T]) similar(words []word) (found []similarTo[T]) {
	for _, c := range n.clusters[max(0, len(n.clusters)-maxScan):] {
		if differ, unequal, equal := compare(c.words, words); float64(equal) >= similarity*float64(equal+unequal) {
			found = append(found, similarTo[T]{c, differ})
		}
	}
	return found
}

// absorb merges similar clusters (found) into the new cluster c. It merges all of
// them if they and c are at least mergeAll clusters. Otherwise it merges those that
// differ from c in the same words, if they and c are at least minMerge clusters.
func (t *Tree[T]) absorb(c *Cluster[T], found []similarTo[T]) {
	if len(found)+1 < minMerge {
		return
	}
	counts := make(map[positions]int, len(found))
	for _, s := range found {
		counts[s.differ]++
	}
	merged := false
	for _, s := range found {
		if counts[s.differ]+1 >= minMerge || len(found)+1 >= mergeAll {
			generalize(c.words, s.cluster.words)
			s.cluster.into = c
			t.merge(c, s.cluster)
			merged = true
		}
	}
	if merged {
		c.leaf.clusters = slices.DeleteFunc(c.leaf.clusters, func(o *Cluster[T]) bool { return o.into != nil })
	}
}

// generalize compares two lists of words index by index. Where the words differ, it
// replaces the word in template by a word with placeholders that stands for both.
func generalize(template, words []word) {
	for i, w := range template {
		if w.text != words[i].text && w.text != Any {
			template[i] = word{joined(w.text, words[i].text), true}
		}
	}
}

// Remove removes a cluster from the tree. A later text with the same template starts
// a new cluster.
func (t *Tree[T]) Remove(c *Cluster[T]) {
	c.leaf.clusters = slices.DeleteFunc(c.leaf.clusters, func(o *Cluster[T]) bool { return o == c })
}

// Prune removes the nodes without clusters. Call it after [Tree.Remove].
func (t *Tree[T]) Prune() {
	for i := range t.byLength {
		t.byLength[i].prune()
	}
}

func (n *node[T]) prune() (empty bool) {
	for word, c := range n.children {
		if c.prune() {
			delete(n.children, word)
		}
	}
	return len(n.children) == 0 && len(n.clusters) == 0
}

// All yields the clusters in no particular order. The tree must not change during
// the iteration.
func (t *Tree[T]) All() iter.Seq[*Cluster[T]] {
	return func(yield func(*Cluster[T]) bool) {
		for i := range t.byLength {
			if !t.byLength[i].all(yield) {
				return
			}
		}
	}
}

func (n *node[T]) all(yield func(*Cluster[T]) bool) bool {
	for _, c := range n.clusters {
		if !yield(c) {
			return false
		}
	}
	for _, c := range n.children {
		if !c.all(yield) {
			return false
		}
	}
	return true
}
