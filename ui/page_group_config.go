package ui

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"sharetop/model"
)

// configTab lists the group's configs as this broker's version has them.
type configTab struct {
	detailTable[*model.ConfigEntry, model.Text]
}

func newConfigTab(p *groupPage) configTab {
	table := newTable(func(c *model.ConfigEntry) model.Text { return c.Key }, configColumns())
	return configTab{detailTable[*model.ConfigEntry, model.Text]{table: table, detail: func(c *model.ConfigEntry) (string, []field) {
		return c.Key.String(), configFields(p.group(), c)
	}}}
}

func configColumns() []column[*model.ConfigEntry] {
	type row = *model.ConfigEntry
	return []column[row]{
		{
			columnSpec: columnSpec{title: "KEY", flex: 1, min: 24, max: 48},
			cell:       func(c row, _ look, _ int) cell { return cell{text: c.Key.String()} },
			compare:    func(a, b row) int { return cmp.Compare(a.Key.Raw(), b.Key.Raw()) },
		},
		{
			columnSpec: columnSpec{title: "VALUE", flex: 1, min: 16, max: 40},
			cell: func(c row, l look, _ int) cell {
				text, st := c.ValueText(), l.s.text
				if c.IsNull || c.Value.Empty() {
					st = l.s.dim
				}
				return cell{text: text, style: st}
			},
		},
		{
			columnSpec: columnSpec{title: "SOURCE"},
			cell:       sourceCell,
			compare:    func(a, b row) int { return cmp.Compare(a.Source, b.Source) },
		},
		{
			columnSpec: columnSpec{title: "RANGE", drop: 1},
			cell: func(c row, l look, _ int) cell {
				return cell{text: orUnknown(configRange(c)), style: dimUnless(l, configRange(c) != "")}
			},
		},
		{
			columnSpec: columnSpec{title: "MEANING", flex: 1, min: 24, drop: 2},
			cell:       func(c row, l look, _ int) cell { return cell{text: c.Meaning, style: l.s.dim} },
		},
	}
}

// configRange is the allowed range: "15000 to 60000", "at least 2"; empty when
// it is not known.
func configRange(c *model.ConfigEntry) string {
	switch {
	case c.Min != "" && c.Max != "":
		return c.Min + " to " + c.Max
	case c.Min != "":
		return "at least " + c.Min
	case c.Max != "":
		return "at most " + c.Max
	default:
		return ""
	}
}

// sourceCell says who set a value; what somebody set stands out.
func sourceCell(c *model.ConfigEntry, l look, _ int) cell {
	text := c.Source.String()
	switch c.Source {
	case model.ConfigFromGroup:
		return cell{text: text, style: l.s.bold}
	case model.ConfigFromBroker:
		return cell{text: text}
	default:
		return cell{text: text, style: l.s.dim}
	}
}

func (t *configTab) refresh(_ *env, p *groupPage) {
	g := p.group()
	if g == nil {
		return
	}
	var rows []*model.ConfigEntry
	if g.Configs != nil {
		rows = pointers(g.Configs.Entries)
	}
	t.set(rows, whyNoConfigs(g))
}

func whyNoConfigs(g *model.Group) string {
	switch {
	case g.Configs == nil:
		return "Asking for the configs of this group."
	case g.Configs.Problem != nil:
		return "The configs of this group could not be read:\n" + g.Configs.Problem.Detail + "\n" + g.Configs.Problem.Advice
	default:
		return "The broker has no configs for groups."
	}
}

// configFields are all that is known of a config of a group.
func configFields(g *model.Group, c *model.ConfigEntry) []field {
	return []field{
		{"meaning", c.Meaning},
		{"value", c.ValueText() + inWords(c)},
		{"from", configOrigin(c)},
		{"default", c.Default.String()},
		{"allowed", configRange(c)},
		{"type", strings.ToLower(c.Type)},
		{"absent", missingText(g)},
	}
}

// missingText names the configs that this server does not tell; empty for none.
func missingText(g *model.Group) string {
	if g == nil || g.Configs == nil || len(g.Configs.Missing) == 0 {
		return ""
	}
	return "this server has not got " + strings.Join(g.Configs.Missing, ", ") + ": Kafka's defaults are assumed"
}

// configOrigin says who set a value, and with which broker config.
func configOrigin(c *model.ConfigEntry) string {
	switch c.Source {
	case model.ConfigFromGroup:
		return "this group"
	case model.ConfigFromBroker:
		return brokerKey("the broker", c)
	case model.ConfigFromDefault:
		return brokerKey("the default", c)
	default:
		return ""
	}
}

func brokerKey(who string, c *model.ConfigEntry) string {
	if c.BrokerKey.Empty() {
		return who
	}
	return who + " (" + c.BrokerKey.String() + ")"
}

// inWords is a number of milliseconds as a duration: " (30s)".
func inWords(c *model.ConfigEntry) string {
	if !strings.HasSuffix(c.Key.Raw(), ".ms") {
		return ""
	}
	ms, err := strconv.ParseInt(c.Value.Raw(), 10, 64)
	if err != nil || ms < 0 || ms > int64(maxWords/time.Millisecond) {
		return ""
	}
	return " (" + model.FormatDuration(time.Duration(ms)*time.Millisecond) + ")"
}

// maxWords is the longest time that is told as a duration too.
const maxWords = 1000 * 24 * time.Hour

func (t *configTab) copyItems() []copyItem {
	c, ok := t.table.Cursor()
	if !ok {
		return nil
	}
	return []copyItem{
		{what: "config key", text: c.Key.Raw()},
		{what: "config value", text: c.Value.Raw()},
		{what: "key=value", text: c.Key.Raw() + "=" + c.Value.Raw()},
	}
}
