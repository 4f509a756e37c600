package resilience

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"iter"
	"math"
)

// frameScanner splits an Amazon event stream into messages. A message is:
//
//	total length (4 bytes), length of the headers (4), CRC of these 8 bytes (4)
//	headers: length of the name (1), name, type of the value (1), value
//	payload
//	CRC of the message (4)
//
// After a wrong length or a wrong first CRC, no more messages are read. The client
// checks the last CRC.
type frameScanner struct {
	section frameSection
	unread  uint64 // number of bytes of the section that are not read yet
	buf     []byte // beginning of the section
	payload uint64 // length of the payload
	code    []byte // the exception's type or the error's code
	message []byte // the error's message
}

// frameSection is the section of a message that is read next.
type frameSection uint8

const (
	framePrelude frameSection = iota
	frameHeaders
	framePayload // only of an exception or an error
	frameRest    // the bytes before the next message, which are skipped
	frameBroken  // everything after a wrong length or CRC, which is skipped
)

const (
	preludeBytes = 12
	frameCRC     = 4
)

func newFrameScanner() scanner { return &frameScanner{unread: preludeBytes} }

// next returns an event for each message. For an exception or an error, the event's
// name is "error", and its data is a JSON object. For any other message, and for a
// wrong length or CRC, the event is empty.
func (s *frameScanner) next(p []byte) (e streamEvent, rest []byte, ok bool) {
	for {
		n := min(s.unread, uint64(len(p)))
		if s.section < frameRest {
			s.buf = appendLimited(s.buf, p[:n])
		}
		s.unread -= n
		p = p[n:]
		if s.unread > 0 {
			return streamEvent{}, nil, false
		}
		switch s.section {
		case framePrelude:
			total, headers := uint64(binary.BigEndian.Uint32(s.buf)), uint64(binary.BigEndian.Uint32(s.buf[4:]))
			if crc32.ChecksumIEEE(s.buf[:8]) != binary.BigEndian.Uint32(s.buf[8:]) || total < preludeBytes+headers+frameCRC {
				s.begin(frameBroken, math.MaxUint64)
				return streamEvent{}, p, true
			}
			s.payload = total - preludeBytes - headers - frameCRC
			s.begin(frameHeaders, headers)
		case frameHeaders:
			if !s.readHeaders() {
				s.begin(frameRest, s.payload+frameCRC)
				return streamEvent{}, p, true
			}
			s.begin(framePayload, s.payload)
		case framePayload:
			e = s.failure()
			s.begin(frameRest, frameCRC)
			return e, p, true
		default:
			s.begin(framePrelude, preludeBytes)
		}
	}
}

// begin begins a section of the given length.
func (s *frameScanner) begin(section frameSection, length uint64) {
	s.section, s.unread, s.buf = section, length, s.buf[:0]
}

// flush returns the last event if the input ended within the payload of an error.
func (s *frameScanner) flush() (streamEvent, bool) {
	if s.section != framePayload {
		return streamEvent{}, false
	}
	return s.failure(), true
}

// headerSizes maps the type of a header's value to the value's length in bytes. -1
// means that the two bytes before the value contain the length.
var headerSizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const headerString = 7

// readHeaders reads the headers of a message. It reports whether the message is an
// exception or an error.
func (s *frameScanner) readHeaders() bool {
	var kind, exception, code, message []byte
	for name, value := range frameHeadersOf(s.buf) {
		switch string(name) {
		case ":message-type":
			kind = value
		case ":exception-type":
			exception = value
		case ":error-code":
			code = value
		case ":error-message":
			message = value
		}
	}
	switch string(kind) {
	case "exception":
		code, message = exception, nil
	case "error":
	default:
		return false
	}
	s.code, s.message = bytes.Clone(code), bytes.Clone(message)
	return true
}

// frameHeadersOf iterates over the headers with strings as values. It stops at a
// header that is cut off or has an unknown type.
func frameHeadersOf(p []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for len(p) > 0 {
			n := 1 + int(p[0])
			if len(p) <= n || int(p[n]) >= len(headerSizes) {
				return
			}
			name, kind := p[1:n], p[n]
			p = p[n+1:]
			size := headerSizes[kind]
			if size < 0 {
				if len(p) < 2 {
					return
				}
				size = int(binary.BigEndian.Uint16(p))
				p = p[2:]
			}
			if len(p) < size || kind == headerString && !yield(name, p[:size]) {
				return
			}
			p = p[size:]
		}
	}
}

// failure returns the event for an error. The data is the payload with the key
// __type added, as in AWS's error responses.
func (s *frameScanner) failure() streamEvent {
	payload := bytes.TrimSpace(s.buf)
	members, object := bytes.CutPrefix(payload, []byte("{"))
	if !object {
		text := string(payload)
		if len(s.message) > 0 {
			text = string(s.message)
		}
		members, _ = json.Marshal(map[string]string{"message": text}) // cannot fail
		members = members[1:]
	}
	data, _ := json.Marshal(string(s.code)) // cannot fail
	data = append([]byte(`{"__type":`), data...)
	if members = bytes.TrimSpace(members); len(members) > 0 && members[0] != '}' {
		data = append(data, ',')
	}
	return streamEvent{name: []byte("error"), data: appendLimited(nil, append(data, members...))}
}
