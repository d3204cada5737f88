package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"sharetop/cli"
	"sharetop/ui"
)

// showScreen runs the screen on a cluster until it is left.
func showScreen(ctx context.Context, o cli.ScreenOptions, failed *panicked, shown *pagers) error {
	defer tuneCollector()()
	all := newClusters(o, failed)
	defer all.close(os.Stderr) //nolint:contextcheck // ctx may be done by then: what is held is released all the same
	first, err := all.first()  //nolint:contextcheck // it lives until it is closed
	if err != nil {
		return err
	}
	config := all.config(first)
	config.RunPager = func(pager *exec.Cmd) error { return shown.run(ctx, pager) }
	err = runScreen(ctx, ui.New(config), failed)
	if errors.Is(err, tea.ErrInterrupted) {
		return &cli.ExitError{Code: cli.ExitInterrupted}
	}
	return err
}

// runScreen draws the model on the terminal until the person quits, ctx is
// done, something panicked, or the terminal is gone. The terminal is as before
// when it returns. The error is nil for every wanted end, and for a panic, which
// failed has.
func runScreen(ctx context.Context, screen tea.Model, failed *panicked) error {
	ctx, hangUp := context.WithCancel(ctx)
	defer hangUp()
	in, out, err := openTerminal(os.Stdin, os.Stdout, os.Getenv("TERM"), hangUp)
	if err != nil {
		return err
	}
	_, err = tea.NewProgram(
		guard{screen, failed},
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithInput(in),
		tea.WithOutput(out),
	).Run()
	switch {
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return err
	default:
		return fmt.Errorf("the screen could not go on: %w", err)
	}
}
