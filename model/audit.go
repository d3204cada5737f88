package model

import (
	"fmt"
	"time"
)

// AuditEntry is one line of the audit file: something that a person did to a
// share group. Names are raw there, in JSON's own escapes.
type AuditEntry struct {
	Time time.Time `json:"time"`
	// Who is the person as the operating system knows them, user@host.
	Who     string `json:"who"`
	Cluster Text   `json:"cluster"`
	// ClusterID is the id that the cluster has itself, whatever it is called
	// here; empty while no broker had told it.
	ClusterID Text `json:"cluster_id"`
	// Action is join, accept, release, reject, renew or leave; of a change it is
	// reset, delete-group, delete-offsets, set-config or unset-config.
	Action string  `json:"action"`
	Group  GroupID `json:"group"`
	Member Text    `json:"member"`
	// Record is the record that was acted on; nil for join and leave.
	Record *AuditRecord `json:"record,omitempty"`
	// Change is what is changed; nil for what a session does.
	Change *AuditChange `json:"change,omitempty"`
	// Outcome is "sending" before a request leaves, then what came of it.
	Outcome string `json:"outcome"`
	Detail  string `json:"detail,omitempty"`
}

// AuditRecord says which record an entry is about. Key and value are there only
// where that was asked for.
type AuditRecord struct {
	Topic     TopicName `json:"topic"`
	Partition int32     `json:"partition"`
	Offset    int64     `json:"offset"`
	Delivery  int       `json:"delivery"`
	Key       *Text     `json:"key,omitempty"`
	Value     *Text     `json:"value,omitempty"`
}

// ID is the record's name.
func (r *AuditRecord) ID() RecordID { return RecordID{r.Topic, r.Partition, r.Offset} }

// AuditChange says what a change is about: a partition's start offset, a
// config, or nothing more than the group.
type AuditChange struct {
	Topic     *TopicName `json:"topic,omitempty"`
	Partition *int32     `json:"partition,omitempty"`
	Config    *Text      `json:"config,omitempty"`
	// Old and New are the values before and after; nil where there is none.
	Old *Text `json:"old,omitempty"`
	New *Text `json:"new,omitempty"`
}

// String says what is changed, and from what to what: "orders-0: 8 to 3".
func (c *AuditChange) String() string {
	what := ""
	switch {
	case c.Config != nil:
		what = c.Config.String()
	case c.Topic != nil && c.Partition != nil:
		what = fmt.Sprintf("%s-%d", *c.Topic, *c.Partition)
	case c.Topic != nil:
		return c.Topic.String()
	}
	if c.Old == nil && c.New == nil {
		return what
	}
	none := Unknown
	if c.Config != nil {
		none = "(unset)"
	}
	return what + ": " + textOr(c.Old, none) + " to " + textOr(c.New, none)
}

func textOr(t *Text, none string) string {
	if t == nil {
		return none
	}
	return t.String()
}
