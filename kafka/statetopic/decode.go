package statetopic

import "encoding/binary"

const (
	snapshotWhat = "value of a share snapshot"
	updateWhat   = "value of a share update"

	// valueVersion is the only version of both values so far.
	valueVersion = 0
	// tagDeliveryCompleteCount is the one tagged field that is known.
	tagDeliveryCompleteCount = 0
	// batchSize is a batch's fields; its tag section takes a byte at least.
	batchSize = 8 + 8 + 1 + 2
)

// Decode reads a record's value into s, reusing its batches: it does not
// allocate once they are large enough. A newer version is a *VersionError, any
// other misfit a *FormatError; s then holds nothing of use.
func (s *Snapshot) Decode(b []byte) error {
	r := reader{what: snapshotWhat, b: b}
	if err := r.version("share snapshot"); err != nil {
		return err
	}
	s.SnapshotEpoch = r.int32()
	s.StateEpoch = r.int32()
	s.LeaderEpoch = r.int32()
	s.StartOffset = r.int64()
	s.CreateTimestamp = r.int64()
	s.WriteTimestamp = r.int64()
	s.UnknownTags = 0
	s.Batches = r.batches(s.Batches[:0], &s.UnknownTags)
	s.DeliveryCompleteCount = r.completeCount(&s.UnknownTags)
	return r.end()
}

// Decode reads a record's value into u; see Snapshot.Decode.
func (u *Update) Decode(b []byte) error {
	r := reader{what: updateWhat, b: b}
	if err := r.version("share update"); err != nil {
		return err
	}
	u.SnapshotEpoch = r.int32()
	u.LeaderEpoch = r.int32()
	u.StartOffset = r.int64()
	u.UnknownTags = 0
	u.Batches = r.batches(u.Batches[:0], &u.UnknownTags)
	u.DeliveryCompleteCount = r.completeCount(&u.UnknownTags)
	return r.end()
}

// version reads the two bytes in front of every value.
func (r *reader) version(what string) error {
	v := r.int16()
	if r.err == nil && v != valueVersion {
		return &VersionError{What: what + " version", Version: v}
	}
	return r.err
}

// batches appends a compact array of batches to dst.
func (r *reader) batches(dst []Batch, unknown *int) []Batch {
	n := r.uvarint() - 1
	if r.err != nil {
		return dst
	}
	if n < 0 {
		r.fail("the batches are null")
		return dst
	}
	if n > (len(r.b)-r.at)/(batchSize+1) {
		r.fail("more batches are announced than fit")
		return dst
	}
	for i := 0; i < n && r.err == nil; i++ {
		dst = append(dst, r.batch(unknown))
	}
	return dst
}

func (r *reader) batch(unknown *int) Batch {
	f := r.take(batchSize)
	if f == nil {
		return Batch{}
	}
	b := Batch{
		First: int64(binary.BigEndian.Uint64(f)),
		Last:  int64(binary.BigEndian.Uint64(f[8:])),
		State: int8(f[16]),
		Count: int16(binary.BigEndian.Uint16(f[17:])),
	}
	for n := r.uvarint(); n > 0 && r.err == nil; n-- {
		r.skipTag(unknown)
	}
	return b
}

// completeCount reads the tag section at the end of a value.
func (r *reader) completeCount(unknown *int) int32 {
	count := int32(NotTold)
	for n := r.uvarint(); n > 0 && r.err == nil; n-- {
		at := r.at
		if r.uvarint() != tagDeliveryCompleteCount {
			r.at = at
			r.skipTag(unknown)
			continue
		}
		if size := r.uvarint(); r.err == nil && size != 4 {
			r.fail("the delivery complete count is not 4 bytes long")
		}
		count = r.int32()
	}
	return count
}

// skipTag passes over one tagged field: its number, its size, its bytes.
func (r *reader) skipTag(unknown *int) {
	r.uvarint()
	r.take(r.uvarint())
	*unknown++
}
