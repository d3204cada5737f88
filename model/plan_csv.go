package model

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Bounds of a CSV file of offsets.
const (
	// MaxPlanBytes is the largest file that is read.
	MaxPlanBytes = 32 << 20
	// maxPlanRows is the most rows that are read.
	maxPlanRows = 500_000
)

// ReadPlanCSV reads a file of start offsets as Kafka's kafka-share-groups.sh
// writes with --export and reads with --from-file: lines without a title of
// topic,partition,offset or of group,topic,partition,offset. Lines of other
// groups are left out and counted. The error is a sentence that names the line.
func ReadPlanCSV(data []byte, group GroupID) (rows map[TopicPartition]int64, others int, err error) {
	if len(data) > MaxPlanBytes {
		return nil, 0, fmt.Errorf("the file has more than %d MiB", MaxPlanBytes>>20)
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	r.FieldsPerRecord, r.TrimLeadingSpace, r.ReuseRecord = -1, true, true
	rows = make(map[TopicPartition]int64)
	for n := 1; ; n++ {
		record, err := r.Read()
		switch {
		case errors.Is(err, io.EOF):
			return rows, others, noRows(len(rows), others, group)
		case err != nil:
			return nil, 0, fmt.Errorf("the file is not CSV: %s", Sanitize(err.Error()))
		case n > maxPlanRows:
			return nil, 0, fmt.Errorf("the file has more than %s lines", FormatInt(maxPlanRows))
		}
		mine, err := addPlanLine(rows, record, group)
		if err != nil {
			line, _ := r.FieldPos(0)
			return nil, 0, fmt.Errorf("line %d: %w", line, err)
		}
		if !mine {
			others++
		}
	}
}

// ReadPlan reads such a file from its beginning, and no more than MaxPlanBytes of
// it.
func ReadPlan(r io.Reader, group GroupID) (rows map[TopicPartition]int64, others int, err error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxPlanBytes+1))
	if err != nil {
		return nil, 0, err
	}
	return ReadPlanCSV(data, group)
}

// addPlanLine takes one line in; false for one of another group.
func addPlanLine(rows map[TopicPartition]int64, record []string, group GroupID) (mine bool, err error) {
	if len(record) == 4 {
		if record[0] != group.Raw() {
			return false, nil
		}
		record = record[1:]
	}
	if len(record) != 3 {
		return false, fmt.Errorf("it has %d fields; wanted are topic,partition,offset or group,topic,partition,offset", len(record))
	}
	partition, err := strconv.ParseInt(strings.TrimSpace(record[1]), 10, 32)
	if err != nil || partition < 0 {
		return false, fmt.Errorf("%q is no partition", Sanitize(record[1]))
	}
	offset, err := strconv.ParseInt(strings.TrimSpace(record[2]), 10, 64)
	if err != nil || offset < 0 {
		return false, fmt.Errorf("%q is no offset: a whole number from 0", Sanitize(record[2]))
	}
	key := TopicPartition{NewTopicName(strings.Clone(strings.TrimSpace(record[0]))), int32(partition)}
	if before, twice := rows[key]; twice && before != offset {
		return false, fmt.Errorf("%s-%d is named twice, with different offsets", key.Topic, key.Partition)
	}
	rows[key] = offset
	return true, nil
}

func noRows(mine, others int, group GroupID) error {
	switch {
	case mine > 0:
		return nil
	case others > 0:
		return fmt.Errorf("the file has %d lines, and none of group %s", others, group)
	}
	return errors.New("the file is empty")
}

// CSV is the plan as a file that Kafka's command reads with --from-file (since
// 4.4): topic,partition,offset of each row that is written.
func (p *Plan) CSV() []byte {
	return planCSV(p.Written(), func(r *PlanRow) Number { return r.New })
}

// UndoCSV takes the plan back: the start offsets of now for each row that is
// written, in the same form. Rows that have none now are left out; they are in
// NotUndone. It is empty when no row has one.
func (p *Plan) UndoCSV() []byte {
	return planCSV(p.Written(), func(r *PlanRow) Number { return r.Now })
}

// UndoTarget is the target of the plan that takes this one back.
func (p *Plan) UndoTarget(file Text) ResetTarget {
	t := ResetTarget{Kind: ToFile, Undo: true, Name: file, File: make(map[TopicPartition]int64)}
	for _, r := range p.Written() {
		if now, ok := r.Now.Get(); ok && now >= 0 {
			t.File[r.TopicPartition] = now
		}
	}
	return t
}

// NotUndone are the partitions that are written and had no start offset: the
// undo can't bring that back, deleting the topic's offsets can.
func (p *Plan) NotUndone() []TopicPartition {
	var out []TopicPartition
	for _, r := range p.Written() {
		if !r.Now.IsKnown() {
			out = append(out, r.TopicPartition)
		}
	}
	return out
}

// planCSV writes one line for each row whose number is known. Names of topics
// have no character that CSV would quote; one that did would be quoted.
func planCSV(rows []PlanRow, number func(*PlanRow) Number) []byte {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	for i := range rows {
		if n := number(&rows[i]).Or(math.MinInt64); n >= 0 {
			_ = w.Write([]string{ // a bytes.Buffer never fails
				rows[i].Topic.Raw(), strconv.Itoa(int(rows[i].Partition)), strconv.FormatInt(n, 10),
			})
		}
	}
	w.Flush()
	return b.Bytes()
}
