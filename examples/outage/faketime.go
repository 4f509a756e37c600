package main

import (
	"os"
	"testing"
	"testing/synctest"
)

// underFakeTime runs f and ends the program.
//
// What is measured is the real executor, breaker and queue, which know no other
// clock than that of package time. The fake one of Go's runtime, under which a
// sleep takes no time, is to be had in testing/synctest alone, and that needs a
// *testing.T; testing.Main is the documented way for a program to get one. f is
// given a function that runs another one in a bubble whose time begins anew.
// The program's own flags have to be parsed before.
func underFakeTime(f func(bubble func(func())) error, failed func(error)) {
	test := func(t *testing.T) {
		err := f(func(inside func()) {
			synctest.Test(t, func(*testing.T) { inside() })
		})
		if err != nil {
			failed(err)
			os.Exit(1)
		}
		os.Exit(0) // before testing.Main says PASS
	}
	everything := func(string, string) (bool, error) { return true, nil }
	testing.Main(everything, []testing.InternalTest{{Name: "outage", F: test}}, nil, nil)
}
