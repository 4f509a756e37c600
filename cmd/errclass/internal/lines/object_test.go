package lines_test

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

// read returns the lines and the joined objects of input. For each of these, counts has
// the number of input lines.
func read(t *testing.T, input io.Reader, limit int) (all []string, counts []int) {
	t.Helper()
	r := lines.NewReader(input, limit, nil)
	r.JoinObjects(nil)
	for {
		line, err := r.Next()
		if err != nil {
			require.ErrorIs(t, err, io.EOF)
			return all, counts
		}
		all, counts = append(all, string(line.Bytes)), append(counts, line.Count)
	}
}

func TestReaderJoinsObjects(t *testing.T) {
	t.Parallel()
	const pretty = "{\n  \"a\": {\n    \"b\": [1]\n  }\n}\n"
	for _, tt := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"an object of several lines", "x\n" + pretty + "y", []string{"x\n", pretty, "y"}},
		{"objects one after the other", pretty + pretty, []string{pretty, pretty}},
		{"carriage returns and blank lines", "{\r\n\r\n\"a\":1\r\n}\r\n\r\n", []string{"{\r\n\r\n\"a\":1\r\n}\r\n", "\r\n"}},
		{"a byte order mark", "\ufeff" + pretty, []string{"\ufeff" + pretty}},
		{"no last line end", "{\n}", []string{"{\n}"}},
		{"no end", "{\n\"a\":1,\n", []string{"{\n", "\"a\":1,\n"}},
		{"cut off in the last line", "{\n\"a\":1,\n\"b", []string{"{\n", "\"a\":1,\n", "\"b"}},
		{"an opening brace alone", "{", []string{"{"}},
		{"not JSON", "{\n  code: 1\n}\n", []string{"{\n", "  code: 1\n", "}\n"}},
		{"text after the object", "{\n} x\n", []string{"{\n", "} x\n"}},
		{"cut off before another object", "{\n\"a\":\n" + pretty, []string{"{\n", "\"a\":\n", pretty}},
		{"cut off before a line", "{\"a\":1,\n{\"b\":2}\n", []string{"{\"a\":1,\n", "{\"b\":2}\n"}},
		{"cut off within a text", "{\"a\":\"b\n" + pretty, []string{"{\"a\":\"b\n", pretty}},
		{"a line with an object", "{\"a\":1}\n{\"b\":{\n}}\n", []string{"{\"a\":1}\n", "{\"b\":{\n}}\n"}},
		{"indented", " {\n}\n", []string{" {\n", "}\n"}},
		{"as long as the limit", "{\n" + strings.Repeat(" ", 59) + "\n}\n", []string{"{\n" + strings.Repeat(" ", 59) + "\n}\n"}},
		{"longer than the limit", "{\n" + strings.Repeat(" ", 60) + "\n}\n" + pretty, []string{"{\n", strings.Repeat(" ", 60) + "\n", "}\n", pretty}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
				got, counts := read(t, wrap(strings.NewReader(tt.in)), 64)
				assert.Equal(t, tt.want, got)
				for i, n := range counts {
					whole := strings.TrimSuffix(got[i], "\n")
					assert.Equal(t, strings.Count(whole, "\n")+1, n)
				}
			}
		})
	}
}

// TestReaderJoinsInLinearTime reads many lines that begin an object and do not end
// it.
func TestReaderJoinsInLinearTime(t *testing.T) {
	t.Parallel()
	for name, unit := range map[string]string{"starts": "{\n", "starts with a member": "{\"a\":[\n", "one object": "", "lists": "[\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := "{\n\"a\":\n" + strings.Repeat(unit, 200_000)
			if unit == "" {
				in = "{\n" + strings.Repeat("\"a\":1,\n", 200_000)
			}
			got, _ := read(t, strings.NewReader(in), 16<<20)
			require.Equal(t, in, strings.Join(got, ""))
			require.Len(t, got, strings.Count(in, "\n"))
		})
	}
}

// TestReaderDoesNotStall checks that an unfinished object does not block the reader.
func TestReaderDoesNotStall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		in := &slow{chunks: make(chan string)}
		r := lines.NewReader(in, 1<<10, nil)
		r.JoinObjects(in.wait)
		type result struct {
			text  string
			after time.Duration
		}
		results := make(chan result, 100)
		start := time.Now()
		go func() {
			defer close(results)
			for {
				line, err := r.Next()
				if err != nil {
					return
				}
				results <- result{string(line.Bytes), time.Since(start)}
			}
		}()
		in.chunks <- "{\n\"a\":1"
		assert.Equal(t, result{"{\n", 100 * time.Millisecond}, <-results, "no more bytes")
		in.chunks <- "\n"
		assert.Equal(t, "\"a\":1\n", (<-results).text)
		start = time.Now()
		in.chunks <- "{\n"
		time.Sleep(90 * time.Millisecond)
		in.chunks <- "}\n"
		assert.Equal(t, result{"{\n}\n", 90 * time.Millisecond}, <-results, "the rest comes soon")
		start = time.Now()
		in.chunks <- "{\n"
		go func() {
			for range 40 {
				time.Sleep(90 * time.Millisecond)
				in.chunks <- "\n"
			}
			close(in.chunks)
		}()
		assert.Equal(t, result{"{\n", time.Second}, <-results, "an object that does not end")
		count := 0
		for range results {
			count++
		}
		assert.Equal(t, 40, count)
	})
}

// slow is a reader that gets chunks of input over time.
type slow struct {
	chunks chan string
	next   string
}

func (s *slow) wait(d time.Duration) bool {
	if s.next != "" {
		return true
	}
	select {
	case s.next = <-s.chunks:
		return true
	case <-time.After(d):
		return false
	}
}

func (s *slow) Read(p []byte) (int, error) {
	if s.next == "" {
		s.next = <-s.chunks
	}
	if s.next == "" {
		return 0, io.EOF
	}
	n := copy(p, s.next)
	s.next = s.next[n:]
	return n, nil
}
