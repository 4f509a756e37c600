// Package fingerprint groups error texts that differ only in their values. [Of]
// returns the template of a text and the id of that template. [Sum] returns only the
// id.
//
//	id, template := fingerprint.Of("dial tcp 10.0.0.7:5432: i/o timeout after 30s")
//	// template: dial tcp <ip>:<num>: i/o timeout after <duration>
//
// The template is made from the text in this way:
//
//   - Each value is replaced by a placeholder for its type:
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
//   - Words stay. In names such as http2, only the number is replaced: http<num>.
//
//   - Error codes stay: HTTP statuses, exit statuses, error numbers and SQLSTATEs.
//     An error code is a short number after a word such as status: "HTTP 503", "exit
//     status 1", "SQLSTATE 40P01". All other digits are replaced.
//
//   - The keys of a JSON object stay. The value of a key such as message, error or
//     code is an error text. In an error text, only the values are replaced.
//
//   - Quotes that stay become double quotes. White space around keys is left out. So
//     the template of an object is the same in JSON, as a Python literal and with
//     escaped quotes.
//
//   - White space and control characters become single spaces.
//
//   - The template ends after 4 KiB, at the end of a word or a placeholder.
//
// A template contains no byte of a replaced value. The id is a hash of the template
// alone. Do not treat a template as anonymous:
//
//   - If a value looks like a word, it stays: the name in "no such user alice".
//   - If a short number looks like an error code, it stays.
//
// A text has the same id on every machine and in every version of this module. Time
// and memory are linear in the length of the text. The functions keep no state. They
// are safe for concurrent use.
//
// The number of ids is unlimited. Use an id as an attribute of a record or a span.
// Do not use an id as the label of a metric.
package fingerprint

import (
	"encoding/binary"
	"encoding/hex"
)

// ID identifies a template. It is the XXH64 hash of the template, as computed by the
// command xxhsum. It is not cryptographic: two texts with the same id can be made on
// purpose.
type ID uint64

// Sum returns the id of a text. It does not allocate.
func Sum(text string) ID {
	s := scanner{text: text}
	s.hash.start()
	s.run()
	return ID(s.hash.sum())
}

// Of returns the id of a text, as formatted by [ID.String], and the template.
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
