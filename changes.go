package main

import (
	"os"
	"time"

	"sharetop/audit"
	"sharetop/kafka"
	"sharetop/model"
)

// changing is a connection that changes can be made on.
type changing interface {
	Changes(o kafka.ChangeOptions) *kafka.Changer
}

// newChanges is the one way to a Changer, for the screen and for commands: what
// it does is written to the audit file, and undo files are kept beside that. Its
// Wait is to be called before the client is closed, and the file closed after it.
func newChanges(client changing, file *audit.File) *kafka.Changer {
	return client.Changes(kafka.ChangeOptions{
		Audit: file, Who: person(),
		SaveUndo: func(group model.GroupID, csv []byte) (string, error) {
			return file.SaveUndo(group, csv, time.Now())
		},
	})
}

// openAudit names the audit file: path, or where it is by default. Nothing is
// opened before something is written.
func openAudit(path string) (*audit.File, error) {
	if path == "" {
		var err error
		if path, err = audit.DefaultPath(os.Getenv, os.UserHomeDir); err != nil {
			return nil, err
		}
	}
	return audit.New(path), nil
}
