package redisgate

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/errclass/errclass/classify"
	"github.com/errclass/errclass/resilience"
)

// version is the version of the message format. Processes ignore other versions.
const version = 1

// maxText limits the number of bytes of a message.
const maxText = 4096

// message is the JSON form of a change. Its times are in milliseconds.
type message struct {
	Version int                       `json:"v"` // must be first: the Lua scripts read only the first bytes
	Peer    string                    `json:"peer"`
	Gate    string                    `json:"gate"`
	Kind    resilience.GateChangeKind `json:"kind"`

	Hold         int64 `json:"hold,omitempty"`
	OpenFor      int64 `json:"openFor,omitempty"`
	NextTrial    int64 `json:"nextTrial,omitempty"`
	FailedTrials int   `json:"failedTrials,omitempty"`

	Category classify.Category `json:"category,omitempty"`
	Reason   classify.Reason   `json:"reason,omitempty"`
	Status   int               `json:"status,omitempty"`
	Hint     bool              `json:"hint,omitempty"`
	Derived  bool              `json:"derived,omitempty"`
}

// encode returns the text of a change.
func encode(peer string, c resilience.GateChange) (string, error) {
	text, err := json.Marshal(message{
		Version: version, Peer: peer, Gate: c.Gate, Kind: c.Kind,
		Hold: up(c.Hold), OpenFor: up(c.OpenFor), NextTrial: up(c.NextTrial), FailedTrials: c.FailedTrials,
		Category: c.Cause.Category, Reason: c.Cause.Reason, Status: c.Cause.Status,
		Hint: c.Cause.HasRetryAfter, Derived: c.Cause.Derived,
	})
	return string(text), err
}

// up returns d in milliseconds, rounded up.
func up(d time.Duration) int64 { return (d + time.Millisecond - 1).Milliseconds() }

// longest limits a duration in a message, because a time.Duration could overflow.
const longest = 100 * 365 * 24 * time.Hour

func duration(ms int64) time.Duration {
	limit := longest.Milliseconds()
	return time.Duration(max(min(ms, limit), -limit)) * time.Millisecond
}

var errMessage = errors.New("redisgate")

// decode reads the JSON of a change. The errors do not quote the text, because
// another program may have written it.
func decode(text string) (resilience.GateChange, error) {
	if len(text) > maxText {
		return resilience.GateChange{}, fmt.Errorf("%w: a message has %d bytes, more than %d", errMessage, len(text), maxText)
	}
	var m message
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return resilience.GateChange{}, fmt.Errorf("%w: a message of %d bytes is no change of a gate", errMessage, len(text))
	}
	switch {
	case m.Version != version:
		return resilience.GateChange{}, fmt.Errorf("%w: a message has version %d, want %d: use one version of errclass in all processes", errMessage, m.Version, version)
	case m.Gate == "" || len(m.Gate) > maxGate || m.Peer == "" || len(m.Peer) > maxPeer:
		return resilience.GateChange{}, fmt.Errorf("%w: a message without a gate or a process", errMessage)
	}
	return resilience.GateChange{
		Gate: m.Gate, Kind: m.Kind, Peer: m.Peer,
		Hold: duration(m.Hold), OpenFor: duration(m.OpenFor), NextTrial: duration(m.NextTrial), FailedTrials: m.FailedTrials,
		Cause: classify.Result{Category: m.Category, Reason: m.Reason, Status: m.Status, HasRetryAfter: m.Hint, Derived: m.Derived},
	}, nil
}

// maxGate and maxPeer limit the bytes in the id of a gate and of a process.
const (
	maxGate = 256
	maxPeer = 63 // the Lua scripts read 64 bytes
)

// decodeSent reads a message of the channel. The message contains the number of
// processes that subscribe to the channel, a space and the JSON of a change.
func decodeSent(payload string) (resilience.GateChange, error) {
	count, text, ok := strings.Cut(payload[:min(len(payload), maxText+32)], " ")
	peers, err := strconv.Atoi(count)
	if !ok || err != nil {
		return resilience.GateChange{}, fmt.Errorf("%w: a message of %d bytes is no change of a gate", errMessage, len(payload))
	}
	c, err := decode(text)
	c.Peers = peers
	return c, err
}
