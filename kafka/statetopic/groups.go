package statetopic

import (
	"iter"
	"maps"
	"slices"
	"unsafe"

	"sharetop/model"
)

// group is a share group as far as the state topic has it.
type group struct {
	id string
	// entries are sorted by place.
	entries []*entry
	changed bool
}

// find returns where in the entries a place is or belongs; nil has none.
func (g *group) find(p place) (at int, found bool) {
	if g == nil {
		return 0, false
	}
	return slices.BinarySearchFunc(g.entries, p, func(e *entry, p place) int { return e.compare(p) })
}

// GroupPartition is one share-partition of a group.
type GroupPartition struct {
	TopicID   model.TopicID
	Partition int32
	// State is immutable, and the same pointer as before when nothing changed;
	// nil when it can't be told.
	State *model.PartitionState
	// Err says why there is no State.
	Err error
}

// Sizes for Memory: an entry with its place in the group's list, the state handed
// out and, at worst, parts of its own beside those; a group with its id and its
// place in the map; and a batch.
const (
	batchMemory = int64(unsafe.Sizeof(model.StateBatch{}))
	entryMemory = int64(unsafe.Sizeof(entry{})+unsafe.Sizeof(model.PartitionState{})+2*unsafe.Sizeof(model.StateParts{})) + 16
	groupMemory = int64(unsafe.Sizeof(group{})) + 64
	eventMemory = int64(unsafe.Sizeof(Event{}))
)

// join makes an entry of a group, which is put into the table with its first one.
func (t *Table) join(g *group, p place) *entry {
	if len(g.entries) == 0 {
		t.groups[g.id] = g
		t.memory += groupMemory + int64(len(g.id))
	}
	e := &entry{group: g, place: p, parts: newParts(), head: NotTold}
	at, _ := g.find(p)
	g.entries = slices.Insert(g.entries, at, e)
	t.entries++
	t.memory += entryMemory
	return e
}

// leave takes an entry out of its group, and a group without any out of the
// table.
func (t *Table) leave(e *entry) {
	g := e.group
	t.touch(g)
	g.entries = slices.DeleteFunc(g.entries, func(o *entry) bool { return o == e })
	t.entries--
	delete(t.broken, e)
	t.memory -= entryMemory + int64(cap(e.parts.Batches))*batchMemory
	if len(g.entries) == 0 {
		delete(t.groups, g.id)
		t.memory -= groupMemory + int64(len(g.id))
	}
}

func (t *Table) touch(g *group) {
	if !g.changed {
		g.changed = true
		t.changed = append(t.changed, g)
	}
}

// Changed returns the raw ids of the groups of which anything has changed since
// the last call, in no order. A group that is gone is among them once.
func (t *Table) Changed() []string {
	if len(t.changed) == 0 {
		return nil
	}
	ids := make([]string, 0, len(t.changed))
	for _, g := range t.changed {
		g.changed = false
		ids = append(ids, g.id)
	}
	clear(t.changed)
	t.changed = t.changed[:0]
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Groups yields the raw id of every group, in no order.
func (t *Table) Groups() iter.Seq[string] { return maps.Keys(t.groups) }

// Topics returns the ids of all topics that there is a state of, in no order.
func (t *Table) Topics() []model.TopicID {
	ids := make(map[model.TopicID]struct{})
	for _, g := range t.groups {
		for _, e := range g.entries {
			ids[e.topic] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(ids))
}

// Group returns the share-partitions of a group by its raw id, sorted by topic
// id and partition; nil when the state topic has none.
func (t *Table) Group(id string) []GroupPartition {
	g := t.groups[id]
	if g == nil {
		return nil
	}
	list := make([]GroupPartition, len(g.entries))
	for i, e := range g.entries {
		t.memory -= int64(cap(e.parts.Batches)) * batchMemory
		list[i] = GroupPartition{TopicID: e.topic, Partition: e.partition, State: e.publish(), Err: t.broken[e]}
		t.memory += int64(cap(e.parts.Batches)) * batchMemory
	}
	return list
}

// Err says why some share-partition of a group has no State; nil when all have
// theirs, or there are none. It is for asking often: it does not allocate.
func (t *Table) Err(id string) error {
	if g := t.groups[id]; g != nil {
		for _, e := range g.entries {
			if e.broken {
				return t.broken[e]
			}
		}
	}
	return nil
}

// Sound tells that every share-partition of every group has its State.
func (t *Table) Sound() bool { return len(t.broken) == 0 }

// Len is the number of share-partitions held.
func (t *Table) Len() int { return t.entries }

// Memory is about how many bytes the table takes, what it has handed out last
// included.
func (t *Table) Memory() int64 {
	events := cap(t.archived.events) + cap(t.history.events)
	return t.memory + int64(events)*eventMemory
}
