package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// The acknowledgement types on the wire (KIP-932; renew: KIP-1222).
const (
	wireGap     = 0
	wireAccept  = 1
	wireRelease = 2
	wireReject  = 3
	wireRenew   = 4
)

// wireType is the only way from a decision to a type on the wire.
func wireType(d model.Decision) (int8, bool) {
	switch d {
	case model.Accept:
		return wireAccept, true
	case model.Release:
		return wireRelease, true
	case model.Reject:
		return wireReject, true
	default:
		return 0, false
	}
}

// heldEntry is one record that this session acquired and that nobody has
// confirmed to be settled.
type heldEntry struct {
	topic    [16]byte
	broker   *sessionBroker
	delivery int
	// since is when its lock began, ends when it ends.
	since, ends time.Time
	record      *model.Record
	// unanswered is the decision that was sent without an answer: the record is
	// not ours any more, and nobody knows what became of it. Undecided for none.
	unanswered model.Decision
}

// ackBatch is a run of offsets with one acknowledgement type.
type ackBatch struct {
	first, last int64
	kind        int8
}

// heldUntil counts the records held, and says when the last lock ends. Records
// whose locks have ended are dropped; those whose decision was not answered don't
// count, since their connection is gone.
func (s *Session) heldUntil() (n int, ends time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.client.opts.Now()
	for id, e := range s.ledger {
		if !now.Before(e.ends) {
			delete(s.ledger, id)
			continue
		}
		if e.unanswered != model.Undecided {
			continue
		}
		if n++; e.ends.After(ends) {
			ends = e.ends
		}
	}
	return n, ends
}

// ErrNotAudited is in the error of what was not sent because the audit file
// can't be written.
var ErrNotAudited = errors.New("the audit file can't be written")

// order is one record with what is to be sent about it.
type order struct {
	id       model.RecordID
	decision model.Decision
	kind     int8
	entry    heldEntry
}

// Acknowledge sends decisions, one set for each partition and one request for
// each broker, and says what came of each. Nothing else is sent with them. The
// error is for all of them: nothing left then.
func (s *Session) Acknowledge(ctx context.Context, acks []model.Acknowledgement) ([]model.AckResult, error) {
	orders := make([]order, 0, len(acks))
	var unknown []model.AckResult
	for _, a := range acks {
		kind, ok := wireType(a.Decision)
		if !ok {
			return nil, fmt.Errorf("%s is undecided, and nothing undecided is sent", a.ID)
		}
		entry, held := s.held(a.ID)
		if !held {
			unknown = append(unknown, model.AckResult{ID: a.ID, Decision: a.Decision, Outcome: model.OutcomeLockOver})
			continue
		}
		orders = append(orders, order{a.ID, a.Decision, kind, entry})
	}
	results, err := s.send(ctx, orders, false)
	if err != nil {
		return nil, err
	}
	return append(results, unknown...), nil
}

// Renew begins the locks of these records anew (KIP-1222). What each result
// says of the lock is counted from when the request left.
func (s *Session) Renew(ctx context.Context, ids []model.RecordID) ([]model.AckResult, error) {
	orders := make([]order, 0, len(ids))
	for _, id := range ids {
		if entry, held := s.held(id); held {
			orders = append(orders, order{id: id, kind: wireRenew, entry: entry})
		}
	}
	return s.send(ctx, orders, true)
}

func (s *Session) held(id model.RecordID) (heldEntry, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e, ok := s.ledger[id]
	return e, ok && e.unanswered == model.Undecided && s.client.opts.Now().Before(e.ends)
}

// send writes the orders down, sends them broker by broker side by side, and
// writes down what came of them.
func (s *Session) send(ctx context.Context, orders []order, renew bool) ([]model.AckResult, error) {
	if s.isLeaving() {
		return nil, errLeaving
	}
	if err := s.auditOrders(orders, "sending", renew); err != nil {
		return nil, fmt.Errorf("nothing was sent: %w: %w", ErrNotAudited, err)
	}
	byBroker := make(map[*sessionBroker][]order)
	for _, o := range orders {
		byBroker[o.entry.broker] = append(byBroker[o.entry.broker], o)
	}
	var mu sync.Mutex
	var results []model.AckResult
	var unaudited error
	var wg sync.WaitGroup
	for b, some := range byBroker {
		wg.Add(1)
		s.wg.Go(func() {
			defer wg.Done()
			got := s.sendTo(ctx, b, some, renew)
			err := s.auditResults(got, renew)
			mu.Lock()
			defer mu.Unlock()
			results = append(results, got...)
			if err != nil {
				unaudited = err
			}
		})
	}
	wg.Wait()
	s.noteAudit(unaudited)
	return results, nil
}

// sendTo sends orders to one broker, and books what came of them before the next
// request has its turn: leaving would else release what has just been accepted.
func (s *Session) sendTo(ctx context.Context, b *sessionBroker, orders []order, renew bool) []model.AckResult {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := b.enter(ctx); err != nil {
		return resultsOf(orders, model.OutcomeNotSent, safeText(err.Error()), 0)
	}
	defer b.leave()
	results := s.decideAt(ctx, b, orders, renew)
	s.book(orders, results, renew)
	return results
}

// decideAt sends orders to one broker; the caller has entered it.
func (s *Session) decideAt(ctx context.Context, b *sessionBroker, orders []order, renew bool) []model.AckResult {
	sent := s.client.opts.Now()
	resp, err := s.acknowledgeLocked(ctx, b, batchesOf(orders), b.next(), renew)
	took := s.client.opts.Now().Sub(sent)
	if err != nil {
		// Without an answer the epoch is not known either. The connection goes,
		// and with it the broker gives back what was not settled.
		b.reset()
		b.link.cutSession()
		return resultsOf(orders, model.OutcomeNoAnswer, whyUnreachable(err), took)
	}
	if resp.ErrorCode != 0 {
		outcome := refusedOutcome(resp.ErrorCode)
		if outcome == model.OutcomeNotHolder {
			b.reset()
		} // else the broker still has the session, at the epoch that it was at
		return resultsOf(orders, outcome, refusedDetail(resp.ErrorCode, deref(resp.ErrorMessage)), took)
	}
	lock := time.Duration(resp.AcquisitionLockTimeoutMillis) * time.Millisecond
	return s.answers(orders, resp, sent, lock, took)
}

// refusedOutcome is what a request that was refused as a whole means.
func refusedOutcome(code int16) model.Outcome {
	switch code {
	case kerr.ShareSessionNotFound.Code, kerr.InvalidShareSessionEpoch.Code, kerr.UnknownMemberID.Code,
		kerr.FencedMemberEpoch.Code, kerr.GroupIDNotFound.Code:
		return model.OutcomeNotHolder
	case kerr.GroupAuthorizationFailed.Code:
		return model.OutcomeDenied
	default:
		return model.OutcomeWriteFailed
	}
}

// refusedDetail says what right is missing, or what else the broker said.
func refusedDetail(code int16, message string) string {
	switch code {
	case kerr.GroupAuthorizationFailed.Code:
		return "READ on the group is missing"
	case kerr.TopicAuthorizationFailed.Code:
		return "READ on the topic is missing"
	default:
		return codeText(code, message)
	}
}

func resultsOf(orders []order, o model.Outcome, detail string, took time.Duration) []model.AckResult {
	out := make([]model.AckResult, len(orders))
	for i, x := range orders {
		out[i] = model.AckResult{
			ID: x.id, Decision: x.decision, Delivery: x.entry.delivery, Outcome: o, Detail: detail, Took: took,
		}
	}
	return out
}

// answers gives each record its partition's outcome: a set is applied as a whole
// or not at all.
func (s *Session) answers(orders []order, resp *kmsg.ShareAcknowledgeResponse, sent time.Time, lock, took time.Duration) []model.AckResult {
	codes := make(map[partitionKey]*kmsg.ShareAcknowledgeResponseTopicPartition)
	for i := range resp.Topics {
		t := &resp.Topics[i]
		for j := range t.Partitions {
			codes[partitionKey{t.TopicID, t.Partitions[j].Partition}] = &t.Partitions[j]
		}
	}
	now := s.client.opts.Now()
	out := resultsOf(orders, model.OutcomeNoAnswer, "the broker's answer lacks the partition", took)
	for i, o := range orders {
		p := codes[partitionKey{o.entry.topic, o.id.Partition}]
		if p == nil {
			continue
		}
		out[i].Outcome, out[i].Detail = partitionOutcome(p, !now.Before(o.entry.ends))
		if lock <= 0 {
			lock = defaultLock
		}
		out[i].Lock, out[i].LockEnds = lock, sent.Add(lock)
	}
	return out
}

// partitionOutcome is what a partition's answer means for a record whose lock
// has ended by now, or not.
func partitionOutcome(p *kmsg.ShareAcknowledgeResponseTopicPartition, over bool) (model.Outcome, string) {
	if p.ErrorCode == 0 {
		return model.OutcomeDone, ""
	}
	detail := refusedDetail(p.ErrorCode, deref(p.ErrorMessage))
	switch p.ErrorCode {
	case kerr.TopicAuthorizationFailed.Code:
		return model.OutcomeDenied, detail
	case kerr.InvalidRecordState.Code:
		if over {
			return model.OutcomeLockOver, detail
		}
		return model.OutcomeStateError, detail
	case kerr.NotLeaderForPartition.Code, kerr.FencedLeaderEpoch.Code, kerr.UnknownLeaderEpoch.Code,
		kerr.UnknownTopicID.Code, kerr.UnknownTopicOrPartition.Code:
		return model.OutcomeNotHolder, detail
	default:
		return model.OutcomeWriteFailed, detail
	}
}

// book keeps the ledger: what is settled or not ours goes, what was renewed
// lasts longer, also when its lock had ended for us before the answer came. A
// decision that was not answered stays until its lock ends, so that leaving
// names it.
func (s *Session) book(orders []order, results []model.AckResult, renew bool) {
	entries := make(map[model.RecordID]heldEntry, len(orders))
	for _, o := range orders {
		entries[o.id] = o.entry
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range results {
		e := entries[r.ID]
		switch {
		case renew && r.Outcome == model.OutcomeDone:
			e.since, e.ends = r.LockEnds.Add(-r.Lock), r.LockEnds
			s.ledger[r.ID] = e
		case r.Outcome == model.OutcomeNoAnswer:
			e.unanswered = r.Decision // none for a renewal
			s.ledger[r.ID] = e
		case r.Outcome.Final():
			if r.Outcome == model.OutcomeDone {
				s.client.longestHold.note(s.client.opts.Now().Sub(e.since))
			}
			delete(s.ledger, r.ID)
		}
	}
}

// batchesOf makes the sets of the partitions: ascending runs of offsets with the
// same type.
func batchesOf(orders []order) map[partitionKey][]ackBatch {
	sorted := slices.Clone(orders)
	slices.SortFunc(sorted, func(a, b order) int { return cmp.Compare(a.id.Offset, b.id.Offset) })
	out := make(map[partitionKey][]ackBatch)
	for _, o := range sorted {
		at := partitionKey{o.entry.topic, o.id.Partition}
		runs := out[at]
		if n := len(runs); n > 0 && runs[n-1].last+1 == o.id.Offset && runs[n-1].kind == o.kind {
			runs[n-1].last = o.id.Offset
			continue
		}
		out[at] = append(runs, ackBatch{o.id.Offset, o.id.Offset, o.kind})
	}
	return out
}

// acknowledgeLocked sends one ShareAcknowledge; the caller has entered b. Epoch
// −1 closes the broker's share session and so releases all that is left.
func (s *Session) acknowledgeLocked(
	ctx context.Context, b *sessionBroker, batches map[partitionKey][]ackBatch, epoch int32, renew bool,
) (*kmsg.ShareAcknowledgeResponse, error) {
	req := kmsg.NewPtrShareAcknowledgeRequest()
	req.GroupID, req.MemberID = kmsg.StringPtr(s.group), kmsg.StringPtr(s.member)
	req.ShareSessionEpoch, req.IsRenewAck = epoch, renew
	at := make(map[[16]byte]int)
	for p, runs := range batches {
		i, ok := at[p.topic]
		if !ok {
			i = len(req.Topics)
			at[p.topic] = i
			t := kmsg.NewShareAcknowledgeRequestTopic()
			t.TopicID = p.topic
			req.Topics = append(req.Topics, t)
		}
		req.Topics[i].Partitions = append(req.Topics[i].Partitions, ackPartition(p.partition, runs))
	}
	resp, err := ask[*kmsg.ShareAcknowledgeResponse](ctx, b.link, roleSession, req)
	if err == nil && resp.ErrorCode == 0 && epoch != closeEpoch {
		b.answered()
	}
	return resp, err
}

func ackPartition(partition int32, runs []ackBatch) kmsg.ShareAcknowledgeRequestTopicPartition {
	p := kmsg.NewShareAcknowledgeRequestTopicPartition()
	p.Partition = partition
	for _, r := range runs {
		batch := kmsg.NewShareAcknowledgeRequestTopicPartitionAcknowledgementBatch()
		batch.FirstOffset, batch.LastOffset, batch.AcknowledgeTypes = r.first, r.last, []int8{r.kind}
		p.AcknowledgementBatches = append(p.AcknowledgementBatches, batch)
	}
	return p
}
