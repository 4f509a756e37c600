package resilience

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// formerKeys maps keys of older configs to the paths of the fields that replace
// them.
var formerKeys = map[string][]string{
	"enableNetworkResilience": {"enabled"},
	"MAX_MODEL_RETRIES":       {"retry", "maxNetworkRetries"},
	"RETRY_DELAY_MS":          {"retry", "baseDelayMs"},
}

// UnmarshalJSON reads a config. Fields that are missing in the JSON keep their
// values. An unknown key is an error. If a field treats 0 as not set, an explicit 0
// is an error. The error has one line for each fault and names the field.
//
// These older keys are read too:
//
//   - enableNetworkResilience means enabled.
//   - MAX_MODEL_RETRIES means retry.maxNetworkRetries.
//   - RETRY_DELAY_MS means retry.baseDelayMs, with the schedule custom.
func (c *Config) UnmarshalJSON(data []byte) error {
	if string(bytes.TrimSpace(data)) == "null" {
		return nil
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		return fmt.Errorf("resilience config: %w", err)
	}
	renamed, err := checkKeys(tree)
	if err != nil {
		return err
	}
	if renamed {
		if data, err = json.Marshal(tree); err != nil {
			return fmt.Errorf("resilience config: %w", err)
		}
	}
	type plain Config
	if err := json.Unmarshal(data, (*plain)(c)); err != nil {
		return fmt.Errorf("resilience config: %w", err)
	}
	return nil
}

// UnmarshalYAML reads a config from YAML by the rules of [Config.UnmarshalJSON].
// These YAML libraries call it: go.yaml.in/yaml, gopkg.in/yaml and goccy/go-yaml.
func (c *Config) UnmarshalYAML(unmarshal func(any) error) error {
	var tree map[string]any
	if err := unmarshal(&tree); err != nil {
		return err
	}
	renamed, err := checkKeys(tree)
	if err != nil {
		return err
	}
	type plain Config
	if !renamed {
		return unmarshal((*plain)(c))
	}
	data, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("resilience config: %w", err)
	}
	return c.UnmarshalJSON(data)
}

// checkKeys renames former keys, then checks all keys and all values that are 0.
func checkKeys(tree map[string]any) (renamed bool, err error) {
	var v validation
	for _, old := range slices.Sorted(maps.Keys(formerKeys)) {
		value, ok := tree[old]
		if !ok {
			continue
		}
		renamed = true
		delete(tree, old)
		v.move(tree, old, formerKeys[old], value)
	}
	v.keys("", tree, reflect.ValueOf(DefaultConfig()), false)
	return renamed, errors.Join(v...)
}

// move stores the value of a former key at the path that replaces the key.
func (v *validation) move(tree map[string]any, old string, path []string, value any) {
	section := tree
	if len(path) > 1 {
		found, ok := tree[path[0]]
		if section, _ = found.(map[string]any); section == nil {
			if ok && found != nil {
				return // v.keys reports that the value is not a section
			}
			section = map[string]any{}
			tree[path[0]] = section
		}
	}
	key := path[len(path)-1]
	if _, ok := section[key]; ok {
		v.addf(old, "is the former name of %s, and both are set: remove %[2]s", strings.Join(path, "."), old)
		return
	}
	section[key] = value
	if key == "baseDelayMs" { // applies only to the schedule "custom"
		if _, ok := section["schedule"]; !ok {
			section["schedule"] = string(CustomSchedule)
		}
	}
}

// keys reports the unknown keys of a section, and each 0 that would mean "not set".
// defaults is the section's struct with all defaults. If the section overrides other
// sections, override is true and defaults is zero.
func (v *validation) keys(path string, section map[string]any, defaults reflect.Value, override bool) {
	known := map[string]reflect.Value{}
	for i := range defaults.NumField() {
		name, _, _ := strings.Cut(defaults.Type().Field(i).Tag.Get("json"), ",")
		known[name] = defaults.Field(i)
	}
	for _, key := range slices.Sorted(maps.Keys(section)) {
		field, ok := known[key]
		if !ok {
			v.addf(path+key, "unknown; the keys here are %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
			continue
		}
		v.value(path+key, section[key], field, override)
	}
}

// value checks one value. A value of the wrong type is left to the decoder.
func (v *validation) value(path string, value any, field reflect.Value, override bool) {
	switch field.Kind() {
	case reflect.Struct:
		if section, ok := value.(map[string]any); ok {
			v.keys(path+".", section, field, override)
		}
	case reflect.Map:
		sections, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(sections)) {
			if section, ok := sections[name].(map[string]any); ok {
				v.keys(fmt.Sprintf("%s[%q].", path, name), section, reflect.Zero(field.Type().Elem()), true)
			}
		}
	case reflect.Int, reflect.Float64:
		switch {
		case !isZero(value):
		case override:
			v.addf(path, "0 would mean the general setting: leave it out, or set another value")
		case !field.IsZero():
			v.addf(path, "0 would mean the default, %v: leave it out, or set another value", field)
		}
	}
}

// isZero reports whether a decoded number is 0.
func isZero(value any) bool {
	switch n := value.(type) {
	case int:
		return n == 0
	case float64:
		return n == 0
	default:
		return false
	}
}
