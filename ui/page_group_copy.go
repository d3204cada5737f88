package ui

import (
	"strconv"

	"sharetop/model"
)

// copyItems are what can be copied on this page: the group's name, then what
// is under the cursor.
func (p *groupPage) copyItems(*env) []copyItem {
	items := []copyItem{{what: "group id", text: p.id.Raw()}}
	if p.shown == nil {
		return items
	}
	return append(items, p.current().copyItems()...)
}

// rawNumber is a number without separators, for a clipboard; empty where it is
// not known.
func rawNumber(n model.Number) string {
	if v, ok := n.Get(); ok {
		return strconv.FormatInt(v, 10)
	}
	return ""
}
