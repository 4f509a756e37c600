package slogclass

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"sort"
)

// replaceBuiltin returns a TextHandler if h is slog's initial handler. Otherwise it
// returns h.
func replaceBuiltin(h slog.Handler) slog.Handler {
	if !isBuiltin(h) {
		return h
	}
	return slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: lowestEnabled(h)})
}

// isBuiltin reports whether h is slog's initial handler. It compares the name of the
// type, because the type is not exported.
func isBuiltin(h slog.Handler) bool {
	t := reflect.TypeOf(h)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "log/slog" && t.Elem().Name() == "defaultHandler"
}

// lowestEnabled returns the lowest level that h has enabled. It uses binary search.
func lowestEnabled(h slog.Handler) slog.Level {
	const lowest, highest = -1 << 15, 1 << 15
	n := sort.Search(highest-lowest, func(i int) bool {
		return h.Enabled(context.Background(), slog.Level(lowest+i))
	})
	return slog.Level(lowest + n)
}
