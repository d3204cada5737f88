package statetopic

import (
	"encoding/binary"
	"math"

	"sharetop/model"
)

// KeyType is the kind of a record, the first two bytes of its key.
type KeyType int16

// The kinds of record.
const (
	// SnapshotKey: the value is the whole state, or null where the
	// share-partition was deleted.
	SnapshotKey KeyType = 0
	// UpdateKey: the value has only what changed.
	UpdateKey KeyType = 1
)

// ShareKey names a share-partition. Group is the raw group id.
type ShareKey struct {
	Group     string
	TopicID   model.TopicID
	Partition int32
}

// Key is the key of a record.
type Key struct {
	Type KeyType
	ShareKey
}

// Sizes of a key's parts: the type; then, for every type that is known, the
// group id behind its length, the topic id and the partition.
const (
	typeSize  = 2
	groupSize = 2
	tailSize  = 16 + 4
)

// ParseKey reads a record's key. A type that is not known is a *VersionError,
// any other misfit a *FormatError.
func ParseKey(b []byte) (Key, error) {
	t, body, err := splitKey(b)
	if err != nil {
		return Key{}, err
	}
	return Key{Type: t, ShareKey: shareKey(body)}, nil
}

// splitKey checks a key and divides it into its type and what names the
// share-partition. It does not allocate.
func splitKey(b []byte) (KeyType, []byte, error) {
	r := reader{what: "key", b: b}
	t := KeyType(r.int16())
	if r.err != nil {
		return 0, nil, r.err
	}
	if t != SnapshotKey && t != UpdateKey {
		return t, nil, &VersionError{What: "key type", Version: int16(t)}
	}
	r.take(int(r.int16()))
	r.take(tailSize)
	if err := r.end(); err != nil {
		return t, nil, err
	}
	return t, b[typeSize:], nil
}

// groupIn is the raw group id in what splitKey has checked.
func groupIn(body []byte) []byte { return body[groupSize : len(body)-tailSize] }

// placeIn is the share-partition in what splitKey has checked, read in a
// partition of the state topic.
func placeIn(body []byte, from int32) place {
	tail := body[len(body)-tailSize:]
	p := place{from: from}
	copy(p.topic[:], tail)
	p.partition = int32(binary.BigEndian.Uint32(tail[len(p.topic):]))
	return p
}

// shareKey is all that splitKey has checked.
func shareKey(body []byte) ShareKey {
	p := placeIn(body, 0)
	return ShareKey{Group: string(groupIn(body)), TopicID: p.topic, Partition: p.partition}
}

// AppendKey appends the key's bytes to b. A group id longer than a Kafka string
// can be (32,767 bytes) is cut there.
func AppendKey(b []byte, k Key) []byte {
	group := k.Group[:min(len(k.Group), math.MaxInt16)]
	b = binary.BigEndian.AppendUint16(b, uint16(k.Type))
	b = binary.BigEndian.AppendUint16(b, uint16(len(group)))
	b = append(b, group...)
	b = append(b, k.TopicID[:]...)
	return binary.BigEndian.AppendUint32(b, uint32(k.Partition))
}
