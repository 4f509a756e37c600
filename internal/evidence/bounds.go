package evidence

// These constants and bound.MaxText limit the work for one span or record.
const (
	MaxAttributes = 1 << 14 // attributes of a span or record
	MaxEvents     = 1 << 14 // events of a span; if a span has more, no event gets attributes
	MaxExceptions = 128     // newest exceptions of a span
	MaxScanned    = 1 << 16 // attributes of events that are read
	MaxMembers    = 1 << 12 // members of the maps of a record
	MaxTexts      = 4       // attributes of a record that are the text of an error
	MaxDepth      = 4       // levels of nested maps in which such texts are searched
)
