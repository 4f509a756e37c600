package signal

// Reason is why an error happened. Each value stands for one classify.Reason.
type Reason uint8

// These are the reasons, in the order of their documentation.
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

// Category is what the caller should do next. Each value stands for one
// classify.Category.
type Category uint8

// These are the categories, in the order of their documentation.
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

// String returns the name of r, as in classify.Reason. It returns "" for NoReason.
func (r Reason) String() string {
	if r >= Reasons {
		return ""
	}
	return reasons[r].name
}

// Category returns the usual category of r.
func (r Reason) Category() Category {
	if r >= Reasons {
		return NoCategory
	}
	return reasons[r].category
}

// ReasonOf returns the reason with this name, or NoReason if there is none.
func ReasonOf(name string) Reason {
	for r := range reasons {
		if reasons[r].name == name {
			return Reason(r)
		}
	}
	return NoReason
}

// String returns the name of c, as in classify.Category. It returns "" for
// NoCategory.
func (c Category) String() string {
	if c >= Categories {
		return ""
	}
	return categories[c]
}

// CategoryOf returns the category with this name, or NoCategory if there is none.
func CategoryOf(name string) Category {
	for c := range categories {
		if categories[c] == name {
			return Category(c)
		}
	}
	return NoCategory
}

// Strength is how reliable a signal is. A stronger signal outranks a weaker one. The
// exception is a wrapper: see [Rank].
type Strength uint8

// These are the values of [Strength], from the weakest.
const (
	NoStrength Strength = iota
	Word                // a common word with the words around it: "network error"
	Phrase              // a phrase of error messages: "connection refused"
	Code                // a code: HTTP 429, SQLSTATE 40001, code = Unavailable
	Cause               // a specific cause, whatever error wraps it: insufficient_quota, x509
	Fact                // a typed fact: an errno, a DNS answer, a certificate
	User                // a user's rule
	Own                 // the program's own deadline, cancellation or budget
	Strengths           // how many values there are
)

var strengths = [Strengths]string{"", "word", "phrase", "code", "cause", "fact", "user", "own"}

// String returns the name of s. It returns "" for NoStrength.
func (s Strength) String() string {
	if s >= Strengths {
		return ""
	}
	return strengths[s]
}

// Source is the part of an error in which a signal was found.
type Source uint8

// These are the values of [Source].
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

// String returns the name of s, as in classify.Signal.Source.
func (s Source) String() string {
	if s >= Sources {
		return ""
	}
	return sources[s]
}
