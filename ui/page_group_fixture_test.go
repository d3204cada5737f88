package ui

import (
	"time"

	"sharetop/model"
)

// openRefunds is a board with the blocked group payments-retry open.
func openRefunds() *model.Board {
	b := incident()
	row := b.Rows[0]
	g := row.Group
	g.Described, g.OffsetsAt = b.Snapshot.Taken, b.Snapshot.Taken
	g.Epoch, g.AssignmentEpoch = model.Known(7), model.Known(7)
	g.Assignor = model.NewText("simple")
	g.Settings = &model.Settings{MaxRecordLocks: model.Known(2000)}
	g.Members = []model.Member{
		fixtureMember("refunder-2", "10.0.3.7", "eu-1a", model.Assignment{Topic: model.NewTopicName("refunds"), Partitions: []int32{0}}),
		fixtureMember("refunder-1", "ip-10-0-3-12.eu-central-1.compute.internal", "", model.Assignment{Topic: model.NewTopicName("refunds"), Partitions: []int32{1, 2}}, model.Assignment{Topic: model.NewTopicName("refunds.late"), Partitions: []int32{0, 1}}),
		fixtureMember("refunder-3", "10.0.3.9", "eu-1b"),
	}
	g.Configs = fixtureConfigs()
	row.Verdict.Evidence = []model.Sentence{
		"3 of 5 deliveries are over: it is free, or on its 4th",
		"13 records behind it are finished",
		"Nothing was finished since 14:43",
	}
	row.Verdict.Next = []string{"v look at it", "2 only refunder-2 (10.0.3.7) is assigned refunds-0", "3 share.renew.acknowledge.enable"}
	row.Verdict.Others = []model.Verdict{{Severity: model.SeverityWarn, Text: "members without an assignment for 12s: refunder-3"}}
	b.Open = &model.OpenGroup{ID: g.ID, Row: row, Partitions: fixturePartitions(), LagSeries: fixtureLag()}
	return b
}

func fixtureMember(client, host, rack string, assignment ...model.Assignment) model.Member {
	return model.Member{
		ID: model.NewText("a8Vx2Kq7QGm1" + client), ClientID: model.NewText(client), Host: model.NewText(host),
		Rack: model.NewText(rack), Epoch: 7, Assignment: assignment,
		Subscribed: []model.TopicName{model.NewTopicName("refunds"), model.NewTopicName("refunds.late")},
	}
}

func fixturePartitions() []model.PartitionRow {
	stuck := model.Drain{Kind: model.DrainStuck}
	done := model.Drain{Kind: model.DrainDone}
	fine := model.PartitionVerdict{Severity: model.SeverityFine, Finding: model.FindingCaughtUp, Text: "caught up"}
	blocked := model.PartitionVerdict{Severity: model.SeverityStuck, Finding: model.FindingBlocked, Text: "blocked"}
	part := func(topic string, n int32, start, end, lag, ahead int64, drain model.Drain, v model.PartitionVerdict) model.PartitionRow {
		return model.PartitionRow{
			SharePartition: model.SharePartition{Topic: model.NewTopicName(topic), Partition: n, Start: model.Known(start), Lag: model.Known(lag)},
			Log:            model.PartitionLog{Asked: true, Leader: 1 + n%3, LogStart: model.Known(start - start%1000), End: model.Known(end)},
			Ahead:          model.Known(ahead), Window: model.Known(ahead + min(1, lag)), Done: perSecond(0), Drain: drain, Verdict: v,
		}
	}
	rows := []model.PartitionRow{
		part("refunds", 0, 9120, 9147, 14, 13, stuck, blocked),
		part("refunds", 1, 8803, 9201, 0, 398, done, fine),
		part("refunds", 2, 8999, 8999, 0, 0, done, fine),
		part("refunds.late", 0, 120, 120, 0, 0, done, fine),
		{
			SharePartition: model.SharePartition{Topic: model.NewTopicName("refunds.late"), Partition: 1},
			Verdict:        model.PartitionVerdict{Severity: model.SeverityFine, Text: "empty topic"},
		},
	}
	return rows
}

func fixtureLag() []model.Number {
	lag := make([]model.Number, int(model.HistoryLength/model.HistoryStep))
	for i := range lag {
		switch {
		case i < 30:
		case i < 120:
			lag[i] = model.Known(int64(40 - (i-30)/4))
		default:
			lag[i] = model.Known(14)
		}
	}
	return lag
}

func fixtureConfigs() *model.Configs {
	entry := func(key, value string, source model.ConfigSource, low, high, kind, meaning string) model.ConfigEntry {
		return model.ConfigEntry{
			Key: model.NewText(key), Value: model.NewText(value), Source: source, Min: low, Max: high, Type: kind, Meaning: meaning,
			BrokerKey: model.NewText("group." + key),
		}
	}
	return &model.Configs{At: fixtureTime().Add(-time.Second), Entries: []model.ConfigEntry{
		entry("share.auto.offset.reset", "latest", model.ConfigFromDefault, "", "", "STRING", "Where a partition starts that has no start offset yet."),
		entry("share.delivery.count.limit", "5", model.ConfigFromDefault, "2", "10", "INT", "How often a record is delivered before it is archived."),
		entry("share.heartbeat.interval.ms", "5000", model.ConfigFromDefault, "5000", "15000", "INT", "How often members say that they are there."),
		entry("share.isolation.level", "read_uncommitted", model.ConfigFromDefault, "", "", "STRING", "Whether records of transactions that are not committed are delivered."),
		entry("share.partition.max.record.locks", "2000", model.ConfigFromDefault, "100", "4000", "INT", "How many records of a partition can be in flight at once."),
		entry("share.record.lock.duration.ms", "45000", model.ConfigFromGroup, "15000", "60000", "INT", "How long a member may hold a record before it is free again."),
		entry("share.renew.acknowledge.enable", "false", model.ConfigFromBroker, "", "", "BOOLEAN", "Whether members may renew the lock on a record."),
		entry("share.session.timeout.ms", "45000", model.ConfigFromDefault, "45000", "60000", "INT", "How long a silent member is kept."),
		entry("errors.deadletterqueue.topic.name", "", model.ConfigFromDefault, "", "", "STRING", "Where records go that are rejected or delivered too often."),
		entry("consumer.session.timeout.ms", "45000", model.ConfigFromDefault, "", "", "INT", ""),
	}}
}
