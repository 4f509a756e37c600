// Package resilience acts on what package classify says about an error.
package resilience
