package ui

import (
	"fmt"

	"sharetop/model"
)

// cutText says up to where a list by time is whole, by the record there; empty
// where it is whole throughout. The rows beyond are dim.
func cutText(w *model.RecordWindow, brief bool) string {
	before, behind := w.CutBefore(), w.CutBehind()
	name := func(c *model.RecordCut) string {
		if brief {
			return fmt.Sprintf("%d@%s", c.Partition, model.FormatInt(c.At.Offset))
		}
		return recordName(c.At)
	}
	text := ""
	switch {
	case behind != nil && behind.At == nil:
		return fmt.Sprintf("no record of partition %d is loaded yet", behind.Partition)
	case before != nil && behind != nil:
		text = "complete from " + name(before) + " to " + name(behind)
	case before != nil:
		text = "complete from " + name(before) + " on"
	case behind != nil:
		text = "complete up to " + name(behind)
	}
	if text != "" && !brief {
		text += " (dim rows: not all loaded)"
	}
	return text
}
