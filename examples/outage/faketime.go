package main

import (
	"os"
	"testing"
	"testing/synctest"
)

// underFakeTime calls f and then exits the program. f gets a function, bubble, that
// runs code under fake time. Each call of bubble has a new clock. Parse the
// program's flags before you call underFakeTime.
//
// The executor, the breakers and the queue use the clock of package time. Only
// testing/synctest can replace that clock, and it needs a *testing.T. testing.Main
// is the documented way for a program to get one.
func underFakeTime(f func(bubble func(func())) error, failed func(error)) {
	test := func(t *testing.T) {
		err := f(func(inside func()) {
			synctest.Test(t, func(*testing.T) { inside() })
		})
		if err != nil {
			failed(err)
			os.Exit(1)
		}
		os.Exit(0) // before testing.Main prints PASS
	}
	everything := func(string, string) (bool, error) { return true, nil }
	testing.Main(everything, []testing.InternalTest{{Name: "outage", F: test}}, nil, nil)
}
