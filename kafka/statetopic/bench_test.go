package statetopic

import (
	"fmt"
	"runtime"
	"testing"

	"sharetop/model"
)

// BenchmarkDecodeUpdate is the decoder alone: a key looked at and an update of
// two batches and a count decoded.
func BenchmarkDecodeUpdate(b *testing.B) {
	u := update()
	value := u.Append(nil)
	key := AppendKey(nil, Key{Type: UpdateKey, ShareKey: ShareKey{Group: "connect-orders-sink"}})
	b.ReportAllocs()
	b.SetBytes(int64(len(key) + len(value)))
	for b.Loop() {
		if _, _, err := splitKey(key); err != nil {
			b.Fatal(err)
		}
		if err := u.Decode(value); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// log is a made-up state topic partition: many share-partitions, each with a
// snapshot and then updates that give back, finish and move the start on.
type log struct{ records []Record }

func makeLog(groups, partitions, updates int) log {
	var l log
	add := func(k Key, value []byte) {
		n := int64(len(l.records))
		l.records = append(l.records, Record{
			Offset: n, Timestamp: 1_000_000 + n, Key: AppendKey(nil, k), Value: value,
		})
	}
	each := func(kind KeyType, f func(i int) []byte) {
		for g := range groups {
			for p := range partitions {
				k := ShareKey{Group: fmt.Sprintf("booknest-packers-%05d", g), Partition: int32(p)}
				add(Key{Type: kind, ShareKey: k}, f(g))
			}
		}
	}
	each(SnapshotKey, func(int) []byte {
		s := Snapshot{StateEpoch: 2, StartOffset: NotTold, DeliveryCompleteCount: NotTold}
		return s.Append(nil)
	})
	for n := range updates {
		each(UpdateKey, func(int) []byte { return nthUpdate(int64(n)) })
	}
	return l
}

// nthUpdate finishes ten records and gives one back; the start follows at some
// distance.
func nthUpdate(n int64) []byte {
	u := Update{LeaderEpoch: NotTold, StartOffset: max(0, (n-8)*11), DeliveryCompleteCount: int32(min(n, 8) * 10)}
	u.Batches = []Batch{
		{First: n * 11, Last: n*11 + 9, State: StateAcknowledged, Count: 1},
		{First: n*11 + 10, Last: n*11 + 10, State: StateAvailable, Count: 1},
	}
	return u.Append(nil)
}

func (l log) load(tb testing.TB, t *Table) {
	for i := range l.records {
		if _, err := t.Apply(l.records[i]); err != nil {
			tb.Fatal(err)
		}
	}
}

// BenchmarkLoad reads 18,000 share-partitions of 6,000 groups with ten updates
// each, and hands out all of them once.
func BenchmarkLoad(b *testing.B) {
	l := makeLog(6000, 3, 10)
	b.ReportAllocs()
	for b.Loop() {
		t := NewTable(0)
		l.load(b, t)
		for _, id := range t.Changed() {
			t.Group(id)
		}
		if t.Len() != 18_000 {
			b.Fatal("not all were loaded")
		}
	}
	b.ReportMetric(float64(len(l.records)*b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// BenchmarkTail applies updates of 500 share-partitions that are watched, and
// hands out what changed after every 50: at 20 times a second that is 1,000
// updates a second.
func BenchmarkTail(b *testing.B) {
	benchmarkTail(b, 50)
}

// BenchmarkTailWithoutHandingOut is the merge alone.
func BenchmarkTailWithoutHandingOut(b *testing.B) {
	benchmarkTail(b, 1<<30)
}

func benchmarkTail(b *testing.B, handOut int) {
	const groups = 500
	l := makeLog(groups, 1, 0)
	t := NewTable(0)
	l.load(b, t)
	t.Watch(0)
	keys := make([][]byte, groups)
	for i := range keys {
		keys[i] = AppendKey(nil, Key{Type: UpdateKey, ShareKey: ShareKey{Group: fmt.Sprintf("booknest-packers-%05d", i)}})
	}
	values := make([][]byte, 1000)
	for i := range values {
		values[i] = nthUpdate(int64(i))
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		if _, err := t.Apply(Record{
			Offset: int64(groups + n), Key: keys[n%groups], Value: values[n/groups%len(values)],
		}); err != nil {
			b.Fatal(err)
		}
		n++
		if n%handOut == 0 {
			for _, id := range t.Changed() {
				t.Group(id)
			}
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "M/s")
}

// BenchmarkMemory says what 1,000 share-partitions take, all handed out.
func BenchmarkMemory(b *testing.B) {
	for _, c := range []struct {
		name    string
		batches int
	}{{"idle", 0}, {"10 batches", 10}, {"2000 batches", 2000}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				heap, _ := tableHeap(b, 200, 5, c.batches)
				b.ReportMetric(float64(heap), "B/1000-partitions")
			}
		})
	}
}

// tableHeap is what a table of so many share-partitions really takes, and what
// it says itself.
func tableHeap(tb testing.TB, groups, partitions, batches int) (heap, said int64) {
	l := makeLog(groups, partitions, 0)
	s := Snapshot{StateEpoch: 2}
	for i := range int64(batches) {
		s.Batches = append(s.Batches, Batch{First: i, Last: i, State: StateAvailable, Count: int16(1 + i%2)})
	}
	value := s.Append(nil)
	for i := range l.records {
		l.records[i].Value = value
	}
	before := liveHeap()
	t := NewTable(0)
	l.load(tb, t)
	states := make([][]GroupPartition, 0, groups)
	for _, id := range t.Changed() {
		states = append(states, t.Group(id))
	}
	heap = liveHeap() - before
	said = t.Memory()
	runtime.KeepAlive(states)
	runtime.KeepAlive(l)
	return heap, said
}

func liveHeap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// What the table says it takes is what the budget is held against: it may be a
// little off, not half.
func TestMemoryIsWhatItSays(t *testing.T) {
	for _, batches := range []int{0, 1, 10, 2000} {
		heap, said := tableHeap(t, 200, 5, batches)
		if said < heap*3/4 || said > heap*3/2 {
			t.Errorf("%d batches: says %d bytes, takes %d", batches, said, heap)
		}
		t.Logf("1,000 share-partitions of %d batches: %d KB, says %d KB", batches, heap/1000, said/1000)
	}
}

// Once a table has seen a share-partition, an update takes no memory.
func TestApplyDoesNotAllocate(t *testing.T) {
	f := newFeed(t)
	f.snapshot(Snapshot{})
	f.table.Watch(0)
	key := AppendKey(nil, Key{Type: UpdateKey, ShareKey: f.share})
	values := [][]byte{}
	for _, u := range []Update{accept(0, 9, 10), accept(20, 29, 20), accept(10, 19, 30)} {
		values = append(values, u.Append(nil))
	}
	if n := testing.AllocsPerRun(300, func() {
		f.next++
		if _, err := f.table.Apply(Record{Offset: f.next, Key: key, Value: values[f.next%3]}); err != nil {
			t.Error(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations an update", n)
	}
	if got := f.state().Batches(); len(got) != 1 || got[0].State != model.RecordFinished {
		t.Errorf("batches %v", got)
	}
}
