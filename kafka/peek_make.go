package kafka

import "sharetop/model"

// recordMaker makes the records of a scan. They are made in runs, and header
// names once, since a screen of records is many small ones that are alike.
type recordMaker struct {
	run   []model.Record
	slots []model.Header
	names map[string]model.Text
	// named is the last of them: one record mostly has the same as the next.
	named model.Text
}

// Bounds of a recordMaker.
const (
	// recordRun is how many records are made in one piece of memory, which stays
	// as long as one of them is held, with all their bytes: so records of more
	// than inRun bytes are made by themselves. A batch that is kept as a whole
	// stays so anyway, and has up to batchRun of its records in one piece.
	recordRun = 32
	batchRun  = 128
	inRun     = 16 << 10
	// maxHeaderNames bounds the names remembered; others are made each time.
	maxHeaderNames = 256
)

// record makes a record of what lies in its batch; topic, partition and offset
// are the scan's to add.
func (m *recordMaker) record(r rawRecord, h *batchFacts) *model.Record {
	out := m.next(len(r.key) + len(r.value) + len(r.headers))
	out.Millis = h.stamp(r.tsDelta)
	out.Key, out.Value = model.NewBlob(h.own(r.key)), model.NewBlob(h.own(r.value))
	if h.epoch >= 0 {
		out.LeaderEpoch = model.Known(int64(h.epoch))
	}
	if h.attrs&attrAppend != 0 {
		out.TimestampType = model.LogAppendTime
	}
	out.Headers, out.HeadersCut = m.headers(r, h)
	return out
}

// expect makes room for the records of a batch that is kept as a whole.
func (m *recordMaker) expect(n int) {
	if n = min(n, batchRun); n > len(m.run) {
		m.run = make([]model.Record, n)
	}
}

// next is an empty record that is to have so many bytes.
func (m *recordMaker) next(size int) *model.Record {
	if size > inRun {
		return new(model.Record)
	}
	if len(m.run) == 0 {
		m.run = make([]model.Record, recordRun)
	}
	out := &m.run[0]
	m.run = m.run[1:]
	return out
}

// headers reads model.MaxHeaders of a record's headers and counts the rest.
func (m *recordMaker) headers(r rawRecord, h *batchFacts) (out []model.Header, cut int) {
	if r.headerCount == 0 {
		return nil, 0
	}
	// The count is only claimed: the headers that are there are at least two bytes.
	out = m.room(min(r.headerCount, model.MaxHeaders, len(r.headers)/2))
	for i := range r.headerCount {
		name, value, rest, ok := nextHeader(r.headers)
		if !ok {
			break
		}
		r.headers = rest
		if i >= model.MaxHeaders {
			return out, r.headerCount - i
		}
		out = append(out, model.Header{Name: m.name(name), Value: model.NewBlob(h.own(value))})
	}
	return out, 0
}

// room is for so many headers, and no more: it lies in the same run as others.
func (m *recordMaker) room(n int) []model.Header {
	if n > recordRun {
		return make([]model.Header, 0, n)
	}
	if len(m.slots) < n {
		m.slots = make([]model.Header, 2*recordRun)
	}
	out := m.slots[:0:n]
	m.slots = m.slots[n:]
	return out
}

// name is a header's name, made once.
func (m *recordMaker) name(raw []byte) model.Text {
	if string(raw) == m.named.Raw() {
		return m.named
	}
	if known, ok := m.names[string(raw)]; ok {
		m.named = known
		return known
	}
	text := outside(string(raw))
	m.named = text
	if m.names == nil {
		m.names = make(map[string]model.Text)
	}
	if len(m.names) < maxHeaderNames {
		m.names[text.Raw()] = text
	}
	return text
}
