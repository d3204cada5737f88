package kafka

import (
	"context"
	"net"
	"strconv"

	"github.com/twmb/franz-go/pkg/kerr"
)

// seekCoordinator finds a group's coordinator without FindCoordinator, which a
// connection that is read-only may not send: it asks every broker to describe
// the group, and only its coordinator answers with something else than
// NOT_COORDINATOR. A link comes with code 0; the error is for brokers that can't
// be asked while none of the others is it.
func (ch *Changer) seekCoordinator(ctx context.Context, group string) (*link, int16, error) {
	c := ch.client
	resp, _, err := c.askMetadata(ctx, []string{})
	if err != nil {
		return nil, 0, err
	}
	type answer struct {
		link *link
		code int16
		err  error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, len(resp.Brokers))
	for i := range resp.Brokers {
		b := &resp.Brokers[i]
		l := c.nodes.linkAt(net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
		c.wg.Go(func() {
			code, err := describeCode(ctx, l, group)
			answers <- answer{l, code, err}
		})
	}
	code := kerr.CoordinatorNotAvailable.Code
	for range resp.Brokers {
		switch a := <-answers; {
		case a.err != nil:
			err = a.err
		case a.code == kerr.NotCoordinator.Code:
		case transient(a.code) || a.code == kerr.GroupAuthorizationFailed.Code:
			code = a.code
		default: // also that there is no such group, or that its topics may not be seen
			return a.link, 0, nil
		}
	}
	return nil, code, err
}

// describeCode is the error code that a broker describes a group with.
func describeCode(ctx context.Context, l *link, group string) (int16, error) {
	resp, err := describeGroups(ctx, l, []string{group})
	if err != nil {
		return 0, err
	}
	for i := range resp.Groups {
		if g := &resp.Groups[i]; g.GroupID == group {
			return g.ErrorCode, nil
		}
	}
	return kerr.NotCoordinator.Code, nil
}
