package cli

import (
	"fmt"

	"sharetop/model"
)

// format is a form of output of --once.
type format uint8

const (
	formatTable format = iota
	formatJSON
	formatCSV
)

func parseFormat(s string) (format, error) {
	switch s {
	case "table":
		return formatTable, nil
	case "json":
		return formatJSON, nil
	case "csv":
		return formatCSV, nil
	}
	return 0, fmt.Errorf("--output %s is not a format: use table, json or csv", s)
}

// write prints a board in the format asked for.
func write(env Env, s settings, b *model.Board) error {
	out, err := render(env, s, b)
	if err != nil {
		return err
	}
	if _, err := env.Stdout.Write(out); err != nil {
		return fmt.Errorf("the output could not be written: %w", err)
	}
	return nil
}

// render is the output. CSV carries raw text, which a terminal must not see.
func render(env Env, s settings, b *model.Board) ([]byte, error) {
	rows := model.Query{}.Arrange(b)
	switch s.format {
	case formatJSON:
		return model.ExportJSON(b, rows)
	case formatCSV:
		form := model.TextRaw
		if env.StdoutIsTerminal {
			form = model.TextSafe
		}
		return model.ExportCSV(b, rows, form), nil
	case formatTable:
	}
	table := model.ExportTable(b, rows, model.TableOptions{
		UTC: s.utc, ASCII: s.ascii, Detail: s.group != "", Now: env.Now(),
	})
	return []byte(table), nil
}
