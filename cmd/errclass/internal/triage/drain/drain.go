// Package drain groups texts that differ only in their values. [Tree.Add] takes a
// text and returns a [Cluster] of similar texts.
//
// Before a text is added, package fingerprint replaces values by placeholders such as
// <num>. Add then works as follows:
//
//  1. It splits the text into words at spaces.
//  2. If there are more than [MaxWords] words, one placeholder replaces the last ones.
//  3. It finds the clusters with the same number of words and the same first word.
//  4. It adds the text to the cluster with the same words.
//  5. If there is no such cluster, it makes a new one.
//  6. If five clusters differ in the same words, it merges the five.
//
// Words that differ only in placeholders count as equal: "(<ip>)" and "(<host>)". Of
// equal neighbouring words with a placeholder, only one is kept.
//
// For example, "VM Started" and "VM Stopped" stay two clusters. But "user alice not
// found" is merged with texts about four other users.
//
// The algorithm is a variant of Drain: He et al., "Drain: An Online Log Parsing
// Approach with Fixed Depth Tree", ICWS 2017. In the paper, a text joins the most
// similar cluster at once.
//
// The memory depends on the number of clusters. To limit that number, call
// [Tree.Remove]. The time of Add is bounded.
package drain

import (
	"iter"
	"slices"
	"strings"
)

// Any is the placeholder for any words. Other placeholders, such as <num>, stand for
// a type of value.
const Any = "<*>"

// MaxWords limits how many words a template has.
const MaxWords = 128

const (
	depth       = 1   // words that the tree looks at
	maxChildren = 100 // children of a node; further words share the node of [Any]
	similarity  = 0.6 // minimum share of equal words; words with placeholders do not count
	minMerge    = 5   // minimum number of merged clusters that differ in the same words
	mergeAll    = 20  // from this number on, all similar clusters are merged
	maxScan     = 128 // how many recently used clusters of a node a text is compared with
)

// Cluster is a set of texts with the same template. The caller can store a value of
// type T in each cluster.
type Cluster[T any] struct {
	Value T
	words []word
	leaf  *node[T]
	into  *Cluster[T] // the cluster into which this one was merged, or nil
}

// Template returns the words of the cluster, with placeholders for values.
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

// Current returns the cluster into which c was merged. If c was not merged, Current
// returns c.
func (c *Cluster[T]) Current() *Cluster[T] {
	for c.into != nil {
		if c.into.into != nil {
			c.into = c.into.into
		}
		c = c.into
	}
	return c
}

// Tree finds the cluster of a text. It is not safe for concurrent use.
type Tree[T any] struct {
	byLength [MaxWords + 1]node[T] // by the number of words
	words    []word                // words of the current text
	// merge adds the value of one cluster to the value of another.
	merge func(into, from *Cluster[T])
}

type node[T any] struct {
	children map[string]*node[T]
	clusters []*Cluster[T] // the recently used ones near the end
}

// New returns an empty tree. The function merge is called when a cluster is merged
// into another.
func New[T any](merge func(into, from *Cluster[T])) *Tree[T] { return &Tree[T]{merge: merge} }

// Add returns the cluster of a text. If no cluster matches the text, Add makes a new
// cluster, and merges similar clusters into it: see absorb. In the argument masked,
// placeholders replace the values of the text.
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

// cloned returns a copy of words, with all texts in one new string.
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

// split appends the words of a text. If there are more than MaxWords words, Any replaces
// the last ones.
func split(words []word, masked string) []word {
	for text := range strings.FieldsSeq(masked) {
		n := len(words)
		w := word{text, HasPlaceholder(text)}
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

// trimmed returns a word without commas and semicolons at the end.
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

// isName reports whether a word is like com.example.Update, read_file or a-b.
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

// find returns the most specific cluster that matches the words, or nil.
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

// matches reports whether the words of a text match those of a cluster. Both must
// have the same number of words. free is how many words of the cluster are Any.
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

// compare reports whether the words of a cluster and of a text are similar. differ has
// the indexes of the words that differ.
func compare(cluster, text []word) (differ positions, ok bool) {
	equal, unequal := 0, 0 // equal counts words without placeholders
	for i, w := range cluster {
		switch {
		case w.text == Any:
		case w.text == text[i].text:
			if !w.placeholder {
				equal++
			}
		case !same(w, text[i]):
			if unequal++; float64(unequal) > (1-similarity)*float64(len(cluster)) {
				return differ, false // even if all other words are equal
			}
			differ[i/64] |= 1 << (i % 64)
		}
	}
	return differ, float64(equal) >= similarity*float64(equal+unequal)
}

// similarTo is a cluster that is similar to a text. differ has the positions of the words
// in which the cluster and the text differ.
type similarTo[T any] struct {
	cluster *Cluster[T]
	differ  positions
}

// similar returns the clusters with enough words in common with a text.
func (n *node[T]) similar(words []word) (found []similarTo[T]) {
	for _, c := range n.clusters[max(0, len(n.clusters)-maxScan):] {
		if differ, ok := compare(c.words, words); ok {
			found = append(found, similarTo[T]{c, differ})
		}
	}
	return found
}

// absorb merges some of the clusters in found, which are similar to the new cluster c,
// into c:
//
//   - If at least mergeAll-1 clusters are similar, it merges all of them.
//   - If at least minMerge-1 of them differ from c in the same words, it merges these.
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

// generalize changes template so that it also matches words. The template must have as
// many words as the argument words.
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

// All yields the clusters in no particular order. The tree must not change meanwhile.
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
