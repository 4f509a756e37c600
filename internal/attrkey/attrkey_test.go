package attrkey_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/internal/attrkey"
)

func TestNames(t *testing.T) {
	t.Parallel()
	n := attrkey.Names{Category: "c", Reason: "r", Rule: "rule", Confidence: "p", Fingerprint: "id"}
	all := attrkey.All &^ attrkey.RetryAfter // RetryAfter has no key
	assert.Equal(t, attrkey.Category, n.Find("c"))
	assert.Equal(t, attrkey.Fingerprint, n.Find("id"))
	assert.Zero(t, n.Find("other"))
	assert.Zero(t, n.Find(""))
	assert.Equal(t, all, n.Distinct(attrkey.All))
	assert.Equal(t, attrkey.Both, n.Distinct(attrkey.Both))

	n.Reason, n.Fingerprint = "c", "p"
	assert.Equal(t, attrkey.Category, n.Find("c"))
	assert.Equal(t, attrkey.Confidence, n.Find("p"))
	assert.Equal(t, all&^(attrkey.Reason|attrkey.Fingerprint), n.Distinct(attrkey.All))
}

func TestMissing(t *testing.T) {
	t.Parallel()
	wanted := attrkey.Both | attrkey.Rule
	assert.Equal(t, wanted, wanted.Missing(0))
	assert.Equal(t, attrkey.Reason|attrkey.Rule, wanted.Missing(attrkey.Category|attrkey.Fingerprint))
	assert.Equal(t, attrkey.Both, wanted.Missing(attrkey.Rule))
	assert.Zero(t, wanted.Missing(attrkey.Both))
	one := attrkey.Category | attrkey.Rule // both have the same key
	assert.Zero(t, one.Missing(attrkey.Category))
}

func TestMilliseconds(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]int64{0: 0, 1: 1, time.Millisecond: 1, time.Millisecond + 1: 2, time.Hour: 3_600_000} {
		assert.Equal(t, want, attrkey.Milliseconds(d), "%v", d)
	}
}
