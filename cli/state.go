package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// byStateTopic makes a verb read the state topic and nothing else for offsets:
// what it prints stands nowhere else, so a sweep by requests would be in vain.
func (p *program) byStateTopic(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("offsets-from") {
		p.shared.offsetsFrom = string(model.OffsetsByStateTopic)
	}
	if p.shared.offsetsFrom == string(model.OffsetsByRequests) {
		return fmt.Errorf("%s needs the state topic: leave out --offsets-from requests", cmd.Name())
	}
	return nil
}

// stateLook takes one look by the state topic. The error says why that is not
// read.
func (v *visit) stateLook(ctx context.Context, l *look) (*model.Board, error) {
	board, err := l.run(ctx)
	if err != nil {
		return nil, err
	}
	o := board.Snapshot.Offsets
	if phase := o.Tail.Phase; phase == model.TailLive || phase == model.TailBehind {
		return board, nil
	}
	why := "what became of single records stands in the topic __share_group_state, which is not read"
	if o.Why != "" {
		why += ": " + o.Why
	}
	if o.Advice != "" {
		why += "; to fix it: " + o.Advice
	}
	return nil, errors.New(why)
}

// runColumns are the columns that name a run of records.
func runColumns() []column {
	return []column{
		{title: "GROUP", name: "groupId"},
		{title: "TOPIC", name: "topicName"},
		{title: "TOPIC-ID", name: "topicId", wide: true},
		{title: "PARTITION>", name: "partitionIndex"},
		{title: "FIRST>", name: "firstOffset"},
		{title: "LAST>", name: "lastOffset"},
		{title: "RECORDS>", name: "recordCount"},
		{title: "COUNT>", name: "deliveryCount"},
		{title: "LIMIT>", name: "deliveryCountLimit"},
	}
}

// runCells are the cells of runColumns, for a run that has so many records. A limit
// that is only assumed is unknown.
func runCells(group model.GroupID, p model.Place, b model.StateBatch, records int64, limit model.DeliveryLimit) []cell {
	most := of(limit.Count)
	if limit.Assumed {
		most = cell{}
	}
	return []cell{
		of(group), outside(p.Topic.Text), word(p.TopicID.String()), of(int64(p.Partition)),
		of(b.First), of(b.Last), of(records), of(int64(b.Count)), most,
	}
}
