package classify

import (
	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// viewOverrides lists rules with a name of their own in a naming scheme ([View]).
// [Result.Name] returns this name instead of the name of the reason. The names come
// from the provider error mapping (docs/specifications.md). For example, the mapping
// calls a lack of free ports an invalid request.
var viewOverrides = [...]struct {
	rule string
	view View
	name string
}{
	{"errno/EADDRNOTAVAIL", ViewProvider, "invalid_request"},
	{"sdk/APIConnectionError", ViewProvider, "timeout"},
}

// Name returns the name of r in the naming scheme v. This is the name of r's reason,
// unless v has a special name for r's rule. For the zero Result, Name returns "".
func (r Result) Name(v View) string {
	if r.Category == "" {
		return ""
	}
	for _, o := range viewOverrides {
		if o.rule == r.Rule && o.view == v {
			return o.name
		}
	}
	return r.Reason.Name(v)
}

// Policy returns the policy of r's reason, with the category of r. If the program's
// own budget is spent, the policy allows no fallback, because a different provider
// costs money too. The zero Result has the zero Policy.
func (r Result) Policy() Policy {
	if r.Category == "" {
		return Policy{}
	}
	p := r.Reason.Policy()
	p.Category = r.Category
	if r.Rule == chain.RuleOwnBudget {
		p.Fallback = FallbackNo
	}
	return p
}
