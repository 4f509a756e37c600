package cli

import (
	"io"
	"os"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
)

// progressBar shows on a terminal how much of the files is read. A nil one
// shows nothing.
type progressBar struct {
	tracker *progress.Tracker
	stopped chan struct{}
}

// progressFrom is the size of input from which a bar is worth its line: less
// is read within a tenth of a second.
const progressFrom = 32 << 20

// newProgress shows a bar on standard error where that is a terminal, the
// output is not one (they would write over each other), and all names are
// regular files, whose size is known and not small.
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
	if size < progressFrom {
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

// reader counts what is read from r.
func (b *progressBar) reader(r io.Reader) io.Reader {
	if b == nil {
		return r
	}
	return &countingReader{r, b.tracker}
}

// done ends the bar with what was read, and waits until it stands there.
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
