package model_test

import (
	"math"
	"math/rand/v2"
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
		{"ids with a part of more than 40 letters", "pod " + strings.Repeat("b", 41) + "1c2d failed", "pod 0a1b2c3d4e failed"},
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

// TestFeaturesOfAWord checks the word itself and its n-grams, with a space at each
// end.
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

// table returns a table that has only the word b. The second hidden unit is
// negative for b, and counts as 0.
func table() model.Table {
	t := empty([]string{"transient", "unknown"}, []float32{-1, 1})
	t.Retryable[0] = true
	t.Scale = 0.5
	t.Features = model.Features("b")[model.Words]
	t.Codes = make([]byte, model.Codes)
	t.Codes[0] = 7
	copy(t.Centroids[7*model.Hidden/model.Codes:], []int8{100, -128})
	copy(t.Output, []float32{1, -1, 7, 7})
	return t
}

// empty returns a table without features.
func empty(reasons []string, bias []float32) model.Table {
	return model.Table{
		Reasons: reasons, Retryable: make([]bool, len(reasons)), Bias: bias,
		Centroids: make([]int8, model.Hidden*model.Centroids), Hidden: make([]float32, model.Hidden), Output: make([]float32, model.Hidden*len(reasons)),
		Codes: []byte{},
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

// TestRead adds up the features of several texts. Only the first 8 KiB count.
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
	table := empty([]string{"a", "b", "c"}, []float32{float32(math.Log(0.25)), float32(math.Log(0.3)), float32(math.Log(0.45))})
	table.Retryable = []bool{true, true, false}
	table.Features, table.Codes = model.Features("b")[model.Words], make([]byte, model.Codes)
	m := model.New(table)
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
		{"few known features", model.Limits{Retry: 0.5, Few: 2, Sure: 0.56}, model.Prior{}, 1, false},
		{"few known features, but sure", model.Limits{Retry: 0.5, Few: 2, Sure: 0.54}, model.Prior{}, 1, true},
		{"few known features, another reason", model.Limits{Retry: 0.6, Other: 0.4, Few: 2, Sure: 0.46}, model.Prior{}, 2, false},
		{"too few known features", model.Limits{Retry: 0.5, Known: 2}, model.Prior{}, 0, false},
		{"a prior for a retryable reason", model.Limits{Retry: 0.6, Other: 0.9}, model.Prior{Reason: 0, Weight: math.Log(2)}, 0, true},
		{"a prior for another reason", model.Limits{Retry: 0.5, Other: 0.6}, model.Prior{Reason: 2, Weight: math.Log(2)}, 2, true},
		{"a prior that is not enough", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 2, Weight: math.Log(2)}, 2, false},
		{"a weak prior", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 2, Weight: math.Log(1.1)}, 1, true},
		{"a permanent cause", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 2, Weight: math.Log(1.1), Cause: true}, 1, false},
		{"a temporary cause", model.Limits{Retry: 0.5, Other: 0.9}, model.Prior{Reason: 0, Weight: math.Log(1.1), Cause: true}, 1, true},
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
	assert.Equal(t, []model.Word{{Text: "b", Weight: 50}}, m.Words("a B b c", 0, 5))
	assert.Empty(t, m.Words("a B b c", 1, 5), "the weight is negative")
	assert.Empty(t, m.Words("a B b c", 0, 0))
}

// TestPredictEqualsPlainLoop compares packed and cached sums with a plain loop.
func TestPredictEqualsPlainLoop(t *testing.T) {
	t.Parallel()
	text := strings.Join([]string{
		"the quick brown fox jumps over a lazy dog while some upstream closes its connection",
		"permission denied reading configuration certificate expired yesterday authority unknown",
		"leader election lost; follower refuses writes, replica lagging behind by many segments; watermark exceeded",
	}, "\n")
	groups := model.Features(text)
	groups[model.Pairs] = set(groups[model.Pairs])
	require.Greater(t, len(set(groups[model.Parts])), 512)

	random := rand.New(rand.NewPCG(1, 2))
	reasons, bias := make([]string, 17), make([]float32, 17)
	tbl := empty(reasons, bias)
	tbl.Scale = 0.01
	var all []uint32 // the features of the text, with 20 others that differ only in the lower bits
	for _, feature := range features(text) {
		all = append(all, feature)
		for range 20 {
			all = append(all, feature&^63|uint32(random.IntN(64)))
		}
	}
	tbl.Features = set(all)
	for range len(tbl.Features) * model.Codes {
		tbl.Codes = append(tbl.Codes, byte(random.IntN(3)*127))
	}
	for i := range tbl.Centroids {
		tbl.Centroids[i] = int8(random.IntN(256) - 128)
	}
	copy(tbl.Centroids, []int8{-128, 127, -128, 127})
	for _, values := range [][]float32{tbl.Hidden, tbl.Output, tbl.Bias} {
		for i := range values {
			values[i] = float32(random.NormFloat64() / 10)
		}
	}

	hidden := make([]float64, model.Hidden)
	for i := range hidden {
		hidden[i] = float64(tbl.Hidden[i])
	}
	const units = model.Hidden / model.Codes
	for _, group := range groups {
		for _, feature := range group {
			row, ok := slices.BinarySearch(tbl.Features, feature)
			require.True(t, ok)
			for i := range hidden {
				code := i / units
				centroid := code*model.Centroids + int(tbl.Codes[row*model.Codes+code])
				hidden[i] += float64(tbl.Centroids[centroid*units+i%units]) * 0.01 / math.Sqrt(float64(len(group)))
			}
		}
	}
	want, total := make([]float64, len(reasons)), 0.0
	for reason := range want {
		score := float64(tbl.Bias[reason])
		for i, value := range hidden {
			score += max(value, 0) * float64(tbl.Output[i*len(reasons)+reason])
		}
		want[reason] = math.Exp(score)
		total += want[reason]
	}
	m := model.New(tbl)
	got := m.Predict(text)
	for reason := range want {
		assert.InDelta(t, want[reason]/total, got[reason], 1e-5, "reason %d", reason)
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
	want.Features, want.Codes = []uint32{2, 2}, make([]byte, 2*model.Codes)
	_, err = model.Decode(want.Encode())
	assert.EqualError(t, err, "the features are not ascending")
	want.Features = []uint32{2, 1 << 22}
	_, err = model.Decode(want.Encode())
	assert.EqualError(t, err, "a feature has more than 22 bits")
}

// FuzzPredict checks that probabilities add up to 1, and that the number of features is
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
