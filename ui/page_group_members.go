package ui

import (
	"cmp"
	"strconv"
	"strings"

	"sharetop/model"
)

// membersTab lists the group's members, and below them all of the one under
// the cursor.
type membersTab struct {
	detailTable[*model.Member, model.Text]
}

func newMembersTab(p *groupPage) membersTab {
	t := newTable(func(m *model.Member) model.Text { return m.ID }, memberColumns())
	t.stale = func(*model.Member) bool { return p.gone }
	return membersTab{detailTable[*model.Member, model.Text]{table: t, detail: memberDetail}}
}

func memberColumns() []column[*model.Member] {
	type row = *model.Member
	return []column[row]{
		textColumn(columnSpec{title: "CLIENT ID", flex: 1, min: 12, max: 40}, func(m row) model.Text { return m.ClientID }),
		textColumn(columnSpec{title: "HOST", flex: 1, min: 9, max: 40, tail: true, drop: 1}, func(m row) model.Text { return m.Host }),
		textColumn(columnSpec{title: "RACK", flex: 1, min: 4, max: 16, drop: 3}, func(m row) model.Text { return m.Rack }),
		{
			columnSpec: columnSpec{title: "EPOCH", right: true, drop: 2},
			cell:       func(m row, _ look, _ int) cell { return cell{text: model.FormatInt(int64(m.Epoch))} },
			compare:    func(a, b row) int { return cmp.Compare(a.Epoch, b.Epoch) },
		},
		{
			columnSpec: columnSpec{title: "PARTS", right: true},
			cell:       func(m row, _ look, _ int) cell { return cell{text: model.FormatInt(int64(assigned(m)))} },
			compare:    func(a, b row) int { return cmp.Compare(assigned(a), assigned(b)) },
		},
		{
			columnSpec: columnSpec{title: "MEMBER ID", flex: 1, min: 10, max: 36, drop: 4},
			cell:       func(m row, l look, _ int) cell { return cell{text: m.ID.String(), style: l.s.dim} },
		},
		{
			columnSpec: columnSpec{title: "ASSIGNMENT", flex: 1, min: 16},
			cell: func(m row, l look, _ int) cell {
				if len(m.Assignment) == 0 {
					return cell{text: model.Unknown, style: l.s.dim}
				}
				return cell{text: assignmentText(m, maxAssignment)}
			},
		},
	}
}

// textColumn is a column of outside text; what was not told is "–", dim.
func textColumn[T any](spec columnSpec, of func(T) model.Text) column[T] {
	return column[T]{
		columnSpec: spec,
		cell: func(r T, l look, _ int) cell {
			text := of(r)
			if text.Empty() {
				return cell{text: model.Unknown, style: l.s.dim}
			}
			return cell{text: text.String()}
		},
		compare: func(a, b T) int { return cmp.Compare(of(a).Raw(), of(b).Raw()) },
	}
}

// assigned is the number of partitions a member has.
func assigned(m *model.Member) int {
	n := 0
	for _, a := range m.Assignment {
		n += len(a.Partitions)
	}
	return n
}

// Bounds of a written-out assignment, in bytes: a member can have thousands of
// partitions. What is beyond is left out at the end.
const (
	maxAssignment     = 256
	maxFullAssignment = 4096
)

// assignmentText writes an assignment as Kafka's own command does, but for runs
// of three and more: orders:0,1;refunds:2-9. It stops soon after limit bytes.
func assignmentText(m *model.Member, limit int) string {
	var b strings.Builder
	for i, a := range m.Assignment {
		if i > 0 {
			b.WriteByte(';')
		}
		b.WriteString(a.Topic.String())
		for j := 0; j < len(a.Partitions); {
			if b.Len() > limit {
				b.WriteString("…")
				return b.String()
			}
			b.WriteByte(":,"[min(j, 1)])
			n := runLength(a.Partitions[j:])
			b.WriteString(strconv.Itoa(int(a.Partitions[j])))
			if n > 1 {
				b.WriteString("-" + strconv.Itoa(int(a.Partitions[j+n-1])))
			}
			j += n
		}
	}
	return b.String()
}

// runLength is how many numbers follow one another from the first on; 1 where
// they are too few to be worth writing as a run.
func runLength(partitions []int32) int {
	n := 1
	for n < len(partitions) && partitions[n] == partitions[n-1]+1 {
		n++
	}
	if n < 3 {
		return 1
	}
	return n
}

func (t *membersTab) refresh(_ *env, p *groupPage) {
	g := p.group()
	if g == nil {
		return
	}
	t.set(pointers(g.Members), whyNoMembers(g))
}

func whyNoMembers(g *model.Group) string {
	switch {
	case g.Described.IsZero() && len(g.Problems) > 0:
		return "The members of this group could not be seen:\n" + g.Problems[0].Detail
	case g.Described.IsZero():
		return "Asking the coordinator for the members of this group."
	default:
		return "This group has no members: nobody is reading.\nStart a share consumer with group.id " + g.ID.String() + "."
	}
}

// memberDetail is a member's name and all that is known of it.
func memberDetail(m *model.Member) (name string, fields []field) {
	name = m.ClientID.String()
	if name == "" {
		name = m.ID.String()
	}
	return name, []field{
		{"member id", m.ID.String()},
		{"subscribed", topicList(m.Subscribed)},
		{"assigned", orUnknown(assignmentText(m, maxFullAssignment))},
	}
}

// topicList names topics side by side.
func topicList(topics []model.TopicName) string {
	names := make([]string, len(topics))
	for i, t := range topics {
		names[i] = t.String()
	}
	return orUnknown(strings.Join(names, ", "))
}

func orUnknown(s string) string {
	if s == "" {
		return model.Unknown
	}
	return s
}

func (t *membersTab) copyItems() []copyItem {
	m, ok := t.table.Cursor()
	if !ok {
		return nil
	}
	return []copyItem{
		{what: "client id", text: m.ClientID.Raw()},
		{what: "member id", text: m.ID.Raw()},
		{what: "host", text: m.Host.Raw()},
	}
}
