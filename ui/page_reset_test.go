package ui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// fakeChanger looks at a group that is in memory and notes what is asked of it.
type fakeChanger struct {
	mu      sync.Mutex
	look    model.GroupLook
	lookErr error
	// moved makes Reset refuse with this look.
	moved    *model.GroupLook
	resetErr error
	result   *model.ResetResult

	looks   []model.LookRequest
	plans   []*model.Plan
	deleted []model.GroupID
	topics  []model.TopicName
	configs []model.ConfigChange
	refuse  map[string]string
	facts   model.ConfigFacts
	outcome model.ConfigResult
	stay    []model.Text
	crossed map[model.TopicPartition]model.Crossed
}

func (f *fakeChanger) Look(ctx context.Context, r model.LookRequest) (*model.GroupLook, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.looks = append(f.looks, r)
	look := f.look
	look.Group = r.Group
	return &look, errors.Join(f.lookErr, ctx.Err())
}

func (f *fakeChanger) Crossed(context.Context, *model.Plan) map[model.TopicPartition]model.Crossed {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.crossed
}

func (f *fakeChanger) Reset(_ context.Context, p *model.Plan) (*model.ResetResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.plans = append(f.plans, p)
	switch {
	case f.resetErr != nil:
		return nil, f.resetErr
	case f.moved != nil:
		return &model.ResetResult{Moved: p.Moved(f.moved), Now: f.moved}, nil
	case f.result != nil:
		return f.result, nil
	}
	r := &model.ResetResult{UndoPath: model.NewText("/var/undo.csv")}
	for _, row := range p.Written() {
		r.Rows = append(r.Rows, model.ResetRow{TopicPartition: row.TopicPartition, Old: row.Now, New: row.New, ReadBack: row.New})
	}
	return r, nil
}

func (f *fakeChanger) DeleteGroups(_ context.Context, ids []model.GroupID) ([]model.DeleteResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var out []model.DeleteResult
	for _, id := range ids {
		f.deleted = append(f.deleted, id)
		r := model.DeleteResult{Group: id, Problem: f.refuse[id.Raw()]}
		if r.Problem == "" {
			r.Configs = f.stay
		}
		out = append(out, r)
	}
	return out, nil
}

func (f *fakeChanger) DeleteOffsets(_ context.Context, id model.GroupID, topic model.TopicName) (model.DeleteResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.topics = append(f.topics, topic)
	return model.DeleteResult{Group: id, Topic: topic}, nil
}

func (f *fakeChanger) LookConfig(context.Context, model.ConfigChange) (*model.ConfigFacts, error) {
	return &f.facts, nil
}

func (f *fakeChanger) ChangeConfig(_ context.Context, c model.ConfigChange) (*model.ConfigResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.configs = append(f.configs, c)
	return &f.outcome, nil
}

// auditLook is the group of the plan's mock-up.
func auditLook() model.GroupLook {
	topic := model.NewTopicName("audit")
	part := func(n int32, start, lag, end, at int64) model.LookPartition {
		p := model.LookPartition{
			TopicPartition: model.TopicPartition{Topic: topic, Partition: n}, Read: true,
			Start: model.Known(start), Lag: model.Known(lag), LogStart: model.Known(0), End: model.Known(end),
		}
		if at >= 0 {
			p.AtTime = model.Known(at)
		}
		return p
	}
	return model.GroupLook{Exists: true, At: fixtureTime(), Partitions: []model.LookPartition{
		part(0, 4120, 200, 4361, 3800), part(1, 4001, 376, 4377, -1),
		part(2, 3950, 100, 4062, 3950), part(3, 2210, 40, 2250, 2190),
	}}
}

func withChanger(f *fakeChanger) func(*Config) { return func(c *Config) { c.Changer = f } }

// typeSlowly types as a person does, then presses enter.
func (d *driver) typeSlowly(text string) {
	d.t.Helper()
	d.wait(time.Second)
	for _, r := range text {
		d.send(press(string(r)))
		d.wait(60 * time.Millisecond)
	}
	d.wait(300 * time.Millisecond)
	d.keys("enter")
}

// planned opens the plan to a time on the group under the cursor.
func planned(d *driver) {
	d.t.Helper()
	d.board(incident())
	d.keys("j", "j", "O", "j", "j", "j", "j", "enter")
	d.typed("2026-11-28T00:00:00Z")
	d.keys("enter")
}

func TestResetPlanGolden(t *testing.T) {
	for _, size := range [][2]int{{118, 30}, {80, 24}, {40, 10}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			drive(t, size[0], size[1], func(d *driver) {
				planned(d)
				golden.RequireEqual(t, []byte(d.text()))
			}, withChanger(&fakeChanger{look: auditLook(), crossed: auditCrossed()}))
		})
	}
}

func TestResetChooseGolden(t *testing.T) {
	drive(t, 100, 24, func(d *driver) {
		d.board(incident())
		d.keys("j", "j", "O", "j", "j", "j", "j", "enter")
		d.typed("yesterday")
		d.keys("enter")
		golden.RequireEqual(t, []byte(d.text()))
	}, withChanger(&fakeChanger{look: auditLook()}))
}

func TestResetWritesOnlyATypedName(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.keys("W")
		d.wantText(`type "nightly-audit" to write`)
		d.typeSlowly("nightly")
		d.wantText("that is not")
		if len(f.plans) != 0 {
			t.Fatal("written before the name was typed")
		}
		d.keys("esc")
		d.wantText("nothing changed yet")
		d.keys("W")
		d.typeSlowly("nightly-audit")
		if len(f.plans) != 1 {
			t.Fatalf("%d plans were written:\n%s", len(f.plans), d.text())
		}
		d.wantText("3 of 3 partitions written and read back", "Undo file: /var/undo.csv", "written, read back")
		f.look.Partitions[0].Start = model.Known(3800)
		d.keys("u")
		d.wantText("undo of /var/undo.csv", "nothing changed yet")
		if target := f.looks[len(f.looks)-1].Target; len(target.File) != 3 || !target.Undo {
			t.Errorf("the undo's target is %+v", target)
		}
	}, withChanger(f))
}

// Case 11: a paste with line breaks confirms nothing, whether the terminal
// brackets it or sends it as keys, and a held enter neither.
func TestPasteNeverConfirms(t *testing.T) {
	for name, paste := range map[string]func(d *driver){
		"bracketed": func(d *driver) { d.send(tea.PasteMsg{Content: "nightly-audit\nq\ny\n"}) },
		"as keys": func(d *driver) {
			for _, r := range "nightly-audit" {
				d.send(press(string(r)))
			}
			d.keys("enter", "q", "enter", "y", "enter", "enter")
		},
		"then a held enter": func(d *driver) {
			d.send(tea.PasteMsg{Content: "nightly-audit"})
			for range 40 {
				d.wait(30 * time.Millisecond)
				d.keys("enter")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fakeChanger{look: auditLook()}
			drive(t, 118, 30, func(d *driver) {
				planned(d)
				d.keys("W")
				d.wait(time.Second)
				paste(d)
				if len(f.plans) != 0 {
					t.Error("a paste wrote the plan")
				}
			}, withChanger(f))
		})
	}
}

// What was typed before the question was on the screen does not answer it.
func TestTypeAheadIsSwallowed(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.keys("W")
		d.typed("nightly-")
		d.typeSlowly("audit")
		if len(f.plans) != 0 {
			t.Error("type-ahead was a part of the answer")
		}
	}, withChanger(f))
}

// Case 10: the rows move under an open page and dialog; what is written is the
// group that was named when it opened.
func TestResetTargetIsFrozen(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.keys("W")
		b := incident()
		b.Rows = b.Rows[:2] // nightly-audit is gone, others move up
		d.board(b)
		d.typeSlowly("nightly-audit")
		if len(f.plans) != 1 || f.plans[0].Group.Raw() != "nightly-audit" {
			t.Errorf("written: %v", f.plans)
		}
	}, withChanger(f))
}

func TestResetShowsTheNewPlanWhenSomethingMoved(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	moved := auditLook()
	moved.Partitions[0].Start = model.Known(4200)
	f.moved = &moved
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.keys("W")
		d.typeSlowly("nightly-audit")
		d.wantText("Nothing was written", "was 4,120 and is 4,200", "nothing changed yet", "-400")
	}, withChanger(f))
}

func TestResetWaitsForMembers(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	f.look.Members = []model.Member{{ClientID: model.NewText("auditor-1"), Host: model.NewText("10.0.3.7")}}
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.wantText("it has 1 member: auditor-1 (10.0.3.7)")
		d.keys("W")
		d.wantText("auditor-1 (10.0.3.7)", "one that was killed stays", "waits until the group is empty")
		d.typeSlowly("nightly-audit")
		d.wait(3 * time.Second)
		d.wantText("Waiting for auditor-1 (10.0.3.7)", "esc stops the waiting")
		if len(f.plans) != 0 {
			t.Fatal("written while there was a member")
		}
		d.keys("q") // no key but esc does anything
		d.keys("esc")
		d.wantText("The waiting was stopped: nothing was written.")
		d.keys("W")
		d.typeSlowly("nightly-audit")
		f.mu.Lock()
		f.look.Members = nil
		f.mu.Unlock()
		d.wait(3 * time.Second)
		d.wantText("written and read back")
		if len(f.plans) != 1 {
			t.Errorf("%d plans were written", len(f.plans))
		}
	}, withChanger(f))
}

func TestResetSaysWhatWentWrong(t *testing.T) {
	f := &fakeChanger{look: auditLook(), result: &model.ResetResult{
		Trouble: "nightly-audit was not reset: it has got a member in the meantime.",
		Rows: []model.ResetRow{{
			TopicPartition: auditLook().Partitions[0].TopicPartition, New: model.Known(3800),
			Problem: "not written: NON_EMPTY_GROUP", Advice: "stop its members",
		}},
	}}
	drive(t, 118, 30, func(d *driver) {
		planned(d)
		d.keys("W")
		d.typeSlowly("nightly-audit")
		d.wantText("not all was written", "it has got a member", "NON_EMPTY_GROUP", "next: stop its members")
	}, withChanger(f))
}

func TestResetIsOffInReadOnly(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys("O")
		d.wantText("O reset offsets: read-only.")
		if len(f.looks) != 0 {
			t.Error("the cluster was asked")
		}
	}, withChanger(f), func(c *Config) { c.ReadOnly = true })
}

func TestResetFromAFileAndSaveIt(t *testing.T) {
	f := &fakeChanger{look: auditLook()}
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.csv")
	if err := os.WriteFile(path, []byte("audit,0,3800\nother,audit,1,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys("j", "j", "O", "j", "j", "j", "j", "j", "j", "j", "enter")
		d.send(tea.PasteMsg{Content: filepath.Join(dir, "none.csv")})
		d.keys("enter")
		d.wantText("no such file")
		d.keys("enter")
		d.send(tea.PasteMsg{Content: path})
		d.keys("enter")
		d.wantText("1 of 4 partitions change", "the file does not name it", "Left out: 1 line of the file about other groups.")
		d.keys("s")
		d.wantText("Written: ")
	}, withChanger(f), func(c *Config) { c.SnapDir = dir })
	saved, err := filepath.Glob(filepath.Join(dir, "sharetop-plan-nightly-audit-*.csv"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("saved are %v, %v", saved, err)
	}
	if data, err := os.ReadFile(saved[0]); err != nil || string(data) != "audit,0,3800\n" {
		t.Errorf("saved %q, %v", data, err)
	}
}

// Case 1: the name to type is the displayed one, of a long one the end.
func TestTypedNameIsTheDisplayedOne(t *testing.T) {
	for raw, want := range map[string]string{
		"orders":                       "orders",
		"a\x1b[31mb":                   model.Sanitize("a\x1b[31mb"),
		strings.Repeat("g", 200) + "h": strings.Repeat("g", 11) + "h",
	} {
		if got := lastCells(model.NewGroupID(raw).String()); got != want {
			t.Errorf("%q is asked for as %q, want %q", raw, got, want)
		}
	}
}
