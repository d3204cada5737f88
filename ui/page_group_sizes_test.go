package ui

import (
	"fmt"
	"testing"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// oddGroup is a group in which every outside text is the same awkward one.
func oddGroup(s string) *model.Board {
	b := openRefunds()
	text := model.NewText(s)
	row := b.Rows[0]
	g := row.Group
	g.ID, g.Assignor = model.NewGroupID(s), text
	for i := range g.Members {
		m := &g.Members[i]
		m.ID, m.ClientID, m.Host, m.Rack = model.NewText(fmt.Sprint(i, s)), text, text, text
		m.Subscribed = []model.TopicName{model.NewTopicName(s)}
		m.Assignment = []model.Assignment{{Topic: model.NewTopicName(s), Partitions: []int32{0, 1, 2}}}
	}
	for i := range g.Configs.Entries {
		c := &g.Configs.Entries[i]
		c.Key, c.Value, c.BrokerKey = model.NewText(fmt.Sprint(i, s)), text, text
	}
	for i := range b.Open.Partitions {
		b.Open.Partitions[i].Topic = model.NewTopicName(s)
		b.Open.Partitions[i].Verdict.Text = text.String()
	}
	problem := model.Problem{Kind: model.ProblemOther, Target: text, Detail: text.String(), Advice: text.String()}
	g.Problems = []model.Problem{problem}
	row.Verdict.Text, row.Verdict.Evidence, row.Verdict.Next = text.String(), []model.Sentence{model.Sentence(text.String())}, []string{text.String(), text.String()}
	b.Open.ID = g.ID
	return b
}

// content fails where a line is too wide or a control byte is on the screen.
func TestGroupShowsAwkwardTextAtEverySize(t *testing.T) {
	for id, s := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			drive(t, 80, 24, func(d *driver) {
				d.board(oddGroup(s))
				for _, tab := range []string{"1", "2", "3"} {
					d.keys(tab, "down")
					for _, size := range groupSizes() {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						d.content()
					}
				}
				// Nor when nobody knows the group.
				b := incident()
				b.Open = &model.OpenGroup{ID: model.NewGroupID(s)}
				b.Snapshot.Version = 9
				d.board(b)
				d.content()
			}, openPage(s))
		})
	}
}

func groupSizes() [][2]int {
	return [][2]int{{0, 0}, {1, 1}, {5, 3}, {20, 5}, {40, 10}, {47, 13}, {80, 24}, {120, 40}, {300, 100}}
}

func TestGroupAtEverySizeInEveryLook(t *testing.T) {
	looks := map[string]func(*Config){
		"plain":    func(*Config) {},
		"ascii":    func(c *Config) { c.ASCII = true },
		"no-color": func(c *Config) { c.NoColor = true },
	}
	for name, option := range looks {
		t.Run(name, func(t *testing.T) {
			drive(t, 80, 24, func(d *driver) {
				d.board(openRefunds())
				for _, tab := range []string{"1", "2", "3"} {
					d.keys(tab)
					for w := 0; w <= 130; w += 7 {
						for h := 0; h <= 60; h += 3 {
							d.send(tea.WindowSizeMsg{Width: w, Height: h})
							if content := d.content(); name == "ascii" && !isASCII(content) {
								t.Fatalf("not ASCII at %dx%d:\n%s", w, h, content)
							}
						}
					}
				}
			}, openPage("payments-retry"), option)
		})
	}
}
