package errclassprocessor

import (
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/errclass/errclass/internal/attrkey"
	"github.com/errclass/errclass/internal/evidence"
)

// wanted returns the set of attributes that the configuration tells the processor to
// add.
func (c *Config) wanted() attrkey.Set {
	wanted := attrkey.Both
	if c.AddRule {
		wanted |= attrkey.Rule
	}
	if c.AddConfidence {
		wanted |= attrkey.Confidence
	}
	if c.AddFingerprint {
		wanted |= attrkey.Fingerprint
	}
	return wanted
}

// attributes has what the processor reads from the attributes of one span, event or
// log record.
type attributes struct {
	evidence.Facts
	has              attrkey.Set // attributes of this processor that are set already
	category, reason string

	texts   [evidence.MaxTexts]string // texts of errors, in the order in which they were found
	nTexts  int
	members int // members of the maps and lists visited
}

// read adds the attributes in m to a. The strings in a are valid only while m is valid.
func (a *attributes) read(names *attrkey.Names, m pcommon.Map) {
	for name, v := range m.All() {
		if key := names.Find(name); key != 0 {
			a.has |= key
			switch key {
			case attrkey.Category:
				a.category = v.Str()
			case attrkey.Reason:
				a.reason = v.Str()
			}
			continue
		}
		field := evidence.FieldOf(name)
		switch v.Type() {
		case pcommon.ValueTypeMap:
			a.addTexts(v.Map(), 1, field == evidence.Text)
		case pcommon.ValueTypeSlice:
			if field != evidence.None {
				a.SetText(field, "")
			}
			a.addItems(v.Slice(), 1, field == evidence.Text)
		case pcommon.ValueTypeInt:
			if field != evidence.None {
				a.SetInt(field, v.Int())
			}
		case pcommon.ValueTypeStr:
			if field == evidence.Text {
				a.addText(v.Str())
			} else if field != evidence.None {
				a.SetText(field, v.Str())
			}
		default:
			if field != evidence.None {
				a.SetText(field, "")
			}
		}
	}
}

func (a *attributes) addText(text string) {
	if text != "" && a.nTexts < len(a.texts) {
		a.texts[a.nTexts] = text
		a.nTexts++
	}
}

// addTexts adds the error texts in the map m to a. inError is true if m itself is an
// error.
func (a *attributes) addTexts(m pcommon.Map, depth int, inError bool) {
	if !a.mayVisit(m.Len(), depth) {
		return
	}
	for name, v := range m.All() {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			a.addTexts(v.Map(), depth+1, evidence.FieldOf(name) == evidence.Text)
		case pcommon.ValueTypeSlice:
			a.addItems(v.Slice(), depth+1, evidence.FieldOf(name) == evidence.Text)
		case pcommon.ValueTypeStr:
			if evidence.IsErrorText(name, inError) {
				a.addText(v.Str())
			}
		}
	}
}

// addItems adds the error texts in a list. inError is true if the items are errors.
func (a *attributes) addItems(s pcommon.Slice, depth int, inError bool) {
	if !a.mayVisit(s.Len(), depth) {
		return
	}
	for _, v := range s.All() {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			a.addTexts(v.Map(), depth+1, inError)
		case pcommon.ValueTypeStr:
			if inError {
				a.addText(v.Str())
			}
		}
	}
}

// mayVisit counts the n members of a map or a list. If a limit is reached, it
// returns false.
func (a *attributes) mayVisit(n, depth int) bool {
	if depth > evidence.MaxDepth || a.nTexts == len(a.texts) {
		return false
	}
	a.members += n // never decreases, so all later maps and lists are skipped too
	return a.members <= evidence.MaxMembers
}

// write adds the missing attributes to m.
func (p *errclassProcessor) write(m pcommon.Map, missing attrkey.Set, d *evidence.Decision) {
	k := &p.names
	m.EnsureCapacity(m.Len() + bits.OnesCount8(uint8(missing)))
	if missing&attrkey.Category != 0 {
		m.PutStr(k.Category, string(d.Category))
	}
	if missing&attrkey.Reason != 0 {
		m.PutStr(k.Reason, string(d.Reason))
	}
	if missing&attrkey.Rule != 0 && d.Rule != "" {
		m.PutStr(k.Rule, d.Rule)
	}
	if missing&attrkey.Confidence != 0 && d.Confidence != 0 {
		m.PutDouble(k.Confidence, d.Confidence)
	}
	if missing&attrkey.Fingerprint != 0 {
		if f := d.Fingerprint(); f != "" {
			m.PutStr(k.Fingerprint, f)
		}
	}
}

// hasException reports whether an attribute belongs to an exception. It reads only
// the first MaxAttributes attributes.
func hasException(m pcommon.Map) bool {
	left := evidence.MaxAttributes
	for name := range m.All() {
		if evidence.IsException(name) {
			return true
		}
		if left--; left == 0 {
			break
		}
	}
	return false
}
