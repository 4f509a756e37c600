// Package pages has the common parts of the HTML pages of this repository: colours
// and controls, some functions in JavaScript, and a Content-Security-Policy under
// which a page can load and send nothing. Each page is a single file, so it contains
// a copy of these parts.
package pages

import (
	"crypto/sha256"
	_ "embed" // for the files below
	"encoding/base64"
	"errors"
	"strings"
)

// Style is the common style sheet. It comes before the style sheet of a page.
//
//go:embed base.css
var Style string

// Script is the common script. It defines an object with the name pages, which has
// functions that make elements. It comes before the script of a page.
//
//go:embed base.js
var Script string

// Policy returns a Content-Security-Policy for a page with one inline script and one
// inline style. The policy permits only this script and this style, by their hashes,
// so the browser runs no script in a text of the page. The page can load nothing and
// send nothing. The argument sources adds permissions for scripts: for example,
// 'wasm-unsafe-eval' permits WebAssembly. Policy returns an error if script contains
// "</script" or style contains "</style".
func Policy(script, style string, sources ...string) (string, error) {
	if strings.Contains(strings.ToLower(script), "</script") || strings.Contains(strings.ToLower(style), "</style") {
		return "", errors.New("a script or a style contains its own end tag")
	}
	return strings.Join([]string{
		"default-src 'none'",
		"connect-src 'none'",
		"script-src " + strings.Join(append(sources, source(script)), " "),
		"style-src " + source(style),
		"img-src data:", // an empty icon, so that the browser asks for none
		"base-uri 'none'",
		"form-action 'none'",
	}, "; "), nil
}

// source returns the hash of an inline script or style, in the format of a policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
