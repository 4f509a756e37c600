package main

import (
	"fmt"

	"github.com/errclass/errclass/collector/errclassprocessor"
)

func main() {
	factory := errclassprocessor.NewFactory()
	cfg := factory.CreateDefaultConfig().(*errclassprocessor.Config)
	fmt.Println(factory.Type(), cfg.Keys.Category, cfg.Validate())
}

// Output: errclass error.category <nil>
