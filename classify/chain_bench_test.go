package classify

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/errclass/errclass/classify/internal/collect"
	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// These errors are typical for ordinary programs.
var (
	errPlain   = errors.New("the cache is cold")
	errWrapped = fmt.Errorf("render: %w", fmt.Errorf("load: %w", fmt.Errorf("parse: %w", errPlain)))
	errJoined  = errors.Join(errPlain, errWrapped)
	errOwn     = fmt.Errorf("call: %w", context.DeadlineExceeded)
)

// TestChainAllocs checks that reading errors made by errors.New, fmt.Errorf and
// errors.Join allocates nothing.
func TestChainAllocs(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"plain", errPlain},
		{"wrapped three times", errWrapped},
		{"deadline", errOwn},
		{"joined, but for its text", joinedSilent{errJoined}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set := Standard.rules()
			got := testing.AllocsPerRun(100, func() {
				q := collect.Inquiry{Seen: Standard.seen, Now: Standard.clock(), Set: set}
				q.Budget.Open(DefaultMaxBytes)
				_ = chain.ReadChain(&q, tt.err, nil)
			})
			assert.Zero(t, got)
			got = testing.AllocsPerRun(100, func() {
				q := collect.Inquiry{Seen: Standard.seen, Now: Standard.clock(), Set: set}
				q.Budget.Open(DefaultMaxBytes)
				_ = chain.ReadChain(&q, tt.err, context.Canceled)
			})
			assert.Zero(t, got, "with a cause")
		})
	}
}

// joinedSilent wraps a joined error. Its Error method allocates nothing.
type joinedSilent struct{ error }

func (joinedSilent) Error() string   { return "several" }
func (j joinedSilent) Unwrap() error { return j.error }

func BenchmarkChain(b *testing.B) {
	for _, bb := range []struct {
		name string
		err  error
	}{
		{"plain", errPlain}, {"wrapped", errWrapped}, {"deadline", errOwn}, {"joined", joinedSilent{errJoined}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			set := Standard.rules()
			b.ReportAllocs()
			for b.Loop() {
				q := collect.Inquiry{Seen: Standard.seen, Now: Standard.clock(), Set: set}
				q.Budget.Open(DefaultMaxBytes)
				_ = chain.ReadChain(&q, bb.err, nil)
			}
		})
	}
}
