package classify

import "math"

// resource is something that reading evidence uses up.
type resource uint8

const (
	textBytes    resource = iota // bytes of text that the rules read
	bodyBytes                    // bytes of responses' bodies
	decodedBytes                 // bytes that decoding their JSON allocates, as estimated beforehand
	chainErrors                  // errors of the chain
	chainTexts                   // bytes that Error returns while the chain is walked
	headerNames                  // names of headers that are compared
	headerValues                 // values of headers that are parsed
	textWaits                    // waits that texts name
	resources
)

// resourceNames are the units that [Omission.Unit] has.
var resourceNames = [resources]string{
	"bytes of text", "bytes of bodies", "bytes of bodies as JSON", "errors", "texts of errors", "header names", "header values", "waits",
}

// A real classification uses a few percent of these. Together they hold one
// classification to 10 ms and 4 MB, whatever the evidence is.
const (
	shareOfBodies  = maxBody
	shareOfJSON    = 1 << 20
	mostNames      = 4096
	mostValues     = 1024
	mostChainTexts = 256 << 10
	mostWaits      = 256
	// shortest is the shortest piece of a text that is read where no more is
	// left: less would cut words apart.
	shortest = 1 << 10
)

// budget is what one classification may still read. Every collector spends of
// it before it reads, and what it doesn't grant is left out: it decides nothing.
//
// Evidence is read from its first field to its last, and a chain from its
// outermost error to its innermost, so what comes first is read first. No part
// starves the next: each of the parts that [inquiry.read] reads brings a share of
// its own, and what one leaves over is added to the next one's.
type budget struct {
	left    [resources]int
	limit   int         // bytes of one text that are read; 0 = all
	leftOut *[]Omission // for explain only; else nil
}

// open makes the budget of a classification that reads limit bytes of a text. It
// sets field by field: a literal would be copied.
func (b *budget) open(limit int) {
	b.limit = limit
	b.left[chainErrors] = maxNodes
	b.left[chainTexts] = mostChainTexts
	b.left[headerNames] = mostNames
	b.left[headerValues] = mostValues
	b.left[textWaits] = mostWaits
}

func newBudget(limit int) (b budget) {
	b.open(limit)
	return b
}

// shareNames gives a share for a part that is a name, or a response: its texts
// share what is read of one text by default.
func (b *budget) shareNames() { b.left[textBytes] += DefaultMaxBytes }

// shareChain gives a share for a chain, whose texts may be as long as any other.
func (b *budget) shareChain() {
	b.left[textBytes] += min(max(DefaultMaxBytes, b.limit), math.MaxInt/int(resources))
	b.shareBody()
}

// shareText gives a share for a text of the evidence itself.
func (b *budget) shareText() {
	share := b.limit
	if share == 0 {
		share = math.MaxInt
	}
	b.left[textBytes] += min(share, math.MaxInt/int(resources)) // no sum of shares overflows
}

// shareBody gives a share for bodies.
func (b *budget) shareBody() {
	b.left[bodyBytes] += shareOfBodies
	b.left[decodedBytes] += shareOfJSON
}

// spend takes n of r, or nothing where there is less.
func (b *budget) spend(r resource, n int) bool {
	if n > b.left[r] {
		return false
	}
	b.left[r] -= n
	return true
}

// lose notes that n of r in a part of the evidence are left out.
func (q *inquiry) lose(r resource, n int) {
	if q.budget.leftOut != nil && n > 0 {
		q.budget.note(q.source.String(), r, n)
	}
}

func (b *budget) note(source string, r resource, n int) {
	for i := range *b.leftOut {
		if l := &(*b.leftOut)[i]; l.Source == source && l.Unit == resourceNames[r] {
			l.Amount += n
			return
		}
	}
	*b.leftOut = append(*b.leftOut, Omission{Source: source, Unit: resourceNames[r], Amount: n})
}

// cut returns what is read of a text: all of it, or its first and its last
// half of what may be read. It copies nothing.
func cut[T string | []byte](q *inquiry, text T) (head, tail T) {
	b, n := &q.budget, len(text)
	if b.limit > 0 {
		n = min(n, b.limit)
	}
	if left := b.left[textBytes]; n > left {
		if n = left; n < shortest {
			n = 0
		}
	}
	b.left[textBytes] -= n
	if n == len(text) {
		return text, tail
	}
	q.lose(textBytes, len(text)-n)
	half := n / 2
	return text[:half], text[len(text)-(n-half):] // of an odd number the larger half
}

// bodyOf returns what is read of a response's body: its start, or nothing where
// the bodies before it have spent the budget. It copies nothing.
func bodyOf[T string | []byte](q *inquiry, body T) T {
	n := min(len(body), maxBody)
	if !q.budget.spend(bodyBytes, n) {
		n = 0
	}
	q.lose(bodyBytes, len(body)-n)
	return body[:n]
}
