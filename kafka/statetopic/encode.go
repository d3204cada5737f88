package statetopic

import "encoding/binary"

// Append appends the value's bytes to b, as Kafka writes them.
func (s *Snapshot) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, valueVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(s.SnapshotEpoch))
	b = binary.BigEndian.AppendUint32(b, uint32(s.StateEpoch))
	b = binary.BigEndian.AppendUint32(b, uint32(s.LeaderEpoch))
	b = binary.BigEndian.AppendUint64(b, uint64(s.StartOffset))
	b = binary.BigEndian.AppendUint64(b, uint64(s.CreateTimestamp))
	b = binary.BigEndian.AppendUint64(b, uint64(s.WriteTimestamp))
	b = appendBatches(b, s.Batches)
	return appendCompleteCount(b, s.DeliveryCompleteCount)
}

// Append appends the value's bytes to b, as Kafka writes them.
func (u *Update) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, valueVersion)
	b = binary.BigEndian.AppendUint32(b, uint32(u.SnapshotEpoch))
	b = binary.BigEndian.AppendUint32(b, uint32(u.LeaderEpoch))
	b = binary.BigEndian.AppendUint64(b, uint64(u.StartOffset))
	b = appendBatches(b, u.Batches)
	return appendCompleteCount(b, u.DeliveryCompleteCount)
}

func appendBatches(b []byte, batches []Batch) []byte {
	b = binary.AppendUvarint(b, uint64(len(batches)+1))
	for _, batch := range batches {
		b = binary.BigEndian.AppendUint64(b, uint64(batch.First))
		b = binary.BigEndian.AppendUint64(b, uint64(batch.Last))
		b = append(b, byte(batch.State))
		b = binary.BigEndian.AppendUint16(b, uint16(batch.Count))
		b = append(b, 0)
	}
	return b
}

// appendCompleteCount writes the tag section: a field that has its default is
// left out.
func appendCompleteCount(b []byte, count int32) []byte {
	if count == NotTold {
		return append(b, 0)
	}
	b = append(b, 1, tagDeliveryCompleteCount, 4)
	return binary.BigEndian.AppendUint32(b, uint32(count))
}
