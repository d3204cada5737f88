package kafka

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
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
		s.takeBack(err) //nolint:contextcheck // ctx may be done, and the member there all the same
		s.cancel()
		s.closeLinks()
		_ = s.audit(s.entry("join", "refused", err.Error()))
		return nil, fmt.Errorf("%s was not joined: %w", safeText(s.group), subjectOf(err))
	}
	_ = s.audit(s.entry("join", model.OutcomeDone.String(), ""))
	s.wg.Go(s.beat)
	return s, nil
}

// takeBackTimeout bounds leaving a group after joining it was given up.
const takeBackTimeout = 2 * time.Second

// takeBack leaves the group when joining was given up after the heartbeat that
// joins had left: else it would keep partitions for a member that never reads
// them, until its session timeout.
func (s *Session) takeBack(err error) {
	if _, refused := errors.AsType[*answeredError](err); refused || !s.asked {
		return
	}
	ctx, cancel := context.WithTimeout(s.ctx, takeBackTimeout)
	defer cancel()
	if err := s.leaveGroup(ctx); err != nil {
		s.client.opts.Logf("a member of %s that was given up may be there until its session timeout: %v", safeText(s.group), err)
	}
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
			l := s.linkTo(addr)
			s.mu.Lock()
			s.coordinator = l
			s.mu.Unlock()
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

// pause waits; false when ctx, or the session, ends first.
func (s *Session) pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	case <-s.ctx.Done():
		return false
	case <-s.leaving:
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
			s.brokers[b.NodeID] = newSessionBroker(b.NodeID, l)
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

// heartbeat sends one heartbeat; the first, with epoch 0, joins.
func (s *Session) heartbeat(ctx context.Context) error {
	s.mu.Lock()
	l, epoch := s.coordinator, s.memberEpoch
	s.mu.Unlock()
	req := kmsg.NewPtrShareGroupHeartbeatRequest()
	req.GroupID, req.MemberID, req.MemberEpoch = s.group, s.member, epoch
	if epoch == 0 {
		for _, t := range s.terms.Topics {
			req.SubscribedTopicNames = append(req.SubscribedTopicNames, t.Raw())
		}
	}
	resp, err := ask[*kmsg.ShareGroupHeartbeatResponse](ctx, l, roleControl, req)
	if err != nil {
		return err
	}
	if resp.ErrorCode != 0 {
		return &answeredError{resp.ErrorCode, deref(resp.ErrorMessage)}
	}
	s.beaten(resp)
	return nil
}

// answeredError is an error code that a broker answered a session with.
type answeredError struct {
	code    int16
	message string
}

// Error is what a person can do something with.
func (e *answeredError) Error() string {
	switch e.code {
	case kerr.GroupAuthorizationFailed.Code:
		return "READ on the group is missing"
	case kerr.TopicAuthorizationFailed.Code:
		return "DESCRIBE on a topic is missing"
	case kerr.UnsupportedVersion.Code:
		return "share groups are disabled on this cluster"
	case kerr.CoordinatorNotAvailable.Code:
		return noCoordinator(e.code)
	case kerr.GroupIDNotFound.Code:
		return "the group does not exist any more"
	default:
		return codeText(e.code, e.message)
	}
}

// beaten takes in what a heartbeat brought.
func (s *Session) beaten(resp *kmsg.ShareGroupHeartbeatResponse) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memberEpoch = resp.MemberEpoch
	if d := resp.HeartbeatIntervalMillis; d > 0 {
		s.terms.Heartbeat = time.Duration(d) * time.Millisecond
	}
	if resp.Assignment == nil {
		return
	}
	s.assigned = s.assigned[:0:0]
	for i := range resp.Assignment.TopicPartitions {
		t := &resp.Assignment.TopicPartitions[i]
		for _, p := range t.Partitions {
			s.assigned = append(s.assigned, partitionKey{t.TopicID, p})
		}
	}
	close(s.reassigned)
	s.reassigned = make(chan struct{})
}

// firstBeats is the pace of heartbeats until there is an assignment: it comes
// with the heartbeat after the one that joined.
const firstBeats = time.Second

// beat sends heartbeats until the session is left.
func (s *Session) beat() {
	for {
		s.mu.Lock()
		every := s.terms.Heartbeat
		if every <= 0 {
			every = 5 * time.Second
		}
		if len(s.assigned) == 0 {
			every = min(every, firstBeats)
		}
		s.mu.Unlock()
		if !s.pause(s.ctx, every) {
			return
		}
		if err := s.heartbeat(s.ctx); err != nil {
			s.missed(err)
		} else {
			s.setTrouble("")
		}
	}
}

// missed does what a failed heartbeat asks for.
func (s *Session) missed(err error) {
	if s.isLeaving() {
		return
	}
	refused, answered := errors.AsType[*answeredError](err)
	switch {
	case !answered:
		s.setTrouble("The coordinator " + whyAndRemedy(err) + ": the member may be dropped.")
		_ = s.findCoordinator(s.ctx)
	case refused.code == kerr.UnknownMemberID.Code, refused.code == kerr.FencedMemberEpoch.Code:
		s.setTrouble("The coordinator had dropped this member; it joins again.")
		s.mu.Lock()
		s.memberEpoch = 0
		s.mu.Unlock()
	case transient(refused.code):
		s.setTrouble("The group has no coordinator now, the member may be dropped: " + refused.Error() + ".")
		_ = s.findCoordinator(s.ctx)
	default:
		s.setTrouble("The coordinator refuses this member: " + refused.Error() + ".")
	}
}
