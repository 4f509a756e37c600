//go:build js && wasm

// Command wasm is the classifier of the playground's page. When it is ready, it
// calls errclassReady with two functions. Both return JSON:
//
//	answer(text, as)   the errors of a text, in groups
//	explain(evidence)  why an error has its category and reason
package main

import (
	"encoding/json"
	"syscall/js"

	"github.com/errclass/errclass/examples/playground/internal/answer"
)

func main() {
	js.Global().Call("errclassReady",
		js.FuncOf(func(_ js.Value, args []js.Value) any {
			return encoded(answer.Of(args[0].String(), answer.As(args[1].String())))
		}),
		js.FuncOf(func(_ js.Value, args []js.Value) any {
			var e answer.Evidence
			if err := json.Unmarshal([]byte(args[0].String()), &e); err != nil {
				panic(err) // the page passes what answer returned
			}
			return encoded(answer.Explain(e))
		}))
	select {} // keeps the functions alive
}

func encoded(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of package answer have only texts and numbers
	}
	return string(b)
}
