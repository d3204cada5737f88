package ui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// sourcePage says where offsets come from, why not from a better source, and
// how the reader of the state topic does.
type sourcePage struct{ scroll scroller }

func newSourcePage(e *env) *sourcePage {
	p := &sourcePage{}
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return p
}

func (p *sourcePage) heading(e *env) heading {
	h := heading{left: withoutEmpty([]string{e.styles.bold.render("Source of offsets"), clusterElsewhere(e)})}
	if e.board != nil {
		h.second = sourceText(e.board, e.now)
	}
	return h
}

func (p *sourcePage) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		return p.scroll.pageKey(e, k), nil
	}
	p.scroll.fit(len(p.lines(e, e.body.W)), e.body.H-1)
	return nil, nil
}

func (p *sourcePage) view(e *env, r Rect) string {
	return p.scroll.view(e, "Where start offsets and lag come from", p.lines(e, r.W), r)
}

// lines are all that is known of the source, one field after the other.
func (p *sourcePage) lines(e *env, width int) []string {
	if e.board == nil {
		return []string{" Nothing has been seen yet."}
	}
	var out []string
	for _, f := range sourceFields(e) {
		if f.text == "" {
			continue
		}
		label := e.styles.dim.render(f.label) + blanks(sourceLabel-cellWidth(f.label))
		for i, line := range wrap(f.text, max(1, width-sourceLabel-2)) {
			if i > 0 {
				label = blanks(sourceLabel)
			}
			out = append(out, " "+label+line)
		}
	}
	return out
}

// sourceLabel is the width of the labels.
const sourceLabel = 16

func sourceFields(e *env) []field {
	s := e.board.Snapshot
	o := s.Offsets
	fields := []field{{"in use", sourceInWords(o.Source)}}
	if o.Source == model.FromRequests {
		fields = append(fields, field{"why", orUnknown(o.Why)}, field{"what would help", o.Advice}, field{"sweep", sweepText(o.Sweep)})
	}
	return append(append(fields, tailFields(e, o.Tail)...), checkFields(s)...)
}

func sourceInWords(s model.OffsetsSource) string {
	if s == model.FromStateTopic {
		return "the state topic: __share_group_state is read from its log start and followed; every acknowledgement shows as it is written"
	}
	return "requests: DescribeShareGroupOffsets, one group a request; the groups on screen at every tick, the others in turn"
}

func sweepText(s model.Sweep) string {
	if s.Round == 0 {
		return "none has begun"
	}
	text := fmt.Sprintf("round %d, %s of %s groups", s.Round, model.FormatInt(int64(s.Done)), model.FormatInt(int64(s.Total)))
	if s.Took > 0 {
		text += ", the last whole round took " + model.FormatDuration(s.Took)
	}
	return text
}

// tailFields are how the reader of the state topic does.
func tailFields(e *env, t model.Tail) []field {
	fields := []field{{"state topic", phaseInWords(t)}}
	if t.Of > 0 {
		fields = append(fields, field{"partitions", fmt.Sprintf("%d of %d read", t.Partitions, t.Of)})
	}
	if t.Total > 0 {
		fields = append(fields, field{"records", fmt.Sprintf("%s of %s at the load", model.FormatInt(t.Loaded), model.FormatInt(t.Total))})
	}
	if t.Took > 0 {
		text := model.FormatDuration(t.Took)
		if t.MaxLoad > 0 {
			text += ", " + model.FormatDuration(t.MaxLoad) + " at most; above that requests take over"
		}
		fields = append(fields, field{"load took", text})
	}
	if !t.CheckedAt.IsZero() {
		text := model.FormatAge(t.CheckedAt, e.now)
		if t.Behind > 0 {
			text += fmt.Sprintf(", %s offsets behind at the last look", model.FormatInt(t.Behind))
		}
		fields = append(fields, field{"read to its end", text})
	}
	if t.Phase != model.TailOff || t.Memory > 0 {
		fields = append(fields,
			field{"traffic", budget(model.FormatSize(t.BytesPerSecond)+"/s over the last minute", t.MaxBytesPerSecond, "/s")},
			field{"memory", budget("about "+model.FormatSize(t.Memory), t.MaxMemory, "")})
	}
	if !t.RetryAt.IsZero() {
		fields = append(fields, field{"tried again", model.FormatAge(t.RetryAt, e.now)})
	}
	return fields
}

// budget is a value and what it may be at most.
func budget(text string, limit int64, unit string) string {
	if limit <= 0 {
		return text
	}
	return text + ", " + model.FormatSize(limit) + unit + " at most; above that requests take over"
}

func phaseInWords(t model.Tail) string {
	switch t.Phase {
	case model.TailLoading:
		return loadingText(t)
	case model.TailLive:
		return "live"
	case model.TailBehind:
		return "behind: what comes from it is as old as its last end"
	case model.TailOff:
	}
	return "not read"
}

// checkFields are what was found about the state topic and its cross-check.
func checkFields(s *model.Snapshot) []field {
	var found []string
	for _, p := range s.Problems {
		if p.Kind == model.ProblemDiffers || strings.Contains(p.Target.Raw(), stateTopicName) || strings.Contains(p.Detail, stateTopicName) {
			found = append(found, p.Detail+" "+p.Advice)
		}
	}
	if len(found) == 0 {
		return []field{{"cross-check", "no difference from requests was found, and no problem with the topic"}}
	}
	fields := make([]field, len(found))
	for i, text := range found {
		fields[i] = field{"problem", text}
	}
	return fields
}

// stateTopicName is the topic that share coordinators keep their state in.
const stateTopicName = "__share_group_state"

func (p *sourcePage) footer(e *env) []keymap.Binding {
	l := e.keys.Lists
	return []keymap.Binding{l.Down, l.Up, l.PageDown, l.PageUp}
}

func (p *sourcePage) help(e *env) []keymap.Section {
	return []keymap.Section{{Scope: keymap.ScopeLists, Bindings: e.keys.Lists.Scrolling()}}
}

func (p *sourcePage) capturesText() bool { return false }

func (p *sourcePage) wants(*env) wants { return wants{} }

// copyItems offers all of it as text.
func (p *sourcePage) copyItems(e *env) []copyItem {
	if e.board == nil {
		return nil
	}
	var text strings.Builder
	for _, f := range sourceFields(e) {
		fmt.Fprintf(&text, "%s: %s\n", f.label, f.text)
	}
	return []copyItem{{what: "the source", text: text.String()}}
}
