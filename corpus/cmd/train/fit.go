package main

import (
	"cmp"
	"slices"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/model"
)

// options are the settings of the training.
type options struct {
	Features  int     // number of features in the table
	Rare      int     // a feature that occurs in fewer texts than this is ignored
	Example   float64 // weight of an example or a phrase; a message has 1
	Select    int     // how many times each row is learned to select the features
	Epochs    int     // how many times each row is learned with these features
	Adapt     int     // how many times each row is learned after the quantisation
	Rate      float64 // learning rate of the first epoch; it falls to 0
	AdaptRate float64 // the same after the quantisation
	Dropout   float64 // share of the features that are left out at random
	Smoothing float64 // probability that is given to all reasons together, in equal parts
	Decay     float64 // weight of the L2 penalty
	Category  float64 // weight of the category in the loss; the reason has 1
	Sharpness float64 // factor of all scores; without it, Smoothing makes the probabilities too small
}

var defaults = options{Features: 65000, Rare: 2, Example: 1, Select: 4, Epochs: 8, Adapt: 2, Rate: 0.1, AdaptRate: 0.05, Dropout: 0.2, Smoothing: 0.1, Decay: 1e-4, Category: 0.5, Sharpness: 1.5}

// row is one text, as network.learn reads it: the columns of its features by group,
// the index of its reason, and its weight in the loss.
type row struct {
	columns [model.Groups][]int32
	reason  int
	weight  float64
}

// train learns a table in three steps. First it trains a network with all features,
// to select the features with the longest vectors. Then it trains a network with the
// selected features. Finally it quantises the vectors, and trains the rest of this
// network once more with the quantised vectors. The training texts include the
// variations that withVariations adds.
func train(texts []text, o options) model.Table {
	alone := len(texts)
	texts = withVariations(texts)
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
				continue // count the features of the texts without variations
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
	n := newNetwork(len(vocabulary), reasons)
	n.learn(rows(texts, features, vocabulary, o), o.Select, o.Rate, o)
	vocabulary = heaviest(vocabulary, n, o.Features)
	all := rows(texts, features, vocabulary, o)
	n = newNetwork(len(vocabulary), reasons)
	n.learn(all, o.Epochs, o.Rate, o)
	t := quantise(vocabulary, n)
	n.freeze(t)
	n.learn(all, o.Adapt, o.AdaptRate, o)
	n.sharpen(o.Sharpness)
	t.Hidden, t.Output, t.Bias = n.hidden.values, n.output.values, n.bias.values
	return t
}

// rows converts the texts to rows. A row has only those features of its text that
// are in vocabulary. vocabulary must be in ascending order.
func rows(texts []text, features [][model.Groups][]uint32, vocabulary []uint32, o options) []row {
	column := make(map[uint32]int32, len(vocabulary))
	for i, feature := range vocabulary {
		column[feature] = int32(i)
	}
	all := make([]row, len(texts))
	for i, t := range texts {
		all[i] = row{reason: slices.Index(classify.Reasons(), t.Reason), weight: 1}
		if t.Example {
			all[i].weight = o.Example
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

// heaviest returns the n features with the longest vectors, sorted by feature.
func heaviest(vocabulary []uint32, trained *network, n int) []uint32 {
	type weighed struct {
		feature uint32
		norm    float64
	}
	all := make([]weighed, len(vocabulary))
	for i, feature := range vocabulary {
		all[i] = weighed{feature, trained.norm(i)}
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
