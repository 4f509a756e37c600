// Package triage groups the errors of logs. [Report] is the result: each group has
// a template, its count over time, its category and reason, examples and advice.
package triage
