package model

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// StateBudget bounds what reading the state topic may take; above it requests
// take over. Fields that are 0 are the defaults.
type StateBudget struct {
	// MaxMemory bounds the state held, in bytes.
	MaxMemory int64
	// MaxLoad bounds the time that loading takes.
	MaxLoad time.Duration
	// MaxBytesPerSecond bounds what changes bring, averaged over a minute.
	MaxBytesPerSecond int64
}

// The default budget of the state topic, and its bounds.
const (
	DefaultStateMemory         = 256 << 20
	DefaultStateLoad           = 10 * time.Second
	DefaultStateBytesPerSecond = 1_000_000

	minStateMemory, maxStateMemory = 1 << 20, 64 << 30
	minStateLoad, maxStateLoad     = 100 * time.Millisecond, 10 * time.Minute
	minStateRate, maxStateRate     = 1_000, 1_000_000_000
)

// Or fills in what is 0 from another budget.
func (b *StateBudget) Or(other StateBudget) StateBudget {
	return StateBudget{
		MaxMemory: cmp.Or(b.MaxMemory, other.MaxMemory), MaxLoad: cmp.Or(b.MaxLoad, other.MaxLoad),
		MaxBytesPerSecond: cmp.Or(b.MaxBytesPerSecond, other.MaxBytesPerSecond),
	}
}

// OrDefault fills in what is 0.
func (b *StateBudget) OrDefault() StateBudget {
	return b.Or(StateBudget{DefaultStateMemory, DefaultStateLoad, DefaultStateBytesPerSecond})
}

// SetMemory reads MaxMemory, e.g. 256MB. The error is what is wrong, to go after
// the setting's name.
func (b *StateBudget) SetMemory(text string) (err error) {
	b.MaxMemory, err = parseSize(text, minStateMemory, maxStateMemory)
	return err
}

// SetRate reads MaxBytesPerSecond, e.g. 1MB.
func (b *StateBudget) SetRate(text string) (err error) {
	b.MaxBytesPerSecond, err = parseSize(strings.TrimSuffix(text, "/s"), minStateRate, maxStateRate)
	return err
}

// SetLoad reads MaxLoad, e.g. 10s.
func (b *StateBudget) SetLoad(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil || d < minStateLoad || d > maxStateLoad {
		return fmt.Errorf("must be a duration from %s to %s, e.g. 10s, not %q", minStateLoad, maxStateLoad, Sanitize(text))
	}
	b.MaxLoad = d
	return nil
}

// parseSize reads a number of bytes with a unit or without.
func parseSize(text string, least, most int64) (int64, error) {
	units := map[string]int64{
		"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30,
	}
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit, known := units[strings.ToLower(strings.TrimSpace(text[len(digits):]))]
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || !known || n < 0 || n > most/unit || n*unit < least {
		return 0, fmt.Errorf("must be a size from %s to %s, e.g. 256MB, not %q", FormatSize(least), FormatSize(most), Sanitize(text))
	}
	return n * unit, nil
}
