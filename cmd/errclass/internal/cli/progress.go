package cli

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// progressBar shows how much was read. A nil progressBar shows nothing.
type progressBar struct {
	tracker *progress.Tracker
	stopped chan struct{}
}

// minProgress is the smallest input with a progress bar, in bytes.
const minProgress = 32 << 20

// newProgress shows a progress bar on standard error. It returns nil if
//
//   - standard error is not a terminal,
//   - standard output is a terminal too,
//   - a file is not a regular file, or
//   - the files are small.
func newProgress(s Streams, names []string) *progressBar {
	if !isTerminal(s.Err) || isTerminal(s.Out) {
		return nil
	}
	var size int64
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		size += info.Size()
	}
	if size < minProgress {
		return nil
	}
	return startProgress(s.Err, size)
}

func startProgress(w io.Writer, size int64) *progressBar {
	bar := &progressBar{
		tracker: &progress.Tracker{Message: "reading", Total: size, Units: progress.UnitsBytes, AutoStopDisabled: true},
		stopped: make(chan struct{}),
	}
	p := progress.NewWriter()
	p.SetOutputWriter(w)
	p.SetAutoStop(true)
	p.SetUpdateFrequency(100 * time.Millisecond)
	p.Style().Visibility.ETA = true
	p.AppendTracker(bar.tracker)
	go func() {
		defer close(bar.stopped)
		p.Render()
	}()
	return bar
}

// reader returns a reader of r that updates the bar.
func (b *progressBar) reader(r io.Reader) io.Reader {
	if b == nil {
		return r
	}
	return &countingReader{r, b.tracker}
}

// done stops the bar after drawing it once more.
func (b *progressBar) done() {
	if b == nil {
		return
	}
	b.tracker.MarkAsDone()
	<-b.stopped
}

type countingReader struct {
	r       io.Reader
	tracker *progress.Tracker
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.tracker.Increment(int64(n))
	return n, err
}
