package rulesfile

// LoadCounted is [Load], and also returns the steps that it took.
var LoadCounted = load
