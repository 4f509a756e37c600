package compat_test

// actAsChild is what TestMain asks first: this very program is the child.
func actAsChild() bool { return false }
