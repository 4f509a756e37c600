// Package boltstore keeps the tasks of a resilience.Queue in one file, so that
// they outlive the process. Give what [Open] returns to resilience.WithStore:
//
//	store, err := boltstore.Open("restarts.db")
//	queue, err := resilience.NewQueue(config, resilience.WithStore(store))
//	...
//	queue.Shutdown(ctx)
//	store.Close()
//
// The file is a bbolt database: what was put into it is on disk when Put returns,
// and the end of the process at any moment, or of the machine, leaves it whole.
// What something else has damaged is found when it is opened, or when the damage
// is met: then everything returns an error that wraps [ErrDamaged].
package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/errclass/errclass/internal/ownerfile"
	"github.com/errclass/errclass/resilience"
)

// Store is an open file. It is safe for concurrent use.
type Store struct {
	path string
	file *os.File

	mu      sync.Mutex // bbolt writes one after the other anyway
	db      *bbolt.DB
	damaged error // what was met; from then on bbolt is left alone
	stuck   bool  // it was met while bbolt held locks that it does not give back
}

var _ resilience.Store = (*Store)(nil)

// ErrDamaged is wrapped by the errors of a store whose file is damaged. Nothing
// mends it: move the file away and begin with a new one, or put a copy back.
var ErrDamaged = errors.New("the file is damaged, move it away or put a copy back")

var errNotOpen = errors.New("the store was not opened: use what Open returns")

var bucket = []byte("tasks")

// lockWait is how long Open waits for a process that is about to end.
const lockWait = time.Second

// Open opens the file, or makes it, readable for its owner alone: payloads may
// be anything. An existing file with a wider mode is tightened to 0600, or refused
// where that is not allowed; on Windows it has the access list of its folder. The
// folder must exist. One process at a time may have it open;
// while another one has, Open fails after a second. All records are read once, so
// that a damaged file is found here.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	if path == "" {
		return nil, errors.New("open the store: no path given")
	}
	if err := s.open(); err != nil {
		if s.file != nil {
			_ = s.Close() // what matters is why it is closed; twice is no harm
		}
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	return s, nil
}

func (s *Store) open() error {
	err := s.guard(true, func() (err error) {
		s.db, err = bbolt.Open(s.path, ownerfile.Mode, &bbolt.Options{Timeout: lockWait, OpenFile: s.openFile})
		return err
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return fmt.Errorf("another process has it open, or this one: %w", err)
	}
	if err != nil {
		return err
	}
	if err := s.view(readAll); err != nil {
		return err
	}
	return s.update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
}

// openFile keeps the file, to close it where bbolt no longer can. Its lock may
// then stay with this process to the end: bbolt has mapped it into memory.
func (s *Store) openFile(path string, flag int, _ os.FileMode) (f *os.File, err error) {
	s.file, err = ownerfile.Open(path, flag)
	return s.file, err
}

// readAll looks at every record.
func readAll(tx *bbolt.Tx) error {
	return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(_, _ []byte) error { return nil })
	})
}

// guard runs f and makes an error of its panic. That is how bbolt tells of a
// damaged file, or how the runtime does where a page lies outside of it. Locks
// that bbolt held for writing then are never given back, so it is not called again.
func (s *Store) guard(writes bool, f func() error) (err error) {
	if s == nil || s.path == "" {
		return errNotOpen
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.damaged != nil {
		return s.damaged
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			s.damaged = fmt.Errorf("%w: %v", ErrDamaged, p)
			s.stuck, err = writes, s.damaged
		}
	}()
	return f()
}

func (s *Store) update(f func(*bbolt.Tx) error) error {
	return s.guard(true, func() error { return s.db.Update(f) })
}

func (s *Store) view(f func(*bbolt.Tx) error) error {
	return s.guard(false, func() error { return s.db.View(f) })
}

// Put keeps a record under an id, in the place of an earlier one. It is on disk
// when Put returns.
func (s *Store) Put(id string, record []byte) error {
	return s.update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(id), record) })
}

// Delete removes a record; one that is not there is no error.
func (s *Store) Delete(id string) error {
	return s.update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Delete([]byte(id)) })
}

// All returns all records by id.
func (s *Store) All() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(id, record []byte) error {
			all[string(id)] = bytes.Clone(record) // bbolt's own ends with the transaction
			return nil
		})
	})
	return all, err
}

// Close closes the file, after the queue has been shut down. What is called
// afterwards returns an error.
func (s *Store) Close() error {
	if s == nil {
		return errNotOpen
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck || s.db == nil {
		return s.file.Close()
	}
	return s.db.Close()
}
