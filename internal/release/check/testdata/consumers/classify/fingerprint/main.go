package main

import (
	"fmt"

	"github.com/errclass/errclass/classify/fingerprint"
)

func main() {
	fmt.Println(fingerprint.Of("dial tcp 10.0.0.7:5432: i/o timeout after 30s"))
}

// Output: 045c907cd8ee7000 dial tcp <ip>:<num>: i/o timeout after <duration>
