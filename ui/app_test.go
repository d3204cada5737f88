package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"sharetop/model"
)

// sizes are windows from nothing to more than anybody has.
func sizes() [][2]int {
	return [][2]int{{0, 0}, {1, 1}, {5, 3}, {20, 5}, {40, 10}, {80, 24}, {300, 100}}
}

// screens are all pages and dialogs, by the keys that lead there.
func screens() map[string][]string {
	return map[string][]string{
		"groups":        nil,
		"filter":        {"/", "l", "a", "g", ">", "x"},
		"group":         {"enter"},
		"problems":      {"!"},
		"help":          {"?"},
		"help of group": {"enter", "?"},
		"palette":       {":"},
		"palette tab":   {":", "tab", "tab"},
		"palette sort":  {":", "s", "o", "r", "t", " "},
		"copy menu":     {"Y"},
		"message":       {"v"},
		"error":         {":", "x", "enter"},
	}
}

func TestEveryScreenAtEverySize(t *testing.T) {
	boards := map[string]*model.Board{"incident": incident(), "none": boardOf(nil), "many": manyGroups(300)}
	for name, keys := range screens() {
		t.Run(name, func(t *testing.T) {
			for boardName, board := range boards {
				drive(t, 80, 24, func(d *driver) {
					d.content()
					d.board(board)
					d.keys(keys...)
					for _, size := range sizes() {
						d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
						d.content()
						d.keys("down", "G", "up")
						d.content()
					}
				}, func(c *Config) { c.ASCII = boardName == "many" })
			}
		})
	}
}

func TestTooSmallSaysSo(t *testing.T) {
	drive(t, 39, 10, func(d *driver) {
		d.board(incident())
		d.wantText("too small", "39x10, needs 40x10")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 10})
		d.wantNoText("too small")
		d.send(tea.WindowSizeMsg{Width: 40, Height: 9})
		d.wantText("too small")
		d.keys("q")
		if !d.quit {
			t.Error("q does not quit a window that is too small")
		}
	})
}

// Whatever a name, a state of mind of the broker or an error text holds: nothing
// of it acts on the terminal, and no line is too wide.
func TestAwkwardTextEverywhere(t *testing.T) {
	for id, raw := range awkward(t) {
		t.Run(id, func(t *testing.T) {
			board := boardOf([]fixtureRow{{id: raw, why: model.Sanitize("blocked at " + raw)}, {id: "plain"}})
			board.Snapshot.Problems = []model.Problem{{
				Target: model.NewText("group " + raw), Detail: model.Sanitize(raw) + " was refused.", Advice: model.Sanitize(raw),
			}}
			drive(t, 60, 15, func(d *driver) {
				d.send(statusMsg{levelError, raw})
				d.content()
				d.board(board)
				for _, keys := range screens() {
					d.keys(keys...)
					d.content()
					d.keys("esc", "esc", "esc")
				}
				d.keys("/")
				d.send(tea.PasteMsg{Content: raw})
				d.content()
				d.keys("esc", ":")
				d.send(tea.PasteMsg{Content: "group " + raw})
				d.content()
				d.keys("enter")
				d.content()
			}, func(c *Config) { c.ClusterName = raw; c.Bootstrap = []string{raw} })
		})
	}
}

func TestWindowTitleIsSafe(t *testing.T) {
	for id, raw := range awkward(t) {
		drive(t, 80, 24, func(d *driver) {
			title := d.app.View().WindowTitle
			if strings.ContainsFunc(title, unsafeRune) || !strings.HasPrefix(title, "sharetop") {
				t.Errorf("%s: %q", id, title)
			}
		}, func(c *Config) { c.ClusterName = raw })
	}
}

// "At least" is not "more than".
func TestASCIIModeKeepsWhatSignsSay(t *testing.T) {
	drive(t, 120, 40, func(d *driver) {
		d.board(incident())
		d.wantText("blocked at refunds-0@9,120 >=14m")
	}, func(c *Config) { c.ASCII = true })
}

func TestASCIIModeWritesASCIIOnly(t *testing.T) {
	for name, keys := range screens() {
		drive(t, 100, 30, func(d *driver) {
			d.board(incident())
			d.keys(keys...)
			if content := d.content(); !isASCII(content) {
				t.Errorf("%s: %q", name, content)
			}
		}, func(c *Config) { c.ASCII = true })
	}
}

func TestNoColourLeavesWeightOnly(t *testing.T) {
	for name, keys := range screens() {
		drive(t, 100, 30, func(d *driver) {
			d.board(incident())
			d.keys(keys...)
			if strings.Contains(d.content(), "\x1b[3") {
				t.Errorf("%s has a colour", name)
			}
		}, func(c *Config) { c.NoColor = true })
	}
}

func TestLightBackgroundChangesColours(t *testing.T) {
	drive(t, 100, 30, func(d *driver) {
		d.board(incident())
		dark := d.content()
		d.send(tea.BackgroundColorMsg{Color: ansi.HexColor("#ffffff")})
		light := d.content()
		if dark == light || ansi.Strip(dark) != ansi.Strip(light) {
			t.Error("a light background must change colours and nothing else")
		}
	})
}

// View reads only: drawing twice gives the same, and a pointer is not changed.
func TestViewIsPure(t *testing.T) {
	for name, keys := range screens() {
		drive(t, 100, 30, func(d *driver) {
			d.board(incident())
			d.keys(keys...)
			before := fmt.Sprintf("%+v", d.app.env.query)
			first, second := d.content(), d.content()
			if first != second || fmt.Sprintf("%+v", d.app.env.query) != before {
				t.Errorf("%s: two views differ", name)
			}
		})
	}
}

func TestCursorStaysOnItsGroup(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		board := incident()
		d.board(board)
		d.keys("j", "j")
		under := func() string {
			row, _ := d.app.pages[0].(*groupsPage).table.Cursor()
			return row.Group.ID.Raw()
		}
		if under() != "nightly-audit" {
			t.Fatalf("the cursor is on %q", under())
		}
		d.keys("<", "<")
		d.keys("I")
		if under() != "nightly-audit" {
			t.Errorf("after sorting the cursor is on %q", under())
		}
		d.board(next(board, func(i int, r *model.Row) { r.Lag = model.Known(int64(100 - i)) }))
		if under() != "nightly-audit" {
			t.Errorf("after a refresh the cursor is on %q", under())
		}
		d.keys("enter")
		if p, ok := d.app.page().(*groupPage); !ok || p.id.Raw() != "nightly-audit" {
			t.Errorf("enter opened %+v", d.app.page())
		}
	})
}

func TestRowsStandStillWhileTyping(t *testing.T) {
	for name, open := range map[string]string{"filter": "/", "palette": ":", "help": "?", "copy menu": "Y"} {
		t.Run(name, func(t *testing.T) {
			drive(t, 120, 20, func(d *driver) {
				board := incident()
				d.board(board)
				d.keys(open)
				shown := d.app.env.rows
				fresh := next(board, func(i int, r *model.Row) { r.Verdict.Severity = model.SeverityFine })
				d.board(fresh)
				if d.app.env.board != board || &d.app.env.rows[0] != &shown[0] {
					t.Error("a new board has moved rows")
				}
				d.keys("esc")
				if d.app.env.board != fresh {
					t.Error("the newest board is not shown afterwards")
				}
			})
		})
	}
}

func TestLettersAreTextWhileTyping(t *testing.T) {
	for _, open := range []string{"/", ":"} {
		drive(t, 120, 20, func(d *driver) {
			d.board(incident())
			d.keys(open)
			d.typed("q!p?yr+-~CODvjkgG")
			if d.quit || d.app.feed.status.paused || len(d.app.pages) != 1 {
				t.Errorf("a letter typed after %q was taken for a key", open)
			}
			d.wantText("q!p?yr+-~CODvjkgG")
			d.keys("ctrl+c")
			if !d.quit {
				t.Error("ctrl-c must quit from anywhere")
			}
		})
	}
}

func TestPasteIsNeverKeys(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		d.send(tea.PasteMsg{Content: "q\nD\n"})
		if d.quit {
			t.Error("pasted text was taken for keys")
		}
		d.keys(":")
		d.send(tea.PasteMsg{Content: "q\n"})
		if d.quit || len(d.app.dialogs) != 1 {
			t.Error("a pasted line break was taken for enter")
		}
		d.wantText(":q")
	})
}

func TestKeyThatIsOffSaysWhy(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		for k, why := range map[string]string{"O": "nothing can be changed here.", "D": "nothing can be changed here."} {
			d.keys(k)
			d.wantText(k+" ", why)
			d.keys("esc")
			d.wantNoText(why)
		}
	})
}

func TestWithoutGroupsThePageSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(b *model.Board)
		want   []string
	}{
		"none":     {func(*model.Board) {}, []string{"There are no share groups here", ":group ID"}},
		"too old":  {func(b *model.Board) { b.Snapshot.Cluster.ShareGroups = model.ShareTooOld }, []string{"do not know share groups"}},
		"disabled": {func(b *model.Board) { b.Snapshot.Cluster.ShareGroups = model.ShareDisabled }, []string{"share.version=1"}},
		"not listed": {func(b *model.Board) {
			b.Snapshot.Listed = b.Snapshot.Listed.AddDate(-3000, 0, 0)
			*b.Snapshot = model.Snapshot{Version: 1, Taken: b.Snapshot.Taken, Problems: []model.Problem{{
				Target: model.NewText("broker localhost:9092"), Detail: "It refuses connections.", Advice: "Check the address.",
			}}}
		}, []string{"Connecting to localhost:9092", "It refuses connections.", "next: Check the address.", "groups –  lag –"}},
	} {
		t.Run(name, func(t *testing.T) {
			drive(t, 100, 20, func(d *driver) {
				b := boardOf(nil)
				tt.change(b)
				d.board(b)
				d.wantText(tt.want...)
			}, func(c *Config) { c.Bootstrap = []string{"localhost:9092"} })
		})
	}
}

func TestQuitKeysAndBack(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(incident())
		d.keys("esc", "esc")
		if d.quit {
			t.Error("esc at home must not quit")
		}
		d.keys("!", "esc")
		if len(d.app.pages) != 1 {
			t.Error("esc does not go back")
		}
		d.keys("q")
		if !d.quit {
			t.Error("q does not quit")
		}
	})
}

func TestStackOfPagesIsBounded(t *testing.T) {
	drive(t, 100, 20, func(d *driver) {
		d.board(incident())
		for range 50 {
			d.keys(":")
			d.typed("group x")
			d.keys("enter")
		}
		if n := len(d.app.pages); n != maxPages {
			t.Errorf("%d pages", n)
		}
	})
}

func TestUTCIsToggled(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		d.board(incident())
		d.wantText("14:57:03Z")
		d.keys("~")
		d.wantNoText("14:57:03Z")
	})
}

func TestChangedValuesAreBoldForASecond(t *testing.T) {
	drive(t, 120, 20, func(d *driver) {
		board := incident()
		d.board(board)
		d.board(next(board, func(i int, r *model.Row) {
			if r.Group.ID.Raw() == "booknest-packers" {
				r.Lag = model.Known(396)
			}
		}))
		// The same tick's next board changes nothing more.
		d.board(next(d.app.env.board, func(int, *model.Row) {}))
		bold := d.app.env.styles.bold.render("396")
		if !strings.Contains(strings.ReplaceAll(d.content(), "  396", "396"), bold[:len(bold)-len(reset)]) {
			t.Errorf("a changed lag is not bold: %q", d.content())
		}
		d.wait(2 * time.Second)
		if strings.Contains(strings.ReplaceAll(d.content(), "  396", "396"), bold[:len(bold)-len(reset)]) {
			t.Error("it is bold for too long")
		}
	})
}
