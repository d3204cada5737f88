package kafka

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"sync"
	"time"

	"sharetop/model"
)

// Session is one membership of a share group in which a person takes records
// and decides each of them. It is safe for concurrent use.
//
// It speaks ShareGroupHeartbeat, ShareFetch and ShareAcknowledge itself rather
// than through kgo's share consumer, because of what that one does by itself
// (all measured): it accepts every record that was not decided when it is polled
// again, its deadline does not move after a renewal, it can't send a refused set
// again, and its Close can't be bounded. Here nothing is sent that was not asked
// for: the only partitionKey that writes an acknowledgement type is wireType, and it
// knows Accept from an explicit model.Acknowledgement only. Undecided is an
// error there, and every way out writes Release.
type Session struct {
	client  *Client
	options JoinOptions
	group   string
	member  string
	terms   model.SessionTerms
	factory clients
	ctx     context.Context
	cancel  context.CancelFunc
	wg      workers

	// taking is held while records are taken: one take at a time. It guards how many
	// fetches of this take were not answered.
	taking            sync.Mutex
	unansweredFetches int
	// asked is set before the first heartbeat leaves; only joining uses it.
	asked  bool
	once   sync.Once
	result model.LeaveResult
	// leaving is closed, with mu held, when leaving begins: then takes end,
	// heartbeats stop, and nothing more lines up.
	leaving chan struct{}
	// beats are the turns of heartbeats, of which leaving is the last: one that
	// came after it would join again.
	beats turns

	mu      sync.Mutex
	links   map[string]*link
	brokers map[int32]*sessionBroker
	// everyBroker is one for each address that a broker had during the session.
	everyBroker []*sessionBroker
	coordinator *link
	memberEpoch int32
	topics      map[[16]byte]string
	leaders     map[partitionKey]int32
	// lookedUp is when they were last asked for because one was not known.
	lookedUp time.Time
	assigned []partitionKey
	// reassigned is closed and replaced when assigned changes.
	reassigned chan struct{}
	ledger     map[model.RecordID]heldEntry
	// takes numbers what is acquired, so that a record that came again is not taken
	// for what it was before.
	takes int
	// fetchOpen is true while it is not known what a fetch has acquired.
	fetchOpen bool
	// decided is what came of decisions since leaving began.
	decided []model.AckResult
	trouble string
	// notAudited is the trouble with the audit file; a heartbeat does not end it.
	notAudited string
}

// partitionKey is one topic-partition by topic id, as the share requests name it.
type partitionKey struct {
	topic     [16]byte
	partition int32
}

// JoinOptions are what a session needs besides the request.
type JoinOptions struct {
	// Audit gets every acknowledgement before it is sent and what came of it.
	// Without it nothing is joined; when it fails nothing is sent any more but
	// the release of everything at the end.
	Audit Auditor
	// Who is the person for the audit file.
	Who string
	// ClientID is what the group's members are shown as; empty for "sharetop".
	ClientID string
	// LogValues puts keys and values into the audit file.
	LogValues bool
}

// Auditor keeps what a person did. An error means that it was not kept.
type Auditor interface {
	Record(entries ...model.AuditEntry) error
}

// Bounds of a session in time.
const (
	// joinTimeout bounds everything before the first heartbeat is answered.
	joinTimeout = 15 * time.Second
	// leaveTimeout bounds every way out: releasing and leaving together.
	leaveTimeout = 5 * time.Second
	// beforeLeavingGroup is what of leaveTimeout leaving the group waits for what is
	// on its way to brokers.
	beforeLeavingGroup = 2 * time.Second
	// closeConnections is what of leaveTimeout is left for closing connections.
	closeConnections = 300 * time.Millisecond
	// idleSession is how long an unused session connection is kept. kgo's own 30 s
	// would drop the connection under a record held longer, and the broker gives
	// everything back with it.
	idleSession = 10 * time.Minute
)

var errLeaving = errors.New("the session is being left")

// newSession makes a session that has not joined yet. Its connections are its
// own: they can be cut without the client's.
func (c *Client) newSession(r model.JoinRequest, o JoinOptions) *Session {
	ctx, cancel := context.WithCancel(context.Background())
	opts := c.opts
	if o.ClientID != "" {
		opts.SoftwareName = o.ClientID
	}
	factory := newClients(ctx, c.conn, opts)
	factory.software, factory.clientID = c.opts.SoftwareName, opts.SoftwareName
	s := &Session{
		client: c, options: o, group: r.Group.Raw(), member: newMemberID(), terms: r.Terms,
		factory: factory, ctx: ctx, cancel: cancel,
		leaving: make(chan struct{}), reassigned: make(chan struct{}),
		links: make(map[string]*link), brokers: make(map[int32]*sessionBroker),
		topics: make(map[[16]byte]string), leaders: make(map[partitionKey]int32),
		ledger: make(map[model.RecordID]heldEntry),
	}
	s.wg.panicked = c.opts.Panicked
	s.terms.Group, s.terms.Topics, s.terms.Member = r.Group, r.Topics, outside(s.member)
	s.terms.ClientID = outside(opts.SoftwareName)
	return s
}

// newMemberID is a random member id, made by the client as KIP-932 wants it.
func newMemberID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails, as its documentation says
	return base64.RawURLEncoding.EncodeToString(id[:])
}

// Terms are what holds for the session.
func (s *Session) Terms() model.SessionTerms { return s.terms }

// Trouble says what is wrong with the session now, in one sentence; empty when
// nothing is.
func (s *Session) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.notAudited, s.trouble)
}

func (s *Session) setTrouble(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = text
}

// Assigned is how many partitions the member has now.
func (s *Session) Assigned() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.assigned)
}

// linkTo is the session's own way to an address.
func (s *Session) linkTo(addr string) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.links[addr]
	if l == nil {
		l = newLink(addr, s.factory)
		s.links[addr] = l
	}
	return l
}

func (s *Session) isLeaving() bool {
	select {
	case <-s.leaving:
		return true
	default:
		return false
	}
}

// closeLinks cuts all connections of the session.
func (s *Session) closeLinks() {
	s.mu.Lock()
	links := make([]*link, 0, len(s.links))
	for _, l := range s.links {
		links = append(links, l)
	}
	s.mu.Unlock()
	closeLinks(links)
}
