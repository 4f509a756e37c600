package model_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/errclass/errclass/internal/model"
)

func TestFeaturesAreTheSame(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, a, b string }{
		{"case", "Connection REFUSED", "connection refused"},
		{"colours and invisible characters", "\x1b[31mnot\u200b found\x1b[0m", "not found"},
		{"a stack trace", "connection refused\n\tat a.b.C.d(C.java:12)\n\tat a.b.E.f(E.java:7)\nCaused by: x", "connection refused\nCaused by: x"},
		{"punctuation", "read: not found!", "read not found"},
		{"numbers", "after 30 s", "after 4711 s"},
		{"timestamps", "2026-01-02 03:04:05.678 busy", "1999-12-31 23:59 busy"},
		{"dates", "Nov  6 08:49:37 gone", "Mar 14 10:00:00 gone"},
		{"dates with a year", "[23/Oct/2026:08:49] gone", "[01-Feb-2025 07:00] gone"},
		{"ids", "pod 9b5ed7a56b0b failed", "pod 0a1b2c3d4e failed"},
		{"paths", "open /var/lib/a: denied", "open /tmp/x/y: denied"},
		{"URLs", "get https://a.example.org/x?y=1 failed", "get https://b.example.org/ failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, b := features(tt.a), features(tt.b)
			assert.NotEmpty(t, a)
			assert.Equal(t, set(a), set(b), "%q and %q", tt.a, tt.b)
		})
	}
}

func TestFeaturesDiffer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, a, b string }{
		{"words", "refused", "accepted"},
		{"the order of words", "not found", "found not"},
		{"a month and another word", "6 may", "6 dec"},
		{"statuses", "status 503", "status 404"},
		{"a status and a number", "status 503", "status 17"},
		{"part of a word", "timeout", "time out"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.NotEqual(t, set(features(tt.a)), set(features(tt.b)), "%q and %q", tt.a, tt.b)
		})
	}
}

// The features of a word are the word itself and its n-grams. A space is added
// before and after the word for the n-grams.
func TestFeaturesOfAWord(t *testing.T) {
	t.Parallel()
	assert.Len(t, features("ab"), 1+2+1, "ab, 3-grams, 4-gram")
	assert.Len(t, features("busy"), 1+4+3+2, "busy, 3-, 4- and 5-grams")
	assert.Len(t, features("ab ab"), 1+2+1+1, "a word counts once; with a pair")
	assert.Len(t, features("abc abd"), 2*(1+3+2+1)+1, "an n-gram of two words counts twice")
	assert.Empty(t, features(" .:\n"))
}

// features returns the features of all groups.
func features(text string) (all []uint32) {
	for _, group := range model.Features(text) {
		all = append(all, group...)
	}
	return all
}

func set(features []uint32) []uint32 {
	features = slices.Clone(features)
	slices.Sort(features)
	return slices.Compact(features)
}

// table returns a table that has weights for the word b only.
func table() model.Table {
	return model.Table{
		Reasons: []string{"transient", "unknown"}, Retryable: []bool{true, false}, Bias: []float32{-1, 1}, Scale: 0.5,
		Features: model.Features("b")[model.Words],
		Weights:  []int8{100, -128},
	}
}

func TestPredict(t *testing.T) {
	t.Parallel()
	m := model.New(table())
	unsure := m.Predict("nothing of it")
	assert.InDelta(t, 1/(1+math.Exp(2)), unsure[0], 1e-6)
	assert.InDelta(t, 1, unsure[0]+unsure[1], 1e-6)
	sure := m.Predict("b")
	assert.Greater(t, sure[0], float32(0.999))
	assert.Equal(t, sure, m.Predict("b: b; B"), "a feature counts once")
}

// Several texts are read one after the other. The result has the features of all of
// them, but only the first 8 KiB count.
func TestRead(t *testing.T) {
	t.Parallel()
	m := model.New(table())
	var r model.Reader
	m.Read(&r, "nothing of it")
	assert.Zero(t, r.Known())
	m.Read(&r, "a b c")
	assert.Equal(t, 1, r.Known())
	assert.Equal(t, m.Predict("b"), m.Scores(&r))
	r = model.Reader{}
	m.Read(&r, strings.Repeat("x", 8<<10))
	assert.True(t, r.Full())
	m.Read(&r, "b")
	assert.Zero(t, r.Known())
	assert.Equal(t, []string{"transient", "unknown"}, m.Reasons())
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	m := model.New(model.Table{
		Reasons: []string{"a", "b", "c"}, Retryable: []bool{true, true, false}, Scale: 1,
		Bias:     []float32{float32(math.Log(0.25)), float32(math.Log(0.3)), float32(math.Log(0.45))},
		Features: model.Features("b")[model.Words], Weights: []int8{0, 0, 0},
	})
	for _, tt := range []struct {
		name string
		l    model.Limits
		p    model.Prior
		want int
		ok   bool
	}{
		{"the retryable reasons together", model.Limits{Retry: 0.5, Other: 0.5}, model.Prior{}, 1, true},
		{"not enough for a retry", model.Limits{Retry: 0.6, Other: 0.4}, model.Prior{}, 2, true},
		{"not enough for either", model.Limits{Retry: 0.6, Other: 0.5}, model.Prior{}, 2, false},
		{"enough known features", model.Limits{Retry: 0.5, Known: 1}, model.Prior{}, 1, true},
		{"too few known features", model.Limits{Retry: 0.5, Known: 2}, model.Prior{}, 0, false},
		{"a prior for a retryable reason", model.Limits{Retry: 0.6, Other: 0.9}, model.Prior{Reason: 0, Weight: math.Log(2)}, 0, true},
		{"a prior for another reason", model.Limits{Retry: 0.5, Other: 0.6}, model.Prior{Reason: 2, Weight: math.Log(2)}, 2, true},
		{"a prior that is not enough", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 2, Weight: math.Log(2)}, 2, false},
		{"a weak prior", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 2, Weight: math.Log(1.1)}, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var r model.Reader
			m.Read(&r, "b")
			got, ok := m.Answer(&r, tt.l, tt.p)
			assert.Equal(t, tt.want, got.Reason)
			assert.Equal(t, tt.ok, ok)
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	m := model.New(table())
	assert.Equal(t, []model.Word{{Text: "b", Weight: 57}}, m.Words("a B b c", 0, 5))
	assert.Empty(t, m.Words("a B b c", 1, 5), "the weight is negative")
	assert.Empty(t, m.Words("a B b c", 0, 0))
}

// The model adds packed numbers of 16 bits. The sums must equal the sums of a
// plain loop, even if there are so many rows that their sum does not fit into
// 16 bits.
func TestPredictEqualsPlainSum(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"the quick brown fox jumps over a lazy dog while some upstream closes its connection",
		"permission denied reading configuration certificate expired yesterday authority unknown",
		"leader election lost; follower refuses writes, replica lagging behind by many segments; watermark exceeded",
	}, "\n")
	all := set(features(text))
	groups := model.Features(text)
	groups[model.Pairs] = set(groups[model.Pairs])
	require.Greater(t, len(set(groups[model.Parts])), 512)
	tbl := model.Table{Scale: 0.01, Features: all}
	sums := make([]float64, 17)
	for i := range sums {
		tbl.Reasons = append(tbl.Reasons, strings.Repeat("r", i+1))
		tbl.Retryable = append(tbl.Retryable, i%2 == 0)
		tbl.Bias = append(tbl.Bias, float32(i)/10)
	}
	for i, feature := range all {
		unit := 0.0
		for _, group := range groups {
			for _, f := range group {
				if f == feature {
					unit += 0.01 / math.Sqrt(float64(len(group)))
				}
			}
		}
		for j := range sums {
			w := int8((i*31 + j*j*17) % 256)
			if i%3 == 0 {
				w = -128 + int8(j)
			}
			tbl.Weights = append(tbl.Weights, w)
			sums[j] += float64(w) * unit
		}
	}
	total := 0.0
	for i := range sums {
		sums[i] = math.Exp(float64(tbl.Bias[i]) + sums[i])
		total += sums[i]
	}
	m := model.New(tbl)
	got := m.Predict(text)
	for i := range sums {
		assert.InDelta(t, sums[i]/total, got[i], 1e-5, "reason %d", i)
	}
	assert.Equal(t, got, m.Predict(text), "with the sums of the known words")
	assert.Equal(t, got, m.Predict(strings.ToUpper(text)))
}

func TestDecode(t *testing.T) {
	t.Parallel()
	want := table()
	want.Inputs[3] = 7
	data := want.Encode()
	got, err := model.Decode(data)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	for n := range data {
		_, err := model.Decode(data[:n])
		assert.Error(t, err, "the first %d of %d bytes", n, len(data))
	}
	_, err = model.Decode(append(data, 0))
	assert.EqualError(t, err, "1 bytes after the table")
	want.Features, want.Weights = []uint32{2, 2}, []int8{1, 2, 3, 4}
	_, err = model.Decode(want.Encode())
	assert.EqualError(t, err, "the features are not ascending")
}

// The probabilities of a text add up to 1. The number of features of a text is
// limited.
func FuzzPredict(f *testing.F) {
	for _, seed := range []string{"", "connection refused", "\x00\xff/", "//", "日本語のエラー", strings.Repeat("aB9/", 5000)} {
		f.Add(seed)
	}
	m := model.New(table())
	f.Fuzz(func(t *testing.T, text string) {
		p := m.Predict(text)
		assert.InDelta(t, 1, p[0]+p[1], 1e-5)
		assert.LessOrEqual(t, len(features(text)), 5*(8<<10))
	})
}

func TestPredictDoesNotAllocate(t *testing.T) {
	m := model.New(table())
	text := strings.Repeat("dial tcp 10.0.0.1:443: connection refused; ", 6)
	assert.Zero(t, testing.AllocsPerRun(100, func() { m.Predict(text) }))
}
