// Package pages has the common parts of this repository's HTML pages: styles,
// functions in JavaScript and a Content-Security-Policy. Each page is a single file
// with a copy of these parts.
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

// Script is the common script, which comes before the script of a page. It defines
// an object with the name pages.
//
//go:embed base.js
var Script string

// Policy returns a Content-Security-Policy for a page with one inline script and one
// inline style. The page can run only these, and can load and send nothing. The
// argument sources adds permissions for scripts, such as 'wasm-unsafe-eval'. Policy
// returns an error if script or style contains its own end tag.
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
