package rulesfile

// LoadCounted is like [Load], but also returns the number of steps.
var LoadCounted = load
