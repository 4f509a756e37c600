package jsontop_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/jsontop"
)

func ExampleObject() {
	line := []byte(`{"level": "error", "err": {"code": [1, "}"]}}`)
	end, ok := jsontop.Object(line, func(key, value []byte) { fmt.Printf("%s = %s\n", key, value) })
	fmt.Println(end == len(line)-1, ok)
	// Output:
	// level = "error"
	// err = {"code": [1, "}"]}
	// true true
}

func ExampleArray() {
	jsontop.Array([]byte(`[1, ["]"], {"a": 2}]`), func(item []byte) { fmt.Printf("%s\n", item) })
	// Output:
	// 1
	// ["]"]
	// {"a": 2}
}

func TestArrayEqualsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, s := range []string{``, `[`, `]`, `{}`, `[]`, ` [ ] `, `[1,]`, `[,1]`, `[1 2]`, `[1]x`, `[ 1 , "a]" , [2,[3]] , {"b":[4]} ]`, `[1,[2]`} {
		var got, want []string
		ok := jsontop.Array([]byte(s), func(item []byte) { got = append(got, string(item)) })
		var items []json.RawMessage
		require.Equal(t, json.Unmarshal([]byte(s), &items) == nil, ok, s)
		for _, item := range items {
			want = append(want, string(item))
		}
		if ok {
			require.Equal(t, want, got, s)
		}
	}
}

func ExampleText() {
	fmt.Println(jsontop.Text([]byte(`"tab\tand \u00e9"`)))
	fmt.Println(jsontop.Text([]byte(`12`)))
	// Output:
	// tab	and é true
	//  false
}

var samples = []string{
	``, ` `, `{}`, ` { } `, `{"a":1}`, "\t{\"a\" :\r\n1 , \"b\":[ ] }\n", `[]`, `"a"`, `1`, `null`, `{`, `}`, `{]`, `{"a"}`, `{"a":}`,
	`{"a":1,}`, `{,"a":1}`, `{"a":1 "b":2}`, `{"a":1}x`, `{"a":1}{}`, `{"a":[1,]}`, `{"a":[1 2]}`, `{"a":[}`, `{"a":{]}`, `{a:1}`, `{'a':1}`,
	`{"a":01}`, `{"a":-}`, `{"a":-0}`, `{"a":-01}`, `{"a":1.}`, `{"a":.5}`, `{"a":1.50e+07}`, `{"a":1e}`, `{"a":1e-}`, `{"a":1E5}`, `{"a":+1}`, `{"a":0x1}`,
	`{"a":true,"b":false,"c":null}`, `{"a":tru}`, `{"a":nulll}`, `{"a":True}`,
	`{"\u006dsg":"x"}`, `{"a":"\ud800"}`, `{"a":"\uD83D\uDE00"}`, `{"a":"\u12G4"}`, `{"a":"\u123"}`, `{"a":"\x"}`, `{"a":"\`, `{"a":"\"}`, `{"a":"\\"}`,
	"{\"a\":\"\x00\"}", "{\"a\":\"\x1f\"}", "{\"a\":\"\x7f\x80\xff\xfe\"}", "{\"\xff\":1}", "{\"a\":\"12345678\x01\"}", "{\"a\":\"1234567\\n90123456\\\"8\"}",
	`{"a":"é, 日本, 😀"}`, "\ufeff{}", `{"a":1,"a":2}`, `{"":""}`,
	strings.Repeat(`{"a":`, 9_999) + `{}` + strings.Repeat(`}`, 9_999),
	strings.Repeat(`{"a":`, 10_000) + `{}` + strings.Repeat(`}`, 10_000),
	`{"a":` + strings.Repeat(`[`, 9_999) + strings.Repeat(`]`, 9_999) + `}`,
	`{"a":` + strings.Repeat(`[`, 10_000) + strings.Repeat(`]`, 10_000) + `}`,
	`{"a":` + strings.Repeat(`[`, 100_000),
}

func TestObjectEqualsEncodingJSON(t *testing.T) {
	t.Parallel()
	for _, s := range samples {
		requireSame(t, []byte(s))
	}
}

func FuzzObject(f *testing.F) {
	for _, s := range samples[:len(samples)-5] {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) { requireSame(t, data) })
}

// requireSame checks that Object and encoding/json find the same members.
func requireSame(t *testing.T, data []byte) {
	t.Helper()
	type member struct{ key, value string }
	var got []member
	end, ok := jsontop.Object(data, func(key, value []byte) {
		got = append(got, member{string([]rune(string(key))), string(value)})
	})
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	require.Equal(t, json.Valid(data) && len(trimmed) > 0 && trimmed[0] == '{', ok, "%.200q", data)
	if !ok {
		return
	}
	require.Equal(t, byte('}'), data[end])
	want := map[string]json.RawMessage{}
	require.NoError(t, json.Unmarshal(data, &want))
	last := map[string]string{}
	for _, m := range got {
		last[m.key] = m.value
	}
	require.Len(t, last, len(want))
	for k, v := range want {
		require.Equal(t, string(v), last[k], "key %q of %.200q", k, data)
		var text string
		isText := len(v) > 0 && v[0] == '"' && json.Unmarshal(v, &text) == nil
		decoded, ok := jsontop.Text([]byte(last[k]))
		require.Equal(t, isText, ok)
		require.Equal(t, text, string([]rune(decoded)))
		whole, ok := jsontop.Ends(v, len(v))
		require.Equal(t, isText, ok)
		require.Equal(t, decoded, whole)
		appended, ok := jsontop.AppendText([]byte("a"), v)
		require.Equal(t, isText, ok)
		require.Equal(t, "a"+decoded, string(appended))
	}
	added := string(data[:end]) + `,"errclass":1` + string(data[end:])
	if len(got) == 0 {
		added = strings.Replace(added, ",", "", 1)
	}
	require.True(t, json.Valid([]byte(added)), "%.200q", added)
}

func TestObjectAllocatesNothing(t *testing.T) {
	line := []byte(`{"time":"2026-01-02T03:04:05Z","level":"INFO","msg":"done","n":[1,2,{"a":"b"}]}`)
	n := 0
	allocs := testing.AllocsPerRun(100, func() {
		jsontop.Object(line, func(_, value []byte) { n += len(value) })
	})
	assert.Zero(t, allocs)
}

func BenchmarkObject(b *testing.B) {
	line := []byte(`{"time":"2026-01-02T03:04:05.678901Z","level":"INFO","msg":"request served","method":"GET","path":"/v1/items/8812","status":200,"duration_ms":12.7,"user":{"id":"u-7781","plan":"pro"}}`)
	b.SetBytes(int64(len(line)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := jsontop.Object(line, func(_, _ []byte) {}); !ok {
			b.Fatal("no object")
		}
	}
}
