package collect

import "math"

// DefaultMaxBytes is the default of classify.WithMaxBytes.
const DefaultMaxBytes = 64 << 10

// resource is a kind of evidence that a [Budget] limits.
type resource uint8

// These are the values of resource.
const (
	textBytes    resource = iota // bytes of text that the rules read
	BodyBytes                    // bytes of responses' bodies
	DecodedBytes                 // estimated bytes that decoding JSON bodies allocates
	ChainErrors                  // errors of the chain
	ChainTexts                   // bytes of the texts that errors of the chain return
	HeaderNames                  // names of headers that are compared
	HeaderValues                 // values of headers that are parsed
	TextWaits                    // waiting times that texts name
	resources
)

// resourceNames are the values of [Omission.Unit].
var resourceNames = [resources]string{
	"bytes of text", "bytes of bodies", "bytes of bodies as JSON", "errors", "texts of errors", "header names", "header values", "waits",
}

// These limits keep one classification below 10 ms and 4 MB.
const (
	MaxNodes       = 256      // errors of a chain
	MaxBody        = 64 << 10 // bytes of a body
	shareOfBodies  = MaxBody
	shareOfJSON    = 1 << 20
	MostNames      = 4096
	MostValues     = 1024
	mostChainTexts = 256 << 10
	mostWaits      = 256
	// shortest is a minimum in bytes. If the budget covers only a smaller part of a
	// text, nothing of this text is read.
	shortest = 1 << 10
)

// Budget limits how much more one classification may read. Before evidence is read, the
// amount to read is subtracted from the budget. If too little is left, the evidence is
// skipped.
//
// Each part of the evidence, such as a response, has a share. The share is an amount that
// is added to the budget before the part is read. If the part does not use all of its
// share, the rest remains for later parts.
type Budget struct {
	Left    [resources]int
	Limit   int         // the most bytes that are read of one text; 0 = no limit
	LeftOut *[]Omission // for Explain only; else nil
}

// Open sets b to the budget of a classification with this limit for each text. It
// sets single fields to avoid copying the struct.
func (b *Budget) Open(limit int) {
	b.Limit = limit
	b.Left[ChainErrors] = MaxNodes
	b.Left[ChainTexts] = mostChainTexts
	b.Left[HeaderNames] = MostNames
	b.Left[HeaderValues] = MostValues
	b.Left[TextWaits] = mostWaits
}

// NewBudget returns the budget of a classification that reads at most limit bytes
// of each text.
func NewBudget(limit int) (b Budget) {
	b.Open(limit)
	return b
}

// ShareNames adds DefaultMaxBytes to the budget for text. Call it before a type
// name, a code or a response is read.
func (b *Budget) ShareNames() { b.Left[textBytes] += DefaultMaxBytes }

// ShareChain adds to the budget the amounts that the errors of a chain may use for their
// texts and response bodies. Call it before the chain is read.
func (b *Budget) ShareChain() {
	b.Left[textBytes] += min(max(DefaultMaxBytes, b.Limit), math.MaxInt/int(resources))
	b.ShareBody()
}

// ShareText adds Limit to the budget for text. Call it before each text of the
// evidence is read.
func (b *Budget) ShareText() {
	share := b.Limit
	if share == 0 {
		share = math.MaxInt
	}
	b.Left[textBytes] += min(share, math.MaxInt/int(resources)) // so that the sum of all shares does not overflow
}

// ShareBody adds to the budget the amounts for reading a response body and for decoding
// the body as JSON.
func (b *Budget) ShareBody() {
	b.Left[BodyBytes] += shareOfBodies
	b.Left[DecodedBytes] += shareOfJSON
}

// Spend subtracts n from the budget for r and returns true. If less than n is left,
// it subtracts nothing and returns false.
func (b *Budget) Spend(r resource, n int) bool {
	if n > b.Left[r] {
		return false
	}
	b.Left[r] -= n
	return true
}

// Lose records, for Explain, that n units of the resource r were not read.
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

// Omission is an amount of evidence that was not read. See classify.Omission.
type Omission struct {
	Source, Unit string
	Amount       int
}

// Cut returns those parts of a text that are to be read. If the text is short enough,
// head is the whole text. Otherwise head is the beginning and tail the end. If too
// little of the budget is left, head and tail are empty. Each cut is at a space if one
// is near. Nothing is copied.
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
	head, tail = text[:half], text[len(text)-(n-half):] // if n is odd, the tail is one byte longer
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

// maxWord is the distance, in bytes, within which [Cut] looks for a space.
const maxWord = 48

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' }

// BodyOf returns the first [MaxBody] bytes of a response's body. If the budget does not
// suffice for these bytes, BodyOf returns no byte. Nothing is copied.
func BodyOf[T string | []byte](q *Inquiry, body T) T {
	n := min(len(body), MaxBody)
	if !q.Budget.Spend(BodyBytes, n) {
		n = 0
	}
	q.Lose(BodyBytes, len(body)-n)
	return body[:n]
}
