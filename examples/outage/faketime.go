package main

import (
	"os"
	"testing"
	"testing/synctest"
)

// underFakeTime calls f and then exits the program. Parse the flags before the call.
// underFakeTime passes the function bubble to f. bubble runs its argument under fake
// time, each time with a new clock.
//
// Only testing/synctest can replace the clock of package time. It needs a
// *testing.T, and a program gets one from testing.Main.
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
