package resilience

// findRefusal returns the first [refusal] in an error chain, or nil. Unlike
// errors.As, it survives cyclic chains and panics of Unwrap methods.
func findRefusal(err error) (refused refusal) {
	defer func() {
		if recover() != nil {
			refused = nil
		}
	}()
	const maxErrors = 256 // errors to visit, as in package classify
	for i, chain := 0, []error{err}; i < len(chain) && i < maxErrors; i++ {
		switch e := chain[i].(type) {
		case *OpenError:
			if e != nil {
				return e
			}
		case *HoldError:
			if e != nil {
				return e
			}
		case interface{ Unwrap() error }:
			chain = append(chain, e.Unwrap())
		case interface{ Unwrap() []error }:
			chain = append(chain, e.Unwrap()...)
		}
	}
	return nil
}
