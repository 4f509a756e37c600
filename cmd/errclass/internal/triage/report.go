package triage

import (
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/cmd/errclass/internal/runbook"
)

// Report is the result of a triage. It says how many errors the logs have, when the
// errors occurred, and in which groups they are. Secrets in the texts are masked. After
// a Report is returned, this package does not change it.
type Report struct {
	Lines  int64 `json:"lines"`  // lines that were read, blank ones included
	Events int64 `json:"events"` // errors: the sum over Groups, and Rest

	// First and Last are the earliest and the latest time of an event. If no event
	// has a time, both are zero.
	First time.Time `json:"first,omitzero"`
	Last  time.Time `json:"last,omitzero"`
	// NoTime is the number of events without a time. No series counts them.
	NoTime int64 `json:"no_time,omitzero"`

	// Start is when step 0 of each series begins. It is a multiple of StepSeconds
	// since 1970. If no event has a time, Steps is 0.
	Start       time.Time `json:"start,omitzero"`
	StepSeconds int64     `json:"step_seconds,omitzero"`
	Steps       int       `json:"steps"` // at most MaxSteps

	Counts []Count `json:"counts"` // by category and reason, most frequent first
	Groups []Group `json:"groups"` // most frequent first
	Rest   Rest    `json:"rest,omitzero"`

	Files   []string `json:"files"`              // names of the inputs, in order; "-" is standard input
	TooLong int64    `json:"too_long,omitzero"`  // lines longer than MaxLine; they were not read
	Notes   []Note   `json:"problems,omitempty"` // files that were not read to their end
}

// MaxSteps limits how many steps a series has.
const MaxSteps = 240

// Series counts the events of each step. Zeros at the beginning and at the end are left
// out. The first count belongs to step Offset.
type Series struct {
	Offset int     `json:"offset"`
	Counts []int64 `json:"counts"`
}

// Sum returns the number of events in all steps i with start ≤ i < end.
func (s Series) Sum(start, end int) (sum int64) {
	for i := max(start-s.Offset, 0); i < min(end-s.Offset, len(s.Counts)); i++ {
		sum += s.Counts[i]
	}
	return sum
}

// Count is the number of events in the groups with a certain category and reason.
type Count struct {
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	Count    int64             `json:"count"`
	Series   Series            `json:"series"`
}

// Group describes the events that share a template, a category and a reason. But of each
// template, all events whose reason is unknown or from the model are in one group. That
// group has the category and the reason of most of its events.
type Group struct {
	// ID is unique within a report. It is the fingerprint of the template: see
	// package fingerprint. If groups share a template, only the largest group has
	// this ID. The other IDs are the fingerprint, a hyphen and the reason. If that ID is
	// also in use, a hyphen and the category follow.
	ID string `json:"id"`
	// Template is the text of the events, with placeholders for the differences. Most
	// placeholders name a type of value, such as <num>, <ip> or <path>. The
	// placeholder <*> stands for any number of words.
	Template string            `json:"template"`
	Count    int64             `json:"count"`
	Share    float64           `json:"share"` // share of all events, from 0 to 1
	First    time.Time         `json:"first,omitzero"`
	Last     time.Time         `json:"last,omitzero"`
	Series   Series            `json:"series"`
	Category classify.Category `json:"category"`
	Reason   classify.Reason   `json:"reason"`
	// Confidence is the mean confidence of the events, from 0 to 1.
	Confidence float64 `json:"confidence"`
	// Examples are different texts of a few events. The first example is from the
	// first event.
	Examples []Example      `json:"examples"`
	WhatToDo runbook.Advice `json:"what_to_do"`
	// Files and Services count the events by origin, the most frequent first. Each
	// has at most MaxOrigins origins. FilesMore and ServicesMore count the events of
	// all other origins.
	Files        []Origin `json:"files"`
	FilesMore    int64    `json:"files_more,omitzero"`
	Services     []Origin `json:"services,omitempty"`
	ServicesMore int64    `json:"services_more,omitzero"`
}

// MaxOrigins limits how many files a group lists, and how many services.
const MaxOrigins = 8

// MaxExamples limits how many examples a group has.
const MaxExamples = 3

// Example is the text of one event. If a text is cut, it ends with an ellipsis.
type Example struct {
	// Text is the message with the error and its stack trace.
	Text string `json:"text"`
	// Source is the text that is classified first, such as an error field. If that text
	// equals Text, Source is empty.
	Source  string    `json:"source,omitempty"`
	Time    time.Time `json:"time,omitzero"`
	File    string    `json:"file"`
	Line    int64     `json:"line"` // number of its first line, from 1
	Service string    `json:"service,omitempty"`
}

// Origin is a file or a service, with the number of events from it.
type Origin struct {
	Name  string `json:"name"`
	Count int64  `json:"count"`
}

// Rest counts the events that are in no group of the report, because the groups with the
// fewest events are left out.
type Rest struct {
	Events int64   `json:"events"`
	Groups int64   `json:"groups"` // removed groups; a group that comes back and is removed again counts twice
	Bound  int     `json:"bound"`  // the largest number of groups
	Counts []Count `json:"counts"`
}

// Note is a problem with a file. Events before the problem are in the report.
type Note struct {
	File    string `json:"file"`
	Problem string `json:"problem"`
}
