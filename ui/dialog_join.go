package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// joinDialog says what joining a group means and asks once. The cursor is on
// leaving it when it opens.
type joinDialog struct {
	group model.GroupID
	// cost is that of joining for all topics on the list, chosen that for those
	// that are to be read.
	cost, chosen model.JoinCost
	// left are the topics that are not to be read.
	left map[model.TopicName]bool
	// count is how many records at a time, as typed.
	count string
	// added is a further topic's name while it is typed, known what is known of
	// the group, and mistake what is wrong with the name.
	added   lineEdit
	known   *model.Group
	mistake string
	// cursor is a topic, then the further topic, the count, no, and yes.
	cursor int
}

// startConsume is a yes: the group is to be joined.
type startConsume struct {
	request model.JoinRequest
	most    int
}

func (startConsume) isIntent() {}

func newJoinDialog(e *env, id model.GroupID) *joinDialog {
	var g *model.Group
	if e.board != nil {
		g = e.board.Snapshot.Group(id)
	}
	d := &joinDialog{
		group: id, cost: model.CostOfJoining(g, nil), left: make(map[model.TopicName]bool),
		count: strconv.Itoa(model.DefaultTake), added: newLineEdit(""), known: g,
	}
	d.cost.Terms.Group = id
	d.chosen = d.cost
	d.cursor = d.noAt()
	return d
}

func (d *joinDialog) addAt() int { return len(d.cost.Topics) }
func (d *joinDialog) noAt() int  { return d.addAt() + 2 }
func (d *joinDialog) yesAt() int { return d.addAt() + 3 }

func (d *joinDialog) update(e *env, msg tea.Msg) (intent, tea.Cmd) {
	k, ok := msg.(tea.KeyPressMsg)
	if ok && e.keys.Everywhere.Help.Pressed(k) { // also in the line of text: no topic has a "?"
		return openDialog{d.help(e)}, nil
	}
	if d.cursor == d.addAt() && !leavesLine(k) {
		d.mistake = ""
		d.added.update(msg)
		return nil, nil
	}
	if !ok {
		return nil, nil
	}
	keys := e.keys.Dialogs
	switch {
	case keys.Close.Pressed(k):
		return closeDialog{}, nil
	case keys.Next.Pressed(k):
		d.cursor = min(d.cursor+1, d.yesAt())
	case keys.Previous.Pressed(k):
		d.cursor = max(d.cursor-1, 0)
	case e.keys.Lists.Mark.Pressed(k) && d.cursor < d.addAt():
		topic := d.cost.Topics[d.cursor]
		d.left[topic] = !d.left[topic]
		d.choice()
	case keys.Choose.Pressed(k):
		return d.choose()
	default:
		d.typeCount(k)
	}
	return nil, nil
}

// leavesLine tells whether a key means the dialog's lines and not the text that
// is typed into one of them.
func leavesLine(k tea.KeyPressMsg) bool {
	switch k.String() {
	case "up", "down", "enter", "esc":
		return true
	default:
		return false
	}
}

// maxTopicName is Kafka's own bound of a topic's name.
const maxTopicName = 249

// addTopic takes the further topic that was typed.
func (d *joinDialog) addTopic() {
	name := strings.TrimSpace(d.added.String())
	topic := model.NewTopicName(name)
	switch {
	case name == "":
		d.cursor++
		return
	case len(name) > maxTopicName || strings.Trim(name, topicLetters) != "":
		d.mistake = "no topic can have that name"
		return
	case !slices.Contains(d.cost.Topics, topic):
		terms := d.cost.Terms
		d.cost = model.CostOfJoining(d.known, append(slices.Clone(d.cost.Topics), topic))
		d.cost.Terms = terms
	}
	delete(d.left, topic)
	d.choice()
	d.added, d.cursor = newLineEdit(""), d.addAt()
}

// choice works out what the chosen topics cost; while none is, nothing changes.
func (d *joinDialog) choice() {
	if topics := d.topics(); len(topics) > 0 {
		d.chosen = model.CostOfJoining(d.known, topics)
	}
}

// topicLetters are all that a topic's name can have.
const topicLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

// typeCount changes how many records are taken at a time: digits and backspace
// mean that wherever the cursor is.
func (d *joinDialog) typeCount(k tea.KeyPressMsg) {
	switch {
	case k.String() == "backspace" && d.count != "":
		d.count = d.count[:len(d.count)-1]
	case len(k.Text) == 1 && k.Text >= "0" && k.Text <= "9" && len(d.count) < 3:
		d.count += k.Text
	}
}

// choose does what enter means on the line under the cursor.
func (d *joinDialog) choose() (intent, tea.Cmd) {
	switch d.cursor {
	case d.addAt():
		d.addTopic()
	case d.noAt():
		return closeDialog{}, nil
	case d.yesAt():
		if most, topics := d.most(), d.topics(); most > 0 && len(topics) > 0 {
			r := model.JoinRequest{Group: d.group, Topics: topics, Terms: d.cost.Terms}
			return closeThen{startConsume{r, most}}, nil
		}
	default:
		d.cursor++
	}
	return nil, nil
}

// most is the number typed; 0 when it is out of bounds.
func (d *joinDialog) most() int {
	n, err := strconv.Atoi(d.count)
	if err != nil || n < model.MinTake || n > model.MaxTake {
		return 0
	}
	return n
}

func (d *joinDialog) topics() []model.TopicName {
	var out []model.TopicName
	for _, t := range d.cost.Topics {
		if !d.left[t] {
			out = append(out, t)
		}
	}
	return out
}

func (d *joinDialog) place(_ *env, screen Rect) Rect { return bodyOf(screen) }

// view draws the consequences, then what can be chosen; the latter stays where
// the window is low.
func (d *joinDialog) view(e *env, r Rect) string {
	choices := d.choices(e, r.W)
	lines := []string{titleLine(e, "Consume "+cut(d.group.String(), max(0, r.W-30), e.glyphs.more)+": what joining means", "", r.W)}
	for _, sentence := range d.chosen.Lines() {
		for i, line := range wrap(sentence, r.W-6) {
			sign := "  "
			if i == 0 {
				sign = e.glyphs.dot + " "
			}
			lines = append(lines, "  "+sign+line)
		}
	}
	lines = append(lines, "")
	lines = lines[:min(len(lines), max(1, r.H-len(choices)))]
	from := clamp(d.cursor-(r.H-2), 0, max(0, len(choices)-(r.H-1)))
	return strings.Join(append(lines, choices[from:]...), "\n")
}

func (d *joinDialog) choices(e *env, width int) []string {
	var out []string
	for _, t := range d.cost.Topics {
		mark := "[" + e.glyphs.mark + "] "
		if d.left[t] {
			mark = "[ ] "
		}
		out = append(out, mark+t.String())
	}
	further := "another topic: " + d.added.String()
	if d.cursor == d.addAt() {
		further += "_"
	}
	if d.mistake != "" {
		further += "  " + e.glyphs.warn + " " + d.mistake
	}
	bounds := fmt.Sprintf("records at a time: %s  (%d to %d)", d.count, model.MinTake, model.MaxTake)
	yes := "join " + d.group.String()
	switch {
	case len(d.cost.Topics) == 0:
		yes = "join: no topic of the group is known; name one above"
	case len(d.topics()) == 0:
		yes = "join: choose a topic first"
	case d.most() == 0:
		yes = "join: the number is out of bounds"
	}
	out = append(out, model.Sanitize(further), bounds, "leave it", yes)
	for i := range out {
		text := cut(plain(out[i]), max(0, width-4), e.glyphs.more)
		bar := "  "
		if i == d.cursor {
			bar, text = e.styles.accent.render(e.glyphs.bar)+" ", e.styles.bold.render(text)
		}
		out[i] = "  " + bar + text
	}
	return out
}

func (d *joinDialog) footer(e *env) []keymap.Binding {
	keys := e.keys.Dialogs
	return []keymap.Binding{keys.Choose, keys.Previous, keys.Next, e.keys.Lists.Mark, keys.Close, e.keys.Everywhere.Help}
}

// help says what a session is about before there is one.
func (d *joinDialog) help(e *env) *helpDialog {
	keys := append(e.keys.Dialogs.Bindings(), e.keys.Lists.Mark)
	return &helpDialog{notes: aboutAcknowledging(), sections: []keymap.Section{{Scope: keymap.ScopeDialogs, Bindings: keys}}}
}
