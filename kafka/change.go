package kafka

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// ChangeOptions are what changes need besides the client.
type ChangeOptions struct {
	// Audit gets every change before it is sent and what came of it. Without it,
	// or when it fails, nothing is changed.
	Audit Auditor
	// Who is the person for the audit file.
	Who string
	// SaveUndo keeps the file that takes a reset back and returns its path. The
	// file is on disk when it returns. Without it, or when it fails, nothing is
	// reset.
	SaveUndo func(group model.GroupID, csv []byte) (path string, err error)
}

// Changer changes share groups: their start offsets and configs, and whether
// they are there at all. Every change is looked at first, written to the audit
// file before and after, sent once, and read back: nothing is repeated silently.
// Once a change is on its way it is not cancelled, whatever ctx does, since
// nobody could tell then how far it came; it is bounded by time instead. In
// read-only mode only looks are possible, and nothing but reads leaves for them:
// every change is refused before anything is sent.
type Changer struct {
	client  *Client
	options ChangeOptions
	// underway counts the changes that are on their way.
	underway atomic.Int64
	ended    chan struct{}
	// cluster is the cluster's id once it is known.
	cluster atomic.Pointer[model.Text]
}

// Bounds of a change in time.
const (
	// lookTimeout bounds a look, and reading back.
	lookTimeout = 20 * time.Second
)

// Changes returns what changes groups.
func (c *Client) Changes(o ChangeOptions) *Changer {
	return &Changer{client: c, options: o, ended: make(chan struct{}, 1)}
}

// begin counts a change that is on its way, until the returned function is
// called.
func (ch *Changer) begin() (end func()) {
	ch.underway.Add(1)
	return func() {
		ch.underway.Add(-1)
		select {
		case ch.ended <- struct{}{}:
		default:
		}
	}
}

// Wait returns once no change is on its way, or after changeTimeout. It is to be
// called before the client is closed, which would cut a change off half way. What
// it waits for, and what it left, is said on w.
func (ch *Changer) Wait(w io.Writer) {
	if ch.underway.Load() == 0 {
		return
	}
	fmt.Fprintln(w, "sharetop: a change is on its way; waiting for its answer")
	timer := time.NewTimer(changeTimeout)
	defer timer.Stop()
	for ch.underway.Load() > 0 {
		select {
		case <-ch.ended:
		case <-timer.C:
			fmt.Fprintln(w, "sharetop: the change was not answered: it may have been made or not; the audit file has what was sent")
			return
		}
	}
}

// allowed refuses in read-only mode and without an audit file.
func (ch *Changer) allowed(req kmsg.Request) error {
	if err := newGuard(ch.client.conn.ReadOnly).check(req); err != nil {
		return err
	}
	if ch.options.Audit == nil {
		return errors.New("nothing was changed: there is no audit file, and every change is written to one")
	}
	return nil
}

// sendChange sends a change. It outlives ctx.
func sendChange[R kmsg.Response](ctx context.Context, l *link, req kmsg.Request) (R, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeTimeout+answerTimeout)
	defer cancel()
	return ask[R](ctx, l, roleChange, req)
}

// coordinator finds a group's coordinator; it waits a while for one that is not
// there yet. FindCoordinator makes a fresh cluster create __consumer_offsets, as
// the change itself would; where nothing may be changed it is not sent.
func (ch *Changer) coordinator(ctx context.Context, group string) (*link, error) {
	find := ch.askCoordinator
	if ch.client.conn.ReadOnly {
		find = ch.seekCoordinator
	}
	var t tries
	for {
		l, code, err := find(ctx, group)
		switch {
		case err != nil:
			return nil, nobodyToAsk("for the coordinator of "+safeText(group), err)
		case code == 0:
			return l, nil
		case !transient(code):
			return nil, fmt.Errorf("the coordinator of %s can't be found: %s", safeText(group), noCoordinator(code))
		}
		if pause, again := t.next(); !again || rest(ctx, pause) != nil {
			return nil, fmt.Errorf("no broker coordinates %s: %s", safeText(group), noCoordinator(code))
		}
	}
}

// nobodyToAsk is the error that no broker could be asked for something.
func nobodyToAsk(what string, err error) error {
	return &model.UnreachableError{Err: fmt.Errorf("no broker could be asked %s: the last one tried %s", what, whyAndRemedy(err))}
}

func (ch *Changer) askCoordinator(ctx context.Context, group string) (l *link, code int16, err error) {
	c := ch.client
	resp, _, err := hedge(ctx, c.wg.Go, c.nodes.anyLinks(), func(ctx context.Context, l *link) (*kmsg.FindCoordinatorResponse, error) {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKey, req.CoordinatorKeys = group, []string{group}
		return ask[*kmsg.FindCoordinatorResponse](ctx, l, roleControl, req)
	})
	if err != nil {
		return nil, 0, err
	}
	host, port, code := resp.Host, resp.Port, resp.ErrorCode
	if len(resp.Coordinators) > 0 {
		found := &resp.Coordinators[0]
		host, port, code = found.Host, found.Port, found.ErrorCode
	}
	return c.nodes.linkAt(net.JoinHostPort(host, strconv.Itoa(int(port)))), code, nil
}

// rest waits; it returns ctx's error when that ends first.
func rest(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// isShareGroup refuses an id that belongs to a group of another type: the two
// share one namespace.
func isShareGroup(ctx context.Context, l *link, group string) error {
	resp, err := ask[*kmsg.ListGroupsResponse](ctx, l, roleControl, kmsg.NewPtrListGroupsRequest())
	if err != nil {
		return fmt.Errorf("the coordinator of %s %s", safeText(group), whyAndRemedy(err))
	}
	for i := range resp.Groups {
		g := &resp.Groups[i]
		if g.Group == group && g.GroupType != "" && !strings.EqualFold(g.GroupType, "share") {
			return fmt.Errorf("%s is a %s group, not a share group", safeText(group), safeText(strings.ToLower(g.GroupType)))
		}
	}
	return nil
}

// entry is what all lines of the audit file about a change have in common.
func (ch *Changer) entry(action string, group model.GroupID, outcome, detail string) model.AuditEntry {
	c := ch.client
	e := model.AuditEntry{
		Time: c.opts.Now(), Who: ch.options.Who, Cluster: c.conn.Name, Action: action,
		Group: group, Outcome: outcome, Detail: detail,
	}
	if id := ch.cluster.Load(); id != nil {
		e.ClusterID = *id
	}
	return e
}

// before writes down what is about to be changed; without that nothing is.
func (ch *Changer) before(entries ...model.AuditEntry) error {
	if err := ch.options.Audit.Record(entries...); err != nil {
		return fmt.Errorf("nothing was changed: the audit file can't be written: %s", safeText(err.Error()))
	}
	return nil
}

// The outcomes in the audit file.
const (
	outcomeSending = "sending"
	outcomeDone    = "done"
	outcomeRefused = "refused"
	outcomeUnknown = "unknown"
)

// after writes down what came of it. That this fails changes nothing any more:
// it is said in the result.
func (ch *Changer) after(entries ...model.AuditEntry) string {
	if err := ch.options.Audit.Record(entries...); err != nil {
		return "The audit file could not be written afterwards: " + safeText(err.Error()) + "."
	}
	return ""
}

func textPtr(raw string) *model.Text {
	t := outside(raw)
	return &t
}

func auditNumber(n model.Number) *model.Text {
	if v, ok := n.Get(); ok {
		return textPtr(strconv.FormatInt(v, 10))
	}
	return nil
}
