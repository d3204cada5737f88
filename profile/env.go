package profile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Env is the world that settings come from.
type Env struct {
	// Getenv looks up an environment variable, as os.Getenv does.
	Getenv func(string) string
	// UID is the numeric user id, for the default ticket cache.
	UID int
	// Home is the person's home directory; empty when there is none.
	Home string
}

// read reads a file of at most maxFileSize. A leading ~/ is the home directory.
func (e Env) read(file string) (string, error) { return readBounded(e.path(file)) }

func (e Env) path(file string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok && e.Home != "" {
		return filepath.Join(e.Home, rest)
	}
	return file
}

// short writes the home directory as ~ wherever a sentence has it.
func (e Env) short(sentence string) string {
	if e.Home == "" || e.Home == "/" {
		return sentence
	}
	return strings.ReplaceAll(sentence, e.Home+string(filepath.Separator), "~"+string(filepath.Separator))
}

// readableByOthers warns of a file with secrets that others may read.
func (e Env) readableByOthers(file string) string {
	info, err := os.Stat(e.path(file))
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o044 == 0 || isWindows() {
		return ""
	}
	return fmt.Sprintf("%s holds secrets and can be read by others (%s): chmod 600 it", file, info.Mode().Perm()&fs.ModePerm)
}

// isWindows tells whether permission bits mean nothing here.
func isWindows() bool { return os.PathSeparator == '\\' }
