package main

import (
	"fmt"
	"strings"

	"github.com/errclass/errclass/classify/rulesfile"
)

func main() {
	rules, err := rulesfile.Load(strings.NewReader("rules:\n  - id: shop/locked\n    reason: transient\n    pattern: 'stock is locked'\n"))
	fmt.Println(len(rules), err)
}

// Output: 1 <nil>
