package ui

import (
	"fmt"
	"strings"
	"time"

	"sharetop/model"
)

// consumeFoot is the place below the held records: what to know before one is
// given back, and the statistics. It depends on the window alone, so that
// nothing jumps.
type consumeFoot struct{ warnings, statistics int }

const (
	// lowFoot is the height below which only one line is left for all of it.
	lowFoot = 12
	// shownWarnings is how many warnings there is room for.
	shownWarnings = 2
	// wideStatistics is the width from which on the statistics are in one line.
	wideStatistics = 140
	// statisticsRates is the width from which on each total has its rate beside it.
	statisticsRates = 180
)

// footFor is the foot of a body of that size.
func footFor(body Rect) consumeFoot {
	switch {
	case body.H < lowFoot:
		return consumeFoot{0, 1}
	case body.W < wideStatistics:
		return consumeFoot{shownWarnings, 2}
	default:
		return consumeFoot{shownWarnings, 1}
	}
}

func (f consumeFoot) height() int { return f.warnings + f.statistics }

// drawFoot are the warnings and the statistics. What goes wrong with the session
// as a whole comes before both.
func (p *consumePage) drawFoot(e *env, body Rect) string {
	f := footFor(body)
	if f.warnings == 0 {
		if trouble := p.trouble(e, body.W, 1); trouble != nil {
			return trouble[0]
		}
	}
	lines := append(p.warnings(e, body.W, f.warnings), p.statistics(e, body.W, f.statistics)...)
	return strings.Join(lines, "\n")
}

// warnings are exactly so many lines: the trouble, if there is any, and what to
// know about the records, for which one line is kept.
func (p *consumePage) warnings(e *env, width, height int) []string {
	first, beyond := p.state.Warnings(e.now)
	lines := p.trouble(e, width, height-min(1, len(first)))
	room := min(height-len(lines), len(first))
	for i, w := range first[:room] {
		line := " " + e.styles.warn.render(e.glyphs.warn) + " " + plain(w.Text)
		if more := len(first) + beyond - room; more > 0 && i == room-1 {
			line += e.styles.dim.render(fmt.Sprintf("  and %d more", more))
		}
		lines = append(lines, cut(line, width, e.glyphs.more))
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return lines
}

// trouble is what goes wrong with the session, in so many lines at most; none
// for nothing.
func (p *consumePage) trouble(e *env, width, height int) []string {
	if p.session == nil {
		return nil
	}
	text := p.session.Trouble()
	if text == "" {
		return nil
	}
	const margin = 3 // and the sign
	lines := wrap(text, max(1, width-margin))
	if len(lines) > height {
		lines = append(lines[:height-1], cut(strings.Join(lines[height-1:], " "), max(1, width-margin), e.glyphs.more))
	}
	for i := range lines {
		sign := " "
		if i == 0 {
			sign = e.glyphs.stuck
		}
		lines[i] = " " + e.styles.bad.render(sign+" "+plain(lines[i]))
	}
	return lines
}

// statistics are the session's totals by the share-group sink's metric names, in
// one line or two: with their rates where there is room, and with short names
// where there is none for long ones.
func (p *consumePage) statistics(e *env, width, lines int) []string {
	rates := width >= statisticsRates
	out, fits := statisticsLines(p.totals(e, longNames(), rates), width, lines)
	if !fits {
		out, _ = statisticsLines(p.totals(e, shortNames(), false), width, lines)
	}
	for i := range out {
		out[i] = e.styles.dim.render(out[i])
	}
	return out
}

// inFirstLine is how many of the totals are in the first of two lines.
const inFirstLine = 5

// statisticsLines sets totals in lines, and tells whether all of them fit.
func statisticsLines(totals []string, width, lines int) (out []string, fit bool) {
	rows := [][]string{totals}
	if lines > 1 {
		rows = [][]string{totals[:inFirstLine], totals[inFirstLine:]}
	}
	fit = true
	for _, row := range rows {
		line := joinFitting(row, width-1)
		fit = fit && line == strings.Join(row, blanks(partGap))
		out = append(out, " "+line)
	}
	return out, fit
}

// totalNames are what the totals are called, in their order.
type totalNames struct {
	acquired, acknowledged, released, rejected, renewed, redelivered, time string
}

func longNames() totalNames {
	return totalNames{"acquire", "acknowledge", "release", "reject", "renew", "redelivery", "ack time"}
}

func shortNames() totalNames {
	return totalNames{"acq", "ack", "rel", "rej", "ren", "redel", "ack time"}
}

// totals are the parts of the statistics.
func (p *consumePage) totals(e *env, n totalNames, rates bool) []string {
	s := p.state.Stats()
	held, _ := p.state.Count(e.now)
	average, longest := model.Unknown, model.Unknown
	if avg, most, ok := s.AckTime(); ok {
		average, longest = milliseconds(avg), milliseconds(most)
	}
	total := func(name string, n int64) string {
		text := name + " " + model.FormatInt(n)
		if rates {
			text += " (" + model.FormatRate(s.Rate(n, e.now)) + "/s)"
		}
		return text
	}
	return []string{
		total(n.acquired, s.Acquired), total(n.acknowledged, s.Acknowledged), total(n.released, s.Released),
		total(n.rejected, s.Rejected), total(n.renewed, s.Renewed), total(n.redelivered, s.Redelivered),
		n.time + " avg " + average + " max " + longest, "active " + model.FormatInt(int64(held)),
	}
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
