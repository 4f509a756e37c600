package redisgate

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/resilience"
)

// A full memory updates the states of known gates. It takes no new gate until other
// states have expired.
func TestMemory_Full(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := memory{states: map[stateKey]state{}}
		put := func(gate string, hold time.Duration) {
			m.put(resilience.GateChange{Gate: gate, Kind: resilience.GateHeld, Hold: hold}, 0)
		}
		for i := range maxStates {
			put(strconv.Itoa(i), time.Minute)
		}
		put("1", time.Hour)
		put("new", time.Hour)
		require.Len(t, m.current("1"), 1)
		assert.Equal(t, time.Hour, m.current("1")[0].Hold)
		assert.Empty(t, m.current("new"))

		time.Sleep(time.Minute)
		put("new", time.Hour)
		assert.Len(t, m.current("new"), 1)
		assert.Len(t, m.states, 2)
	})
}
