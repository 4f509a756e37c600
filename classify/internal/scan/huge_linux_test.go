package scan

import (
	"math"
	"syscall"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// A text longer than 2 GiB must not cause a panic. Nearly all pages of this text are
// one shared page of zeros.
func TestMatchPanickedBeyond2GiB(t *testing.T) {
	const size = math.MaxInt32 + 1<<16
	data, err := syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	require.NoError(t, err)
	defer func() { require.NoError(t, syscall.Munmap(data)) }()
	_ = syscall.Madvise(data, 15) // MADV_NOHUGEPAGE: a huge page of zeros may not be shared
	copy(data[size-100:], "rate limit of a long gap, and overloaded")
	m, err := Compile([]string{`rate.?limit`, `limit.{0,20}gap`, `overloaded`, `nothing`})
	require.NoError(t, err)
	require.Equal(t, []bool{true, true, true, false}, matched(m, unsafe.String(&data[0], size)))
}
