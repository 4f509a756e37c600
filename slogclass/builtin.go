package slogclass

import (
	"context"
	"log/slog"
	"os"
	"reflect"
	"sort"
)

// replaceBuiltin returns h. If h is slog's initial handler, it returns a
// TextHandler on standard error instead. See the package documentation.
func replaceBuiltin(h slog.Handler) slog.Handler {
	if !isBuiltin(h) {
		return h
	}
	return slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: lowestEnabled(h)})
}

// isBuiltin reports whether h is slog's initial handler. It compares the name of
// the type, because the type is not exported. A comparison with slog.Default()
// would fail after slog.SetDefault.
func isBuiltin(h slog.Handler) bool {
	t := reflect.TypeOf(h)
	return t.Kind() == reflect.Pointer && t.Elem().PkgPath() == "log/slog" && t.Elem().Name() == "defaultHandler"
}

// lowestEnabled returns the lowest enabled level. It tries levels, because the
// level of slog.SetLogLoggerLevel cannot be read without changing it.
func lowestEnabled(h slog.Handler) slog.Level {
	const lowest, highest = -1 << 15, 1 << 15
	n := sort.Search(highest-lowest, func(i int) bool {
		return h.Enabled(context.Background(), slog.Level(lowest+i))
	})
	return slog.Level(lowest + n)
}
