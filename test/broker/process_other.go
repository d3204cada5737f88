//go:build !unix

package broker

import (
	"context"
	"errors"
	"io"
)

var errNotUnix = errors.New("a test broker needs a Unix: its processes are guarded by a shell and frozen with SIGSTOP")

// process does not exist here: startGuarded always fails.
type process struct {
	done chan struct{}
	err  error
}

func startGuarded([]string, io.Writer, io.Writer) (*process, error) { return nil, errNotUnix }

func runGuarded(context.Context, []string, io.Writer, io.Writer) error { return errNotUnix }

func (p *process) kill() {}

func (p *process) stop() error { return errNotUnix }

func (p *process) cont() error { return errNotUnix }

func lockFile(context.Context, string) (func(), error) { return nil, errNotUnix }
