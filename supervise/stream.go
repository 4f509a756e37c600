package supervise

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// streamErrors keeps the last error event on a child's standard output. It is safe
// for concurrent use.
//
// AI agents write events if they have an argument such as --json or stream-json. An
// event is a JSON object on a line of its own. The field "type" names the kind of event.
type streamErrors struct {
	mu   sync.Mutex
	line []byte // the unfinished line
	long bool   // the unfinished line was dropped: it is too long, or no JSON object
	last string
}

// maxEvent limits the bytes of an event line. Longer lines are ignored. maxEventText
// limits how many bytes of an event's text Run uses. Run cuts the text after masking it:
// if the text were cut before, half of a secret could stay readable.
const (
	maxEvent     = 256 << 10
	maxEventText = 4 << 10
)

func (s *streamErrors) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	for {
		line, rest, ended := bytes.Cut(p, []byte{'\n'})
		if !s.long {
			s.line = append(s.line, line...)
			s.long = len(s.line) > maxEvent || len(s.line) > 0 && s.line[0] != '{' // not an event: keep nothing
		}
		if s.long {
			s.line = s.line[:0]
		}
		if !ended {
			return n, nil
		}
		s.read(s.line)
		s.line, s.long, p = s.line[:0], false, rest
	}
}

// text returns the text of the last error event. If a later event shows that the
// agent made progress, text returns "".
func (s *streamErrors) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read(s.line) // the last line may lack its line feed
	s.line = s.line[:0]
	return s.last
}

// read reads a line. It skips the parsing if the line cannot change s.last.
func (s *streamErrors) read(line []byte) {
	if len(line) == 0 || s.last == "" && !bytes.Contains(line, []byte("error")) && !bytes.Contains(line, []byte("failed")) {
		return
	}
	var e map[string]any
	if json.Unmarshal(line, &e) != nil {
		return
	}
	switch text, kind := readEvent(e); kind {
	case eventError:
		s.last = text
	case eventProgress:
		s.last = ""
	}
}

type eventKind int

const (
	eventOther eventKind = iota
	eventError
	eventProgress // the model has answered, so streamErrors forgets earlier errors
)

// failedTypes are the types of events that report an error of the agent. Tool errors
// have other types.
var failedTypes = []string{"error", "stream_error", "turn.failed", "turn_failed", "response.failed"}

// mixedTypes are the types of events that report either an error or progress.
var mixedTypes = []string{"assistant", "result", "message", "turn.completed", "item.completed"}

// readEvent returns the kind of an event. If the event is an error, it also returns
// the text.
func readEvent(e map[string]any) (text string, kind eventKind) {
	for _, name := range []string{"msg", "event", "item"} { // an event inside an envelope
		if inner, ok := e[name].(map[string]any); ok && slices.Contains(failedTypes, asString(inner["type"])) {
			e = inner
		}
	}
	typ := asString(e["type"])
	failed := slices.Contains(failedTypes, typ)
	mixed := slices.Contains(mixedTypes, typ)
	if mixed || typ == "system" {
		failed = e["is_error"] == true || e["status"] == "error" || describe(e["error"]) != ""
	}
	switch {
	case failed:
		return describe(e), eventError
	case mixed:
		return "", eventProgress
	}
	return "", eventOther
}

// describedFields are the fields of an event that go into the text, in this order.
var describedFields = []string{"error_status", "status", "status_code", "code", "type", "error", "message", "content", "text", "result", "errors"}

// describe returns a text for an error event, such as "HTTP 429: rate_limit_error:
// Slow down".
func describe(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if v >= 400 && v < 600 {
			return fmt.Sprintf("HTTP %d", int(v))
		}
	case []any:
		var all []string
		for _, one := range v {
			if text := describe(one); text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, "\n")
	case map[string]any:
		var all []string
		for _, name := range describedFields {
			text := describe(v[name])
			if name == "type" && (slices.Contains(failedTypes, text) || slices.Contains(mixedTypes, text) || text == "text" || text == "system") {
				continue
			}
			if text != "" {
				all = append(all, text)
			}
		}
		return strings.Join(all, ": ")
	}
	return ""
}

func asString(v any) string {
	s, _ := v.(string)
	return s
}

// asksForEvents reports whether the arguments make an agent write events.
func asksForEvents(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool {
		return arg == "--json" || arg == "--experimental-json" || strings.HasSuffix(arg, "stream-json")
	})
}
