package resilience

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"testing"

	"github.com/stretchr/testify/assert"
)

// frameEvents passes a stream to a scanner in chunks. It returns all events.
func frameEvents(stream []byte, piece int) (all []string) {
	s := newFrameScanner()
	for len(stream) > 0 {
		n := min(piece, len(stream))
		p := stream[:n]
		stream = stream[n:]
		for {
			e, rest, ok := s.next(p)
			if !ok {
				break
			}
			all = append(all, string(e.name)+" "+string(e.data))
			p = rest
		}
	}
	if e, ok := s.flush(); ok {
		all = append(all, string(e.name)+" "+string(e.data))
	}
	return all
}

// The size of the chunks does not change the events. An event has at most 4 KiB of
// data.
func FuzzFrameScanner(f *testing.F) {
	message := func(headers string, payload string) []byte {
		b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
		b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
		b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
		return append(append(append(b, headers...), payload...), "crc."...)
	}
	f.Add(message("\x0d:message-type\x07\x00\x09exception\x0f:exception-type\x07\x00\x01t", `{"message":"m"}`), 3)
	f.Add(message("\x01a\x00\x01b\x01\x01c\x021\x01d\x0312\x01e\x041234\x01f\x0512345678\x01g\x06\x00\x01x\x01h\x0812345678\x01i\x091234567890123456\x0d:message-type\x07\x00\x05error", "text"), 1)
	f.Add(message("\xffshort", "payload"), 2)
	f.Add(message("\x01a\x0aunknown type", ""), 2)
	f.Add(message("\x01a\x07\xff\xffshort", ""), 2)
	f.Fuzz(func(t *testing.T, stream []byte, piece int) {
		if len(stream) >= preludeBytes { // set a right CRC, so that the scanner reads the message
			binary.BigEndian.PutUint32(stream[8:], crc32.ChecksumIEEE(stream[:8]))
		}
		before := bytes.Clone(stream)
		whole := frameEvents(stream, max(len(stream), 1))
		assert.Equal(t, before, stream, "the bytes are the caller's")
		assert.Equal(t, whole, frameEvents(stream, min(max(piece, 1), 1<<10)))
		for _, e := range whole {
			assert.LessOrEqual(t, len(e), firstBytes+len("error "))
		}
	})
}

func TestFrameScanner_HeaderTypes(t *testing.T) {
	t.Parallel()
	headers := "\x01a\x00\x01b\x01\x01c\x021\x01d\x0312\x01e\x041234\x01f\x0512345678\x01g\x06\x00\x01x\x01h\x0812345678\x01i\x091234567890123456" +
		"\x0d:message-type\x07\x00\x09exception\x0f:exception-type\x07\x00\x02a\""
	b := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(`{"n":1}`)))
	b = binary.BigEndian.AppendUint32(b, uint32(len(headers)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
	b = append(append(b, headers+`{"n":1}`...), "crc."...)
	assert.Equal(t, []string{`error {"__type":"a\"","n":1}`, `error {"__type":"a\"","n":1}`}, frameEvents(append(b, b...), 1))
}
