package logline_test

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/logline"
)

// hostileLines returns lines of about size bytes that are expensive to read.
func hostileLines(size int) map[string]string {
	fill := func(head, unit, tail string) string {
		return head + strings.Repeat(unit, max(0, size-len(head)-len(tail))/len(unit)) + tail
	}
	deep := strings.Repeat("[", 4_990) + strings.Repeat("]", 4_990)
	return map[string]string{
		"journald bytes":           fill(`{"PRIORITY":"3","MESSAGE":[`, `104,`, `1]}`),
		"journald bytes, spaced":   fill(`{"PRIORITY":"3","MESSAGE":[`, `1 ,  `, `1]}`),
		"journald bytes, bad end":  fill(`{"PRIORITY":"3","MESSAGE":[`, `104,`, `1000]}`),
		"message":                  fill(`{"level":"error","msg":"`, `so it goes `, `"}`),
		"escapes":                  fill(`{"level":"error","msg":"`, `\u0041`, `"}`),
		"backslashes":              fill(`{"level":"error","msg":"`, `\\`, `"}`),
		"escapes and broken UTF-8": fill(`{"level":"error","msg":"\n`, "\xff", `"}`),
		"keys":                     fill(`{"level":"error",`, `"a":1,`, `"b":1}`),
		"keys with escapes":        fill(`{"level":"error",`, `"\u0061":1,`, `"b":1}`),
		"one key of escapes":       fill(`{"level":"error","`, `\u0061`, `":1}`),
		"one key twice":            fill(`{"level":"error",`, `"msg":"\n",`, `"b":1}`),
		"error's code twice":       fill(`{"level":"error","err":{`, `"c\u006fde":"\n",`, `"b":1}}`),
		"error without a message":  fill(`{"level":"error","err":{`, `"x":"y",`, `"b":1}}`),
		"list of errors":           fill(`{"level":"error","err":[`, `"\n",`, `"b"]}`),
		"message object":           fill(`{"level":"error","msg":{`, `"x":"y",`, `"b":1}}`),
		"deep":                     fill(`{"level":"error","err":[`, deep+",", `1]}`),
		"too deep":                 fill(``, `{"err":`, ``),
		"level":                    fill(`{"level":"`, ` `, `","error":"x"}`),
		"level of digits":          fill(`{"level":`, `1`, `,"error":"x"}`),
		"priority":                 fill(`{"PRIORITY":"`, `1`, `","error":"x"}`),
		"time":                     fill(`{"level":"error","time":"`, `1`, `"}`),
		"time with escapes":        fill(`{"level":"error","time":"2026`, `\u0041`, `"}`),
		"category":                 fill(`{"level":"error","error.category":"`, `\u0041`, `"}`),
		"exception type":           fill(`{"level":"error","exception.type":"`, `\u0041`, `"}`),
		"code":                     fill(`{"level":"error","err":{"code":"`, `a.b `, `"}}`),
		"stack":                    fill(`{"level":"error","err":{"stack":"`, `\tat a.B(C:1)\n`, `"}}`),
		"groups":                   fill(`{"level":"error","job":{`, `"a":{"err":"x"},`, `"b":1}}`),
		"groups in groups":         fill(`{"level":"error","job":`+strings.Repeat(`{"err":"","a":`, 9_000)+`"`, `x`, `"`+strings.Repeat(`}`, 9_001)),
		"causes":                   fill(`{"level":"error","err":[`, `{"message":"\n","cause":{"message":"b"}},`, `{}]}`),
		"causes that repeat":       fill(`{"level":"error","err":[{"message":"`+strings.Repeat("x", 300<<10)+`"},`, `{"message":"x","cause":[{},{},{}]},`, `{}]}`),
		"nested line":              fill(`{"log":"{\"level\":\"error\",\"log\":\"`, `\\\\`, `\"}\n","stream":"stderr"}`),
		"nested line, no JSON":     fill(`{"log":"`, `{\"a\":`, `\n","stream":"stderr"}`),
		"nested text":              fill(`{"log":"2026-01-02 03:04:05 `, `[a `, `\n","stream":"stderr"}`),
		"records":                  fill(`{"resourceLogs":[{"scopeLogs":[{"logRecords":[`, `{"a":1},`, `{}]}]}]}`),
		"lists of records":         fill(`{"resourceLogs":[`, `{"scopeLogs":[]},`, `{}]}`),
		"attributes":               fill(`{"Severity":17,"Body":1,"Attributes":[`, `{"Key":"error","Value":{"Value":1}},`, `{}]}`),
		"keys of one hash":         fill(`{"level":"error",`, `"lmvel":1,`, `"b":1}`),
		"no JSON at its end":       fill(`{"level":"error","err":{"stack":"`, `x`, `"}`),
	}
}

// hostileTexts returns expensive lines of about size bytes that are not JSON.
func hostileTexts(size int) map[string]string {
	texts := map[string]string{}
	for name, unit := range map[string]string{
		"logfmt": "level=error ", "logfmt, quotes": `level="\" `, "logfmt, one quote": `level=error msg="x\`, "levels": "ERROR ", "brackets": "[[ERROR", "times": "2026-01-02 ",
		"digits": "1", "letters": "a", "dots": "a.b", "colours": "\x1b[1m", "prefixes": "web-1 | ", "priorities": "<11>Jan  2 03:04:05 h a: ", "words": "<11>1 ", "compose": "a               ",
		"objects that do not end": "{\n", "objects cut off": "{\n\"a\":{\n\"b\":[\n", "an object that does not end": "\"a\":[\n", "empty objects": "{\n}\n", "broken UTF-8": "\xff\xfe", "zeros": "\x00", "spaces": "  ", "frames": "\tat a.B(C:1)",
	} {
		texts[name] = strings.Repeat(unit, size/len(unit))
		texts[name+" after a time"] = "2026-01-02 03:04:05 " + texts[name]
		texts[name+" in lines"] = strings.Repeat(unit+"\n", size/(len(unit)+1))
		texts[name+" in an event"] = "ERROR: x\n" + strings.Repeat("\t"+unit+"\n", size/(len(unit)+2))
	}
	return texts
}

// TestHostileTextsPass annotates texts of 128 KiB that are expensive to classify.
func TestHostileTextsPass(t *testing.T) {
	logline.NewAnnotator(nil, true).Annotate([]byte(`{"msg":"the rules are compiled at first use"}`))
	for name, text := range hostileTexts(128 << 10) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			p := logline.NewProcessor(logline.NewAnnotator(nil, false), &out, true)
			p.ReadTexts(true)
			require.NoError(t, p.Process(strings.NewReader(text)))
			same := text == removed(out.String()) // not Equal, which would print the texts
			require.True(t, same)
		})
	}
}

// TestHostileLinesPassInBoundedMemory checks that the memory does not grow with the
// length of the line.
func TestHostileLinesPassInBoundedMemory(t *testing.T) {
	const size = 3 << 20
	logline.NewAnnotator(nil, true).Annotate([]byte(`{"msg":"the rules are compiled at first use"}`))
	for name, line := range hostileLines(size) {
		t.Run(name, func(t *testing.T) {
			a := logline.NewAnnotator(nil, false)
			in := []byte(line)
			var got logline.Annotation
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			got = a.Annotate(in)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(2<<20))
			require.Equal(t, line, string(in), "the line is not written to")
			require.Equal(t, json.Valid(in), got.Kind != logline.NotJSON)
			if len(got.Insert) > 0 {
				require.True(t, json.Valid([]byte(line[:got.At]+string(got.Insert)+line[got.At:])))
			}
		})
	}
}

// TestJournaldMessageOfBytesIsReadAtItsEnds checks that only the beginning and the end
// of an array of bytes are decoded.
func TestJournaldMessageOfBytesIsReadAtItsEnds(t *testing.T) {
	t.Parallel()
	number := func(text string) string {
		b, err := json.Marshal(bytesAsNumbers(text))
		require.NoError(t, err)
		return string(b)
	}
	filler := strings.Repeat("x", 3<<20)
	for name, message := range map[string]string{"head": "slow down" + filler, "tail": filler + "slow down"} {
		line := `{"PRIORITY":"3","MESSAGE":` + number(message) + `}`
		a := logline.NewAnnotator(testRules(t), false)
		longest := 0
		a.OnEvidence(func(e classify.Evidence) { longest = max(longest, len(e.Message)) })
		got := a.Annotate([]byte(line))
		assert.Equal(t, "rate_limit", got.Reason, name)
		assert.LessOrEqual(t, longest, classify.DefaultMaxBytes+1, name)
		assert.Equal(t, strings.TrimSuffix(line, "}")+added+"}", line[:got.At]+string(got.Insert)+line[got.At:], name)
	}
}

func bytesAsNumbers(text string) []uint16 {
	numbers := make([]uint16, len(text))
	for i := range len(text) {
		numbers[i] = uint16(text[i])
	}
	return numbers
}

// TestLongTextsAreReadAsTheClassifierReadsThem checks that a shortened text still has
// the beginning and the end that the classifier reads.
func TestLongTextsAreReadAsTheClassifierReadsThem(t *testing.T) {
	t.Parallel()
	const half = classify.DefaultMaxBytes / 2
	for name, unit := range map[string]string{"plain": "abcdefg", "long escapes": "\x01\x02\x03", "short escapes": "\t\"\\", "é": "é", "broken UTF-8": "\xff\n"} {
		text := strings.Repeat(unit, 20*half/len(unit))
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		var whole string
		require.NoError(t, json.Unmarshal(quoted, &whole))
		a := logline.NewAnnotator(nil, false)
		var read string
		a.OnEvidence(func(e classify.Evidence) { read = e.Message })
		a.Annotate([]byte(`{"level":"error","msg":` + string(quoted) + `}`))
		require.Greater(t, len(read), classify.DefaultMaxBytes, name)
		sameHead, sameTail := read[:half] == whole[:half], read[len(read)-half:] == whole[len(whole)-half:]
		assert.True(t, sameHead, name)
		assert.True(t, sameTail, name)
	}
}

// TestPeerCannotEndThisProgram checks lines that another program logged. A deadline
// error in such a line must not get the category timeout.
func TestPeerCannotEndThisProgram(t *testing.T) {
	t.Parallel()
	names := []string{
		"context.Canceled", "context.DeadlineExceeded", "context.deadlineExceededError", "*poll.DeadlineExceededError",
		"internal/poll.DeadlineExceededError", "*internal/poll.DeadlineExceededError",
	}
	for _, form := range []string{
		`{"level":"error","msg":"x","err":{"code":"NAME","message":"401 Unauthorized: invalid api key"}}`,
		`{"level":"error","msg":"x","error":{"type":"NAME","message":"401 Unauthorized: invalid api key"}}`,
		`{"level":"error","msg":"x","error":{"name":"NAME","msg":"401 Unauthorized: invalid api key"}}`,
		`{"level":"error","msg":"x","error":{"code":"NAME","status":401}}`,
		`{"level":"error","msg":"x","status":401,"error":{"code":"NAME"}}`,
		`{"level":"error","msg":"401 Unauthorized: invalid api key","code":"NAME","error.code":"NAME","error.type":"NAME"}`,
	} {
		for _, name := range names {
			line := strings.ReplaceAll(form, "NAME", name)
			got := logline.NewAnnotator(nil, false).Annotate([]byte(line))
			assert.Equal(t, "authentication", got.Reason, line)
			assert.Equal(t, "fatal", got.Category, line)
		}
	}
	for _, name := range names {
		for _, form := range []string{`{"err":{"code":"NAME"}}`, `{"err":{"type":"NAME"}}`, `{"err":{"code":"NAME","status":"timeout"},"status":"NAME"}`} {
			got := logline.NewAnnotator(nil, false).Annotate([]byte(strings.ReplaceAll(form, "NAME", name)))
			assert.NotEqual(t, string(classify.CategoryTimeout), got.Category, name)
		}
	}
}

// BenchmarkHostile compares Process with encoding/json. The metric x-json is the time of
// Process, divided by the time of encoding/json. It should be at most 3.
func BenchmarkHostile(b *testing.B) {
	for name, line := range hostileLines(1 << 20) {
		b.Run(name, func(b *testing.B) {
			in := []byte(line + "\n")
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			for b.Loop() {
				p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, true)
				p.ReadTexts(true)
				if err := p.Process(bytes.NewReader(in)); err != nil {
					b.Fatal(err)
				}
			}
			start := time.Now()
			for range 3 {
				var v any
				_ = json.Unmarshal(in, &v) // some of the lines are not JSON
			}
			b.ReportMetric(float64(b.Elapsed())/float64(b.N)/(float64(time.Since(start))/3), "x-json")
		})
	}
}

// BenchmarkHostileTexts measures texts that are expensive to classify. The time per
// byte must not depend on the length of the text.
func BenchmarkHostileTexts(b *testing.B) {
	for name, text := range hostileTexts(1 << 20) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				p := logline.NewProcessor(logline.NewAnnotator(nil, false), io.Discard, true)
				p.ReadTexts(true)
				if err := p.Process(strings.NewReader(text)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
