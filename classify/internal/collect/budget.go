package collect

import "math"

// DefaultMaxBytes is how much of a text is read unless a classifier says otherwise.
const DefaultMaxBytes = 64 << 10

// resource is something that reading evidence uses up.
type resource uint8

// The resources.
const (
	textBytes    resource = iota // bytes of text that the rules read
	BodyBytes                    // bytes of responses' bodies
	DecodedBytes                 // bytes that decoding their JSON allocates, as estimated beforehand
	ChainErrors                  // errors of the chain
	ChainTexts                   // bytes that Error returns while the chain is walked
	HeaderNames                  // names of headers that are compared
	HeaderValues                 // values of headers that are parsed
	TextWaits                    // waits that texts name
	resources
)

// resourceNames are the units that [Omission.Unit] has.
var resourceNames = [resources]string{
	"bytes of text", "bytes of bodies", "bytes of bodies as JSON", "errors", "texts of errors", "header names", "header values", "waits",
}

// A real classification uses a few percent of these. Together they hold one
// classification to 10 ms and 4 MB, whatever the evidence is.
const (
	MaxNodes       = 256      // errors of a chain
	MaxBody        = 64 << 10 // bytes of a body
	shareOfBodies  = MaxBody
	shareOfJSON    = 1 << 20
	MostNames      = 4096
	MostValues     = 1024
	mostChainTexts = 256 << 10
	mostWaits      = 256
	// shortest is the shortest piece of a text that is read where no more is
	// left: less would cut words apart.
	shortest = 1 << 10
)

// Budget is what one classification may still read. Every collector spends of
// it before it reads, and what it doesn't grant is left out: it decides nothing.
//
// Evidence is read from its first field to its last, and a chain from its
// outermost error to its innermost, so what comes first is read first. No part
// starves the next: each of the parts that [inquiry.read] reads brings a share of
// its own, and what one leaves over is added to the next one's.
type Budget struct {
	Left    [resources]int
	Limit   int         // bytes of one text that are read; 0 = all
	LeftOut *[]Omission // for explain only; else nil
}

// Open makes the budget of a classification that reads limit bytes of a text. It
// sets field by field: a literal would be copied.
func (b *Budget) Open(limit int) {
	b.Limit = limit
	b.Left[ChainErrors] = MaxNodes
	b.Left[ChainTexts] = mostChainTexts
	b.Left[HeaderNames] = MostNames
	b.Left[HeaderValues] = MostValues
	b.Left[TextWaits] = mostWaits
}

// NewBudget returns the budget of a classification that reads limit bytes of a text.
func NewBudget(limit int) (b Budget) {
	b.Open(limit)
	return b
}

// ShareNames gives a share for a part that is a name, or a response: its texts
// share what is read of one text by default.
func (b *Budget) ShareNames() { b.Left[textBytes] += DefaultMaxBytes }

// ShareChain gives a share for a chain, whose texts may be as long as any other.
func (b *Budget) ShareChain() {
	b.Left[textBytes] += min(max(DefaultMaxBytes, b.Limit), math.MaxInt/int(resources))
	b.ShareBody()
}

// ShareText gives a share for a text of the evidence itself.
func (b *Budget) ShareText() {
	share := b.Limit
	if share == 0 {
		share = math.MaxInt
	}
	b.Left[textBytes] += min(share, math.MaxInt/int(resources)) // no sum of shares overflows
}

// ShareBody gives a share for bodies.
func (b *Budget) ShareBody() {
	b.Left[BodyBytes] += shareOfBodies
	b.Left[DecodedBytes] += shareOfJSON
}

// Spend takes n of r, or nothing where there is less.
func (b *Budget) Spend(r resource, n int) bool {
	if n > b.Left[r] {
		return false
	}
	b.Left[r] -= n
	return true
}

// Lose notes that n of r in a part of the evidence are left out.
func (q *Inquiry) Lose(r resource, n int) {
	if q.Budget.LeftOut != nil && n > 0 {
		q.Budget.note(q.Source.String(), r, n)
	}
}

func (b *Budget) note(source string, r resource, n int) {
	for i := range *b.LeftOut {
		if l := &(*b.LeftOut)[i]; l.Source == source && l.Unit == resourceNames[r] {
			l.Amount += n
			return
		}
	}
	*b.LeftOut = append(*b.LeftOut, Omission{Source: source, Unit: resourceNames[r], Amount: n})
}

// Omission is evidence that was not read: so many units of a source.
type Omission struct {
	Source, Unit string
	Amount       int
}

// Cut returns what is read of a text: all of it, or its first and its last
// half of what may be read. It cuts at a space if one is near, so that no part of
// a word is read as a word. It copies nothing.
func Cut[T string | []byte](q *Inquiry, text T) (head, tail T) {
	b, n := &q.Budget, len(text)
	if b.Limit > 0 {
		n = min(n, b.Limit)
	}
	if left := b.Left[textBytes]; n > left {
		if n = left; n < shortest {
			n = 0
		}
	}
	b.Left[textBytes] -= n
	if n == len(text) {
		return text, tail
	}
	half := n / 2
	head, tail = text[:half], text[len(text)-(n-half):] // of an odd number the larger half
	for i := len(head) - 1; i >= max(0, len(head)-maxWord); i-- {
		if isSpace(head[i]) {
			head = head[:i]
			break
		}
	}
	for i := range min(len(tail), maxWord) {
		if isSpace(tail[i]) {
			tail = tail[i+1:]
			break
		}
	}
	q.Lose(textBytes, len(text)-len(head)-len(tail))
	return head, tail
}

// maxWord is how far from a cut [Cut] looks for a space, in bytes.
const maxWord = 48

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

// BodyOf returns what is read of a response's body: its start, or nothing where
// the bodies before it have spent the budget. It copies nothing.
func BodyOf[T string | []byte](q *Inquiry, body T) T {
	n := min(len(body), MaxBody)
	if !q.Budget.Spend(BodyBytes, n) {
		n = 0
	}
	q.Lose(BodyBytes, len(body)-n)
	return body[:n]
}
