package model

import (
	_ "embed"
	"fmt"
	"sync"
)

//go:generate go -C ../../corpus run ./cmd/train -out ../internal/model/standard.table

//go:embed standard.table
var standard []byte

// Standard returns the model of standard.table, the output of the trainer. The
// first call builds the model.
var Standard = sync.OnceValue(func() *Model {
	t, err := Decode(standard)
	if err != nil {
		panic(fmt.Sprintf("model: standard.table: %v", err))
	}
	return New(t)
})
