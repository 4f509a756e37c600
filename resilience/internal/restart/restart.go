// Package restart has the code that the restart queues of the packages resilience and
// asynqrestart share. A restart queue runs failed calls again later.
package restart

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ID returns the id of a task, a hash of the kind and the key. Queues that share a
// store find each other's tasks by this id. If the key is empty, the id is random.
func ID(kind, key string) string {
	if key == "" {
		return rand.Text()
	}
	sum := sha256.Sum256([]byte(strconv.Quote(kind) + key))
	return hex.EncodeToString(sum[:16])
}

// Run calls a task's function and turns a panic into an error.
func Run(ctx context.Context, f func(context.Context, []byte) error, payload []byte) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the function panicked: %v", p)
		}
	}()
	return f(ctx, payload)
}

// ErrorText returns the text of err. If err is nil, it returns "". If the method
// Error panics, it returns the type of err.
func ErrorText(err error) (text string) {
	if err == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("%T", err)
		}
	}()
	return err.Error()
}
