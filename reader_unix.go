//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readerCheck is how long the end of a context may go unnoticed.
const readerCheck = time.Second

// readerGone waits until nobody reads any more what is written to a pipe, which
// is true at once and without writing to it, or until ctx ends. Of a file that is
// no pipe it is never true.
func readerGone(ctx context.Context, out *os.File) bool {
	fds := []unix.PollFd{{Fd: int32(out.Fd())}} //nolint:gosec // file descriptors are small
	for ctx.Err() == nil {
		n, err := unix.Poll(fds, int(readerCheck/time.Millisecond))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return false
		case n > 0:
			return fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
		}
	}
	return false
}
