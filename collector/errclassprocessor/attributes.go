package errclassprocessor

import (
	"math/bits"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/errclass/errclass/internal/evidence"
)

// keys is a set of the attributes that the processor adds.
type keys uint8

const (
	categoryKey keys = 1 << iota
	reasonKey
	ruleKey
	confidenceKey
	fingerprintKey

	bothKeys = categoryKey | reasonKey
)

// wanted returns the attributes to add.
func (c *Config) wanted() keys {
	wanted := bothKeys
	if c.AddRule {
		wanted |= ruleKey
	}
	if c.AddConfidence {
		wanted |= confidenceKey
	}
	if c.AddFingerprint {
		wanted |= fingerprintKey
	}
	return wanted
}

// key returns the attribute with this name, or 0.
func (k *KeysConfig) key(name string) keys {
	switch name {
	case k.Category:
		return categoryKey
	case k.Reason:
		return reasonKey
	case k.Rule:
		return ruleKey
	case k.Confidence:
		return confidenceKey
	case k.Fingerprint:
		return fingerprintKey
	}
	return 0
}

// attributes has the evidence that the processor reads from the attributes of one
// span, event or log record.
type attributes struct {
	evidence.Facts
	has              keys // the attributes that are there already
	category, reason string

	texts   [evidence.MaxTexts]string // of errors, in the order in which they were found
	nTexts  int
	members int // of the maps visited
}

// read reads the evidence in m. The strings are not copied, so they are valid as
// long as m.
func (a *attributes) read(k *KeysConfig, m pcommon.Map) {
	for name, v := range m.All() {
		if key := k.key(name); key != 0 {
			a.has |= key
			switch key {
			case categoryKey:
				a.category = v.Str()
			case reasonKey:
				a.reason = v.Str()
			}
			continue
		}
		field := evidence.FieldOf(name)
		switch v.Type() {
		case pcommon.ValueTypeMap:
			a.addTexts(v.Map(), 1)
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

// addTexts adds the texts of errors in a map. Log bridges write an error as a map
// if it was logged as a group or inside a group.
func (a *attributes) addTexts(m pcommon.Map, depth int) {
	if depth > evidence.MaxDepth || a.nTexts == len(a.texts) {
		return
	}
	if a.members += m.Len(); a.members > evidence.MaxMembers {
		return // a.members keeps its value, so all later maps are skipped too
	}
	for name, v := range m.All() {
		switch v.Type() {
		case pcommon.ValueTypeMap:
			a.addTexts(v.Map(), depth+1)
		case pcommon.ValueTypeStr:
			if evidence.FieldOf(name) == evidence.Text {
				a.addText(v.Str())
			}
		}
	}
}

// missing returns the attributes to add. If both category and reason exist already,
// it returns none. The other attributes would then describe another classification.
func (p *errclassProcessor) missing(a *attributes) keys {
	if a.has&bothKeys == bothKeys {
		return 0
	}
	return p.wanted &^ a.has
}

// write adds the missing attributes to m.
func (p *errclassProcessor) write(m pcommon.Map, missing keys, d *evidence.Decision) {
	k := &p.cfg.Keys
	m.EnsureCapacity(m.Len() + bits.OnesCount8(uint8(missing)))
	if missing&categoryKey != 0 {
		m.PutStr(k.Category, string(d.Category))
	}
	if missing&reasonKey != 0 {
		m.PutStr(k.Reason, string(d.Reason))
	}
	if missing&ruleKey != 0 && d.Rule != "" {
		m.PutStr(k.Rule, d.Rule)
	}
	if missing&confidenceKey != 0 && d.Confidence != 0 {
		m.PutDouble(k.Confidence, d.Confidence)
	}
	if missing&fingerprintKey != 0 {
		if f := d.Fingerprint(); f != "" {
			m.PutStr(k.Fingerprint, f)
		}
	}
}

// hasException reports whether one of the first attributes belongs to an exception.
func hasException(m pcommon.Map) bool {
	left := evidence.MaxAttributes
	for name := range m.All() {
		if evidence.FieldOf(name).IsException() {
			return true
		}
		if left--; left == 0 {
			break
		}
	}
	return false
}
