package lines_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/cmd/errclass/internal/lines"
)

func ExampleNewReader() {
	r := lines.NewReader(strings.NewReader("one\r\n\nlast"), 1<<20, nil)
	for {
		line, err := r.Next()
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%q %q\n", line.Text(), line.Bytes)
	}
	// Output:
	// "one" "one\r\n"
	// "" "\n"
	// "last" "last"
	// EOF
}

func TestReaderKeepsEveryByte(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 100)
	for _, in := range []string{
		"", "\n", "\n\n", "a", "a\n", "a\r\nb\r\n", long, long + "\n", long + "\n" + long, "a\n" + long + "\nb",
		strings.Repeat("y", 32), strings.Repeat("y", 32) + "\n", strings.Repeat("y", 31) + "\nz", strings.Repeat("y", 64) + "\n", "\x00\xff\n\xfe",
	} {
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "eof with data": iotest.DataErrReader,
		} {
			r := lines.NewReader(wrap(strings.NewReader(in)), 32, nil)
			var all bytes.Buffer
			var whole []string
			count, open := 0, false
			for {
				line, err := r.Next()
				if err != nil {
					require.ErrorIs(t, err, io.EOF)
					break
				}
				all.Write(line.Bytes)
				require.LessOrEqual(t, len(line.Bytes), 33)
				if !line.Piece {
					require.False(t, open)
					require.False(t, line.Last)
					whole = append(whole, string(line.Bytes))
					count++
					continue
				}
				open = !line.Last
				if line.Last {
					count++
				}
			}
			require.False(t, open, "%s: %q: the last piece is marked", name, in)
			require.Equal(t, in, all.String(), name)
			want := strings.SplitAfter(in, "\n")
			if want[len(want)-1] == "" {
				want = want[:len(want)-1]
			}
			require.Len(t, want, count, "%s: %q", name, in)
			for _, l := range whole {
				require.Contains(t, want, l)
			}
		}
	}
}

func TestReaderCallsIdleOnlyWithoutALine(t *testing.T) {
	t.Parallel()
	pr, pw := io.Pipe()
	idle := make(chan int) // receives the number of lines returned so far, at each call of idle
	returned := 0
	r := lines.NewReader(pr, 1<<10, func() error { idle <- returned; return nil })
	go func() {
		defer close(idle)
		for {
			if _, err := r.Next(); err != nil {
				return
			}
			returned++
		}
	}()
	assert.Equal(t, 0, <-idle)
	_, err := pw.Write([]byte("a\nb\nc"))
	require.NoError(t, err)
	assert.Equal(t, 2, <-idle, "both whole lines are returned before the next read")
	_, err = pw.Write([]byte("\n"))
	require.NoError(t, err)
	assert.Equal(t, 3, <-idle)
	require.NoError(t, pw.Close())
	_, open := <-idle
	assert.False(t, open)
}

func TestReaderErrors(t *testing.T) {
	t.Parallel()
	boom := errors.New("boom")
	t.Run("after the bytes before it", func(t *testing.T) {
		t.Parallel()
		r := lines.NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(boom)), 99, nil)
		for _, want := range []string{"a\n", "b"} {
			line, err := r.Next()
			require.NoError(t, err)
			assert.Equal(t, want, string(line.Bytes))
		}
		_, err := r.Next()
		require.ErrorIs(t, err, boom)
		_, err = r.Next()
		require.ErrorIs(t, err, boom, "every later call returns it too")
	})
	t.Run("idle", func(t *testing.T) {
		t.Parallel()
		_, err := lines.NewReader(strings.NewReader("a"), 9, func() error { return boom }).Next()
		require.ErrorIs(t, err, boom)
	})
	t.Run("no progress", func(t *testing.T) {
		t.Parallel()
		_, err := lines.NewReader(stuck{}, 9, nil).Next()
		require.ErrorIs(t, err, io.ErrNoProgress)
	})
}

type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }
