package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Join makes a new member of a share group. It returns once the coordinator has
// taken the member in; records come with Take. It is refused in read-only mode,
// when the audit file can't be written, when the id belongs to a group of
// another type, and when a topic does not exist. The error is a sentence.
func (c *Client) Join(ctx context.Context, r model.JoinRequest, o JoinOptions) (*Session, error) {
	if err := newGuard(c.conn.ReadOnly).check(kmsg.NewPtrShareGroupHeartbeatRequest()); err != nil {
		return nil, err
	}
	if o.Audit == nil {
		return nil, errors.New("not joined: there is no audit file, and every acknowledgement is written to one")
	}
	if len(r.Topics) == 0 {
		return nil, fmt.Errorf("not joined: no topic of %s is known; name at least one", safeText(r.Group.Raw()))
	}
	s := c.newSession(r, o) //nolint:contextcheck // a session lives until it is left, not as long as a call
	if err := s.audit(s.entry("join", "sending", "")); err != nil {
		s.cancel()
		return nil, fmt.Errorf("not joined: the audit file can't be written: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	if err := s.join(ctx); err != nil {
		err = s.takeBack(err) //nolint:contextcheck // ctx may be done, and the member there all the same
		s.cut()
		_ = s.audit(s.entry("join", "refused", err.Error()))
		return nil, fmt.Errorf("%s was not joined: %w", safeText(s.group), err)
	}
	_ = s.audit(s.entry("join", model.OutcomeDone.String(), ""))
	s.wg.Go(s.beat)
	return s, nil
}

// takeBackTimeout bounds leaving a group after joining it was given up.
const takeBackTimeout = 2 * time.Second

// takeBack leaves the group when joining was given up after the heartbeat that
// joins had left: else it would keep partitions for a member that never reads
// them, until its session timeout. It returns the error of joining, which has
// model.ErrMemberStays where that may be so all the same.
func (s *Session) takeBack(err error) error {
	_, refused := errors.AsType[*answeredError](err)
	err = subjectOf(err)
	if refused || !s.asked {
		return err
	}
	ctx, cancel := context.WithTimeout(s.ctx, takeBackTimeout)
	defer cancel()
	if s.leaveGroup(ctx) != nil {
		return fmt.Errorf("%w; %w", err, model.ErrMemberStays)
	}
	return err
}

// subjectOf makes a whole clause of an error of the connection, which says only
// what a broker did.
func subjectOf(err error) error {
	if _, ok := errors.AsType[*refusal](err); ok {
		return &clauseError{"the broker " + whyAndRemedy(err), err}
	}
	return err
}

// clauseError says what an error means in a clause of its own.
type clauseError struct {
	clause string
	err    error
}

// Error is the clause.
func (e *clauseError) Error() string { return e.clause }

// Unwrap gives the error.
func (e *clauseError) Unwrap() error { return e.err }

func (s *Session) join(ctx context.Context) error {
	if err := s.findCoordinator(ctx); err != nil {
		return err
	}
	if err := s.lookFirst(ctx); err != nil {
		return err
	}
	if err := s.learnVersions(ctx); err != nil {
		return err
	}
	if err := s.learnTopics(ctx); err != nil {
		return err
	}
	return s.firstHeartbeat(ctx)
}

// firstHeartbeat joins, as soon as there is a coordinator that takes members.
func (s *Session) firstHeartbeat(ctx context.Context) error {
	var t tries
	for {
		s.asked = true
		err := s.heartbeat(ctx)
		refused, answered := errors.AsType[*answeredError](err)
		if !answered || !transient(refused.code) {
			return err
		}
		if pause, again := t.next(); !again || !s.pause(ctx, pause) {
			return err
		}
		if err := s.findCoordinator(ctx); err != nil {
			return err
		}
	}
}

// retryEvery is the pause before leaders are asked for again.
const retryEvery = 200 * time.Millisecond

// findCoordinator asks for the group's coordinator until there is one, or it was
// tried often enough. On a fresh cluster this makes __consumer_offsets, as any
// member's joining does.
func (s *Session) findCoordinator(ctx context.Context) error {
	var t tries
	for {
		addr, code, err := s.askCoordinator(ctx)
		switch {
		case err == nil && code == 0:
			s.coordinatedBy(addr)
			return nil
		case err == nil && !transient(code):
			return fmt.Errorf("its coordinator can't be found: %s", noCoordinator(code))
		case isDenied(err):
			return err // asking again changes nothing
		}
		if pause, again := t.next(); !again || !s.pause(ctx, pause) {
			if err == nil {
				err = fmt.Errorf("no broker coordinates it: %s", noCoordinator(code))
			}
			return err
		}
	}
}

// coordinatedBy books where the coordinator is.
func (s *Session) coordinatedBy(addr string) {
	l := s.linkTo(addr)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.coordinator = l
}

func (s *Session) askCoordinator(ctx context.Context) (addr string, code int16, err error) {
	resp, _, err := hedge(ctx, s.wg.Go, s.anyLinks(), func(ctx context.Context, l *link) (*kmsg.FindCoordinatorResponse, error) {
		req := kmsg.NewPtrFindCoordinatorRequest()
		req.CoordinatorKey, req.CoordinatorKeys = s.group, []string{s.group}
		return ask[*kmsg.FindCoordinatorResponse](ctx, l, roleControl, req)
	})
	if err != nil {
		return "", 0, err
	}
	host, port, code := resp.Host, resp.Port, resp.ErrorCode
	if len(resp.Coordinators) > 0 {
		c := &resp.Coordinators[0]
		host, port, code = c.Host, c.Port, c.ErrorCode
	}
	return net.JoinHostPort(host, strconv.Itoa(int(port))), code, nil
}

// anyLinks are the session's ways to all addresses that the client knows.
func (s *Session) anyLinks() []*link {
	var out []*link
	for _, l := range s.client.nodes.anyLinks() {
		out = append(out, s.linkTo(l.addr))
	}
	return out
}

// pause waits; false when ctx, or the session, ends first, or leaving it begins.
func (s *Session) pause(ctx context.Context, d time.Duration) bool { return s.wait(ctx, d, s.leaving) }

// wait waits; false when ctx, or the session, ends first, or stop is closed. Leaving
// itself has nothing that stops it.
func (s *Session) wait(ctx context.Context, d time.Duration, stop <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-s.ctx.Done():
		return false
	case <-stop:
		return false
	}
}

// lookFirst refuses an id that belongs to a group of another type: the two
// share one namespace, and joining would not say so.
func (s *Session) lookFirst(ctx context.Context) error {
	resp, err := ask[*kmsg.ListGroupsResponse](ctx, s.coordinator, roleControl, kmsg.NewPtrListGroupsRequest())
	if err != nil {
		return err
	}
	for i := range resp.Groups {
		g := &resp.Groups[i]
		if g.Group == s.group && g.GroupType != "" && !strings.EqualFold(g.GroupType, "share") {
			return fmt.Errorf("the id belongs to a %s group, not to a share group", safeText(strings.ToLower(g.GroupType)))
		}
	}
	return nil
}

// learnVersions finds out what the brokers can do with sessions.
func (s *Session) learnVersions(ctx context.Context) error {
	req := kmsg.NewPtrApiVersionsRequest()
	req.ClientSoftwareName, req.ClientSoftwareVersion = s.client.opts.SoftwareName, s.client.opts.SoftwareVersion
	resp, err := ask[*kmsg.ApiVersionsResponse](ctx, s.coordinator, roleControl, req)
	if err != nil {
		return err
	}
	fetch, acknowledge := int16(-1), int16(-1)
	for _, k := range resp.ApiKeys {
		switch k.ApiKey {
		case kmsg.ShareFetch.Int16():
			fetch = k.MaxVersion
		case kmsg.ShareAcknowledge.Int16():
			acknowledge = k.MaxVersion
		}
	}
	// Below version 2 (Kafka 4.1, a preview) a fetch may acquire more than it was
	// asked for, and then more than the person agreed to.
	if fetch < 2 || acknowledge < 2 {
		return errors.New("the brokers are older than Kafka 4.2, which can't take exactly as many records as asked for; upgrade them")
	}
	return nil
}

// learnTopics asks for the ids and leaders of the topics. A topic that does not
// exist is an error while joining.
func (s *Session) learnTopics(ctx context.Context) error {
	names := make([]string, len(s.terms.Topics))
	for i, t := range s.terms.Topics {
		names[i] = t.Raw()
	}
	resp, _, err := s.client.askMetadata(ctx, names)
	if err != nil {
		return err
	}
	for i := range resp.Topics {
		if t := &resp.Topics[i]; t.ErrorCode != 0 {
			return fmt.Errorf("topic %s: %s", safeText(deref(t.Topic)), codeText(t.ErrorCode, ""))
		}
	}
	s.mergeTopics(resp)
	return nil
}

func (s *Session) mergeTopics(resp *kmsg.MetadataResponse) {
	for i := range resp.Brokers {
		b := &resp.Brokers[i]
		l := s.linkTo(net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port))))
		s.mu.Lock()
		if known := s.brokers[b.NodeID]; known == nil || known.link.addr != l.addr {
			made := newSessionBroker(b.NodeID, l)
			s.brokers[b.NodeID], s.everyBroker = made, append(s.everyBroker, made)
		}
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range resp.Topics {
		t := &resp.Topics[i]
		if t.ErrorCode != 0 {
			continue
		}
		s.topics[t.TopicID] = deref(t.Topic)
		for j := range t.Partitions {
			p := &t.Partitions[j]
			s.leaders[partitionKey{t.TopicID, p.Partition}] = p.Leader
		}
	}
}
