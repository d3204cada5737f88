package statetopic

// Batch is a run of offsets with a delivery state and count, as it is written.
type Batch struct {
	First, Last int64
	State       int8
	Count       int16
}

// The delivery states of a batch. Acquired is never written.
const (
	StateAvailable    int8 = 0
	StateAcquired     int8 = 1
	StateAcknowledged int8 = 2
	StateArchiving    int8 = 3
	StateArchived     int8 = 4
)

// NotTold stands for a start offset, epoch or count that is absent or unchanged.
const NotTold = -1

// Snapshot is the value of a record of type SnapshotKey: the whole state of a
// share-partition.
type Snapshot struct {
	SnapshotEpoch, StateEpoch, LeaderEpoch int32
	// StartOffset is NotTold before anything is settled.
	StartOffset int64
	// CreateTimestamp and WriteTimestamp are milliseconds since 1970. They are
	// the same when the state was new, and differ when an idle share-partition
	// is written once more.
	CreateTimestamp, WriteTimestamp int64
	Batches                         []Batch
	// DeliveryCompleteCount is NotTold where the field is absent (Kafka 4.1).
	DeliveryCompleteCount int32
	// UnknownTags counts tagged fields that this program does not know; they
	// are skipped. It is not written.
	UnknownTags int
}

// Update is the value of a record of type UpdateKey: what changed.
type Update struct {
	SnapshotEpoch int32
	// LeaderEpoch and StartOffset are NotTold when they did not change.
	LeaderEpoch int32
	StartOffset int64
	Batches     []Batch
	// DeliveryCompleteCount replaces the one before; NotTold where it is absent.
	DeliveryCompleteCount int32
	// UnknownTags counts tagged fields that this program does not know; they
	// are skipped. It is not written.
	UnknownTags int
}
