package signal

// Reason says why an error happened. Its zero value is none. The API's type is
// classify.Reason, a string; here it is a number, which tables are indexed by.
type Reason uint8

// The reasons, in the order of their documentation.
const (
	NoReason Reason = iota
	ReasonRateLimit
	ReasonTransient
	ReasonNetwork
	ReasonTimeout
	ReasonContextOverflow
	ReasonAuthentication
	ReasonBudgetExceeded
	ReasonPolicy
	ReasonInvalidRequest
	ReasonParsing
	ReasonNetworkPermanent
	ReasonSpawn
	ReasonMCP
	ReasonResource
	ReasonLogic
	ReasonAborted
	ReasonUnknown
	Reasons // how many values there are
)

// Category says what to do next. Its zero value is none.
type Category uint8

// The categories, in the order of their documentation.
const (
	NoCategory Category = iota
	CategoryRetryable
	CategoryContextOverflow
	CategoryFatal
	CategoryTimeout
	CategoryAborted
	Categories // how many values there are
)

var reasons = [Reasons]struct {
	name     string
	category Category
}{
	ReasonRateLimit:        {"rate_limit", CategoryRetryable},
	ReasonTransient:        {"transient", CategoryRetryable},
	ReasonNetwork:          {"network", CategoryRetryable},
	ReasonTimeout:          {"timeout", CategoryRetryable},
	ReasonContextOverflow:  {"context_overflow", CategoryContextOverflow},
	ReasonAuthentication:   {"authentication", CategoryFatal},
	ReasonBudgetExceeded:   {"budget_exceeded", CategoryFatal},
	ReasonPolicy:           {"policy", CategoryFatal},
	ReasonInvalidRequest:   {"invalid_request", CategoryFatal},
	ReasonParsing:          {"parsing", CategoryFatal},
	ReasonNetworkPermanent: {"network_permanent", CategoryFatal},
	ReasonSpawn:            {"spawn", CategoryFatal},
	ReasonMCP:              {"mcp", CategoryFatal},
	ReasonResource:         {"resource", CategoryFatal},
	ReasonLogic:            {"logic", CategoryFatal},
	ReasonAborted:          {"aborted", CategoryAborted},
	ReasonUnknown:          {"unknown", CategoryFatal},
}

var categories = [Categories]string{"", "retryable", "context_overflow", "fatal", "timeout", "aborted"}

// String is the name of r: the value of error.reason. It is "" for none.
func (r Reason) String() string {
	if r >= Reasons {
		return ""
	}
	return reasons[r].name
}

// Category is what r asks to do, unless a signal says otherwise.
func (r Reason) Category() Category {
	if r >= Reasons {
		return NoCategory
	}
	return reasons[r].category
}

// ReasonOf is the reason with a name; NoReason where there is none.
func ReasonOf(name string) Reason {
	for r := range reasons {
		if reasons[r].name == name {
			return Reason(r)
		}
	}
	return NoReason
}

// String is the name of c: the value of error.category. It is "" for none.
func (c Category) String() string {
	if c >= Categories {
		return ""
	}
	return categories[c]
}

// CategoryOf is the category with a name; NoCategory where there is none.
func CategoryOf(name string) Category {
	for c := range categories {
		if categories[c] == name {
			return Category(c)
		}
	}
	return NoCategory
}

// Strength says how far a signal is trusted against others.
type Strength uint8

// The strengths, from the weakest.
const (
	NoStrength Strength = iota
	Word                // a bare word in its company: "network error"
	Phrase              // what software says of itself: "connection refused"
	Code                // a code: HTTP 429, SQLSTATE 40001, code = Unavailable
	Cause               // a specific cause, whatever wraps it: insufficient_quota, x509
	Fact                // a typed fact about the failure itself: an errno, a DNS answer, a certificate
	User                // a rule of the user's
	Own                 // the program's own doing: its deadline, its cancellation, its budget
	Strengths           // how many values there are
)

var strengths = [Strengths]string{"", "word", "phrase", "code", "cause", "fact", "user", "own"}

// String names the strength; it is "" for none.
func (s Strength) String() string {
	if s >= Strengths {
		return ""
	}
	return strengths[s]
}

// Source is the part of the evidence that a signal was found in.
type Source uint8

// The sources.
const (
	FromType Source = iota
	FromCode
	FromError
	FromStatus
	FromHeader
	FromBody
	FromMessage
	Sources // how many values there are
)

var sources = [Sources]string{"type", "code", "error", "status", "header", "body", "message"}

// String names the source, as evidence has it.
func (s Source) String() string {
	if s >= Sources {
		return ""
	}
	return sources[s]
}
