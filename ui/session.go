package ui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"sharetop/keymap"
	"sharetop/model"
)

// Consumer makes a person a member of a share group.
type Consumer interface {
	// Join returns once the group has taken the member in. The error is a
	// sentence.
	Join(ctx context.Context, r model.JoinRequest) (Session, error)
}

// Session is a membership with the records that it holds. Take and Leave wait for
// brokers: they belong into commands.
type Session interface {
	// Terms are what was agreed at joining.
	Terms() model.SessionTerms
	// Take acquires at most that many records and returns as soon as there are
	// any.
	Take(ctx context.Context, most int) ([]model.HeldRecord, error)
	// StartAcknowledge sends these decisions and nothing else, before all that is
	// asked for later. It does not wait for brokers; what it returns does.
	StartAcknowledge(acks []model.Acknowledgement) (wait func() ([]model.AckResult, error))
	// StartRenew begins the locks of these records anew, in the same way.
	StartRenew(ids []model.RecordID) (wait func() ([]model.AckResult, error))
	// Leave releases what is held and leaves, within five seconds.
	Leave(ctx context.Context) model.LeaveResult
	// Abandon cuts the connections at once; brokers release what they had.
	Abandon()
	// Trouble says what is wrong with the session now; empty when nothing is.
	Trouble() string
}

// AuditLog reads back what is written down of a person's acknowledgements.
type AuditLog interface {
	// Last gives the newest entries, newest first.
	Last(most int) ([]model.AuditEntry, error)
	// Path is where the file is.
	Path() string
}

// consumeMsg is a reply to a command of the consume page. It goes to that page
// wherever it is in the stack; the number says which page it was.
type consumeMsg interface{ page() int }

type (
	joinedMsg struct {
		number  int
		session Session
		err     error
	}
	tookMsg struct {
		number  int
		records []model.HeldRecord
		err     error
	}
	sentMsg struct {
		number  int
		results []model.AckResult
		err     error
		// more is true when records are to be taken once all is settled.
		more bool
	}
	renewedMsg struct {
		number  int
		results []model.AckResult
		err     error
	}
	leftMsg struct {
		number int
		result model.LeaveResult
	}
)

func (m joinedMsg) page() int  { return m.number }
func (m tookMsg) page() int    { return m.number }
func (m sentMsg) page() int    { return m.number }
func (m renewedMsg) page() int { return m.number }
func (m leftMsg) page() int    { return m.number }

func joinGroup(ctx context.Context, c Consumer, r model.JoinRequest, number int) tea.Cmd {
	return func() tea.Msg {
		session, err := c.Join(ctx, r)
		return joinedMsg{number, session, err}
	}
}

func takeRecords(ctx context.Context, s Session, most, number int) tea.Cmd {
	return func() tea.Msg {
		records, err := s.Take(ctx, most)
		return tookMsg{number, records, err}
	}
}

// sendDecisions begins at once: commands run in any order, and what was confirmed
// comes before the leaving that was typed after it.
func sendDecisions(s Session, acks []model.Acknowledgement, more bool, number int) tea.Cmd {
	wait := s.StartAcknowledge(acks)
	return func() tea.Msg {
		results, err := wait()
		return sentMsg{number, results, err, more}
	}
}

func renewLocks(s Session, ids []model.RecordID, number int) tea.Cmd {
	wait := s.StartRenew(ids)
	return func() tea.Msg {
		results, err := wait()
		return renewedMsg{number, results, err}
	}
}

func leaveSession(s Session, number int) tea.Cmd {
	return func() tea.Msg { return leftMsg{number, s.Leave(context.Background())} }
}

// withReasons turns off the keys that can't work with this configuration.
func withReasons(k keymap.KeyMap, cfg Config) keymap.KeyMap {
	reason := ""
	switch {
	case cfg.ReadOnly:
		reason = "this connection is read-only"
	case cfg.Consumer == nil:
		reason = "there is no way to join groups here"
	default:
		return k
	}
	k.Groups.Consume, k.Group.Consume = k.Groups.Consume.Off(reason), k.Group.Consume.Off(reason)
	return k
}

// consumeHere is the key for consuming as the brokers that are seen now allow
// it. What Kafka 4.1 has of share groups can hand out more records than a
// person agreed to take.
func consumeHere(e *env, b keymap.Binding) keymap.Binding {
	return offInPreview(e, b, "the brokers are older than Kafka 4.2 and may hand out more records than asked for")
}

// resetHere is the same for moving start offsets: Kafka 4.1 takes the request and
// does nothing.
func resetHere(e *env, b keymap.Binding) keymap.Binding {
	return offInPreview(e, b, "the brokers are older than Kafka 4.2, which do not move start offsets")
}

func offInPreview(e *env, b keymap.Binding, why string) keymap.Binding {
	if b.IsOff() || e.board == nil || e.board.Snapshot.Cluster.ShareGroups != model.SharePreview {
		return b
	}
	return b.Off(why)
}
