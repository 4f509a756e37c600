package main

import (
	"fmt"

	"github.com/errclass/errclass/otelclass"
)

func main() {
	processor := otelclass.NewSpanProcessor(nil)
	fmt.Println(processor != nil, otelclass.NewRecorder() != nil)
}

// Output: true true
