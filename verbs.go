package main

import (
	"context"
	"errors"
	"os"

	"sharetop/cli"
	"sharetop/kafka"
	"sharetop/model"
)

var errNoChanges = errors.New("this connection can't change anything")

// openChanger is the Changer of a command: the same as the screen's.
func openChanger(source cli.Source, auditFile string) (changer cli.Changer, done func(), err error) {
	client, ok := source.(changing)
	if !ok {
		return nil, nil, errNoChanges
	}
	file, err := openAudit(auditFile)
	if err != nil {
		return nil, nil, err
	}
	made := newChanges(client, file)
	return made, func() {
		made.Wait(os.Stderr)
		_ = file.Close()
	}, nil
}

// joinGroup makes the session of a command.
func joinGroup(ctx context.Context, source cli.Source, r model.JoinRequest, o cli.AuditOptions) (session cli.Session, done func(), err error) {
	client, ok := source.(joiner)
	if !ok {
		return nil, nil, errNoChanges
	}
	file, err := openAudit(o.File)
	if err != nil {
		return nil, nil, err
	}
	joined, err := client.Join(ctx, r, kafka.JoinOptions{
		Audit: file, Who: person(), ClientID: clientID(), LogValues: o.Values,
	})
	if err != nil {
		_ = file.Close()
		return nil, nil, err
	}
	return joined, func() { _ = file.Close() }, nil
}
