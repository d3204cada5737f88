package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/cli"
	"sharetop/model"
	"sharetop/ui"
)

// showScreen runs the screen on a cluster until it is left.
func showScreen(ctx context.Context, o cli.ScreenOptions) error {
	err := runScreen(ctx, ui.New(ui.Config{
		Source:      o.Source,
		Rules:       o.Rules,
		Now:         time.Now,
		ClusterName: o.Connection.Name.Raw(),
		Bootstrap:   o.Connection.Bootstrap,
		Version:     version(),
		ReadOnly:    o.Connection.ReadOnly,
		Demo:        o.Demo,
		UTC:         o.UTC,
		ASCII:       o.ASCII,
		Interval:    o.Interval,
		OpenGroup:   o.Group,
		Env:         os.Getenv,
	}))
	if errors.Is(err, tea.ErrInterrupted) {
		return &cli.ExitError{Code: cli.ExitInterrupted}
	}
	return err
}

// runScreen draws the model on the terminal until the person quits, ctx is done
// or the terminal is gone. The terminal is as before when it returns, after a
// panic too. The error is nil for every wanted end.
func runScreen(ctx context.Context, screen tea.Model) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	in, out, err := openTerminal(os.Stdin, os.Stdout, end)
	if err != nil {
		return err
	}
	failed := &panicked{end: end}
	_, err = tea.NewProgram(
		guard{screen, failed},
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithInput(in),
		tea.WithOutput(out),
	).Run()
	switch {
	case failed.first() != nil:
		tellPanic(os.Stderr, failed.first())
		return errors.New("the screen failed inside, which is a bug in sharetop; what is printed above says where")
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return err
	default:
		return fmt.Errorf("the screen could not go on: %w", err)
	}
}

// tellPanic writes a panic and its stack line by line: what panicked may carry
// outside text.
func tellPanic(w io.Writer, err error) {
	for line := range strings.Lines(err.Error()) {
		fmt.Fprintln(w, model.Sanitize(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")))
	}
}
