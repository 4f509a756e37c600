package main

import (
	"fmt"

	"github.com/errclass/errclass/resilience/resiliencegrpc"
)

func main() {
	interceptor := resiliencegrpc.UnaryClientInterceptor(nil)
	fmt.Println(interceptor != nil)
}

// Output: true
