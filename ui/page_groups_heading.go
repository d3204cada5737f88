package ui

import (
	"fmt"

	"sharetop/model"
)

func (p *groupsPage) heading(e *env) heading {
	left := []string{clusterText(e)}
	if e.body.W >= withProgramName {
		left[0] = e.styles.bold.render("sharetop") + "  " + left[0]
	}
	if b := e.board; b != nil {
		left = append(left, brokersText(e, b.Snapshot.Cluster), shareVersionText(b.Snapshot.Cluster))
	}
	return heading{left: withoutEmpty(left), second: p.second(e)}
}

// withProgramName is the width from which on the header names the program.
const withProgramName = 60

func withoutEmpty(texts []string) []string {
	var out []string
	for _, t := range texts {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

// clusterText is what the cluster is called, or the first address that it is
// reached by. It is made safe here too: it can come from a flag.
func clusterText(e *env) string {
	name := e.cfg.ClusterName
	if name == "" && len(e.cfg.Bootstrap) > 0 {
		name = e.cfg.Bootstrap[0]
	}
	text := plain(cut(model.Sanitize(name), maxClusterName, e.glyphs.more))
	if e.cfg.Color == "" {
		return text
	}
	return e.styles.badge(e.cfg.Color).render(" " + text + " ")
}

// clusterElsewhere is the cluster's name on pages that have it as one part of
// their header among others; empty where clusterBadge has said it already.
func clusterElsewhere(e *env) string {
	if clusterBadge(e) != "" {
		return ""
	}
	return clusterText(e)
}

// clusterBadge is the name of a cluster that has a profile, for the header of
// every page: with several clusters each page has to say which one it is about.
func clusterBadge(e *env) string {
	chosen := e.cfg.Profile != "" && e.cfg.ClusterName != ""
	if e.cfg.Source == nil || e.cfg.Demo || !chosen && e.cfg.Color == "" {
		return ""
	}
	return clusterText(e)
}

// maxClusterName bounds the cluster's name in the header, in cells.
const maxClusterName = 40

// brokersText counts the brokers, and those that do not answer.
func brokersText(e *env, c model.Cluster) string {
	if len(c.Brokers) == 0 {
		return ""
	}
	down := 0
	for _, b := range c.Brokers {
		if !b.Reachable {
			down++
		}
	}
	text := count(len(c.Brokers), "broker", "brokers")
	if down > 0 {
		text += e.styles.warn.render(fmt.Sprintf(" %s %d down", e.glyphs.warn, down))
	}
	return text
}

func shareVersionText(c model.Cluster) string {
	if v, known := c.ShareVersion.Get(); known {
		return fmt.Sprintf("share.version %d", v)
	}
	return ""
}

// second is the line of the totals, or of the filter while it is typed.
func (p *groupsPage) second(e *env) string {
	if p.typing != nil {
		return p.filterLine(e)
	}
	if e.board == nil {
		return e.styles.dim.render("looking for share groups")
	}
	texts := totals(e, e.board.Totals)
	if n := len(p.table.marks); n > 0 {
		texts = append(texts, e.styles.accent.render(model.FormatInt(int64(n))+" marked"))
	}
	if e.filter != "" {
		texts = append(texts, e.styles.accent.render("filter "+plain(model.Sanitize(e.filter)))+
			" ("+shownOf(e)+")")
	}
	if sortsByNameYet(e) && len(e.board.Rows) > 0 {
		texts = append(texts, e.styles.dim.render("by name; by lag when all are seen: "+percent(e.board.Snapshot.Offsets.Sweep)))
	}
	return joinFitting(texts, e.body.W-2)
}

// totals are the sums over all groups, whatever the filter shows.
func totals(e *env, t model.Totals) []string {
	lag := "lag " + model.FormatNumber(t.Lag)
	if t.Partial {
		lag += "+"
	}
	parts := []string{count(t.Groups, "group", "groups"), lag}
	if t.Groups == 0 && e.board.Snapshot.Listed.IsZero() {
		// Nothing has been listed: none is not the same as not known.
		parts = []string{"groups " + model.Unknown, "lag " + model.Unknown}
	}
	if t.Stuck > 0 {
		parts = append(parts, e.styles.bad.render(e.glyphs.stuck+" "+model.FormatInt(int64(t.Stuck))+" stuck"))
	}
	if t.Warn > 0 {
		parts = append(parts, e.styles.warn.render(e.glyphs.warn+" "+model.FormatInt(int64(t.Warn))+" warn"))
	}
	if n := len(e.board.Snapshot.Problems); n > 0 {
		parts = append(parts, e.styles.warn.render(count(n, "problem", "problems"))+e.styles.dim.render(" (!)"))
	}
	if t.NotKnown > 0 {
		parts = append(parts, e.styles.dim.render(model.FormatInt(int64(t.NotKnown))+" unknown"))
	}
	return parts
}

// shownOf counts the rows that the filter shows, and all.
func shownOf(e *env) string {
	return model.FormatInt(int64(len(e.rows))) + " of " + model.FormatInt(int64(len(e.board.Rows)))
}

// filterLine is the filter while it is typed, and what it does so far.
func (p *groupsPage) filterLine(e *env) string {
	note := e.styles.warn.render(plain(p.mistake))
	if p.mistake == "" && e.board != nil {
		note = e.styles.dim.render(shownOf(e))
	}
	width := max(10, e.body.W-3-cellWidth(note)-2)
	line := e.styles.accent.render("/") + p.typing.view(width) + "  " + note
	return cut(line, e.body.W-2, e.glyphs.more)
}
