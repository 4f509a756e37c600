package main

import (
	"io"
	"log/slog"
	"time"
)

// forPeople returns a handler that writes short lines of text.
func forPeople(w io.Writer) slog.Handler {
	return slog.NewTextHandler(w, &slog.HandlerOptions{ReplaceAttr: shorten})
}

func shorten(groups []string, a slog.Attr) slog.Attr {
	switch {
	case len(groups) > 0:
	case a.Key == slog.TimeKey && a.Value.Kind() == slog.KindTime:
		return slog.String("at", a.Value.Time().Format(time.TimeOnly))
	case a.Key == slog.LevelKey:
		return slog.String("level", a.Value.String()[:3])
	}
	return a
}
