package cli

import (
	"fmt"

	"sharetop/model"
)

// format is a form of output.
type format uint8

const (
	// formatTable is for people; formatWide has more columns.
	formatTable format = iota
	formatWide
	// formatJSON is one object, formatJSONLines an object a row.
	formatJSON
	formatJSONLines
	formatCSV
)

// formatNames are the formats by what -o takes.
func formatNames() map[string]format {
	return map[string]format{
		"table": formatTable, "wide": formatWide, "json": formatJSON, "jsonl": formatJSONLines, "csv": formatCSV,
	}
}

func parseFormat(s string) (format, error) {
	if f, ok := formatNames()[s]; ok {
		return f, nil
	}
	return 0, fmt.Errorf("--output %s is not a format: use table, wide, json, jsonl or csv", s)
}

// textForm is the form of outside text in CSV.
func textForm(env Env) model.TextForm {
	if env.StdoutIsTerminal {
		return model.TextSafe
	}
	return model.TextRaw
}
