package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas/blas32"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/model"
)

// network is a model in training. The parameters are those of a [model.Table],
// before quantisation.
type network struct {
	reasons int
	vectors parameters // the vectors of all columns, one after the other
	hidden  parameters // the bias of each hidden unit
	output  parameters // one weight per reason, for one hidden unit after the other
	bias    parameters // the bias of each reason
	// categories has the category of each reason.
	categories []classify.Category
	frozen     bool // learning does not change the vectors
	random     *rand.Rand
}

// parameters has values that are learned, and for each value the sum of the squares
// of its gradients so far.
type parameters struct{ values, squares []float32 }

// newParameters returns n parameters with normally distributed random values.
func newParameters(n int, deviation float64, random *rand.Rand) parameters {
	p := parameters{make([]float32, n), make([]float32, n)}
	if deviation > 0 {
		for i := range p.values {
			p.values[i] = float32(deviation * random.NormFloat64())
		}
	}
	return p
}

// step moves len(gradient) values, from the index first on, against the gradient. It uses
// Adagrad: the larger the earlier gradients of a value, the smaller the step.
func (p *parameters) step(first int, gradient []float32, rate float32) {
	values, squares := p.values[first:][:len(gradient)], p.squares[first:][:len(gradient)]
	for i, g := range gradient {
		if g == 0 {
			continue
		}
		squares[i] += g * g
		values[i] -= rate * g / float32(math.Sqrt(float64(squares[i])))
	}
}

// newNetwork returns an untrained network for this number of columns and reasons. A
// random generator with a constant seed determines the initial values of the
// parameters, and later the order of the rows and the dropout.
func newNetwork(columns, reasons int) *network {
	random := rand.New(rand.NewPCG(1, 1))
	n := &network{
		reasons: reasons,
		vectors: newParameters(columns*model.Hidden, 0.1, random),
		hidden:  newParameters(model.Hidden, 0, random),
		output:  newParameters(model.Hidden*reasons, 1/math.Sqrt(model.Hidden), random),
		bias:    newParameters(reasons, 0, random),
		random:  random,
	}
	for _, reason := range classify.Reasons() {
		n.categories = append(n.categories, reason.Policy().Category)
	}
	return n
}

// learn trains the network on the rows, each of them once per epoch. rate is the
// learning rate of the first epoch; it falls to 0.
func (n *network) learn(rows []row, epochs int, rate float64, o options) {
	for epoch := range epochs {
		now := float32(rate) * (1 - float32(epoch)/float32(epochs))
		for _, i := range n.random.Perm(len(rows)) {
			n.learnRow(&rows[i], now, o)
		}
	}
}

// freeze replaces the vectors with the quantised vectors of a table. Later calls of
// learn do not change the vectors.
func (n *network) freeze(t model.Table) {
	n.frozen = true
	for i := range n.vectors.values {
		at, unit := i/units, i%units // at is the index of the code of this value
		centroid := at%model.Codes*model.Centroids + int(t.Codes[at])
		n.vectors.values[i] = float32(t.Centroids[centroid*units+unit]) * t.Scale
	}
}

// learnRow adjusts all parameters so that the reason of one row becomes more
// probable. It leaves out a random share of the row's columns (dropout), so that the
// network does not rely on single features. The target gives a small probability to
// all other reasons (label smoothing). The loss is the cross-entropy of the reason,
// plus o.Category times the cross-entropy of the category: a wrong reason of the
// right category costs less.
func (n *network) learnRow(r *row, rate float32, o options) {
	type input struct {
		column int32
		value  float32
	}
	var inputs []input
	for _, group := range r.columns {
		value := float32(1 / math.Sqrt(float64(max(len(group), 1))))
		for _, c := range group {
			if n.random.Float64() >= o.Dropout {
				inputs = append(inputs, input{c, value})
			}
		}
	}
	var hidden, gradient [model.Hidden]float32
	copy(hidden[:], n.hidden.values)
	for _, in := range inputs {
		blas32.Axpy(in.value, vector(n.vectors.values[int(in.column)*model.Hidden:][:model.Hidden]), vector(hidden[:]))
	}
	z := append(make([]float32, 0, model.MaxReasons), n.bias.values...)
	for i, value := range hidden {
		if value > 0 {
			blas32.Axpy(value, vector(n.output.values[i*n.reasons:][:n.reasons]), vector(z))
		}
	}
	softmax(z)
	right := float32(0) // the probability of the category
	for i, p := range z {
		if n.categories[i] == n.categories[r.reason] {
			right += p
		}
	}
	for i, p := range z {
		target := float32(o.Smoothing) / float32(n.reasons)
		if i == r.reason {
			target += 1 - float32(o.Smoothing)
		}
		slope := p - target + float32(o.Category)*p
		if n.categories[i] == n.categories[r.reason] {
			slope -= float32(o.Category) * p / max(right, math.SmallestNonzeroFloat32)
		}
		z[i] = slope * float32(r.weight)
	}
	// Every row changes the hidden and the output layer, but only few rows change
	// the vector of a column. So the layers learn at a lower rate.
	slow := rate / 5
	slope := make([]float32, n.reasons)
	for i, value := range hidden {
		if value <= 0 {
			continue
		}
		at := i * n.reasons
		gradient[i] = blas32.Dot(vector(z), vector(n.output.values[at:][:n.reasons]))
		for j := range slope {
			slope[j] = value * z[j]
		}
		n.output.step(at, slope, slow)
	}
	n.hidden.step(0, gradient[:], slow)
	n.bias.step(0, z, slow)
	if n.frozen {
		return
	}
	var change [model.Hidden]float32
	for _, in := range inputs {
		at := int(in.column) * model.Hidden
		values := n.vectors.values[at:][:model.Hidden]
		for i, g := range gradient {
			change[i] = 0
			if g != 0 {
				change[i] = g*in.value + float32(o.Decay)*values[i]
			}
		}
		n.vectors.step(at, change[:], rate)
	}
}

func vector(values []float32) blas32.Vector {
	return blas32.Vector{N: len(values), Data: values, Inc: 1}
}

// softmax converts scores to probabilities.
func softmax(z []float32) {
	highest := slices.Max(z)
	sum := float32(0)
	for i, score := range z {
		z[i] = float32(math.Exp(float64(score - highest)))
		sum += z[i]
	}
	blas32.Scal(1/sum, vector(z))
}

// norm returns the length of a column's vector, after each value is multiplied by a
// factor. Each value belongs to one hidden unit. The factor is the length of the vector
// that the output weights of this hidden unit form.
func (n *network) norm(column int) float64 {
	sum := 0.0
	for i, value := range n.vectors.values[column*model.Hidden:][:model.Hidden] {
		weight := float64(value) * float64(blas32.Nrm2(vector(n.output.values[i*n.reasons:][:n.reasons])))
		sum += weight * weight
	}
	return math.Sqrt(sum)
}

// sharpen multiplies all scores by a factor.
func (n *network) sharpen(factor float64) {
	blas32.Scal(float32(factor), vector(n.output.values))
	blas32.Scal(float32(factor), vector(n.bias.values))
}
