//go:build unix

package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Nothing has to be written to find out that nobody reads any more.
func TestTheReaderOfAPipeGoes(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	gone := make(chan bool)
	go func() { gone <- readerGone(t.Context(), write) }()
	if err := read.Close(); err != nil {
		t.Fatal(err)
	}
	if !<-gone {
		t.Error("somebody seems to read it still")
	}
}

func TestAFileNeedsNoReader(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if readerGone(ctx, file) || ctx.Err() == nil {
		t.Error("the reader of a file has gone")
	}
}
