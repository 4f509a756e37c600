package slogclass_test

import (
	"errors"
	"log/slog"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/slogclass"
)

func TestHandlerConcurrentSafe(t *testing.T) {
	t.Parallel()
	out := &output{}
	root := slog.New(slogclass.New(jsonHandler(out), slogclass.WithClassifier(testClassifier)))
	loggers := []*slog.Logger{
		root,
		root.With("a", 1),
		root.WithGroup("g").With("a", 1),
		root.With("a", 1).WithGroup("g").With("b", 2).WithGroup("h"),
	}
	wants := map[string]string{"alpha": alpha, "beta": beta, "gamma": gamma, "delta": delta, "other": unknown}
	const goroutines, rounds = 8, 20
	var wg sync.WaitGroup
	start := make(chan struct{})
	for range goroutines {
		wg.Go(func() {
			<-start
			for range rounds {
				for _, l := range loggers {
					for word := range wants {
						l.Error(word, "err", errors.New(word))
						l.With("c", 3).Error(word)
						l.WithGroup("i").Error(word, "d", 4)
						l.Info(word)
					}
				}
			}
		})
	}
	close(start)
	wg.Wait()
	lines := out.lines(t)
	require.Len(t, lines, goroutines*rounds*len(loggers)*len(wants)*4)
	for _, line := range lines {
		if line["level"] == "INFO" {
			assert.Equal(t, nothing, classified(line))
			continue
		}
		assert.Equal(t, wants[line["msg"].(string)], classified(line))
	}
}
