package shapes

// Message returns the message of the record. If the message is a log line, Message
// returns the message of that line.
func (rec *Record) Message() string {
	if rec.inner != nil && (rec.Shape.Carrier || rec.inner.Severity != Unknown) {
		if text := rec.inner.Message(); text != "" {
			return text
		}
	}
	text := rec.reader.fields.messageText(rec.shape.message)
	if rec.Shape.Carrier && rec.inner == nil {
		return text[MessageStart([]byte(text[:min(len(text), MaxInner)])):]
	}
	return text
}

// MessageStart returns the index of the message in a line of text. The prefix and
// the header precede this index.
func MessageStart(line []byte) int {
	p := readPrefix(line)
	_, m := matchText(line[p.end:], &p.lead)
	return p.end + m.message
}
