package corpus_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/classify/fingerprint"
	"github.com/errclass/errclass/corpus"
)

// Errors with different reasons have different fingerprints. There are two
// exceptions: texts that differ only in a quoted value, and equal texts with
// different labels.
func TestFingerprintsDiffer(t *testing.T) {
	entries, err := corpus.Read(corpus.Slices)
	require.NoError(t, err)
	groups := map[fingerprint.ID][]corpus.Entry{}
	for _, e := range entries {
		id := fingerprint.Sum(e.Message)
		groups[id] = append(groups[id], e)
	}
	mixed := 0
	for _, group := range groups {
		common := accepted(group[0])
		for _, e := range group[1:] {
			common = slices.DeleteFunc(common, func(r classify.Reason) bool { return !slices.Contains(accepted(e), r) })
		}
		if len(common) == 0 {
			mixed++
			_, template := fingerprint.Of(group[0].Message)
			t.Logf("%s, %s: %s", group[0].ID, group[len(group)-1].ID, template)
		}
	}
	t.Logf("%d messages, %d fingerprints, %d of them with several reasons", len(entries), len(groups), mixed)
	assert.Less(t, float64(mixed), 0.002*float64(len(groups)))
}

func accepted(e corpus.Entry) []classify.Reason {
	return append([]classify.Reason{e.Reason}, e.Accept...)
}
