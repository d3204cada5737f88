package ui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"sharetop/model"
)

// fakeClusters hands out clusters whose sources are fakes.
type fakeClusters struct {
	profiles []model.Profile
	// asks is what opening asks for first; empty for nothing.
	asks string
	// fails is why opening fails; nil for not.
	fails error
	// hangs keeps every call until its context ends.
	hangs   bool
	sources map[string]*fakeSource
	answers []model.Secret
	closed  []string
	// warnings are those of every cluster.
	warnings []string
}

func (f *fakeClusters) List() []model.Profile { return f.profiles }

func (f *fakeClusters) Open(ctx context.Context, name string, ask func(string) (model.Secret, error)) (*Cluster, error) {
	if f.asks != "" {
		answer, err := ask(f.asks)
		if err != nil {
			return nil, err
		}
		f.answers = append(f.answers, answer)
	}
	if f.hangs {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if f.fails != nil {
		return nil, f.fails
	}
	source := &fakeSource{changed: make(chan struct{})}
	f.sources[name] = source
	c := f.cluster(name)
	c.Source = source
	return &c, nil
}

func (f *fakeClusters) cluster(name string) Cluster {
	return Cluster{
		Profile: name, ClusterName: name, Bootstrap: []string{name + ":9092"}, Consumer: newFakeGroup(), Warnings: f.warnings,
		Settings: []model.Setting{
			{Key: "bootstrap.servers", Value: name + ":9092", Source: "/home/me/.config/sharetop/config.toml, profile " + name},
			{Key: "fetch.min.bytes", Value: "1", Source: "client.properties:3", Note: "ignored by sharetop"},
			{Key: "sasl.password", Value: "[hidden]", Source: "asked"},
			{Key: "sharetop.read.only", Value: "false", Source: "default"},
		},
		Close: func() []string { f.closed = append(f.closed, name); return nil },
	}
}

func profileOf(name, brokers, security string, more func(*model.Profile)) model.Profile {
	p := model.Profile{
		Name: model.NewText(name), Bootstrap: model.NewText(brokers), Security: model.NewText(security),
		Source: model.NewText("~/.config/sharetop/config.toml"),
	}
	if more != nil {
		more(&p)
	}
	return p
}

func newFakeClusters() *fakeClusters {
	return &fakeClusters{sources: map[string]*fakeSource{}, profiles: []model.Profile{
		profileOf("prod-eu", "b1.eu.example:9093, b2.eu.example:9093", "SASL_SSL SCRAM-SHA-512", func(p *model.Profile) {
			p.Color, p.ReadOnly, p.Way = model.ColorRed, true, model.NewText("SSH ops@bastion.example")
		}),
		profileOf("dev", "127.0.0.1:9092", "PLAINTEXT", func(p *model.Profile) { p.Color = model.ColorGreen }),
		profileOf("kaf:lab", "lab1:9092", "SASL_PLAINTEXT PLAIN", func(p *model.Profile) {
			p.Source = model.NewText("~/.kaf/config")
			p.Notes = []model.Text{model.NewText("~/.kaf/config: line 9 is not understood"), model.NewText("~/.kaf/config holds secrets and can be read by others (-rw-r--r--): chmod 600 it")}
		}),
		{Name: model.NewText("kafkactl"), Source: model.NewText("~/.config/kafkactl/config.yml"), Problem: model.NewText("~/.config/kafkactl/config.yml can't be read: yaml: line 3 …")},
	}}
}

func withClusters(f *fakeClusters) func(*Config) {
	return func(c *Config) { c.Clusters = f }
}

// fromNothing starts the screen without a cluster.
func fromNothing(f *fakeClusters) func(*Config) {
	return func(c *Config) { c.Clusters, c.Cluster = f, Cluster{} }
}

// ask types a command after the colon.
func (d *driver) command(line string) {
	d.t.Helper()
	d.keys(":")
	d.typed(line)
	d.keys("enter")
}

func TestClustersGolden(t *testing.T) {
	for name, size := range map[string][2]int{"narrow": {80, 24}, "usual": {120, 40}, "wide": {200, 50}, "low": {60, 12}} {
		t.Run(name, func(t *testing.T) {
			drive(t, size[0], size[1], func(d *driver) {
				d.keys("down", "down")
				golden.RequireEqual(t, []byte(d.text()))
			}, fromNothing(newFakeClusters()))
		})
	}
	t.Run("colour", func(t *testing.T) {
		f := newFakeClusters()
		drive(t, 100, 14, func(d *driver) {
			d.command("ctx")
			golden.RequireEqual(t, []byte(d.content()))
		}, withClusters(f), func(c *Config) { c.Profile, c.Color = "prod-eu", model.ColorRed })
	})
}

// The cluster of the command line stands in no file, and is not counted as one.
func TestTheCommandLineIsNoFile(t *testing.T) {
	given := profileOf("as at the start", "a:1", "PLAINTEXT", func(p *model.Profile) {
		p.Source, p.Given = model.NewText("the command line"), true
	})
	for says, found := range map[string][]model.Profile{
		"1 cluster on the command line, 4 in 3 files": newFakeClusters().profiles,
		"1 cluster on the command line":               nil,
	} {
		f := newFakeClusters()
		f.profiles = append([]model.Profile{given}, found...)
		drive(t, 100, 24, func(d *driver) {
			d.command("ctx")
			d.keys("g")
			d.wantText(says, "from      the command line")
			d.keys("Y")
			d.wantText("brokers")
			d.wantNoText("file  ")
		}, withClusters(f))
	}
}

// Without a cluster the list is what there is; nothing is asked of anybody
// before one is chosen, and then that one's groups are shown.
func TestChooseAtTheStart(t *testing.T) {
	f := newFakeClusters()
	drive(t, 100, 24, func(d *driver) {
		d.wantText("which cluster?", "4 clusters in 3 files", "1 can't be used", "1 with a note", "prod-eu", "kaf:lab")
		d.keys("esc")
		d.wantText("Choose a cluster, or q quits")
		d.keys("G")
		d.wantText("~/.config/kafkactl/config.yml can't be read")
		d.keys("enter")
		d.wantText("kafkactl can't be used")
		d.keys("g", "enter")
		if f.sources["prod-eu"] == nil {
			t.Fatal("it was not connected to")
		}
		d.wantText("prod-eu", "Connecting to prod-eu:9092")
		if n := f.sources["prod-eu"].now(); n != 1 {
			t.Errorf("%d calls are outstanding", n)
		}
	}, fromNothing(f))
}

// A change of cluster leaves nothing of the old one: no call, no page, no rows,
// no filter, and its connection is closed once.
func TestSwitch(t *testing.T) {
	f := newFakeClusters()
	drive(t, 110, 24, func(d *driver) {
		d.board(incident())
		d.command("filter payments")
		d.keys("enter")
		d.command("ctx dev")
		if n := d.source.now(); n != 0 {
			t.Errorf("%d calls of the old cluster are outstanding", n)
		}
		if !slices.Equal(f.closed, []string{"old"}) {
			t.Errorf("closed: %q", f.closed)
		}
		if n := f.sources["dev"].now(); n != 1 {
			t.Errorf("%d calls of the new one are outstanding", n)
		}
		d.wantText("dev", "Connecting to dev:9092")
		d.wantNoText("payments")
		if !strings.Contains(d.app.title(), "dev") {
			t.Errorf("the title is %q", d.app.title())
		}
		asked := len(d.source.asked())
		d.source.set(incident().Snapshot, nil)
		f.sources["dev"].set(boardOf(nil).Snapshot, nil)
		d.wait(time.Second)
		d.wantNoText("payments-retry")
		if len(d.source.asked()) != asked {
			t.Error("the old cluster was asked again")
		}
		// Every page says whose it is.
		d.keys("!")
		d.wantText("dev", "Problems")
		d.command("ctx")
		d.wantText("● shown")
	}, withClusters(f), func(c *Config) {
		c.Close = func() []string { f.closed = append(f.closed, "old"); return nil }
	})
	if !slices.Equal(f.closed, []string{"old"}) {
		t.Errorf("closed in the end: %q", f.closed)
	}
}

// What the closing of the old cluster has to say, and warnings about the new
// one's settings, reach the person.
func TestSwitchTells(t *testing.T) {
	f := newFakeClusters()
	f.warnings = []string{"the password is sent in the clear"}
	drive(t, 110, 24, func(d *driver) {
		d.command("ctx dev")
		d.wantText("1 change was not answered")
		d.command("settings")
		d.wantText("the password is sent in the clear", "1 warning", "~/.config/sharetop/config.toml, profile dev")
		d.keys("!")
		d.wantText("1 warning about the settings")
	}, withClusters(f), func(c *Config) {
		c.Close = func() []string { return []string{"1 change was not answered."} }
		c.Env = func(name string) string { return map[string]string{"HOME": "/home/me"}[name] }
	})
}

// A missing secret is asked for in a field that shows dots; what is typed or
// pasted there is nowhere on the screen, and no key of it does anything else.
func TestSecretOnScreen(t *testing.T) {
	f := newFakeClusters()
	f.asks = "password of alice"
	drive(t, 100, 24, func(d *driver) {
		d.command("ctx prod-eu")
		d.wantText("Password of alice", "Connecting to prod-eu", "connecting")
		d.typed("q:pl4n")
		d.send(tea.PasteMsg{Content: "t\x1b[31med\r\n"})
		d.wantNoText("pl4n", "ted")
		d.wantText("› ··")
		d.keys("backspace", "enter")
		if len(f.answers) != 1 || f.answers[0].Reveal() != "q:pl4nt[31me" {
			t.Errorf("the answer is %q", f.answers[0].Reveal())
		}
		d.wantText("prod-eu", "Connecting to prod-eu:9092")
		d.command("problems")
		d.wantNoText("pl4n")

		// esc gives up, and the cluster that is shown stays.
		d.command("ctx dev")
		d.typed("x")
		d.send(tea.PasteMsg{Content: strings.Repeat("x", maxLine)})
		d.wantText("too long for this field")
		d.keys("esc")
		d.wantNoText("Password of alice", "connecting")
		d.keys("esc")
		if f.sources["dev"] != nil || f.sources["prod-eu"].now() != 1 {
			t.Error("the cluster that was shown is not shown any more")
		}
	}, withClusters(f))
}

// Why a cluster can't be connected to is one sentence beside it, and another one
// can be chosen; esc gives up one that hangs.
func TestSwitchFails(t *testing.T) {
	f := newFakeClusters()
	f.fails = errors.New("the SSH host bastion.example can't be used: no such host")
	drive(t, 100, 24, func(d *driver) {
		d.command("ctx prod-eu")
		d.wantText("■ failed", "The SSH host bastion.example can't be used: no such host")
		if d.source.now() != 1 || len(f.closed) > 0 {
			t.Error("the cluster that was shown was left")
		}
		d.command("ctx nope")
		d.wantText("nope: The SSH host")
		f.fails, f.hangs = nil, true
		d.command("ctx dev")
		d.wait(2 * time.Second)
		d.wantText("Connecting since 2s; esc gives up", "connecting")
		d.keys("esc")
		d.wantNoText("Connecting since")
		f.hangs = false
		d.keys("g", "enter")
		d.wantText("Connecting to prod-eu:9092")
	}, withClusters(f))
}

// Nothing is left over the head of a session.
func TestNoSwitchWithASession(t *testing.T) {
	f := newFakeClusters()
	drive(t, 110, 30, func(d *driver) {
		d.board(incident())
		p := newConsumePage(&d.app.env, 1, startConsume{})
		p.phase = phaseDeciding
		d.app.push(p)
		d.command("ctx dev")
		d.wantText("is open: leave it first")
		if f.sources["dev"] != nil {
			t.Error("the cluster was left though a session is open")
		}
		p.phase = phaseFailed
	}, withClusters(f))
}

// A cluster that comes after it was given up, or at the end, is closed.
func TestLateCluster(t *testing.T) {
	f := newFakeClusters()
	drive(t, 100, 24, func(d *driver) {
		late := f.cluster("late")
		d.send(openedMsg{number: 99, cluster: &late})
		if !slices.Equal(f.closed, []string{"late"}) {
			t.Errorf("closed: %q", f.closed)
		}
		d.command("ctx")
		d.command("ctx x")
		f.hangs = true
		d.command("ctx dev") // quitting ends it: else this test has a goroutine left
	}, withClusters(f))
}

func TestSettingsGolden(t *testing.T) {
	for name, size := range map[string][2]int{"narrow": {80, 24}, "usual": {120, 40}} {
		t.Run(name, func(t *testing.T) {
			f := newFakeClusters()
			drive(t, size[0], size[1], func(d *driver) {
				d.command("settings")
				golden.RequireEqual(t, []byte(d.text()))
				d.keys("/")
				d.typed("read.only")
				d.wantNoText("fetch.min.bytes")
				d.keys("enter", "y")
				d.wantText("Sent to the clipboard: the setting")
				d.keys("esc", "esc", "esc")
			}, withClusters(f), func(c *Config) {
				source := c.Source
				c.Cluster = f.cluster("dev")
				c.Source, c.Color = source, model.ColorGreen
				c.Warnings = []string{"sasl.password is on the command line, where everybody on this machine can read it: put it into a file, or leave it out and be asked"}
			})
		})
	}
}

// The name in its colour is in the header of every page, and last to go.
func TestClusterOnEveryPage(t *testing.T) {
	for _, width := range []int{60, 120} {
		drive(t, width, 24, func(d *driver) {
			d.board(incident())
			for _, keys := range [][]string{{}, {"enter"}, {"2"}, {"esc", "!"}, {"esc", "R"}, {"esc", "A"}, {"esc", ":", "s", "o", "u", "r", "c", "e", "enter"}} {
				d.keys(keys...)
				content := d.content()
				badge := newStyles(true, true).badge(model.ColorRed).render(" blood ")
				if first, _, _ := strings.Cut(content, "\n"); strings.Count(first, badge) != 1 {
					t.Errorf("%d cells, after %v: %q", width, keys, first)
				}
			}
		}, withClusters(newFakeClusters()), func(c *Config) { c.Profile, c.ClusterName, c.Color = "blood", "blood", model.ColorRed })
	}
}

func TestClusterScreensAtEverySize(t *testing.T) {
	f := newFakeClusters()
	f.asks = "password of alice"
	for _, keys := range []string{"ctx", "settings", "ctx dev"} {
		drive(t, 80, 24, func(d *driver) {
			d.command(keys)
			for _, size := range sizes() {
				d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
				d.content()
				d.keys("down", "up")
				d.content()
			}
		}, withClusters(f), func(c *Config) {
			for i := range 40 {
				c.Settings = append(c.Settings, model.Setting{Key: fmt.Sprintf("key.%d", i), Value: strings.Repeat("long ", 50), Source: strings.Repeat("/path", 40)})
			}
		})
	}
}
