// Command dashboard writes two files from the panels in panels.go: grafana.json for
// Grafana, and consoles/errclass.html for Prometheus.
//
//	go generate ./examples/dashboard
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run .

// files returns the content of the two files, by name.
func files() (map[string][]byte, error) {
	var dashboard bytes.Buffer
	enc := json.NewEncoder(&dashboard)
	enc.SetEscapeHTML(false) // keep > in PromQL
	enc.SetIndent("", "  ")
	if err := enc.Encode(newGrafana()); err != nil {
		return nil, err
	}
	page, err := newConsole()
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"grafana.json": dashboard.Bytes(), "consoles/errclass.html": page}, nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dashboard:", err)
		os.Exit(1)
	}
}

func run() error {
	all, err := files()
	if err != nil {
		return err
	}
	for name, content := range all {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
