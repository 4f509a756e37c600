package errclassprocessor

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/confmaptest"
)

// schema is a node of the schema in config.schema.yaml.
type schema struct {
	Type       string            `mapstructure:"type"`
	Ref        string            `mapstructure:"$ref"`
	Enum       []string          `mapstructure:"enum"`
	Minimum    int               `mapstructure:"minimum"`
	Maximum    int               `mapstructure:"maximum"`
	Default    any               `mapstructure:"default"`
	Items      *schema           `mapstructure:"items"`
	Properties map[string]schema `mapstructure:"properties"`
	Defs       map[string]schema `mapstructure:"$defs"`
}

// schemaTypes maps the kind of a Go field to its type in the schema.
var schemaTypes = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "boolean", reflect.Int: "integer", reflect.Slice: "array", reflect.Struct: "object",
}

// The schema has exactly the keys, the types and the defaults of Config.
func TestSchema(t *testing.T) {
	t.Parallel()
	cm, err := confmaptest.LoadConf("config.schema.yaml")
	require.NoError(t, err)
	var s schema
	require.NoError(t, cm.Unmarshal(&s, confmap.WithIgnoreUnused()))
	compareSchema(t, s, s.Defs, reflect.ValueOf(createDefaultConfig()).Elem())

	// Config accepts values that the schema allows, and rejects values outside the
	// bounds of the schema.
	valid := func(change func(*Config)) error {
		cfg := createDefaultConfig().(*Config)
		change(cfg)
		return cfg.Validate()
	}
	for _, v := range s.Properties["min_severity"].Enum {
		assert.NoError(t, valid(func(c *Config) { c.MinSeverity = v }))
	}
	for _, v := range s.Properties["error_mode"].Enum {
		assert.NoError(t, valid(func(c *Config) { c.ErrorMode = ErrorMode(v) }))
	}
	for _, v := range s.Properties["signals"].Items.Enum {
		assert.NoError(t, valid(func(c *Config) { c.Signals = []string{v} }))
	}
	bytes := s.Properties["max_bytes"]
	for _, v := range []int{bytes.Minimum, bytes.Maximum} {
		assert.NoError(t, valid(func(c *Config) { c.MaxBytes = v }))
	}
	for _, v := range []int{bytes.Minimum - 1, bytes.Maximum + 1} {
		assert.Error(t, valid(func(c *Config) { c.MaxBytes = v }))
	}
}

func compareSchema(t *testing.T, s schema, defs map[string]schema, v reflect.Value) {
	t.Helper()
	assert.Len(t, s.Properties, v.NumField())
	for i := range v.NumField() {
		name := v.Type().Field(i).Tag.Get("mapstructure")
		property, ok := s.Properties[name]
		if !assert.True(t, ok, "the schema lacks %s", name) {
			continue
		}
		if property.Ref != "" {
			property = defs[property.Ref]
		}
		field := v.Field(i)
		assert.Equal(t, schemaTypes[field.Kind()], property.Type, name)
		switch field.Kind() {
		case reflect.Struct:
			compareSchema(t, property, defs, field)
		case reflect.Slice:
			var list []any
			for _, item := range field.Interface().([]string) {
				list = append(list, item)
			}
			assert.Equal(t, list, property.Default, name)
		case reflect.String:
			assert.Equal(t, field.String(), property.Default, name)
		default:
			assert.Equal(t, field.Interface(), property.Default, name)
		}
	}
}

// Each example of the README is valid.
func TestExamples(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("README.md")
	require.NoError(t, err)
	examples := strings.Split(string(data), "```yaml\n")[1:]
	require.NotEmpty(t, examples)
	for _, example := range examples {
		text, _, _ := strings.Cut(example, "```")
		retrieved, err := confmap.NewRetrievedFromYAML([]byte(text))
		require.NoError(t, err)
		all, err := retrieved.AsConf()
		require.NoError(t, err)
		cm, err := all.Sub("processors::errclass")
		require.NoError(t, err)
		cfg := createDefaultConfig().(*Config)
		require.NoError(t, cm.Unmarshal(cfg))
		cfg.RulesFile = "" // it is not on this machine
		assert.NoError(t, cfg.Validate())
	}
}
