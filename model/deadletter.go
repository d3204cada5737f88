package model

import (
	"cmp"
	"slices"
	"strconv"
)

// DeadLetter is a record of a dead-letter topic with what its __dlq.errors.*
// headers say of the record that was given up (KIP-1191).
type DeadLetter struct {
	// Record is the newest copy in the dead-letter topic. Its timestamp is when
	// it was written there; its key and value are the source's only where
	// errors.deadletterqueue.copy.record.enable is true, else both are null.
	Record *Record
	// Copies is how often the same was written: at least once is all that Kafka
	// promises.
	Copies int
	// Source is where the record was; Topic is empty where no header told it.
	// It may be a topic id where Kafka no longer knew the name.
	Source     TopicName
	Partition  int32
	Offset     int64
	Group      GroupID
	Deliveries Number
	// Message is Kafka's reason.
	Message Text
}

// LetterKey is what makes two dead letters the same.
type LetterKey struct {
	Topic     TopicName
	Partition int32
	Offset    int64
	Group     GroupID
}

// Key is the letter's identity: the source record and the group that gave it
// up; where that is not told, the letter's own place.
func (d *DeadLetter) Key() LetterKey {
	if d.Source.Empty() {
		return LetterKey{d.Record.Topic, d.Record.Partition, d.Record.Offset, GroupID{}}
	}
	return LetterKey{d.Source, d.Partition, d.Offset, d.Group}
}

// HasCopy tells whether the letter has anything of the source record itself.
func (d *DeadLetter) HasCopy() bool { return !d.Record.Key.IsNull() || !d.Record.Value.IsNull() }

// Reason is the reason in a word or two; Kafka's own text where it is another.
func (d *DeadLetter) Reason() string {
	switch d.Message.raw {
	case "Offset rejected by client.":
		return "rejected"
	case "Offset delivery count exceeded the threshold.":
		return "delivery limit"
	case "":
		return Unknown
	}
	return d.Message.String()
}

// The headers of a dead letter, all of them text.
const (
	letterTopic     = "__dlq.errors.topic"
	letterPartition = "__dlq.errors.partition"
	letterOffset    = "__dlq.errors.offset"
	letterGroup     = "__dlq.errors.group"
	letterCount     = "__dlq.errors.delivery.count"
	letterMessage   = "__dlq.errors.message"
)

// ReadDeadLetter reads the headers of a record of a dead-letter topic. Headers
// that are missing or make no sense leave their value unknown.
func ReadDeadLetter(r *Record) DeadLetter {
	d := DeadLetter{Record: r, Copies: 1}
	var topic string
	partition, offset := int64(-1), int64(-1)
	for _, h := range r.Headers {
		text := string(h.Value.data)
		switch h.Name.raw {
		case letterTopic:
			topic = text
		case letterPartition:
			partition = wholeOr(text, -1)
		case letterOffset:
			offset = wholeOr(text, -1)
		case letterGroup:
			d.Group = NewGroupID(text)
		case letterCount:
			d.Deliveries = numberOf(wholeOr(text, -1))
		case letterMessage:
			d.Message = NewText(text)
		}
	}
	if topic != "" && partition >= 0 && partition <= maxPartition && offset >= 0 {
		d.Source, d.Partition, d.Offset = NewTopicName(topic), int32(partition), offset
	}
	return d
}

// maxPartition is the highest partition number that is taken for one.
const maxPartition = 1<<31 - 1

func wholeOr(text string, other int64) int64 {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return other
}

// DeadLetters reads records of a dead-letter topic: newest first, and one for
// each record that was given up, however often it was written.
func DeadLetters(records []*Record) []*DeadLetter {
	at := make(map[LetterKey]*DeadLetter, len(records))
	var all []*DeadLetter
	for _, r := range records {
		d := ReadDeadLetter(r)
		known := at[d.Key()]
		if known == nil {
			at[d.Key()] = &d
			all = append(all, &d)
			continue
		}
		copies := known.Copies + 1
		if newerFirst(&d, known) < 0 {
			*known = d
		}
		known.Copies = copies
	}
	slices.SortFunc(all, newerFirst)
	return all
}

func newerFirst(a, b *DeadLetter) int {
	return cmp.Or(
		cmp.Compare(b.Record.Millis, a.Record.Millis),
		cmp.Compare(a.Record.Partition, b.Record.Partition),
		cmp.Compare(b.Record.Offset, a.Record.Offset),
	)
}
