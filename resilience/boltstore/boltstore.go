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
package boltstore

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"

	"github.com/errclass/errclass/resilience"
)

// Store is an open file. It is safe for concurrent use.
type Store struct{ db *bbolt.DB }

var _ resilience.Store = (*Store)(nil)

var bucket = []byte("tasks")

// lockWait is how long Open waits for a process that is about to end.
const lockWait = time.Second

// Open opens the file, or makes it, readable for its owner alone: payloads may
// be anything. Its folder must exist. One process at a time may have it open;
// while another one has, Open fails after a second.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: lockWait})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("open the store %s: another process has it open: %w", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open the store %s: %w", path, err)
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(bucket)
		return err
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("prepare the store %s: %w", path, err), db.Close())
	}
	return &Store{db}, nil
}

// Put keeps a record under an id, in the place of an earlier one. It is on disk
// when Put returns.
func (s *Store) Put(id string, record []byte) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Put([]byte(id), record) })
}

// Delete removes a record; one that is not there is no error.
func (s *Store) Delete(id string) error {
	return s.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(bucket).Delete([]byte(id)) })
}

// All returns all records by id.
func (s *Store) All() (map[string][]byte, error) {
	all := map[string][]byte{}
	err := s.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(bucket).ForEach(func(id, record []byte) error {
			all[string(id)] = bytes.Clone(record) // bbolt's own ends with the transaction
			return nil
		})
	})
	return all, err
}

// Close closes the file, after the queue has been shut down. What is called
// afterwards returns an error.
func (s *Store) Close() error { return s.db.Close() }
