package classify_test

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
)

// withRule returns a classifier with one user rule.
func withRule(t testing.TB, id, pattern string, reason classify.Reason) *classify.Classifier {
	t.Helper()
	c, err := classify.New(classify.WithRules(classify.Rule{ID: id, Pattern: pattern, Reason: reason}))
	require.NoError(t, err)
	return c
}

// Every method must use the latest rules, even for a cached text.
func TestSwitchable(t *testing.T) {
	t.Parallel()
	const text = "shard 7 is moving"
	c, set := classify.Switchable(nil)
	answers := func(reason classify.Reason, rule string) {
		t.Helper()
		for range 2 { // the second result comes from the cache
			for _, got := range []classify.Result{
				c.Message(text), c.Error(errors.New(text)), c.Explain(classify.Evidence{Message: text}).Result,
				c.Classify(classify.Evidence{Message: text, Provider: "acme"}), c.Classify(classify.Evidence{Err: errors.New(text), Status: 400}),
			} {
				assert.Equal(t, reason, got.Reason)
				assert.Equal(t, rule, got.Rule)
			}
		}
	}
	set(withRule(t, "moving", "is moving", classify.ReasonTransient))
	answers(classify.ReasonTransient, "moving")
	assert.Equal(t, "moving", c.Rules()[0].ID)

	set(withRule(t, "moved", "shard . is", classify.ReasonResource))
	answers(classify.ReasonResource, "moved")
	assert.Equal(t, "moved", c.Rules()[0].ID)

	other, setOther := classify.Switchable(classify.Minimal)
	setOther(withRule(t, "other", "moving", classify.ReasonLogic))
	set(other)
	answers(classify.ReasonLogic, "other")
	setOther(classify.None)
	answers(classify.ReasonLogic, "other") // the current rules, not the other classifier
}

func TestSwitchableToItself(t *testing.T) {
	t.Parallel()
	c, set := classify.Switchable(classify.Minimal)
	set(c)
	set(nil)
	set(new(classify.Classifier))
	assert.Equal(t, "000/429", c.Message("429").Rule)
	assert.Equal(t, "000/default", c.Message("").Rule)
	assert.Zero(t, c.Error(nil))
	fallback, _ := classify.Switchable(new(classify.Classifier))
	assert.Equal(t, classify.Message("HTTP 429"), fallback.Message("HTTP 429"))
}

func TestNewTakesTheRulesOfTheMoment(t *testing.T) {
	t.Parallel()
	base, set := classify.Switchable(withRule(t, "before", "moving", classify.ReasonTransient))
	c, err := classify.New(classify.WithBase(base))
	require.NoError(t, err)
	set(withRule(t, "after", "moving", classify.ReasonResource))
	assert.Equal(t, "before", c.Message("moving").Rule)
	assert.Equal(t, "after", base.Message("moving").Rule)
}

// During a change, a result must not come from both the old and the new rules.
func TestSwitchableConcurrentSafe(t *testing.T) {
	t.Parallel()
	sets := []*classify.Classifier{
		withRule(t, "a", "moving", classify.ReasonTransient), withRule(t, "b", "moving", classify.ReasonResource),
	}
	want := map[string]classify.Reason{"a": classify.ReasonTransient, "b": classify.ReasonResource}
	c, set := classify.Switchable(sets[0])
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 200 {
				got := c.Message("moving " + strconv.Itoa(i%3))
				assert.Equal(t, want[got.Rule], got.Reason)
			}
		})
	}
	wg.Go(func() {
		for i := range 200 {
			set(sets[i%2])
		}
	})
	wg.Wait()
}

func ExampleSwitchable() {
	c, set := classify.Switchable(classify.Standard)
	fmt.Println(c.Message("till 7: E-4711").Reason)

	rules, err := classify.New(classify.WithRules(classify.Rule{ID: "shop/till", Pattern: "E-4711", Reason: classify.ReasonTransient}))
	if err != nil {
		fmt.Println(err)
		return
	}
	set(rules)
	fmt.Println(c.Message("till 7: E-4711").Reason)
	// Output:
	// unknown
	// transient
}

func BenchmarkSwitchable(b *testing.B) {
	c, _ := classify.Switchable(classify.Standard)
	for name, c := range map[string]*classify.Classifier{"fixed": classify.Standard, "switchable": c} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Message("HTTP 429")
			}
		})
	}
}
