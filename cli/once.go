package cli

import (
	"context"
	"errors"
	"fmt"

	"sharetop/model"
)

// once prints one look. The error carries the exit code; nil means that all was
// seen.
func once(ctx context.Context, v *visit, f rootFlags) error {
	l := v.look(f.watch)
	l.scope.Interval = f.interval
	l.tracker.SetInterval(f.interval)
	if f.group != "" {
		l.about(model.NewGroupID(f.group))
	}
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	if f.group != "" {
		if err := l.absence(l.ids[0]); err != nil {
			return err
		}
		board = narrow(board, l.ids[0])
	}
	if err := v.writeBoard(board, f.group != ""); err != nil {
		return err
	}
	if l.timedOut || !model.AllSeen(board.Snapshot) {
		return &ExitError{Code: ExitPartial, Err: errors.New(partialSentence(board.Snapshot, l.timedOut))}
	}
	return nil
}

// partialSentence says on stderr that something is missing; what it is stands
// in the output.
func partialSentence(s *model.Snapshot, timedOut bool) string {
	n := len(model.AllProblems(s))
	switch {
	case timedOut:
		return "the cluster did not answer everything in time: the output is partial; a longer --timeout may help"
	case n == 1:
		return "the output is partial: 1 problem is listed in it"
	case n > 1:
		return fmt.Sprintf("the output is partial: %d problems are listed in it", n)
	}
	return "the output is partial: some groups were not answered"
}

// narrow leaves one group of a board.
func narrow(b *model.Board, id model.GroupID) *model.Board {
	out := *b
	out.Snapshot = model.Narrow(b.Snapshot, id)
	out.Rows = nil
	if row := b.Row(id); row != nil {
		out.Rows = []*model.Row{row}
	}
	return &out
}

// writeBoard prints a board in the format asked for; detail is for one group.
func (v *visit) writeBoard(b *model.Board, detail bool) error {
	out, err := v.renderBoard(b, detail)
	if err != nil {
		return err
	}
	return wrote(v.env.Stdout.Write(out))
}

// renderBoard is the output of --once. CSV carries raw text, which a terminal
// must not see.
func (v *visit) renderBoard(b *model.Board, detail bool) ([]byte, error) {
	rows := model.Query{}.Arrange(b)
	switch v.format {
	case formatJSON:
		return model.ExportJSON(b, rows)
	case formatCSV:
		return model.ExportCSV(b, rows, textForm(v.env)), nil
	case formatTable, formatWide, formatJSONLines:
	}
	table := model.ExportTable(b, rows, model.TableOptions{
		UTC: v.shared.utc, ASCII: v.ascii(), Detail: detail, Now: v.env.Now(),
	})
	return []byte(table), nil
}
