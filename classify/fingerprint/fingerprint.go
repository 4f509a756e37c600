// Package fingerprint groups error texts that differ only in their values. [Of]
// returns the template of a text and its id; [Sum] returns the id alone.
//
//	id, template := fingerprint.Of("dial tcp 10.0.0.7:5432: i/o timeout after 30s")
//	// template: dial tcp <ip>:<num>: i/o timeout after <duration>
//
// What happens to a text:
//
//   - Each value is replaced by a placeholder that names the type of the value:
//
//     <num>       numbers: 42, -1.5, 1,024
//     <size>      numbers with a unit of size: 10MB, 512 bytes
//     <duration>  numbers with a unit of time: 1m30s, 250 ms, 5 seconds
//     <time>      dates and times of day
//     <id>        UUIDs, hexadecimal values, tokens that mix letters and digits
//     <ip>        IPv4 and IPv6 addresses, without the port
//     <host>      host names with a known last label, as in "db.internal", and host
//     names after certain words, as in "dial tcp db:5432"
//     <email>     user@host
//     <url>       everything from the scheme on
//     <path>      file names with a directory, paths of requests
//     <str>       values after key= or in quotes, with the quotes
//
//   - Words stay, so that people can read the template. In names such as http2 and
//     S3ServiceException, only the number is replaced: http<num>,
//     S<num>ServiceException.
//
//   - Error codes stay, because different codes mean different errors: HTTP
//     statuses, exit statuses, error numbers and SQLSTATEs. An error code is a short
//     number after a word such as status, errno or error_code: "HTTP 503", "exit
//     status 1", "SQLSTATE 40P01". No other digit stays in a template.
//
//   - The keys of a JSON object stay. The value of a key such as message, error or
//     code is an error text itself, so only the values within that text are
//     replaced. Quotes that stay become double quotes, and white space around keys
//     is left out. So the same object has the same template in JSON, as a Python
//     literal and with escaped quotes.
//
//   - White space and control characters become single spaces.
//
//   - The template ends after 4 KiB, at the end of a word or a placeholder.
//
// No byte of a replaced value is in the template, and the id is a hash of the
// template alone. So the template and the id reveal only the type of a replaced
// value. But a value that looks like a word is not replaced: the name in "no such
// user alice" stays in the template. So does a short number that looks like an error
// code. Do not treat a template as anonymous.
//
// The functions keep no state. A text has the same id on every machine and in
// every version of this module. Time and memory are linear in the length of the
// text. All functions are safe for concurrent use.
//
// The number of ids is unlimited: each new wording has a new id. Use an id as an
// attribute of a record or a span, never as the label of a metric.
package fingerprint

import (
	"encoding/binary"
	"encoding/hex"
)

// ID identifies a template. It is the XXH64 hash of the template, as the command
// xxhsum computes it. It is not a cryptographic hash: somebody who can choose error
// texts can make two texts with the same id.
type ID uint64

// Sum returns the id of a text. It does not allocate.
func Sum(text string) ID {
	s := scanner{text: text}
	s.hash.start()
	s.run()
	return ID(s.hash.sum())
}

// Of returns the id of a text, as [ID.String] formats it, and its template.
func Of(text string) (id, template string) {
	s := scanner{text: text, out: make([]byte, 0, min(len(text), maxTemplate)+32)}
	s.run()
	template = string(s.out)
	s.hash.start()
	s.hash.write(template)
	return ID(s.hash.sum()).String(), template
}

// String returns the id as 16 lower-case hexadecimal digits.
func (id ID) String() string {
	text, _ := id.AppendText(make([]byte, 0, 16))
	return string(text)
}

// AppendText appends the digits of [ID.String] to b. The error is always nil.
func (id ID) AppendText(b []byte) ([]byte, error) {
	var sum [8]byte
	binary.BigEndian.PutUint64(sum[:], uint64(id))
	return hex.AppendEncode(b, sum[:]), nil
}

// MarshalText returns the digits of [ID.String]. The error is always nil.
func (id ID) MarshalText() ([]byte, error) { return id.AppendText(nil) }
