package audit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"sharetop/model"
)

// maxSame is how many files of one second get names of their own.
const maxSame = 99

// SaveUndo keeps the start offsets that a group had before a reset, as a CSV
// file in the directory undo beside the audit file, and returns its path. The
// file is on disk when it returns, and nothing is ever overwritten. Only its
// owner can read it.
func (f *File) SaveUndo(group model.GroupID, csv []byte, at time.Time) (string, error) {
	dir := filepath.Join(filepath.Dir(f.path), "undo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	stem := at.UTC().Format("20060102T150405Z") + "-" + model.FileName(group.Raw())
	for n := range maxSame {
		name := stem
		if n > 0 {
			name += fmt.Sprintf("-%d", n+1)
		}
		path := filepath.Join(dir, name+".csv")
		err := writeSynced(path, csv)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		return path, syncDir(dir)
	}
	return "", fmt.Errorf("%s has %d files of this second already", dir, maxSame)
}

// writeSynced writes a new file that survives a crash of the machine; one that
// could not be written to its end is taken away.
func writeSynced(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// syncDir makes the name of a new file survive too. Not every system can do
// that for a directory, which is no error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}
