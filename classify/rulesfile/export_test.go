package rulesfile

// LoadCounted is [Load] and the steps that it took.
var LoadCounted = load
