package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/internal/model"
)

// Product quantisation divides each vector into model.Codes parts of equal length.
// The parts at the same position of all vectors are clustered, and each part is
// replaced by the number of its cluster.
const (
	units      = model.Hidden / model.Codes
	iterations = 12 // of k-means
)

// part has some consecutive values of a vector.
type part [units]float32

// quantise returns a table with the quantised vectors of a network. The table has no
// hidden and no output layer yet. vocabulary has the feature of each column.
func quantise(vocabulary []uint32, n *network) model.Table {
	t := model.Table{
		Features: vocabulary, Codes: make([]byte, len(vocabulary)*model.Codes),
	}
	for _, reason := range classify.Reasons() {
		t.Reasons = append(t.Reasons, string(reason))
		t.Retryable = append(t.Retryable, reason.Policy().Category == classify.CategoryRetryable)
	}
	var centroids [model.Codes][model.Centroids]part
	var group sync.WaitGroup
	for code := range model.Codes {
		group.Go(func() {
			parts := make([]part, len(vocabulary))
			for i := range parts {
				parts[i] = part(n.vectors.values[i*model.Hidden+code*units:])
			}
			var nearest []byte
			centroids[code], nearest = cluster(parts)
			for i, c := range nearest {
				t.Codes[i*model.Codes+code] = c
			}
		})
	}
	group.Wait()
	var values []float32
	for _, position := range centroids {
		for _, centroid := range position {
			values = append(values, centroid[:]...)
		}
	}
	t.Scale = max(slices.Max(values), -slices.Min(values)) / 127
	for _, v := range values {
		t.Centroids = append(t.Centroids, int8(math.Round(float64(v/t.Scale))))
	}
	return t
}

// cluster divides the parts into clusters with k-means. It returns the centroids of
// the clusters, and for each part the number of its cluster.
func cluster(parts []part) (centroids [model.Centroids]part, nearest []byte) {
	random := rand.New(rand.NewPCG(1, 1))
	for i, at := range random.Perm(len(parts)) {
		if i == len(centroids) {
			break
		}
		centroids[i] = parts[at]
	}
	nearest = make([]byte, len(parts))
	for range iterations {
		var sums [model.Centroids]part
		var counts [model.Centroids]float32
		for i := range parts {
			c := closest(&parts[i], &centroids)
			nearest[i] = byte(c)
			counts[c]++
			for j, v := range parts[i] {
				sums[c][j] += v
			}
		}
		for c, count := range counts {
			for j := range units {
				if count > 0 {
					centroids[c][j] = sums[c][j] / count
				}
			}
		}
	}
	return centroids, nearest
}

// closest returns the number of the centroid with the smallest distance to p.
func closest(p *part, centroids *[model.Centroids]part) (number int) {
	least := float32(math.Inf(1))
	for c := range centroids {
		distance := float32(0)
		for j, v := range p {
			d := v - centroids[c][j]
			distance += d * d
		}
		if distance < least {
			number, least = c, distance
		}
	}
	return number
}
