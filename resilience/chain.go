package resilience

// openIn finds an [*OpenError] in a chain; nil where there is none. errors.As
// never returns from a chain that is a circle, and this one may be a stranger's.
func openIn(err error) (open *OpenError) {
	defer func() {
		if recover() != nil {
			open = nil
		}
	}()
	const most = 256 // errors that are looked at, as in package classify
	for i, chain := 0, []error{err}; i < len(chain) && i < most; i++ {
		switch e := chain[i].(type) {
		case *OpenError:
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
