// Package audit keeps what a person did to share groups: one file of JSON lines,
// one line for each acknowledgement before it is sent and one for what came of
// it.
package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"sharetop/model"
)

// Bounds of the file.
const (
	// MaxBytes is the size from which on the file is put aside as FILE.1, and
	// that as FILE.2, before more is written.
	MaxBytes = 8 << 20
	// kept is how many files are put aside; the oldest goes.
	kept = 3
	// MaxLast bounds how many entries Last gives back.
	MaxLast = 500
	// tailBytes is how much of the end of the file Last reads.
	tailBytes = 1 << 20
)

// File is the audit file. It is opened with the first entry, so that a program
// that changes nothing makes none. It is safe for concurrent use.
type File struct {
	path string
	max  int64

	mu   sync.Mutex
	file *os.File
	size int64
}

// New names the file; nothing is opened yet.
func New(path string) *File { return &File{path: path, max: MaxBytes} }

// Path is where the file is.
func (f *File) Path() string { return f.path }

// DefaultPath is sharetop/audit.jsonl in $XDG_STATE_HOME, or in ~/.local/state.
func DefaultPath(getenv func(string) string, home func() (string, error)) (string, error) {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) { // as the specification wants it
		dir, err := home()
		if err != nil {
			return "", fmt.Errorf("there is no home directory for the audit file: %w; name one with --audit-file", err)
		}
		state = filepath.Join(dir, ".local", "state")
	}
	return filepath.Join(state, "sharetop", "audit.jsonl"), nil
}

// Record adds entries. When it returns without an error they have been handed
// to the operating system, all of them; after an error none may be relied on.
func (f *File) Record(entries ...model.AuditEntry) error {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	encoder.SetEscapeHTML(false)
	for i := range entries {
		if err := encoder.Encode(&entries[i]); err != nil {
			return fmt.Errorf("an entry can't be written as JSON: %w", err)
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.ready(int64(lines.Len())); err != nil {
		return err
	}
	n, err := f.file.Write(lines.Bytes())
	f.size += int64(n)
	if err != nil {
		_ = f.file.Close()
		f.file = nil // opened anew the next time: the disk may have room again
		return err
	}
	return nil
}

// ready opens the file, and puts it aside when it has no room for that much. The
// file is the one that has the name now: another program may have put it aside or
// taken it away meanwhile, and what is written to that one nobody finds.
func (f *File) ready(more int64) error {
	if f.file != nil && !f.current() {
		_ = f.file.Close()
		f.file = nil
	}
	if f.file == nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.size == 0 || f.size+more <= f.max {
		return nil
	}
	_ = f.file.Close()
	f.file = nil
	if err := f.rotate(); err != nil {
		return err
	}
	return f.open()
}

// current tells whether the open file still has its name, and takes over its size:
// others may write to it too.
func (f *File) current() bool {
	named, err := os.Stat(f.path)
	if err != nil {
		return false
	}
	open, err := f.file.Stat()
	if err != nil || !os.SameFile(named, open) {
		return false
	}
	f.size = open.Size()
	return true
}

// open opens the file for its owner only: it tells who did what. A line that
// was cut off, because the machine went down, is ended first.
func (f *File) open() error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(f.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.size = file, info.Size()
	if f.size == 0 {
		return nil
	}
	last := make([]byte, 1)
	if _, err := file.ReadAt(last, f.size-1); err == nil && last[0] != '\n' {
		n, _ := file.WriteString("\n")
		f.size += int64(n)
	}
	return nil
}

func (f *File) rotate() error {
	for i := kept - 1; i >= 1; i-- {
		err := os.Rename(aside(f.path, i), aside(f.path, i+1))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return os.Rename(f.path, aside(f.path, 1))
}

func aside(path string, n int) string { return fmt.Sprintf("%s.%d", path, n) }

// Last gives the newest entries, newest first, at most MaxLast and as many as
// are in the last megabyte. Lines that are no entries are left out. There being
// no file is no error.
func (f *File) Last(most int) ([]model.AuditEntry, error) {
	tail, err := f.tail()
	if err != nil {
		return nil, err
	}
	var all []model.AuditEntry
	scan := bufio.NewScanner(bytes.NewReader(tail))
	scan.Buffer(nil, tailBytes+1)
	for scan.Scan() {
		var line entryLine
		if json.Unmarshal(scan.Bytes(), &line) == nil && line.Action != "" {
			all = append(all, line.entry())
		}
	}
	var out []model.AuditEntry
	for i := len(all) - 1; i >= 0 && len(out) < min(most, MaxLast); i-- {
		out = append(out, all[i])
	}
	return out, nil
}

// tail is the end of the file.
func (f *File) tail() ([]byte, error) {
	file, err := os.Open(f.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	from := max(0, info.Size()-tailBytes)
	return io.ReadAll(io.NewSectionReader(file, from, info.Size()-from))
}

// Close closes the file; it can be written again afterwards.
func (f *File) Close() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file = nil
	return err
}
