package ui

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// Case 1: every odd text as the id of a group that is reset, configured and
// deleted. What is changed is that group, whatever its name looks like, the
// command that is copied has the name as one word of a real shell, and nothing of
// it reaches the terminal (content checks that).
func TestOddGroupsAreChangedAndCopied(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Logf("bash is not here, the copied commands are not run: %v", err)
	}
	for id, raw := range awkward(t) {
		if raw == "" {
			continue // no group has no name
		}
		t.Run(id, func(t *testing.T) {
			var copied []string
			f := &fakeChanger{look: auditLook(), outcome: model.ConfigResult{ReadBackKnown: true}}
			drive(t, 118, 30, func(d *driver) {
				d.board(boardOf([]fixtureRow{{id: raw, why: "nobody is reading"}}))
				copied = changeOdd(d, raw)
				for _, got := range []model.GroupID{f.plans[0].Group, f.configs[0].Group, f.deleted[0]} {
					if got.Raw() != raw {
						t.Errorf("changed %q", got.Raw())
					}
				}
			}, withChanger(f), bootstrap)
			if strings.ContainsRune(raw, 0) || bash == "" {
				return
			}
			if len(copied) != 3 {
				t.Fatalf("copied are %q", copied)
			}
			for i, want := range [][]string{
				{"--reset-offsets", "--group", raw, "--topic", "audit:0,1,2,3", "--to-offset", "0", "--execute"},
				{"--alter", "--entity-type", "groups", "--entity-name", raw, "--delete-config", "share.auto.offset.reset"},
				{"--delete", "--group", raw},
			} {
				expectWords(t, bash, copied[i], append([]string{"--bootstrap-server", "b1:9092,b2:9092"}, want...))
			}
		})
	}
}

// changeOdd resets, configures and deletes the group under the cursor by keys,
// and returns the commands that its dialogs gave; none where there can't be any.
func changeOdd(d *driver, raw string) (copied []string) {
	answer := func() {
		d.t.Helper()
		d.content()
		before := len(d.sent)
		d.send(tea.KeyPressMsg{Code: 'y', Mod: tea.ModCtrl})
		if len(d.sent) > before {
			copied = append(copied, d.sentText())
		} else {
			d.wantText("Not copied: a text with a NUL byte")
		}
		d.wait(time.Second)
		d.send(tea.PasteMsg{Content: d.app.dialog().(*typedDialog).answer.want})
		d.content()
		d.wait(time.Second)
		d.keys("enter")
		d.content()
	}
	d.keys("O", "enter", "W")
	answer()
	d.keys("esc")
	entry := model.ConfigEntry{Key: model.NewText("share.auto.offset.reset")}
	d.run(d.app.carryOut(editConfig{id: model.NewGroupID(raw), entry: entry, unset: true}))
	d.settle()
	answer()
	d.keys("esc", "D")
	answer()
	return copied
}

// expectWords has a real shell take a command apart, whose programs are replaced
// by one that prints its arguments.
func expectWords(t *testing.T, bash, command string, want []string) {
	t.Helper()
	script := `kafka-share-groups.sh() { printf '%s\0' "$@"; }; kafka-configs.sh() { printf '%s\0' "$@"; };` + "\n" + command
	out, err := exec.CommandContext(t.Context(), bash, "-c", script).CombinedOutput()
	got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+1 < len(want); i++ {
		if strings.HasPrefix(want[i+1], "-") && (want[i] == "--group" || want[i] == "--entity-name") {
			want = slices.Replace(slices.Clone(want), i, i+2, want[i]+"="+want[i+1])
		}
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v: the shell reads %q as %q, want %q", err, command, got, want)
	}
}

// Case 1: every odd text as a topic and a value.
func TestOddTopicsAndValuesInDialogs(t *testing.T) {
	for id, raw := range awkward(t) {
		f := &fakeChanger{facts: model.ConfigFacts{Entry: model.ConfigEntry{Key: model.NewText("k"), Value: model.NewText(raw)}}}
		drive(t, 60, 20, func(d *driver) {
			d.board(openRefunds())
			d.run(d.app.carryOut(editConfig{id: model.NewGroupID("g"), entry: f.facts.Entry}))
			d.settle()
			d.content()
			d.keys("enter")
			d.content()
			d.keys("esc", "esc")
			d.run(d.app.carryOut(openDialog{newDeleteOffsetsDialog(&d.app.env, model.NewGroupID("g"), model.NewTopicName(raw))}))
			d.settle()
			if text := d.text(); !strings.Contains(text, "to delete them, then enter") && !strings.Contains(text, "Delete the offsets") {
				t.Errorf("%s:\n%s", id, text)
			}
		}, withChanger(f))
	}
}

// Case 10, on each dialog: the rows move under it, and what is changed is what it
// named when it opened.
func TestDialogTargetsAreFrozen(t *testing.T) {
	for name, open := range map[string][]string{
		"delete one":  {"j", "j", "D"},
		"delete many": {"j", "j", "space", "space", "D"},
		"reset":       {"j", "j", "O", "enter", "W"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeChanger{look: auditLook()}
			drive(t, 118, 30, func(d *driver) {
				d.board(incident())
				d.keys(open...)
				b := incident()
				slices.Reverse(b.Rows)
				b.Rows = b.Rows[:4] // the group that was under the cursor is gone
				d.board(b)
				d.typeSlowly(d.app.dialog().(*typedDialog).answer.want)
				var changed []string
				for _, p := range f.plans {
					changed = append(changed, p.Group.Raw())
				}
				for _, id := range f.deleted {
					changed = append(changed, id.Raw())
				}
				want := []string{"nightly-audit"}
				if name == "delete many" {
					want = []string{"new-group", "nightly-audit"}
				}
				slices.Sort(changed)
				if !slices.Equal(changed, want) {
					t.Errorf("changed are %q, want %q", changed, want)
				}
			}, withChanger(f))
		})
	}
}

// Case 11, in each dialog: pasting its very answer with a line break, or with the
// keys of a terminal without bracketed paste, confirms nothing.
func TestPasteNeverConfirmsAnyDialog(t *testing.T) {
	for name, open := range map[string][]string{
		"delete": {"D"}, "delete many": {"space", "j", "space", "D"}, "reset": {"O", "enter", "W"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeChanger{look: auditLook()}
			drive(t, 118, 30, func(d *driver) {
				d.board(incident())
				d.keys(open...)
				d.wait(time.Second)
				want := d.app.dialog().(*typedDialog).answer.want
				d.send(tea.PasteMsg{Content: want + "\nq\ny\n"})
				d.keys("ctrl+u")
				for _, r := range want {
					d.send(press(string(r)))
				}
				d.keys("enter", "q", "enter", "y", "enter")
				if len(f.plans)+len(f.deleted) != 0 {
					t.Errorf("a paste changed %v %v", f.plans, f.deleted)
				}
			}, withChanger(f))
		})
	}
}
