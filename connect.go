package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/term"

	"sharetop/cli"
	"sharetop/dial"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/profile"
)

// askFunc reads a secret from a person.
type askFunc = func(prompt string) (model.Secret, error)

// asker asks on the terminal without echo; it is nil where stdin is none.
func asker(ctx context.Context, in *os.File, out io.Writer) askFunc {
	if !term.IsTerminal(in.Fd()) {
		return nil
	}
	return func(prompt string) (model.Secret, error) { return ask(ctx, in, out, prompt) }
}

// ask turns the echo off before it asks, so that nothing typed ahead is shown.
// It returns at once when ctx ends; the terminal is as before then, and the
// reader is left behind for the end of the process.
func ask(ctx context.Context, in *os.File, out io.Writer, prompt string) (model.Secret, error) {
	before, err := term.MakeRaw(in.Fd())
	if err != nil {
		return model.Secret{}, fmt.Errorf("the terminal can't be asked: %w", err)
	}
	defer fmt.Fprintln(out)
	defer func() { _ = term.Restore(in.Fd(), before) }()
	fmt.Fprintf(out, "%s: ", prompt)
	type answer struct {
		secret model.Secret
		err    error
	}
	answers := make(chan answer, 1)
	go func() {
		secret, err := readHidden(in)
		answers <- answer{secret, err}
	}()
	select {
	case a := <-answers:
		return a.secret, a.err
	case <-ctx.Done():
		return model.Secret{}, errInterrupted
	}
}

var errInterrupted = errors.New("interrupted")

// maxSecret bounds what is typed, in bytes; more is refused.
const maxSecret = 4096

// readHidden reads a line from a raw terminal, byte by byte so that nothing of
// the next line is taken.
func readHidden(in io.Reader) (model.Secret, error) {
	const interrupt, endOfFile, backspace, del, killLine = 3, 4, 8, 127, 21
	var line []byte
	for next := make([]byte, 1); len(line) <= maxSecret; {
		if _, err := in.Read(next); err != nil {
			return model.Secret{}, errors.New("none was given")
		}
		switch c := next[0]; c {
		case '\r', '\n':
			return model.NewSecret(string(line)), nil
		case interrupt, endOfFile:
			return model.Secret{}, errInterrupted
		case backspace, del:
			_, size := utf8.DecodeLastRune(line)
			line = line[:len(line)-size]
		case killLine:
			line = line[:0]
		default:
			line = append(line, c)
		}
	}
	return model.Secret{}, errors.New("it is too long")
}

// profileEnv is this machine as the settings see it.
func profileEnv() profile.Env {
	home, _ := os.UserHomeDir()
	return profile.Env{Getenv: os.Getenv, Home: home, UID: os.Getuid()}
}

// source is a client with the way that its connections take.
type source struct {
	*kafka.Client
	way *dial.Dialer
}

// Close ends the client, then the way.
func (s source) Close() {
	s.Client.Close()
	s.way.Close()
}

// openCluster makes the way and the client; nothing is dialled before somebody
// watches, but for SSH hosts, which may ask a person.
func openCluster(ctx context.Context, conn model.Connection, ask askFunc, failed *panicked) (cli.Source, error) {
	home, _ := os.UserHomeDir()
	asking := &whileConnecting{ask: ask}
	way, err := dial.New(conn.Route, dial.Options{Home: home, User: userName(), Getenv: os.Getenv, Now: time.Now, Ask: asking.do()})
	if err != nil {
		return nil, err
	}
	err = way.Connect(ctx)
	asking.end()
	if err != nil {
		way.Close()
		return nil, err
	}
	client, err := kafka.Open(conn, kafka.Options{
		Now:             time.Now,
		SoftwareName:    "sharetop",
		SoftwareVersion: softwareVersion(version()),
		Panicked:        failed.note,
		Dial:            way.DialContext,
	})
	if err != nil {
		way.Close()
		return nil, err
	}
	return source{client, way}, nil
}

// whileConnecting asks a person only until a connection is made: when a tunnel
// is made again later, the terminal belongs to the screen.
type whileConnecting struct {
	ask  askFunc
	over atomic.Bool
}

// do is nil where nobody can be asked.
func (w *whileConnecting) do() askFunc {
	if w.ask == nil {
		return nil
	}
	return func(prompt string) (model.Secret, error) {
		if w.over.Load() {
			return model.Secret{}, errors.New("nobody is asked any more")
		}
		return w.ask(prompt)
	}
}

func (w *whileConnecting) end() { w.over.Store(true) }

// userName is how the person is called on this machine.
func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// softwareVersion is the version as brokers accept it (KIP-511): letters,
// digits, dots and dashes, a letter or digit at both ends. They answer anything
// else with INVALID_REQUEST.
func softwareVersion(version string) string {
	allowed := func(r rune) bool {
		return r == '.' || r == '-' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
	}
	words := strings.FieldsFunc(version, func(r rune) bool { return !allowed(r) })
	return strings.Trim(strings.Join(words, "-"), ".-")
}
