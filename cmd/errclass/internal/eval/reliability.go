package eval

import "math"

// Reliability compares the confidence of predictions with the share of right reasons.
// Predictions without a confidence do not count.
type Reliability struct {
	// CalibrationError is the expected calibration error, from 0 to 1. For each of the
	// Ranges, it takes the difference between the mean confidence and the share of right
	// reasons. It is the mean of these differences, weighted by the number of answers.
	CalibrationError float64           `json:"calibration_error"`
	Ranges           []ConfidenceRange `json:"ranges"` // in ascending order, only ranges with answers
}

// ConfidenceRange counts the answers with a confidence in one range. The range begins at
// From and is 0.1 wide. The last range includes 1.
type ConfidenceRange struct {
	From           float64 `json:"from"`
	Answers        int     `json:"answers"`
	RightReason    int     `json:"right_reason"`
	MeanConfidence float64 `json:"mean_confidence"`
}

// ReasonAccuracy returns the share of the answers with a right reason, 0 to 1.
func (r ConfidenceRange) ReasonAccuracy() float64 { return share(r.RightReason, r.Answers) }

// ranges collects the answers. Until result is called, each MeanConfidence holds the sum
// of the confidences.
type ranges [10]ConfidenceRange

func (r *ranges) add(confidence float64, right bool) {
	if confidence == 0 {
		return
	}
	one := &r[min(int(confidence*float64(len(r))), len(r)-1)]
	one.Answers++
	one.MeanConfidence += confidence
	if right {
		one.RightReason++
	}
}

func (r *ranges) result() Reliability {
	result := Reliability{Ranges: []ConfidenceRange{}}
	difference, answers := 0.0, 0
	for i, one := range r {
		if one.Answers == 0 {
			continue
		}
		difference += math.Abs(one.MeanConfidence - float64(one.RightReason))
		answers += one.Answers
		one.From = float64(i) / float64(len(r))
		one.MeanConfidence /= float64(one.Answers)
		result.Ranges = append(result.Ranges, one)
	}
	result.CalibrationError = difference / float64(max(answers, 1))
	return result
}
