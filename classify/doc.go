// Package classify tells what an error means.
package classify
