//go:build unix

package broker

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	// stopsWithin bounds how long a program is waited for that was told to stop.
	stopsWithin = 20 * time.Second
	// stopLooks is the time from one look at it to the next.
	stopLooks = time.Millisecond
)

// awaitStopped returns once no thread of the program runs any more. One of them
// takes the signal and tells the others; on a busy machine those go on for some
// milliseconds, and still answer.
func (p *process) awaitStopped() error {
	deadline := time.Now().Add(stopsWithin)
	for {
		stopped, err := isStopped(p.pid)
		switch {
		case err != nil:
			return fmt.Errorf("whether process %d has stopped can't be told: %w", p.pid, err)
		case stopped:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("process %d still runs %s after it was stopped", p.pid, stopsWithin)
		}
		time.Sleep(stopLooks)
	}
}

// isStopped tells whether all threads of a process have stopped; where there is
// no /proc, whether the process as a whole has.
func isStopped(pid int) (bool, error) {
	threads, err := filepath.Glob(filepath.Join("/proc", strconv.Itoa(pid), "task", "*", "stat"))
	if err != nil {
		return false, err
	}
	if len(threads) == 0 {
		state, err := exec.Command("ps", "-o", "state=", "-p", strconv.Itoa(pid)).Output()
		return bytes.HasPrefix(bytes.TrimSpace(state), []byte("T")), err
	}
	for _, thread := range threads {
		stat, err := os.ReadFile(thread) //nolint:gosec // one of /proc
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // the thread has ended
		}
		if err != nil {
			return false, err
		}
		// The state follows the name, which is in parentheses and may hold some.
		if state := stat[bytes.LastIndex(stat, []byte(") "))+2:]; !bytes.HasPrefix(state, []byte("T")) {
			return false, nil
		}
	}
	return true, nil
}
