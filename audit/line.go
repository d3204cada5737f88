package audit

import (
	"time"

	"sharetop/model"
)

// entryLine is a line as it is read back: names are plain strings there, and
// become safe for a terminal again.
type entryLine struct {
	Time      time.Time   `json:"time"`
	Who       string      `json:"who"`
	Cluster   string      `json:"cluster"`
	ClusterID string      `json:"cluster_id"`
	Action    string      `json:"action"`
	Group     string      `json:"group"`
	Member    string      `json:"member"`
	Record    *recordLine `json:"record"`
	Change    *changeLine `json:"change"`
	Outcome   string      `json:"outcome"`
	Detail    string      `json:"detail"`
}

type recordLine struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"`
	Delivery  int    `json:"delivery"`
}

type changeLine struct {
	Topic     *string `json:"topic"`
	Partition *int32  `json:"partition"`
	Config    *string `json:"config"`
	Old       *string `json:"old"`
	New       *string `json:"new"`
}

func (l *changeLine) change() *model.AuditChange {
	c := &model.AuditChange{Partition: l.Partition, Config: textOf(l.Config), Old: textOf(l.Old), New: textOf(l.New)}
	if l.Topic != nil {
		topic := model.NewTopicName(*l.Topic)
		c.Topic = &topic
	}
	return c
}

func textOf(raw *string) *model.Text {
	if raw == nil {
		return nil
	}
	t := model.NewText(*raw)
	return &t
}

func (l *entryLine) entry() model.AuditEntry {
	e := model.AuditEntry{
		Time: l.Time, Who: model.Sanitize(l.Who), Cluster: model.NewText(l.Cluster),
		ClusterID: model.NewText(l.ClusterID), Action: model.Sanitize(l.Action),
		Group: model.NewGroupID(l.Group), Member: model.NewText(l.Member),
		Outcome: model.Sanitize(l.Outcome), Detail: model.Sanitize(l.Detail),
	}
	if r := l.Record; r != nil {
		e.Record = &model.AuditRecord{
			Topic: model.NewTopicName(r.Topic), Partition: r.Partition, Offset: r.Offset, Delivery: r.Delivery,
		}
	}
	if l.Change != nil {
		e.Change = l.Change.change()
	}
	return e
}
