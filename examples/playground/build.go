package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed" // for the files below
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/errclass/errclass/examples/playground/internal/answer"
	"github.com/errclass/errclass/internal/pages"
)

//go:embed page/page.html
var pageHTML string

//go:embed page/page.css
var pageCSS string

//go:embed page/page.js
var pageJS string

// examplesJSON has the examples that the page offers.
//
//go:embed page/examples.json
var examplesJSON []byte

// wasmPackage is the package that build compiles to WebAssembly.
const wasmPackage = "github.com/errclass/errclass/examples/playground/wasm"

// build returns the page. It compiles the classifier to WebAssembly with the go
// command.
func build(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "playground")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program := filepath.Join(dir, "errclass.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, wasmPackage)
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("go build %s: %w\n%s", wasmPackage, err, out)
	}
	wasm, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	glue, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return nil, err
	}
	return assemble(wasm, glue)
}

// assemble returns one page with the classifier and all scripts in it. glue is the
// script that runs Go's WebAssembly. It must come from the Go version that compiled
// wasm.
func assemble(wasm, glue []byte) ([]byte, error) {
	script, style := string(glue)+pages.Script+pageJS, pages.Style+pageCSS
	policy, err := pages.Policy(script, style, "'wasm-unsafe-eval'")
	if err != nil {
		return nil, err
	}
	data, err := pageData()
	if err != nil {
		return nil, err
	}
	packed, err := compressed(wasm)
	if err != nil {
		return nil, err
	}
	t, err := template.New("page").Parse(pageHTML)
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	err = t.Execute(&page, map[string]string{
		"Policy": policy, "Style": style, "Data": string(data), "Script": script, "Wasm": base64.StdEncoding.EncodeToString(packed),
	})
	return page.Bytes(), err
}

// explained is a group with the explanation of its example.
type explained struct {
	answer.Group
	Explanation answer.Explanation `json:"explanation"`
}

// pageData returns the examples, and the answer for the first one, as JSON that may
// stand in a script element. With this answer, the page can show something before
// the WebAssembly has loaded.
func pageData() ([]byte, error) {
	var data struct {
		Examples []struct {
			Name string `json:"name"`
			Text string `json:"text"`
		} `json:"examples"`
		First struct {
			answer.Answer
			Groups []explained `json:"groups"` // replaces those of Answer
		} `json:"first"`
	}
	if err := json.Unmarshal(examplesJSON, &data.Examples); err != nil {
		return nil, fmt.Errorf("page/examples.json: %w", err)
	}
	data.First.Answer = answer.Of(data.Examples[0].Text, answer.Auto)
	for _, g := range data.First.Answer.Groups {
		data.First.Groups = append(data.First.Groups, explained{g, answer.Explain(g.Example)})
	}
	return json.Marshal(data)
}

func compressed(data []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}
