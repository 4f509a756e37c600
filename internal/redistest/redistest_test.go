package redistest_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/redistest"
)

// After Kill, Start starts a server again at the same address.
func TestServer(t *testing.T) {
	t.Parallel()
	s, err := redistest.Start(t.Context(), t.TempDir())
	if errors.Is(err, redistest.ErrNotInstalled) {
		assert.False(t, redistest.IsRequired(), "%v: apt-get install redis-server", err)
		return
	}
	require.NoError(t, err)
	addr := s.Addr
	s.Kill()
	require.NoError(t, s.Start(t.Context()))
	defer s.Kill()
	assert.Equal(t, addr, s.Addr)
}
