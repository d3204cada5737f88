//go:build unix

package broker

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// lockPoll is how often a taken lock is tried again.
const lockPoll = 100 * time.Millisecond

// lockFile takes an exclusive lock, waiting as long as the context lasts. The
// system drops it when this process ends, however it does.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("the lock can't be opened: %w", err)
	}
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("%s can't be locked: %w", path, err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			_ = f.Close()
			return nil, fmt.Errorf("%s is still locked: %w", path, context.Cause(ctx))
		}
	}
}
