package kafka

import (
	"sharetop/model"
)

// audit writes entries down; nothing is written for none.
func (s *Session) audit(entries ...model.AuditEntry) error {
	if len(entries) == 0 {
		return nil
	}
	return s.options.Audit.Record(entries...)
}

// entry is what all lines of the session have in common.
func (s *Session) entry(action, outcome, detail string) model.AuditEntry {
	return model.AuditEntry{
		Time: s.client.opts.Now(), Who: s.options.Who, Cluster: s.client.conn.Name, Action: action,
		ClusterID: s.client.state.clusterID(), Group: s.terms.Group, Member: s.terms.Member, Outcome: outcome, Detail: detail,
	}
}

// auditOrders writes down what is about to be sent.
func (s *Session) auditOrders(orders []order, outcome string, renew bool) error {
	entries := make([]model.AuditEntry, len(orders))
	for i, o := range orders {
		entries[i] = s.entry(actionOf(o.decision, renew), outcome, "")
		entries[i].Record = s.auditRecord(o.id, o.entry.delivery, o.entry.record)
	}
	return s.audit(entries...)
}

// auditResults writes down what came of it.
func (s *Session) auditResults(results []model.AckResult, renew bool) error {
	entries := make([]model.AuditEntry, len(results))
	for i, r := range results {
		entries[i] = s.entry(actionOf(r.Decision, renew), r.Outcome.String(), r.Detail)
		entries[i].Record = s.auditRecord(r.ID, r.Delivery, nil)
	}
	return s.audit(entries...)
}

func actionOf(d model.Decision, renew bool) string {
	if renew {
		return "renew"
	}
	return d.String()
}

func (s *Session) auditRecord(id model.RecordID, delivery int, record *model.Record) *model.AuditRecord {
	r := &model.AuditRecord{Topic: id.Topic, Partition: id.Partition, Offset: id.Offset, Delivery: delivery}
	if s.options.LogValues && record != nil {
		r.Key, r.Value = wholeText(record.Key), wholeText(record.Value)
	}
	return r
}

// wholeText is all that is held of some bytes; nil for Kafka's null.
func wholeText(b model.Blob) *model.Text {
	if b.IsNull() {
		return nil
	}
	t := outside(string(b.Bytes()))
	return &t
}

// noteAudit keeps, until it could be written again, that the audit file lacks
// what came of decisions.
func (s *Session) noteAudit(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notAudited = ""
	if err != nil {
		s.notAudited = "What came of decisions is not in the audit file (" + safeText(err.Error()) + "): nothing more is sent but releases."
	}
}
