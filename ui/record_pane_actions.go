package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// copyItems are what can be copied of the record, its value first.
func (p *recordPane) copyItems() []copyItem {
	if p.record == nil {
		return nil
	}
	r := p.record
	items := []copyItem{
		{what: "value", text: string(r.Value.Bytes())},
		{what: "key", text: string(r.Key.Bytes())},
		{what: "topic", text: r.Topic.Raw()},
		{what: "offset", text: strconv.FormatInt(r.Offset, 10)},
	}
	for i, h := range r.Headers[:min(len(r.Headers), maxCopiedHeaders)] {
		items = append(items, copyItem{what: "header " + strconv.Itoa(i+1) + " " + h.Name.String(), text: string(h.Value.Bytes())})
	}
	return items
}

// maxCopiedHeaders bounds the headers in the copy menu.
const maxCopiedHeaders = 20

// save is the command that writes the value's raw bytes to a new file that only
// the person can read, and says where.
func (p *recordPane) save(dir string) (intent, tea.Cmd) {
	switch {
	case p.record == nil:
		return showStatus{levelInfo, "Nothing is saved: there is no record here."}, nil
	case p.record.Value.IsNull():
		return showStatus{levelInfo, "Nothing is saved: this record has no value (null)."}, nil
	}
	return nil, saveValue(p.record, dir)
}

func saveValue(r *model.Record, dir string) tea.Cmd {
	return func() tea.Msg {
		stem := fmt.Sprintf("%s-%d@%d", model.FileName(r.Topic.Raw()), r.Partition, r.Offset)
		paths, err := writeNew(dir, stem, []snapFile{{".value", r.Value.Bytes()}})
		if err != nil {
			return statusMsg{levelError, model.Sanitize(err.Error())}
		}
		said := fmt.Sprintf("Written: %s, %s as they came.", paths[0], model.FormatSize(int64(len(r.Value.Bytes()))))
		if _, isCut := r.Value.CutAt(); isCut {
			said += " The value is longer: the rest is not here."
		}
		return statusMsg{levelInfo, model.Sanitize(said)}
	}
}

// page opens the pane's text in the person's pager. It gets what the screen
// shows, made safe, through a pipe: nothing is written to a disk.
func (p *recordPane) page(e *env) tea.Cmd {
	if p.record == nil {
		return nil
	}
	words := strings.Fields(e.cfg.Env("PAGER"))
	if len(words) == 0 {
		words = []string{defaultPager}
	}
	command := exec.CommandContext(context.Background(), words[0], words[1:]...)
	command.Stdin = p.reader(e)
	return tea.Exec(&pagerCommand{command, e.cfg.RunPager}, func(err error) tea.Msg {
		var left *exec.ExitError
		if err == nil || errors.As(err, &left) {
			return nil // a pager that was left with any exit code
		}
		return statusMsg{levelError, model.Sanitize("The pager could not be opened: " + err.Error() + ". $PAGER names another.")}
	})
}

const defaultPager = "less"

// pagerCommand is a pager that has its input.
type pagerCommand struct {
	*exec.Cmd
	run func(*exec.Cmd) error
}

// Run implements tea.ExecCommand.
func (c *pagerCommand) Run() error {
	if c.run == nil {
		return c.Cmd.Run()
	}
	return c.run(c.Cmd)
}

// SetStdin implements tea.ExecCommand: the input is the record.
func (c *pagerCommand) SetStdin(io.Reader) {}

// SetStdout implements tea.ExecCommand.
func (c *pagerCommand) SetStdout(w io.Writer) { c.Stdout = w }

// SetStderr implements tea.ExecCommand.
func (c *pagerCommand) SetStderr(w io.Writer) { c.Stderr = w }

// reader gives all lines of the pane, made as they are read.
func (p *recordPane) reader(e *env) io.Reader {
	plainEnv := *e
	plainEnv.styles = styles{}
	lines := append([]string{recordName(p.record)}, p.head(&plainEnv)...)
	if p.rows == nil {
		lines = append(lines, p.instead()...)
	}
	return &rowReader{rest: strings.Join(lines, "\n") + "\n", rows: p.rows}
}

// rowReader reads a head and then the rows of a value.
type rowReader struct {
	rest string
	rows *model.ValueRows
	next int
}

// rowsPerRead is how many rows are made at once.
const rowsPerRead = 256

// Read implements io.Reader.
func (r *rowReader) Read(b []byte) (int, error) {
	if r.rest == "" && r.rows != nil {
		r.rows = r.rows.Whole()
		window := r.rows.Window(r.next, rowsPerRead)
		r.next += len(window)
		if len(window) > 0 {
			r.rest = strings.Join(window, "\n") + "\n"
		}
	}
	if r.rest == "" {
		return 0, io.EOF
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}
