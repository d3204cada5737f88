package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	tea "charm.land/bubbletea/v2"
)

// runScreen draws the model on the terminal until the person quits, ctx is done
// or the terminal is gone. The terminal is as before when it returns, after a
// panic too. The error is nil for every wanted end.
func runScreen(ctx context.Context, model tea.Model) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	in, out, err := openTerminal(os.Stdin, os.Stdout, end)
	if err != nil {
		return err
	}
	failed := &panicked{end: end}
	_, err = tea.NewProgram(
		guard{model, failed},
		tea.WithContext(ctx),
		tea.WithoutSignalHandler(),
		tea.WithInput(in),
		tea.WithOutput(out),
	).Run()
	switch {
	case failed.first() != nil:
		return fmt.Errorf("sharetop failed inside; this is a bug, please report it with all of this: %w", failed.first())
	case ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled):
		return nil
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return err
	default:
		return fmt.Errorf("the screen could not go on: %w", err)
	}
}
