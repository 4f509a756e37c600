package main

import (
	"cmp"
	"log"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/model"
)

// options are the settings of the training.
type options struct {
	Features int     // number of features in the table
	Penalty  float64 // weight of the L2 penalty
	Example  float64 // weight of an example
	Rare     int     // a feature that occurs in fewer texts than this is ignored
}

var defaults = options{Features: 14000, Penalty: 0.1, Example: 1, Rare: 2}

// row is one text in the form that fit uses: the columns of its features by group,
// the index of its reason, and its weight in the loss.
type row struct {
	columns [model.Groups][]int32
	reason  int
	weight  float64
}

// train learns a table. It first fits weights for all features. Then it keeps the
// features with the largest weights and fits again. It learns each text twice: the
// text alone, and the text after a prefix.
func train(texts []text, o options) model.Table {
	alone := len(texts)
	texts = withPrefixes(texts)
	features := make([][model.Groups][]uint32, len(texts))
	count := map[uint32]int{}
	for i, t := range texts {
		features[i] = model.Features(t.Text)
		for g, f := range features[i] {
			slices.Sort(f)
			different := slices.Compact(slices.Clone(f))
			if model.Group(g) == model.Pairs {
				features[i][g] = different
			}
			if i >= alone {
				continue // a prefix does not make a feature less rare
			}
			for _, feature := range different {
				count[feature]++
			}
		}
	}
	var vocabulary []uint32
	for feature, n := range count {
		if n >= o.Rare {
			vocabulary = append(vocabulary, feature)
		}
	}
	slices.Sort(vocabulary)
	reasons := len(classify.Reasons())
	x := fit(rows(texts, features, vocabulary, o), len(vocabulary), reasons, o.Penalty, 25)
	vocabulary = heaviest(vocabulary, x, reasons, o.Features)
	x = fit(rows(texts, features, vocabulary, o), len(vocabulary), reasons, o.Penalty, 120)
	return quantise(vocabulary, x, reasons)
}

// rows converts the texts to rows. It keeps the features in vocabulary, which
// must be in ascending order.
func rows(texts []text, features [][model.Groups][]uint32, vocabulary []uint32, o options) []row {
	column := make(map[uint32]int32, len(vocabulary))
	for i, feature := range vocabulary {
		column[feature] = int32(i)
	}
	all := make([]row, len(texts))
	for i, t := range texts {
		all[i] = row{reason: slices.Index(classify.Reasons(), t.Reason), weight: 0.5}
		if t.Example {
			all[i].weight = o.Example / 2
		}
		for g, group := range features[i] {
			for _, feature := range group {
				if c, ok := column[feature]; ok {
					all[i].columns[g] = append(all[i].columns[g], c)
				}
			}
		}
	}
	return all
}

// heaviest returns the n features whose weights have the largest norm, sorted by
// feature.
func heaviest(vocabulary []uint32, x []float64, reasons, n int) []uint32 {
	type weighed struct {
		feature uint32
		norm    float64
	}
	all := make([]weighed, len(vocabulary))
	for i, feature := range vocabulary {
		all[i] = weighed{feature, floats.Norm(x[i*reasons:(i+1)*reasons], 2)}
	}
	slices.SortFunc(all, func(a, b weighed) int {
		return cmp.Or(cmp.Compare(b.norm, a.norm), cmp.Compare(a.feature, b.feature))
	})
	chosen := make([]uint32, min(n, len(all)))
	for i := range chosen {
		chosen[i] = all[i].feature
	}
	slices.Sort(chosen)
	return chosen
}

// quantise rounds the weights to bytes.
func quantise(vocabulary []uint32, x []float64, reasons int) model.Table {
	weights, bias := x[:len(vocabulary)*reasons], x[len(vocabulary)*reasons:]
	scale := floats.Norm(weights, math.Inf(1)) / 127
	t := model.Table{Scale: float32(scale), Features: vocabulary, Weights: make([]int8, len(weights))}
	for i, w := range weights {
		t.Weights[i] = int8(math.Round(w / scale))
	}
	for i, reason := range classify.Reasons() {
		t.Reasons = append(t.Reasons, string(reason))
		t.Retryable = append(t.Retryable, reason.Policy().Category == classify.CategoryRetryable)
		t.Bias = append(t.Bias, float32(bias[i]))
	}
	return t
}

// chunks is the number of parts in which a sum over all rows is computed. This
// number is the same on every machine, because rounding depends on the order of
// additions.
const chunks = 4

// fit returns the weights of a multinomial logistic regression: one value per
// reason for each column, then one bias per reason.
func fit(rows []row, columns, reasons int, penalty float64, iterations int) []float64 {
	size := (columns + 1) * reasons
	loss := objective{rows: rows, reasons: reasons, penalty: penalty, last: make([]float64, size)}
	loss.last[0] = math.NaN()
	for i := range loss.gradients {
		loss.gradients[i] = make([]float64, size)
	}
	result, err := optimize.Minimize(optimize.Problem{
		Func: func(x []float64) float64 { loss.evaluate(x); return loss.value },
		Grad: func(gradient, x []float64) { loss.evaluate(x); copy(gradient, loss.gradients[0]) },
	}, make([]float64, size), &optimize.Settings{
		MajorIterations: iterations,
		Converger:       &optimize.FunctionConverge{Relative: 1e-5, Iterations: 3},
	}, &optimize.LBFGS{Store: 8})
	if err != nil {
		log.Printf("the optimiser stopped early: %v", err)
	}
	return result.X
}

// objective is the weighted log loss with the penalty. It caches the results for
// the last point, because the optimiser asks for a point's value and gradient
// separately.
type objective struct {
	rows      []row
	reasons   int
	penalty   float64
	last      []float64
	value     float64
	gradients [chunks][]float64 // the sum is in the first
}

func (o *objective) evaluate(x []float64) {
	if floats.Equal(o.last, x) {
		return
	}
	copy(o.last, x)
	var values [chunks]float64
	var group sync.WaitGroup
	for i := range chunks {
		group.Go(func() {
			from, to := len(o.rows)*i/chunks, len(o.rows)*(i+1)/chunks
			values[i] = o.chunk(o.rows[from:to], x, o.gradients[i])
		})
	}
	group.Wait()
	o.value = values[0]
	for i := 1; i < chunks; i++ {
		o.value += values[i]
		floats.Add(o.gradients[0], o.gradients[i])
	}
	weights := x[:len(x)-o.reasons]
	o.value += o.penalty / 2 * floats.Dot(weights, weights)
	floats.AddScaled(o.gradients[0][:len(weights)], o.penalty, weights)
}

// chunk returns the loss of some rows. It stores the derivative of the loss in
// gradient.
func (o *objective) chunk(rows []row, x, gradient []float64) (loss float64) {
	clear(gradient)
	bias := len(x) - o.reasons
	z := make([]float64, o.reasons)
	for _, r := range rows {
		copy(z, x[bias:])
		for _, group := range r.columns {
			value := 1 / math.Sqrt(float64(max(len(group), 1)))
			for _, c := range group {
				floats.AddScaled(z, value, x[int(c)*o.reasons:][:o.reasons])
			}
		}
		all := floats.LogSumExp(z)
		loss += r.weight * (all - z[r.reason])
		for i := range z {
			z[i] = r.weight * math.Exp(z[i]-all)
		}
		z[r.reason] -= r.weight
		floats.Add(gradient[bias:], z)
		for _, group := range r.columns {
			value := 1 / math.Sqrt(float64(max(len(group), 1)))
			for _, c := range group {
				floats.AddScaled(gradient[int(c)*o.reasons:][:o.reasons], value, z)
			}
		}
	}
	return loss
}
