package main

import (
	"errors"
	"fmt"

	"github.com/errclass/errclass/modelerrors"
)

func main() {
	fmt.Println(modelerrors.IsRetryableModelError(errors.New("503 Service Unavailable")))
}

// Output: true
