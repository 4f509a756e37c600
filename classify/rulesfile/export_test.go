package rulesfile

// LoadCounted is [Load], but also returns the number of steps that the file took.
var LoadCounted = load
