package classify

import (
	"github.com/errclass/errclass/classify/internal/collect/chain"
)

// viewOverrides lists rules with a special name in a naming scheme ([View]). Source:
// provider error mapping (docs/specifications.md).
var viewOverrides = [...]struct {
	rule string
	view View
	name string
}{
	{"errno/EADDRNOTAVAIL", ViewProvider, "invalid_request"},
	{"sdk/APIConnectionError", ViewProvider, "timeout"},
}

// Name returns the name of r's reason in the naming scheme v. If v has a special
// name for r's rule, Name returns that name. For the zero Result, it returns "".
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
// own budget is spent, the policy allows no fallback. The zero Result has the zero
// Policy.
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
