package main

import (
	"fmt"

	"github.com/errclass/errclass/resilience/boltstore"
)

func main() {
	store, err := boltstore.Open("queue.db")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(store.Close())
}

// Output: <nil>
