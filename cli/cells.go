package cli

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"sharetop/model"
)

// broker is a broker's id; unknown below 0.
func broker(id int32) cell {
	if id < 0 {
		return cell{}
	}
	return of(int64(id))
}

// outside is outside text; empty is unknown.
func outside(t model.Text) cell {
	if t.Empty() {
		return cell{}
	}
	return of(t)
}

// formed is a value that writes itself: safe in tables, raw in CSV on a pipe.
// Its JSON is what its MarshalJSON says.
type formed interface {
	text(form model.TextForm) string
}

// sum is a number of which a part may be missing, which tables mark. JSON and
// CSV say so in a column of its own.
type sum struct {
	model.Number
	partial bool
}

// total is a group's lag.
func total(row *model.Row) cell { return of(sum{row.Lag, row.LagPartial}) }

// drainTime is when the lag is 0: in seconds, unknown when it never is. Tables
// say which.
type drainTime model.Drain

func (d drainTime) seconds() string {
	switch d.Kind {
	case model.DrainIn:
		return strconv.FormatFloat(d.In.Seconds(), 'f', 3, 64)
	case model.DrainDone:
		return "0"
	case model.DrainNever, model.DrainStuck, model.DrainUnknown:
	}
	return ""
}

func (d drainTime) MarshalJSON() ([]byte, error) { return []byte(cmp.Or(d.seconds(), "null")), nil }

func (d drainTime) text(form model.TextForm) string {
	if form == model.TextSafe {
		return model.FormatDrain(model.Drain(d))
	}
	return d.seconds()
}

func severityTone(s model.Severity) tone {
	switch s {
	case model.SeverityStuck:
		return badTone
	case model.SeverityWarn:
		return warnTone
	case model.SeverityUnknown:
		return dimTone
	case model.SeverityFine:
	}
	return plain
}

// assignment is what a member is assigned: a list in JSON, else as Kafka's own
// command writes it: topicA:0,1;topicB:2.
type assignment []model.Assignment

func (a assignment) MarshalJSON() ([]byte, error) {
	type assigned struct {
		Topic      model.TopicName `json:"topicName"`
		Partitions []int32         `json:"partitions"`
	}
	list := make([]assigned, len(a))
	for i, t := range a {
		list[i] = assigned{t.Topic, append([]int32{}, t.Partitions...)}
	}
	return json.Marshal(list)
}

func (a assignment) text(form model.TextForm) string {
	texts := make([]string, len(a))
	for i, t := range a {
		texts[i] = form.Of(t.Topic.Text) + ":" + numbers(t.Partitions)
	}
	return strings.Join(texts, ";")
}

// count is how many partitions are assigned.
func (a assignment) count() (n int) {
	for _, t := range a {
		n += len(t.Partitions)
	}
	return n
}

func numbers(partitions []int32) string {
	texts := make([]string, len(partitions))
	for i, n := range partitions {
		texts[i] = strconv.Itoa(int(n))
	}
	return strings.Join(texts, ",")
}

// topics are names: a list in JSON, else separated by commas.
type topics []model.TopicName

func (n topics) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]model.TopicName{}, n...))
}

func (n topics) text(form model.TextForm) string {
	texts := make([]string, len(n))
	for i, t := range n {
		texts[i] = form.Of(t.Text)
	}
	return strings.Join(texts, ",")
}
