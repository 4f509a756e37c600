package outcome_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/outcome"
)

func TestOf(t *testing.T) {
	t.Parallel()
	all := []classify.Signal{
		{Rule: "deadline", Reason: classify.ReasonTimeout, Strength: "fact", Decided: true},
		{Rule: "cause", Reason: classify.ReasonPolicy, Strength: "cause", BeatenBy: "deadline"},
		{Rule: "code", Reason: classify.ReasonTransient, Strength: "code", BeatenBy: "phrase"},
		{Rule: "phrase", Reason: classify.ReasonNetwork, Strength: "phrase", BeatenBy: "deadline"},
		{Rule: "errno", Reason: classify.ReasonNetwork, Strength: "fact", BeatenBy: "deadline"},
		{Rule: "second", Reason: classify.ReasonTimeout, Strength: "fact", BeatenBy: "renamed"},
		{Rule: "word", Reason: classify.ReasonNetwork, Strength: "word", BeatenBy: classify.RuleModel},
		{Rule: "vetoed", Reason: classify.ReasonRateLimit, Strength: "phrase", VetoedBy: "hint"},
		{Rule: "hint"},
		{Rule: "wait"},
	}
	for i, want := range []string{
		"decided",
		"beaten by deadline: fact before cause",
		"beaten by phrase: a wrapper, or an earlier attempt",
		"beaten by deadline: fact before phrase",
		"beaten by deadline: timeout before network",
		"beaten by renamed: it comes first",
		"beaten by the model",
		"ruled out by hint",
		"rules out vetoed",
		"has no reason of its own",
	} {
		assert.Equal(t, want, outcome.Of(all[i], all), all[i].Rule)
	}
}
