package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/pages"
)

func TestPage(t *testing.T) {
	t.Parallel()
	page, err := assemble([]byte("\x00asm"), []byte("glue();"))
	require.NoError(t, err)
	text := string(page)
	assert.Equal(t, 3, strings.Count(text, "</script>"), "no script ends within itself")

	assert.Contains(t, text, `"explanation":{"category":"fatal","reason":"budget_exceeded"`, "the answer for the first example")
	_, script, _ := strings.Cut(text, "\n<script>")
	script, _, _ = strings.Cut(script, "</script>")
	assert.Contains(t, script, "glue();")
	_, style, _ := strings.Cut(text, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	_, policy, _ := strings.Cut(text, `http-equiv="Content-Security-Policy" content="`)
	policy, _, _ = strings.Cut(policy, `"`)
	want, err := pages.Policy(script, style, "'wasm-unsafe-eval'")
	require.NoError(t, err)
	assert.Equal(t, want, policy)

	_, err = assemble(nil, []byte("x = '</script>'"))
	assert.Error(t, err)
}

func TestHandler(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/": http.StatusOK, "/other": http.StatusNotFound} {
		w := httptest.NewRecorder()
		handler([]byte("page")).ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		assert.Equal(t, want, w.Code, path)
	}
}
