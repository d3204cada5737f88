package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// recordsTab lists records of one share-partition, or of all interleaved by
// timestamp, and shows the one under the cursor. It reads them by ordinary
// fetches: the group is not touched.
type recordsTab struct {
	recordSplit
	table *table[*model.Record, recordKey]
	// places are the group's share-partitions; at is which of them is shown,
	// allPlaces for all.
	places []partitionKey
	at     int
	// chosen is false until there is something to read; wish is the record that was
	// asked for meanwhile, nil for none.
	chosen bool
	wish   *recordKey
	window *model.RecordWindow
	// start says what the place is that the records begin at.
	start string
	// problems are why something could not be read, of each partition.
	problems map[int32]*model.Problem
	// together is the topic that is shown while all partitions are; where is what
	// a place is read from first; id is the topic's as it was read.
	together model.TopicName
	where    func(partitionKey) model.PeekRequest
	id       model.TopicID
	loader   recordLoader
	follow   follower
	find     recordFind
	// asking is the offset or time that is typed; nil otherwise. Mistake says
	// what is wrong with it.
	asking  *recordQuestion
	mistake string
	group   *groupPage
}

// recordKey is a record's identity within a tab.
type recordKey struct {
	topic     model.TopicName
	partition int32
	offset    int64
}

func keyOfRecord(r *model.Record) recordKey { return recordKey{r.Topic, r.Partition, r.Offset} }

// allPlaces is the place of all partitions together.
const allPlaces = -1

func newRecordsTab(e *env, p *groupPage) *recordsTab {
	t := &recordsTab{group: p, window: model.NewRecordWindow(false)}
	t.table = newTable(keyOfRecord, recordColumns(e, t.stateOf))
	t.table.stale = func(r *model.Record) bool { return !t.window.Whole(r) }
	t.recordSplit = recordSplit{env: e, beside: recordsBeside, list: t.table}
	return t
}

// outbox is what a tab wants done after a key or a message: a tab's methods
// return none themselves.
type outbox struct {
	cmds []tea.Cmd
	want intent
}

func (o *outbox) send(cmd tea.Cmd) {
	if cmd != nil {
		o.cmds = append(o.cmds, cmd)
	}
}

// take empties the outbox.
func (o *outbox) take() (intent, []tea.Cmd) {
	want, cmds := o.want, o.cmds
	o.want, o.cmds = nil, nil
	return want, cmds
}

// refresh takes what is now known of the group. Records stay as they were read.
func (t *recordsTab) refresh(e *env, p *groupPage) {
	t.group = p
	g := p.group()
	if g == nil {
		return
	}
	here, was := t.place()
	t.places = t.places[:0]
	for i := range g.Partitions {
		t.places = append(t.places, partitionKey{g.Partitions[i].Topic, g.Partitions[i].Partition})
	}
	slices.SortFunc(t.places, func(a, b partitionKey) int {
		return cmp.Or(cmp.Compare(a.topic.Raw(), b.topic.Raw()), cmp.Compare(a.partition, b.partition))
	})
	i := slices.Index(t.places, here)
	if was && i < 0 && t.chosen {
		// The group has it no more: it stays while it is shown.
		i = len(t.places)
		t.places = append(t.places, here)
	}
	if was && i >= 0 {
		t.at = i
	}
	if len(t.places) > 0 {
		t.at = min(t.at, len(t.places)-1)
	}
	if t.chosen {
		t.showCursor(e)
	}
}

// place is the share-partition that is shown; false for all or none.
func (t *recordsTab) place() (partitionKey, bool) {
	if t.at < 0 || t.at >= len(t.places) {
		return partitionKey{}, false
	}
	return t.places[t.at], true
}

// shownPlaces are the share-partitions that records are read of. Of all, those
// of one topic, and no more than maxInterleaved.
func (t *recordsTab) shownPlaces() []partitionKey {
	if at, one := t.place(); one {
		return []partitionKey{at}
	}
	all := t.togetherPlaces()
	return all[:min(len(all), maxInterleaved)]
}

// togetherPlaces are the share-partitions of the topic that all partitions are
// shown of.
func (t *recordsTab) togetherPlaces() (all []partitionKey) {
	for _, k := range t.places {
		if k.topic == t.together {
			all = append(all, k)
		}
	}
	return all
}

// problem is why something could not be read, of the first partition with one;
// nil when all could.
func (t *recordsTab) problem() *model.Problem {
	var first int32
	for partition := range t.problems {
		if len(t.problems) == 1 || t.problems[first] == nil || partition < first {
			first = partition
		}
	}
	out := t.problems[first]
	if n := len(t.problems); n > 1 {
		more := *out
		more.Detail = fmt.Sprintf("Of %d partitions not all can be read. %s", n, out.Detail)
		out = &more
	}
	return out
}

// maxInterleaved is the most partitions that are read side by side.
const maxInterleaved = 32

// open shows a share-partition from its head, unless it is shown already.
func (t *recordsTab) open(e *env, at partitionKey) {
	if here, ok := t.place(); t.chosen && ok && here == at {
		return
	}
	if i := slices.Index(t.places, at); i >= 0 {
		t.at = i
	}
	t.toHead(e)
}

// openFirst shows, once there is something to read, the record that was asked for
// meanwhile, else a share-partition from its head.
func (t *recordsTab) openFirst(e *env, at partitionKey) {
	if w := t.wish; w != nil {
		t.openAt(e, partitionKey{w.topic, w.partition}, w.offset)
		return
	}
	t.open(e, at)
}

// openAt shows one record of a share-partition.
func (t *recordsTab) openAt(e *env, at partitionKey, offset int64) {
	t.wish = &recordKey{at.topic, at.partition, offset}
	if i := slices.Index(t.places, at); i >= 0 {
		t.at = i
	}
	t.begin(e, "offset "+model.FormatInt(offset), func(k partitionKey) model.PeekRequest {
		r := t.request(k)
		r.Offset = offset
		return r
	})
}

// request is a peek at a share-partition as the group would be given it.
func (t *recordsTab) request(at partitionKey) model.PeekRequest {
	r := model.PeekRequest{Topic: at.topic, Partition: at.partition}
	if g := t.group.group(); g != nil {
		r.Committed = g.Effective().IsolationLevel == "read_committed"
	}
	return r
}

// sharePartition is what is known of a place; nil when nothing is.
func (t *recordsTab) sharePartition(at partitionKey) *model.SharePartition {
	g := t.group.group()
	if g == nil {
		return nil
	}
	for i := range g.Partitions {
		if p := &g.Partitions[i]; p.Topic == at.topic && p.Partition == at.partition {
			return p
		}
	}
	return nil
}

// stateOf is what the group has done with a record, as far as is known.
func (t *recordsTab) stateOf(r *model.Record) (model.RecordState, int16) {
	p := t.sharePartition(partitionKey{r.Topic, r.Partition})
	if p == nil {
		return model.RecordUnknown, 0
	}
	return p.State.StateAt(r.Offset)
}

// arrange hands the records over to the table.
func (t *recordsTab) arrange(e *env) {
	t.table.empty = t.whyEmpty()
	t.table.SetRows(t.find.only(t.window.Records()))
	t.showCursor(e)
}

// showCursor puts the record under the cursor into the pane.
func (t *recordsTab) showCursor(e *env) {
	r, _ := t.table.Cursor()
	t.send(t.pane.show(e, r, t.about(r)))
}

// about is what the group did with a record, for the pane.
func (t *recordsTab) about(r *model.Record) []field {
	if r == nil {
		return nil
	}
	state, count := t.stateOf(r)
	g := t.group.group()
	if g == nil || state == model.RecordUnknown {
		return nil
	}
	return []field{{"state", model.RecordWords(state, count, g.DeliveryLimit())}}
}

func (t *recordsTab) whyEmpty() string {
	switch {
	case t.find.text != "":
		return "Nothing loaded has " + preview(t.find.text) + " in its key or value: esc shows all."
	case len(t.problems) > 0:
		p := t.problem()
		return p.Detail + "\n" + p.Advice
	case t.loader.outstanding > 0:
		return "Reading."
	case len(t.places) == 0:
		return "This group has no share-partitions yet, so there is nothing to peek at."
	}
	return "There is no record here" + t.emptyPlace() + ".\nL shows the last ones, # goes to an offset, @ to a time."
}

// emptyPlace names the offsets that were looked at.
func (t *recordsTab) emptyPlace() string {
	at, one := t.place()
	if !one {
		return ""
	}
	e := t.window.Edge(at.partition)
	if e == nil {
		return ""
	}
	return fmt.Sprintf(" at or after offset %s, and the log ends at %s", model.FormatInt(e.From), model.FormatNumber(e.End))
}

// copyItems are the record's, its value first.
func (t *recordsTab) copyItems() []copyItem {
	items := t.pane.copyItems()
	if r := t.pane.record; r != nil {
		items = append(items, copyItem{
			what: "record", text: r.Topic.Raw() + "-" + strconv.Itoa(int(r.Partition)) + "@" + strconv.FormatInt(r.Offset, 10),
		})
	}
	return items
}

// close ends what is outstanding.
func (t *recordsTab) close() {
	t.loader.restart()
	t.follow.stop()
	t.find.stop()
	t.pane.stop()
}
