package ui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// snapper is a page that :snap writes something of its own of. Of the others
// it writes the groups page, as it is filtered and sorted.
type snapper interface {
	snap(e *env) snapView
}

// snapView is what is written: a board, and which of its rows. An empty name
// stands for all groups.
type snapView struct {
	name  string
	board model.Board
	rows  []*model.Row
}

// snap writes what is shown to files for a ticket.
func (a *App) snap() tea.Cmd {
	e := &a.env
	if e.board == nil {
		return a.say(levelWarn, "Nothing is written: nothing has been seen yet.")
	}
	v := snapView{board: *e.board, rows: e.rows}
	v.board.Open = nil
	if s, ok := a.page().(snapper); ok {
		v = s.snap(e)
	}
	return writeSnap(v, e.cfg.SnapDir, e.now)
}

// writeSnap is the command that writes a view as Markdown and as JSON and says
// where. Board and rows are immutable, so it needs no copy of them.
func writeSnap(v snapView, dir string, now time.Time) tea.Cmd {
	return func() tea.Msg {
		data, err := model.ExportJSON(&v.board, v.rows)
		if err != nil {
			return statusMsg{levelError, "Nothing is written: the view could not be made JSON: " + model.Sanitize(err.Error())}
		}
		text := []byte(model.Markdown(&v.board, v.rows, now))
		paths, err := writeNew(dir, snapStem(v.name, now), []snapFile{{".md", text}, {".json", data}})
		if err != nil {
			return statusMsg{levelError, model.Sanitize(err.Error())}
		}
		return statusMsg{levelInfo, model.Sanitize("Written: " + strings.Join(paths, " and "))}
	}
}

// snapFile is one of the files of a snapshot.
type snapFile struct {
	extension string
	data      []byte
}

// snapStem is the files' name without extension: what, and when in UTC. Only
// letters, digits, "." "_" and "-" are left of a group's name, so that it can't
// leave the directory or stand for anything in a shell.
func snapStem(name string, now time.Time) string {
	stem := "sharetop-"
	if name != "" {
		stem += model.FileName(name) + "-"
	}
	return stem + now.UTC().Format("20060102T150405Z")
}

// maxSameName is how many snapshots of one second get names of their own.
const maxSameName = 99

// writeNew writes files with a stem in common that none of them has yet:
// nothing is ever overwritten. Only the person can read them, since they name
// hosts and clients.
func writeNew(dir, stem string, files []snapFile) (paths []string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, fmt.Errorf("nothing is written: the current directory is not known: %w", err)
	}
	for n := 1; n <= maxSameName; n++ {
		name := stem
		if n > 1 {
			name = fmt.Sprintf("%s-%d", stem, n)
		}
		paths, err = writeAll(filepath.Join(dir, name), files)
		if !errors.Is(err, fs.ErrExist) {
			return paths, err
		}
	}
	return nil, fmt.Errorf("nothing is written: %s has %d files of that name already", dir, maxSameName)
}

// writeAll writes all files, or leaves none behind.
func writeAll(path string, files []snapFile) (paths []string, err error) {
	for _, f := range files {
		if err = createFile(path+f.extension, f.data); err != nil {
			break
		}
		paths = append(paths, path+f.extension)
	}
	if err == nil {
		return paths, nil
	}
	for _, written := range paths {
		err = errors.Join(err, os.Remove(written))
	}
	return nil, fmt.Errorf("nothing is written: %w", err)
}

// createFile writes a file that must not exist yet. A file that could not be
// written to its end is taken away again.
func createFile(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
