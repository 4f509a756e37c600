package resilience

// BreakerMode says who decides about a circuit breaker.
type BreakerMode string

// The modes.
const (
	BreakerAuto        BreakerMode = "auto"         // the endpoint's failures
	BreakerForceOpen   BreakerMode = "force_open"   // a person: no call goes through
	BreakerForceClosed BreakerMode = "force_closed" // a person: every call goes through
)

func (m BreakerMode) valid() bool {
	return m == BreakerAuto || m == BreakerForceOpen || m == BreakerForceClosed
}

// BreakerState is what a circuit breaker does with calls.
type BreakerState string

// The states.
const (
	BreakerClosed   BreakerState = "closed"    // lets them through
	BreakerOpen     BreakerState = "open"      // refuses them
	BreakerHalfOpen BreakerState = "half_open" // lets one through to see
)
