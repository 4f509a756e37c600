// Package boltstore stores the tasks of a resilience.Queue in one file. The tasks
// survive the process. Pass the result of [Open] to resilience.WithStore:
//
//	store, err := boltstore.Open("restarts.db")
//	queue, err := resilience.NewQueue(config, resilience.WithStore(store))
//	...
//	queue.Shutdown(ctx)
//	store.Close()
//
// The file is a bbolt database. A change is on disk when [Store.Swap] returns. A
// crash of the process or the machine does not damage the file. If the file is damaged
// in another way, Open or a later call returns an error that wraps [ErrDamaged]. bbolt
// does not notice all damage: if a page of the file leads back to itself, Open does not
// return.
//
// Only one process at a time can have the file open. Several queues of that process
// may share a Store. Each task runs in one of these queues.
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

	mu      sync.Mutex // held during each call of bbolt
	db      *bbolt.DB
	damaged error // set when damage is found; bbolt is not called any more
	stuck   bool  // bbolt has panicked and still holds its write locks
}

var _ resilience.Store = (*Store)(nil)

// ErrDamaged is wrapped by the errors of a store with a damaged file. Move the file
// away and start with a new file, or restore a copy.
var ErrDamaged = errors.New("the file is damaged: move it away or restore a copy")

var errNotOpen = errors.New("the store is not open: make it with Open")

var bucket = []byte("tasks")

// lockWait is how long Open waits for another process to close the file.
const lockWait = time.Second

// Open opens or creates the file. The folder must exist. Open reads all records once
// to find damage. Only one Store at a time can have the file open. A second Open
// fails after one second.
//
// Only the owner can read the file, because payloads may contain secrets. If an
// existing file has more permissions, Open sets the mode to 0600. If the mode cannot
// be set, Open fails. On Windows the file has the access list of its folder.
func Open(path string) (*Store, error) {
	s := &Store{path: path}
	if path == "" {
		return nil, errors.New("open the store: no path given")
	}
	if err := s.open(); err != nil {
		if s.file != nil {
			_ = s.Close() // the first error matters; closing twice is harmless
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
		return fmt.Errorf("this or another process has it open: %w", err)
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

// openFile opens the file for bbolt and keeps it in s. If bbolt cannot close the
// file, Store.Close closes it.
func (s *Store) openFile(path string, flag int, _ os.FileMode) (f *os.File, err error) {
	s.file, err = ownerfile.Open(path, flag)
	return s.file, err
}

// readAll reads every record, to find damage.
func readAll(tx *bbolt.Tx) error {
	return tx.ForEach(func(_ []byte, b *bbolt.Bucket) error {
		return b.ForEach(func(_, _ []byte) error { return nil })
	})
}

// guard runs f and turns a panic of f into an error. bbolt may panic on a damaged
// file. After a panic, guard refuses all calls, because bbolt may hold locks.
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

// Swap replaces the stored record with the given id by next. The change is on disk
// when Swap returns.
//
//   - If the stored record differs from old, Swap changes nothing and returns false.
//   - If old is nil, there must be no stored record.
//   - If next is nil, Swap removes the record.
func (s *Store) Swap(id string, old, next []byte) (swapped bool, err error) {
	err = s.update(func(tx *bbolt.Tx) error {
		b, key := tx.Bucket(bucket), []byte(id)
		record := b.Get(key)
		if (record == nil) != (old == nil) || !bytes.Equal(record, old) {
			return errOther // an error makes bbolt skip the write of the unchanged file
		}
		if next == nil {
			return b.Delete(key)
		}
		return b.Put(key, next)
	})
	if errors.Is(err, errOther) {
		return false, nil
	}
	return err == nil, err
}

var errOther = errors.New("the stored record is another one")

// All returns all records, as a map from id to record.
func (s *Store) All() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.view(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(id, record []byte) error {
			all[string(id)] = bytes.Clone(record) // valid only during the transaction
			return nil
		})
	})
	return all, err
}

// Close closes the file. Call it after the queue's Shutdown. All later calls
// return an error.
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
