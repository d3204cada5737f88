package kafka

import (
	"slices"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"
)

// After a batch that can't be read a peek goes on behind what is known of it, and
// never at the same place again.
func TestScanGoesOnBehindWhatItCannotRead(t *testing.T) {
	good := batchAt(10, 0, "a", "b") // offsets 10 to 12
	changed := func(at int, to byte) []byte {
		b := slices.Clone(good)
		b[at] = to
		return b
	}
	for _, tt := range []struct {
		name string
		raw  []byte
		from int64
		at   int64 // where the scan goes on
		err  string
	}{
		{"good", good, 10, 13, ""},
		{"damaged", changed(len(good)-1, 0xff), 10, 13, "its checksum is wrong"},
		{"another format", changed(batchMagicAt, 1), 10, 11, "message format v1"},
		{"another format, asked for from within", changed(batchMagicAt, 1), 12, 13, "message format v1"},
		{"an offset below zero", changed(0, 0x80), 10, 11, "its offsets make no sense"},
		{"a last offset before the first", changed(batchLastAt, 0x80), 10, 11, "its offsets make no sense"},
		{"a length of nothing", make([]byte, batchHeader), 10, 11, "shorter than its header"},
		{"cut off", good[:len(good)-1], 10, 10, ""},
		{"read before", good, 13, 13, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &batchScan{at: tt.from, below: noLimit, max: 100, room: 1 << 20}
			err := s.batches(tt.raw, kgo.DefaultDecompressor())
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if s.at != tt.at {
				t.Errorf("goes on at %d, want %d", s.at, tt.at)
			}
		})
	}
}
