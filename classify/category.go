package classify

// Category says what the caller should do after an error. It is also the value of
// the attribute error.category. The empty Category means that there was no error.
type Category string

// These are the five categories.
const (
	// CategoryRetryable means that the same call may succeed later.
	CategoryRetryable Category = "retryable"
	// CategoryContextOverflow means that the model's input is too long. Shrink the
	// input, then call again.
	CategoryContextOverflow Category = "context_overflow"
	// CategoryFatal means that the same call will fail again. A person or the code
	// must change something. An unrecognised error is fatal.
	CategoryFatal Category = "fatal"
	// CategoryTimeout means that this program's own deadline or watchdog ended the
	// call. Only an error value or its type can show this, not a text. If a remote
	// server reports a timeout, the category is [CategoryRetryable].
	CategoryTimeout Category = "timeout"
	// CategoryAborted means that the caller canceled the call.
	CategoryAborted Category = "aborted"
)

// Categories returns all five categories in documentation order.
func Categories() []Category {
	return []Category{CategoryRetryable, CategoryContextOverflow, CategoryFatal, CategoryTimeout, CategoryAborted}
}
