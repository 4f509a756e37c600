// Package pages holds what the HTML pages of this repository share: colours and
// controls, a few functions in JavaScript, and a policy that lets a page load and
// send nothing. The pages are single files, so all of it is inlined.
package pages

import (
	"crypto/sha256"
	_ "embed" // for the files below
	"encoding/base64"
	"errors"
	"strings"
)

// Style is the style sheet that comes before that of a page.
//
//go:embed base.css
var Style string

// Script defines the object pages with functions that make elements. It comes before
// the script of a page.
//
//go:embed base.js
var Script string

// Policy returns a Content-Security-Policy that permits the inline script and the
// inline style of a page by their hashes. A page with this policy can load nothing and
// send nothing, and markup that got into its text does not run. sources are further
// sources of scripts, such as 'wasm-unsafe-eval'. Policy returns an error if the
// script or the style would end within itself.
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

// source returns the hash of an inline script or style, as a policy names it.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
