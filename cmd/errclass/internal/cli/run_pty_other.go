//go:build !unix

package cli

import (
	"errors"

	"github.com/errclass/errclass/supervise"
)

const ptySupported = false

func openTerminal(Streams) (*supervise.Terminal, func(), error) {
	return nil, nil, errors.ErrUnsupported
}
