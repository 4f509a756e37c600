package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// activity is when a child wrote last, and whether somebody is still taking it.
type activity struct {
	began   time.Time
	last    atomic.Int64 // since began
	writing atomic.Int32 // writers that have not returned
}

// idle is how long nothing has come, which is 0 while a writer of the caller's
// takes its time: then it is not the child that waits.
func (a *activity) idle() time.Duration {
	if a.writing.Load() > 0 {
		return 0
	}
	return time.Since(a.began) - time.Duration(a.last.Load())
}

func (a *activity) note() { a.last.Store(int64(time.Since(a.began))) }

// output is one of a child's outputs on its way to a writer. The pipe is not left
// to os/exec, which cuts off what a slow writer has not taken when the child has
// ended for a while.
type output struct {
	name  string
	from  *os.File
	child *os.File // the child's end, until it has it
	to    io.Writer
	one   *sync.Mutex // where two outputs share a writer
	at    *activity
	done  chan struct{} // closed once err is set: all is read, or cannot be written
	err   error         // of the writer
}

func newOutput(name string, to io.Writer, at *activity) (*output, error) {
	from, child, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &output{name: name, from: from, child: child, to: to, at: at, done: make(chan struct{})}, nil
}

// copy passes on what the child writes until its end. A writer that fails ends it
// too, and the child, which writes for nobody, finds its pipe broken.
func (o *output) copy() {
	defer close(o.done)
	defer o.close()
	buf := make([]byte, 32<<10)
	for {
		n, err := o.from.Read(buf)
		if n > 0 {
			if o.err = o.write(buf[:n]); o.err != nil {
				return
			}
		}
		if err != nil { // the end, or given up
			return
		}
	}
}

func (o *output) write(p []byte) error {
	o.at.writing.Add(1)
	defer o.at.writing.Add(-1)
	defer o.at.note()
	if o.one != nil {
		o.one.Lock()
		defer o.one.Unlock()
	}
	n, err := o.to.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// failed is the writer's error, as far as it is known.
func (o *output) failed() error {
	select {
	case <-o.done:
	default:
		return nil
	}
	if o.err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", o.name, o.err)
}

func (o *output) close() { _ = o.from.Close() } // twice is an error of no interest

// outputs are those of one child.
type outputs struct {
	at  activity
	all []*output
}

// add makes an output that goes to a writer, and returns the child's end of it.
func (o *outputs) add(name string, to io.Writer) (*os.File, error) {
	one, err := newOutput(name, to, &o.at)
	if err != nil {
		return nil, err
	}
	o.all = append(o.all, one)
	return one.child, nil
}

// begin says that the child has its ends, or never will have them.
func (o *outputs) begin(started bool) {
	o.at.began = time.Now()
	for _, one := range o.all {
		_ = one.child.Close()
		if started {
			go one.copy()
		} else {
			one.close()
		}
	}
}

// drain waits for the end of all outputs of a child that has ended. Somebody who
// was left behind may hold them open, and even write: they are given up when grace
// is over. The time in which the caller's writer takes its own does not count,
// for what the child wrote still has to get there.
func (o *outputs) drain(grace time.Duration) {
	all := make(chan struct{})
	go func() {
		defer close(all)
		for _, one := range o.all {
			<-one.done
		}
	}()
	const looks = 10
	look := time.NewTicker(max(grace/looks, time.Millisecond))
	defer look.Stop()
	for waited := 0; waited < looks; {
		select {
		case <-all:
			return
		case <-look.C:
		}
		if o.at.writing.Load() == 0 {
			waited++
		}
	}
	o.giveUp()
}

func (o *outputs) giveUp() {
	for _, one := range o.all {
		one.close()
	}
}

// failed is what the writers said.
func (o *outputs) failed() error {
	var errs []error
	for _, one := range o.all {
		errs = append(errs, one.failed())
	}
	return errors.Join(errs...)
}
