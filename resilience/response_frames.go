package resilience

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"iter"
	"math"
)

// frameScanner splits an Amazon event stream (application/vnd.amazon.eventstream)
// into messages. A message is:
//
//	total length (4 bytes), length of the headers (4), CRC of these 8 bytes (4)
//	headers: length of the name (1), name, type of the value (1), value
//	payload
//	CRC of the message (4)
//
// frameScanner keeps at most 4 KiB of the headers of a message, and at most 4 KiB of
// its payload. It does not check the CRC of the message, because the client does. If
// the CRC or a length at the beginning of a message is wrong, it reads no further
// messages.
type frameScanner struct {
	part    framePart
	left    uint64 // bytes of the part that are not read yet
	kept    []byte // beginning of the part
	payload uint64 // length of the payload
	code    []byte // the exception's type or the error's code; nil if the message is an event
	message []byte // the error's message
}

// framePart is a part of a message.
type framePart uint8

const (
	framePrelude framePart = iota
	frameHeaders
	framePayload // only of an exception or an error
	frameRest    // what is skipped up to the next message
	frameBroken  // the lengths cannot be trusted
)

const (
	preludeBytes = 12
	frameCRC     = 4
)

func newFrameScanner() scanner { return &frameScanner{left: preludeBytes} }

// next returns an event for each message. The event of an exception or an error has
// the name "error" and a JSON object as its data. Other events are empty; they are
// returned as soon as the headers are read. A broken message is an empty event too.
func (s *frameScanner) next(p []byte) (e streamEvent, rest []byte, ok bool) {
	for {
		n := min(s.left, uint64(len(p)))
		if s.part < frameRest {
			s.kept = appendLimited(s.kept, p[:n])
		}
		s.left -= n
		p = p[n:]
		if s.left > 0 {
			return streamEvent{}, nil, false
		}
		switch s.part {
		case framePrelude:
			total, headers := uint64(binary.BigEndian.Uint32(s.kept)), uint64(binary.BigEndian.Uint32(s.kept[4:]))
			if crc32.ChecksumIEEE(s.kept[:8]) != binary.BigEndian.Uint32(s.kept[8:]) || total < preludeBytes+headers+frameCRC {
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

// begin begins a part of the given length.
func (s *frameScanner) begin(part framePart, length uint64) {
	s.part, s.left, s.kept = part, length, s.kept[:0]
}

// flush returns the last event if it is an exception whose payload was still
// incomplete at the end of the input. The input can be only the beginning of a
// stream.
func (s *frameScanner) flush() (streamEvent, bool) {
	if s.part != framePayload {
		return streamEvent{}, false
	}
	return s.failure(), true
}

// headerSizes gives the length of a header's value in bytes, for each type of value.
// -1 means that the length precedes the value, in two bytes.
var headerSizes = [...]int{0, 0, 1, 2, 4, 8, -1, -1, 8, 16}

const headerString = 7

// readHeaders reads the headers of a message. It reports whether the message is an
// exception or an error.
func (s *frameScanner) readHeaders() bool {
	var kind, exception, code, message []byte
	for name, value := range frameHeadersOf(s.kept) {
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

// frameHeadersOf iterates over the names and values of the headers whose values are
// strings. It stops at the first header that is cut off or has an unknown type.
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

// failure returns the event of an exception or an error. Its data is the payload
// with the exception's type as the key __type, which is the form of AWS's error
// responses.
func (s *frameScanner) failure() streamEvent {
	payload := bytes.TrimSpace(s.kept)
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
