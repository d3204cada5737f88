package ui

import (
	"testing"

	"sharetop/model"
)

// fakeAudit is an audit file in memory.
type fakeAudit struct{ entries []model.AuditEntry }

func (f fakeAudit) Last(int) ([]model.AuditEntry, error) { return f.entries, nil }
func (f fakeAudit) Path() string                         { return "/state/audit.jsonl" }

func TestAuditPage(t *testing.T) {
	log := fakeAudit{[]model.AuditEntry{{
		Time: fixtureTime(), Who: "ada@bastion1", Action: "accept", Outcome: "done", Group: model.NewGroupID("pay"),
		Record: &model.AuditRecord{Topic: model.NewTopicName("refunds"), Offset: 9120, Delivery: 2},
	}}}
	drive(t, 118, 30, func(d *driver) {
		d.board(incident())
		d.keys(":")
		d.typed("audit")
		d.keys("enter")
		d.wantText("/state/audit.jsonl", "accept", "done", "refunds-0@9,120 delivery 2", "ada@bastion1")
		d.keys("esc")
		d.wantNoText("/state/audit.jsonl")
	}, func(c *Config) { c.Audit = log })
}
