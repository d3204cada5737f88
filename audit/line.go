package audit

import (
	"time"

	"sharetop/model"
)

// entryLine is a line as it is read back: names are plain strings there, and
// become safe for a terminal again.
type entryLine struct {
	Time    time.Time   `json:"time"`
	Who     string      `json:"who"`
	Cluster string      `json:"cluster"`
	Action  string      `json:"action"`
	Group   string      `json:"group"`
	Member  string      `json:"member"`
	Record  *recordLine `json:"record"`
	Outcome string      `json:"outcome"`
	Detail  string      `json:"detail"`
}

type recordLine struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Delivery  int    `json:"delivery"`
}

func (l *entryLine) entry() model.AuditEntry {
	e := model.AuditEntry{
		Time: l.Time, Who: model.Sanitize(l.Who), Cluster: model.NewText(l.Cluster), Action: model.Sanitize(l.Action),
		Group: model.NewGroupID(l.Group), Member: model.NewText(l.Member),
		Outcome: model.Sanitize(l.Outcome), Detail: model.Sanitize(l.Detail),
	}
	if r := l.Record; r != nil {
		e.Record = &model.AuditRecord{
			Topic: model.NewTopicName(r.Topic), Partition: r.Partition, Offset: r.Offset, Delivery: r.Delivery,
		}
	}
	return e
}
