package otelclass

import "strings"

// providerAliases has a row for each provider, with the names of the provider, of
// its models and of its tools.
var providerAliases = [][]string{
	{"anthropic", "claude"},
	{"openai", "codex"},
	{"google", "gemini", "vertex", "vertex_ai", "gcp.gemini", "gcp.gen_ai", "gcp.vertex_ai"},
	{"azure", "azure.ai.openai", "azure.ai.inference", "az.ai.openai", "az.ai.inference"},
	{"bedrock", "aws.bedrock"},
	{"mistral", "mistral_ai"},
	{"xai", "x_ai", "grok"},
}

// maxProviderName is the length of the longest provider name that is looked up.
const maxProviderName = 64

// providerLabels maps provider names in lower case to label values. An alias has the
// label of its provider's first declared name.
func providerLabels(declared []string) map[string]string {
	labels := map[string]string{}
	for _, name := range declared {
		if lower := strings.ToLower(name); labels[lower] == "" {
			labels[lower] = name
		}
	}
	for _, aliases := range providerAliases {
		label := ""
		for _, name := range declared {
			for _, alias := range aliases {
				if label == "" && strings.EqualFold(name, alias) {
					label = name
				}
			}
		}
		if label == "" {
			continue
		}
		for _, alias := range aliases {
			if labels[alias] == "" {
				labels[alias] = label
			}
		}
	}
	return labels
}

// declaredProvider returns the label of the provider with this name or alias. If no
// such provider is declared, ok is false.
func (c *counterConfig) declaredProvider(name string) (label string, ok bool) {
	if len(name) > maxProviderName {
		return "", false
	}
	if label, ok = c.labels[name]; !ok {
		label, ok = c.labels[strings.ToLower(name)]
	}
	return label, ok
}

// provider returns the label value for a provider. If the metrics have no label for
// providers, it returns "".
func (c *counterConfig) provider(name string) string {
	if len(c.providers) == 0 {
		return ""
	}
	if label, ok := c.declaredProvider(name); ok {
		return label
	}
	return other
}

// allProviders returns the values of the label for providers, or one "" if
// there is no such label.
func (c *counterConfig) allProviders() []string {
	if len(c.providers) == 0 {
		return []string{""}
	}
	return append(c.providers[:len(c.providers):len(c.providers)], other)
}
