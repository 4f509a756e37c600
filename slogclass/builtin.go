package slogclass

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"sort"
)

// replaceBuiltin returns h, or a TextHandler on standard error where h is the
// handler that slog starts with. See the package documentation.
func replaceBuiltin(h slog.Handler) slog.Handler {
	if !isBuiltin(h) {
		return h
	}
	return slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: lowestEnabled(h)})
}

// isBuiltin recognises the handler by the name of its type, which is not
// exported. Comparing with slog.Default() would fail in a program that has
// called slog.SetDefault before this package is first used.
func isBuiltin(h slog.Handler) bool {
	t := reflect.TypeOf(h)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "log/slog" && t.Elem().Name() == "defaultHandler"
}

// lowestEnabled finds the level of a handler that does not tell it: slog has no
// way to read what slog.SetLogLoggerLevel has set without changing it.
func lowestEnabled(h slog.Handler) slog.Level {
	const lowest, highest = -1 << 15, 1 << 15
	n := sort.Search(highest-lowest, func(i int) bool {
		return h.Enabled(context.Background(), slog.Level(lowest+i))
	})
	return slog.Level(lowest + n)
}
