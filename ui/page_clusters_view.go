package ui

import (
	"strings"

	"sharetop/model"
)

// clusterColumns are the columns of the list of clusters.
func clusterColumns(e *env) []column[*model.Profile] {
	type row = *model.Profile
	return []column[row]{
		{
			columnSpec: columnSpec{title: "CLUSTER", flex: 1, min: 14, max: 32},
			cell:       func(f row, l look, _ int) cell { return cell{text: f.Name.String(), style: l.s.cluster(f.Color)} },
		},
		{columnSpec: columnSpec{title: "", min: 9}, cell: func(f row, l look, _ int) cell { return clusterState(e, f, l) }},
		{
			columnSpec: columnSpec{title: "BROKERS", flex: 2, min: 20, max: 60},
			cell:       func(f row, l look, _ int) cell { return knownCell(f.Bootstrap.String(), l) },
		},
		{
			columnSpec: columnSpec{title: "SECURITY", drop: 2},
			cell:       func(f row, l look, _ int) cell { return knownCell(f.Security.String(), l) },
		},
		{columnSpec: columnSpec{title: "WAY", flex: 1, min: 10, max: 40, drop: 3}, cell: func(f row, l look, _ int) cell {
			if f.Way.Empty() {
				return cell{text: "direct", style: l.s.dim}
			}
			return cell{text: f.Way.String()}
		}},
		{
			columnSpec: columnSpec{title: "FOUND IN", flex: 1, min: 20, tail: true, drop: 4},
			cell:       func(f row, l look, _ int) cell { return cell{text: f.Source.String(), style: l.s.dim} },
		},
	}
}

// knownCell is a text, or the sign for unknown.
func knownCell(text string, l look) cell {
	if text == "" {
		return cell{text: model.Unknown, style: l.s.dim}
	}
	return cell{text: text}
}

// clusterState is the one thing that is worth saying of a cluster in its row.
func clusterState(e *env, f *model.Profile, l look) cell {
	switch name := f.Name.Raw(); {
	case e.connect.name == name:
		return cell{text: "connecting", style: l.s.accent}
	case !f.Problem.Empty():
		return cell{sign: l.g.stuck, signStyle: l.s.bad, text: "unusable", style: l.s.bad}
	case e.connect.failed == name:
		return cell{sign: l.g.stuck, signStyle: l.s.bad, text: "failed", style: l.s.bad}
	case isShown(e, f):
		return cell{sign: l.g.fine, signStyle: l.s.accent, text: "shown", style: l.s.bold}
	case len(f.Notes) > 0:
		return cell{sign: l.g.warn, signStyle: l.s.warn, text: "see below", style: l.s.dim}
	case f.ReadOnly:
		return cell{text: "read-only", style: l.s.dim}
	}
	return cell{}
}

// view draws the list, and below it what is known of the row under the cursor.
func (p *clustersPage) view(e *env, r Rect) string {
	height := p.listHeight(e, r)
	return listAndPane(p.table.View(e.look(), r.W, height), p.about(e, r.W), r.H-height)
}

func (p *clustersPage) listHeight(e *env, r Rect) int {
	return aboveHeight(len(p.table.rows), len(p.about(e, r.W)), r.H)
}

// aboveHeight is how high a list is that has a pane below it which tells of the
// row under the cursor: as high as its rows, but for what the pane needs, up to
// half the page.
func aboveHeight(rows, pane, height int) int {
	if pane == 0 {
		return height
	}
	const titleAndBlank = 2
	return max(1, min(max(height-pane, height/2), max(rows, 4)+titleAndBlank))
}

// listAndPane puts a pane of at most that many lines below a list.
func listAndPane(list string, pane []string, height int) string {
	return list + "\n" + strings.Join(pane[:max(0, min(len(pane), height))], "\n")
}

// about is all that there is to say of the cluster under the cursor.
func (p *clustersPage) about(e *env, width int) []string {
	f, ok := p.table.Cursor()
	if !ok {
		return p.failedElsewhere(e, width)
	}
	lines := []string{titleLine(e, f.Name.String(), "", width)}
	name := f.Name.Raw()
	if e.connect.name == name {
		lines = append(lines, sentence(e.styles.accent, "…", connectingText(e), width)...)
	}
	if e.connect.failed == name {
		lines = append(lines, sentence(e.styles.bad, e.glyphs.stuck, e.connect.why, width)...)
	}
	if !f.Problem.Empty() {
		lines = append(lines, sentence(e.styles.bad, e.glyphs.stuck, f.Problem.String(), width)...)
	}
	for _, note := range f.Notes {
		lines = append(lines, sentence(e.styles.warn, e.glyphs.warn, note.String(), width)...)
	}
	if e.connect.failed != name {
		lines = append(lines, p.failedElsewhere(e, width)...)
	}
	for _, d := range []field{
		{"brokers", f.Bootstrap.String()}, {"security", f.Security.String()}, {"way", f.Way.String()}, {foundLabel(f), f.Source.String()},
	} {
		if d.text != "" {
			lines = append(lines, fieldLines(e, d, width)...)
		}
	}
	if f.ReadOnly {
		lines = append(lines, fieldLines(e, field{"changes", "none: the profile is read-only"}, width)...)
	}
	return lines
}

func foundLabel(f *model.Profile) string {
	if f.Given {
		return "from"
	}
	return "file"
}

// failedElsewhere says why a cluster failed that is not under the cursor, or in
// no list.
func (p *clustersPage) failedElsewhere(e *env, width int) []string {
	if e.connect.failed == "" {
		return nil
	}
	return sentence(e.styles.bad, e.glyphs.stuck, clusterCalled(e, e.connect.failed)+": "+e.connect.why, width)
}

// clusterCalled is a name from outside, safe to be drawn.
func clusterCalled(e *env, name string) string {
	return plain(cut(model.Sanitize(name), maxClusterName, e.glyphs.more))
}

func connectingText(e *env) string {
	return "Connecting since " + model.FormatDuration(max(0, e.now.Sub(e.connect.since).Truncate(clockTick))) + "; esc gives up."
}

// sentence is a sentence with a sign before it, wrapped.
func sentence(s style, sign, text string, width int) []string {
	var out []string
	for i, line := range wrap(text, max(1, width-4)) {
		before := " " + s.render(sign) + " "
		if i > 0 {
			before = "   "
		}
		out = append(out, before+line)
	}
	return out
}

// aboutLabel is the width of the labels below a list.
const aboutLabel = 10

// fieldLines are a label and its text, wrapped.
func fieldLines(e *env, f field, width int) []string {
	var out []string
	for i, line := range wrap(f.text, max(1, width-aboutLabel-4)) {
		label := e.styles.dim.render(padRight(f.label, aboutLabel))
		if i > 0 {
			label = blanks(aboutLabel)
		}
		out = append(out, "   "+label+line)
	}
	return out
}
