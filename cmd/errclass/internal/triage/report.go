package triage

import (
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
)

// Report is the result of a triage: how many errors the logs have, since when, and
// which groups they form. Secrets in its texts are masked. A Report is a value: no
// function of this package changes it after it was returned.
type Report struct {
	Lines  int64 `json:"lines"`  // that were read, blank ones included
	Bytes  int64 `json:"bytes"`  // of these lines, uncompressed
	Events int64 `json:"events"` // errors: the sum over Groups, and Rest

	// First and Last are the earliest and the latest time of an event, or zero if no
	// event has a time.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	// NoTime is the number of events without a time. No series counts them.
	NoTime int64 `json:"no_time,omitzero"`

	// All series have the same steps. Step number i begins at Start plus i times
	// StepSeconds. Start is a multiple of the step since 1970. Steps is 0 if no event
	// has a time.
	Start       time.Time `json:"start,omitzero"`
	StepSeconds int64     `json:"step_seconds,omitzero"`
	Steps       int       `json:"steps"` // at most MaxSteps

	Counts []Count `json:"counts"` // by category and reason, most frequent first
	Groups []Group `json:"groups"` // most frequent first
	Rest   Rest    `json:"rest,omitzero"`

	Files   []File  `json:"files"`              // in the order of their names
	Skipped Skipped `json:"skipped,omitzero"`   // lines that were not read
	Notes   []Note  `json:"problems,omitempty"` // files that were not read to their end
}

// MaxSteps is the most steps of a series.
const MaxSteps = 240

// Series counts the events of each step. Leading and trailing zeros are left out: the
// first count is that of step Offset.
type Series struct {
	Offset int     `json:"offset"`
	Counts []int64 `json:"counts"`
}

// At returns the count of a step. It is 0 outside of the series.
func (s Series) At(step int) int64 {
	if i := step - s.Offset; i >= 0 && i < len(s.Counts) {
		return s.Counts[i]
	}
	return 0
}

// Sum returns the sum of the counts of the steps from, to-1, and those between.
func (s Series) Sum(from, to int) (sum int64) {
	for i := max(from-s.Offset, 0); i < min(to-s.Offset, len(s.Counts)); i++ {
		sum += s.Counts[i]
	}
	return sum
}

// Count counts the events with one category and reason.
type Count struct {
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	Count    int64             `json:"count"`
	Series   Series            `json:"series"`
}

// Group has the events with one template, category and reason.
type Group struct {
	// ID is the fingerprint of the template: see package fingerprint. If several
	// groups have the same template, a hyphen and the reason follow, except for the
	// most frequent one. IDs are unique within a report.
	ID string `json:"id"`
	// Template is the text of the events with holes in place of what differs. The
	// holes of package fingerprint name a type: <num>, <ip>, <path>. <*> is a hole for
	// words, which may be none or several.
	Template string            `json:"template"`
	Count    int64             `json:"count"`
	Share    float64           `json:"share"` // of all events, from 0 to 1
	First    time.Time         `json:"first,omitzero"`
	Last     time.Time         `json:"last,omitzero"`
	Series   Series            `json:"series"`
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	// Confidence is the mean of the confidences of the events, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Examples are the texts of a few events, the first one first. Their texts differ.
	Examples []Example `json:"examples"`
	WhatToDo Advice    `json:"what_to_do"`
	// Files and Services count the events by origin, most frequent first. At most
	// MaxOrigins are listed. FilesMore and ServicesMore count the events of the others.
	Files        []Origin `json:"files"`
	FilesMore    int64    `json:"files_more,omitzero"`
	Services     []Origin `json:"services,omitempty"`
	ServicesMore int64    `json:"services_more,omitzero"`
}

// MaxOrigins is the most files and the most services that a group lists.
const MaxOrigins = 8

// MaxExamples is the most examples of a group.
const MaxExamples = 3

// Example is the text of one event. A long one is cut: it ends with an ellipsis.
type Example struct {
	// Text is the message with the error and its stack trace.
	Text string `json:"text"`
	// Source is the part of the event that is classified first, such as the error of
	// a record. It is empty if that is Text.
	Source  string    `json:"source,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	File    string    `json:"file"`
	Line    int64     `json:"line"` // of its first line, from 1
	Service string    `json:"service,omitempty"`
}

// Origin is a file or a service with its number of events.
type Origin struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Advice is what the page of reasons (docs/reasons.md) says about a reason: what it
// means, what to look at first, what not to do.
type Advice = runbook.Advice

// Rest counts the events that are in no group, because there would have been more
// groups than the bound. The rarest groups are given up first.
type Rest struct {
	Events int64   `json:"events"`
	Groups int64   `json:"groups"` // that were given up; a template that came back counts again
	Bound  int     `json:"bound"`  // the most groups
	Counts []Count `json:"counts"`
}

// File is an input that was read, at least in part.
type File struct {
	Name   string `json:"name"` // "-" is standard input
	Lines  int64  `json:"lines"`
	Events int64  `json:"events"`
}

// Skipped counts lines that were not read.
type Skipped struct {
	TooLong int64 `json:"too_long,omitzero"` // longer than MaxLine
	// Text counts lines of text without a level and without a known error. They are
	// read, but they are in no event.
	Text int64 `json:"text,omitzero"`
}

// Note is a problem with a file. What was read before it is in the report.
type Note struct {
	File    string `json:"file"`
	Problem string `json:"problem"`
}
