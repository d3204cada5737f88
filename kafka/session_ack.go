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

// ackBatch is a run of offsets with one acknowledgement type.
type ackBatch struct {
	first, last int64
	kind        int8
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

// send writes the orders down, sends them broker by broker side by side, and
// writes down what came of them.
func (s *Session) send(ctx context.Context, batches []*brokerOrders, renew bool) ([]model.AckResult, error) {
	var all []order
	for _, b := range batches {
		all = append(all, b.orders...)
	}
	if err := s.auditOrders(all, "sending", renew); err != nil {
		for _, b := range batches {
			b.turn.drop()
		}
		return nil, fmt.Errorf("nothing was sent: %w: %w", ErrNotAudited, err)
	}
	var mu sync.Mutex
	var results []model.AckResult
	var unaudited error
	var wg sync.WaitGroup
	for _, b := range batches {
		wg.Add(1)
		s.wg.Go(func() {
			defer wg.Done()
			got, err := s.sendTo(ctx, b, renew)
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

// sendTo sends the orders for one broker. What came of them is booked and written
// down before the next request has its turn: leaving would else release what has
// just been accepted. The error is that of the audit file.
func (s *Session) sendTo(ctx context.Context, b *brokerOrders, renew bool) ([]model.AckResult, error) {
	limited, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := b.turn.await(limited); err != nil {
		results := resultsOf(b.orders, model.OutcomeNotSent, whyUnreachable(err), 0)
		return results, s.auditResults(results, renew)
	}
	defer b.turn.end()
	orders, results := s.stillHeld(b)
	var beside []model.AckResult
	if len(orders) > 0 {
		answered, lost := s.decideAt(ctx, b.broker, orders, renew)
		beside = s.book(b.broker, orders, answered, renew, lost)
		results = append(results, answered...)
	}
	return append(results, beside...), s.auditResults(results, renew)
}

// stillHeld looks at the orders again once they have their turn: what was before
// them may have settled a record, or moved its lock, and it may even have come
// again since. What is left is on its way from now on.
func (s *Session) stillHeld(b *brokerOrders) (orders []order, gone []model.AckResult) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range b.orders {
		var outcome model.Outcome
		var why string
		e, there := s.ledger[o.id]
		switch {
		case b.broker.shut:
			outcome, why = model.OutcomeNotSent, errLeaving.Error()
		case there && e.take == o.entry.take && e.cut:
			outcome = model.OutcomeGivenBack
		case !there || e.take != o.entry.take || !e.ours():
			outcome, why = model.OutcomeNotHolder, "it was settled before this had its turn"
		case !s.client.opts.Now().Before(e.ends):
			outcome = model.OutcomeLockOver
		default:
			e.sending = o.decision
			s.ledger[o.id], o.entry = e, e
			orders = append(orders, o)
			continue
		}
		gone = append(gone, resultsOf([]order{o}, outcome, why, 0)...)
	}
	return orders, gone
}

// decideAt sends orders to one broker, whose turn it is. It is not cancelled with
// the caller, since that would cut the connection. What is lost with what went
// wrong is all that is held at the broker.
func (s *Session) decideAt(ctx context.Context, b *sessionBroker, orders []order, renew bool) (results []model.AckResult, lost bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTimeout)
	defer cancel()
	sent := s.client.opts.Now()
	resp, err := s.acknowledgeLocked(ctx, b, batchesOf(orders), b.next(), renew)
	took := s.client.opts.Now().Sub(sent)
	if err != nil {
		// Without an answer the epoch is not known either. The connection goes,
		// and with it the broker gives back what was not settled.
		b.cut()
		outcome := model.OutcomeNoAnswer
		if renew { // a record is not settled by it
			outcome = model.OutcomeGivenBack
		}
		return resultsOf(orders, outcome, whyUnreachable(err), took), true
	}
	if resp.ErrorCode != 0 {
		outcome := refusedOutcome(resp.ErrorCode)
		if lost = outcome == model.OutcomeNotHolder; lost {
			b.cut()
		} // else the broker still has the session, at the epoch that it was at
		return resultsOf(orders, outcome, refusedDetail(resp.ErrorCode, deref(resp.ErrorMessage)), took), lost
	}
	lock := time.Duration(resp.AcquisitionLockTimeoutMillis) * time.Millisecond
	return s.answers(orders, resp, sent, lock, took), false
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
