// Package triage groups the errors of logs. A [Report] describes the groups. Each has
// a template, counts over time, a category, a reason, examples and advice.
package triage
