package kafka

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Bounds of one take.
const (
	// maxFetchWait is how long a broker may hold a fetch back: as long has
	// leaving to wait for the connection.
	maxFetchWait = 500 * time.Millisecond
	// minFetchWait is the least: where there are many brokers each is asked for a
	// part of maxFetchWait, so that none is long without its turn.
	minFetchWait = 20 * time.Millisecond
	// maxTakeBytes bounds the records of one fetch; fewer come then.
	maxTakeBytes = 16 << 20
	// defaultLock is used where a broker tells no lock duration.
	defaultLock = 30 * time.Second
)

// acquireRecordLimit is ShareAcquireMode record_limit (KIP-1206): a fetch
// acquires at most MaxRecords, splitting batches.
const acquireRecordLimit = 1

// Take acquires at most that many records and returns as soon as there are any,
// or with ctx's error. Nothing is taken while anything is held. An error with
// records does not happen.
func (s *Session) Take(ctx context.Context, most int) ([]model.HeldRecord, error) {
	if !s.taking.TryLock() {
		return nil, errors.New("records are being taken already")
	}
	defer s.taking.Unlock()
	most = min(max(most, model.MinTake), model.MaxTake)
	if err := s.awaitNothingHeld(ctx); err != nil {
		return nil, err
	}
	s.unansweredFetches = 0
	for wait := time.Duration(0); ; {
		brokers, err := s.awaitBrokers(ctx)
		if err != nil {
			return nil, err
		}
		records, failed, err := s.round(ctx, brokers, most, wait)
		wait = max(maxFetchWait/time.Duration(len(brokers)), minFetchWait)
		if err != nil || len(records) > 0 {
			return records, err
		}
		if failed && !s.pause(ctx, maxFetchWait) || s.isLeaving() {
			return nil, s.whyEnded(ctx)
		}
	}
}

func (s *Session) whyEnded(ctx context.Context) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errLeaving
}

// awaitNothingHeld waits for locks that are about to end, and refuses while
// others are held. A renewal on its way can bring back what looked over: only
// once none is, nothing held stays so.
func (s *Session) awaitNothingHeld(ctx context.Context) error {
	for quiet := false; ; {
		held, ends := s.heldUntil()
		left := ends.Sub(s.client.opts.Now())
		switch {
		case held == 0 && quiet:
			return nil
		case held == 0:
			if err := s.awaitSends(ctx); err != nil {
				return err
			}
			quiet = true
		case left > 2*model.LockMargin:
			return fmt.Errorf("nothing was taken: %d records are still held; decide them first", held)
		case !s.pause(ctx, max(left, time.Millisecond)):
			return s.whyEnded(ctx)
		}
	}
}

// awaitBrokers waits for an assignment and gives the leaders of its partitions.
// Partitions without a known leader, since they were added or have moved, are
// looked up before each round, and do not keep the others waiting.
func (s *Session) awaitBrokers(ctx context.Context) (map[*sessionBroker][]partitionKey, error) {
	for {
		s.mu.Lock()
		brokers, unknown := s.routes()
		again := s.reassigned
		s.mu.Unlock()
		switch {
		case unknown && s.lookUpDue():
			s.refreshTopics(ctx)
			continue
		case len(brokers) > 0:
			return brokers, nil
		case unknown:
			if !s.pause(ctx, retryEvery) {
				return nil, s.whyEnded(ctx)
			}
			continue
		}
		select {
		case <-again:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-s.leaving:
			return nil, errLeaving
		}
	}
}

// routes sorts the assigned partitions by leader; unknown is true when some
// leader is not known. s.mu is held.
func (s *Session) routes() (brokers map[*sessionBroker][]partitionKey, unknown bool) {
	brokers = make(map[*sessionBroker][]partitionKey)
	for _, p := range s.assigned {
		leader, ok := s.leaders[p]
		b := s.brokers[leader]
		if !ok || b == nil {
			unknown = true
			continue
		}
		brokers[b] = append(brokers[b], p)
	}
	return brokers, unknown
}

// lookUpDue tells whether leaders may be asked for again, and books that they are.
func (s *Session) lookUpDue() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.client.opts.Now()
	if now.Sub(s.lookedUp) < retryEvery {
		return false
	}
	s.lookedUp = now
	return true
}

// refreshTopics asks for leaders again; what can't be asked stays as it was.
func (s *Session) refreshTopics(ctx context.Context) {
	names := make([]string, len(s.terms.Topics))
	for i, t := range s.terms.Topics {
		names[i] = t.Raw()
	}
	if resp, _, err := s.client.askMetadata(ctx, names); err == nil {
		s.mergeTopics(resp)
	}
}

// round asks one broker after the other until one gives records. The others are
// not asked for more: while one does not answer, the locks of what is there run
// down unseen.
func (s *Session) round(ctx context.Context, brokers map[*sessionBroker][]partitionKey, most int, wait time.Duration) (
	records []model.HeldRecord, failed bool, err error,
) {
	for _, b := range inTurn(brokers) {
		if ctx.Err() != nil || s.isLeaving() {
			break
		}
		records, err = s.fetch(b, brokers[b], most, wait) //nolint:contextcheck // cancelling it would cut the connection
		b.silent = err != nil
		if err != nil {
			if _, fatal := errors.AsType[*takeError](err); fatal || errors.Is(err, errLeaving) {
				return nil, false, err
			}
			if err := s.noAnswer(b, err); err != nil {
				return nil, false, err
			}
			failed = true
			s.setTrouble(fmt.Sprintf("%s %s when asked for records.", capital(brokerName(b.id, b.link.addr)), whyAndRemedy(err)))
			s.refreshTopics(ctx)
			continue
		}
		if len(records) > 0 {
			return records, false, nil
		}
	}
	return nil, failed, ctx.Err()
}

// inTurn are brokers in the order in which they are asked: any, so that none is
// always the first, but those last that did not answer the last time.
func inTurn(brokers map[*sessionBroker][]partitionKey) []*sessionBroker {
	out := slices.Collect(maps.Keys(brokers))
	slices.SortStableFunc(out, func(a, b *sessionBroker) int {
		switch {
		case a.silent == b.silent:
			return 0
		case b.silent:
			return -1
		}
		return 1
	})
	return out
}

// takeError is an answer that asking again does not change.
type takeError struct{ text string }

// Error is a sentence without its full stop.
func (e *takeError) Error() string { return e.text }

// fetch asks one broker for records. It is not cancelled with the caller, since
// that would cut the connection; it takes maxFetchWait and the way there.
func (s *Session) fetch(b *sessionBroker, places []partitionKey, most int, wait time.Duration) ([]model.HeldRecord, error) {
	ctx, cancel := context.WithTimeout(s.ctx, fetchTimeout)
	defer cancel()
	t, ok := s.lineUp(b)
	if !ok {
		return nil, errLeaving
	}
	if err := t.await(ctx); err != nil {
		return nil, errNoTurn
	}
	defer t.end()
	if err := s.closeLeftOpen(ctx, b); err != nil {
		return nil, err
	}
	if !s.openFetch() {
		return nil, errLeaving
	}
	req := s.fetchRequest(b, places, most, wait)
	sent := s.client.opts.Now()
	resp, err := ask[*kmsg.ShareFetchResponse](ctx, b.link, roleSession, req)
	if err != nil {
		return nil, s.unansweredFetch(b, err)
	}
	if resp.ErrorCode != 0 {
		s.fetchIsKnown()
		return nil, s.fetchRefused(b, resp)
	}
	b.answered()
	records, gaps := s.acquired(b, resp, sent)
	s.fetchIsKnown()
	if err := s.dropGaps(ctx, b, gaps); err != nil {
		return nil, s.unansweredFetch(b, err)
	}
	return records, s.partitionErrors(resp, len(records))
}

// fetchRequest names the partitions that the broker's session does not have
// yet, and those that it is to forget.
func (s *Session) fetchRequest(b *sessionBroker, places []partitionKey, most int, wait time.Duration) *kmsg.ShareFetchRequest {
	b.mu.Lock()
	defer b.mu.Unlock()
	req := kmsg.NewPtrShareFetchRequest()
	req.GroupID, req.MemberID = kmsg.StringPtr(s.group), kmsg.StringPtr(s.member)
	req.ShareSessionEpoch = b.epoch
	req.MaxWaitMillis = int32(wait.Milliseconds()) //nolint:gosec // at most maxFetchWait
	req.MinBytes, req.MaxBytes = 1, maxTakeBytes
	req.MaxRecords, req.BatchSize = int32(most), int32(most) //nolint:gosec // at most MaxTake
	req.ShareAcquireMode = acquireRecordLimit
	for _, p := range places {
		if !b.known[p] {
			b.known[p] = true
			addFetch(req, p)
		}
	}
	for p := range b.known {
		if !slices.Contains(places, p) {
			delete(b.known, p)
			forget(req, p)
		}
	}
	return req
}

func addFetch(req *kmsg.ShareFetchRequest, p partitionKey) {
	part := kmsg.NewShareFetchRequestTopicPartition()
	part.Partition, part.PartitionMaxBytes = p.partition, maxTakeBytes
	for i := range req.Topics {
		if req.Topics[i].TopicID == p.topic {
			req.Topics[i].Partitions = append(req.Topics[i].Partitions, part)
			return
		}
	}
	t := kmsg.NewShareFetchRequestTopic()
	t.TopicID, t.Partitions = p.topic, append(t.Partitions, part)
	req.Topics = append(req.Topics, t)
}

func forget(req *kmsg.ShareFetchRequest, p partitionKey) {
	for i := range req.ForgottenTopicsData {
		if req.ForgottenTopicsData[i].TopicID == p.topic {
			req.ForgottenTopicsData[i].Partitions = append(req.ForgottenTopicsData[i].Partitions, p.partition)
			return
		}
	}
	t := kmsg.NewShareFetchRequestForgottenTopicsData()
	t.TopicID, t.Partitions = p.topic, []int32{p.partition}
	req.ForgottenTopicsData = append(req.ForgottenTopicsData, t)
}

// fetchRefused is the error of a fetch that was refused as a whole.
func (s *Session) fetchRefused(b *sessionBroker, resp *kmsg.ShareFetchResponse) error {
	b.cut()
	switch code := resp.ErrorCode; code {
	case kerr.ShareSessionNotFound.Code, kerr.InvalidShareSessionEpoch.Code:
		return &refusedFetch{"has begun a new share session"}
	case kerr.GroupAuthorizationFailed.Code:
		return &takeError{"no records: READ on the group is missing"}
	case kerr.GroupIDNotFound.Code:
		return &takeError{"no records: the group does not exist any more"}
	default:
		return &refusedFetch{codeText(code, deref(resp.ErrorMessage))}
	}
}

// partitionErrors says what is wrong with partitions of an answer. What has
// moved is asked for again; only what stays is an error.
func (s *Session) partitionErrors(resp *kmsg.ShareFetchResponse, got int) error {
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for j := range t.Partitions {
			code := t.Partitions[j].ErrorCode
			switch {
			case code == 0:
			case code == kerr.TopicAuthorizationFailed.Code && got == 0:
				return &takeError{fmt.Sprintf("no records: READ on topic %s is missing", safeText(s.topicName(t.TopicID)))}
			case code == kerr.UnknownTopicID.Code || code == kerr.UnknownTopicOrPartition.Code:
				s.setTrouble(fmt.Sprintf("Topic %s does not exist any more.", safeText(s.topicName(t.TopicID))))
				s.forgetLeader(partitionKey{t.TopicID, t.Partitions[j].Partition})
			default:
				s.forgetLeader(partitionKey{t.TopicID, t.Partitions[j].Partition})
			}
		}
	}
	return nil
}

func (s *Session) topicName(id [16]byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.topics[id]
}

func (s *Session) forgetLeader(p partitionKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.leaders, p)
}
