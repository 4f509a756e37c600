//go:build !windows

package cli

const windowsPipes = false
