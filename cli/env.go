package cli

import (
	"context"
	"io"
	"time"

	"sharetop/model"
)

// Snapshotter is where snapshots come from.
type Snapshotter interface {
	// Watch returns as soon as there is a snapshot newer than after, or ctx is
	// done. Partial success is the normal case: what could not be seen stands in
	// the snapshot.
	Watch(ctx context.Context, scope model.Scope, after model.Version) (*model.Snapshot, error)
}

// Source is an open connection to a cluster.
type Source interface {
	Snapshotter
	// Close ends all waits and connections, within seconds.
	Close()
}

// Peeker reads records without touching a group.
type Peeker interface {
	Peek(ctx context.Context, req model.PeekRequest) (*model.PeekResult, error)
}

// ConfigKeeper reads the configs that are kept for a group, there or not.
type ConfigKeeper interface {
	KeptConfigs(ctx context.Context, id model.GroupID) (*model.Configs, error)
}

// Changer changes share groups: it looks first, writes to the audit file, and
// reads back.
type Changer interface {
	Look(ctx context.Context, r model.LookRequest) (*model.GroupLook, error)
	Reset(ctx context.Context, p *model.Plan) (*model.ResetResult, error)
	DeleteGroups(ctx context.Context, ids []model.GroupID) ([]model.DeleteResult, error)
	DeleteOffsets(ctx context.Context, id model.GroupID, topic model.TopicName) (model.DeleteResult, error)
	LookConfig(ctx context.Context, change model.ConfigChange) (*model.ConfigFacts, error)
	ChangeConfig(ctx context.Context, change model.ConfigChange) (*model.ConfigResult, error)
}

// Session is one membership of a share group.
type Session interface {
	Terms() model.SessionTerms
	// Take acquires at most that many records, and returns as soon as there are
	// any.
	Take(ctx context.Context, most int) ([]model.HeldRecord, error)
	Acknowledge(ctx context.Context, acks []model.Acknowledgement) ([]model.AckResult, error)
	// Leave releases what is held and leaves the group, within seconds.
	Leave(ctx context.Context) model.LeaveResult
}

// Demo is a running demo cluster.
type Demo struct {
	// Bootstrap are its brokers, as host:port.
	Bootstrap []string
	// Stop ends it.
	Stop func()
}

// ScreenOptions is what the screen is started with.
type ScreenOptions struct {
	// Source is nil when no cluster was given: a person chooses one then, and
	// Connection has only what flags say of any.
	Source     Source
	Connection model.Connection
	// Request is what the command line says of how to connect, Settings and
	// Warnings what has come of it.
	Request  model.ConnectRequest
	Settings []model.Setting
	Warnings []string
	Rules    model.Rules
	// Demo says that the cluster is our own.
	Demo bool
	// Group is opened at the start; empty for none.
	Group string
	// AuditFile is where acknowledgements are written down; empty for the usual
	// place. LogValues puts keys and values there too.
	AuditFile string
	LogValues bool
	// UTC and ASCII are set by flags or by the locale.
	UTC, ASCII bool
	// Interval is the time between two ticks; 0 means the default.
	Interval time.Duration
}

// AuditOptions say how a session is written down.
type AuditOptions struct {
	// File is empty for the usual place. Values puts keys and values there too.
	File   string
	Values bool
}

// Env is the world outside this package, handed in by main.
type Env struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// StdoutIsTerminal says whether a person reads stdout directly.
	StdoutIsTerminal bool
	// ReaderGone waits until nobody reads stdout any more, as with head; it is
	// false when ctx has ended, and where the system can't tell. May be nil.
	ReaderGone func(ctx context.Context) bool
	// Getenv looks up an environment variable, as os.Getenv does.
	Getenv func(string) string
	// Now is the clock.
	Now func() time.Time
	// Version is what --version prints; see BuildVersion.
	Version func() string
	// Ask reads a secret from the terminal without echo; nil where stdin is none.
	Ask func(prompt string) (model.Secret, error)
	// Connect finds out how to connect, from the request and from all that is on
	// the machine. With an error there may still be settings to print.
	Connect func(model.ConnectRequest) (model.Resolved, error)
	// Open makes a connection; it does not wait for the cluster, only for the SSH
	// hosts before it. ask is for their passphrases, nil where nobody can be
	// asked. The error says what is wrong with the settings or the way.
	Open func(ctx context.Context, conn model.Connection, ask func(string) (model.Secret, error)) (Source, error)
	// Changer makes what changes groups on an open connection, with the audit file
	// (empty for the usual place). done waits for what is on its way, and is to be
	// called before the connection is closed.
	Changer func(source Source, auditFile string) (changer Changer, done func(), err error)
	// Join makes a new member of a share group, which writes to that audit file.
	// done closes the file, and is to be called after the session was left.
	Join func(ctx context.Context, source Source, r model.JoinRequest, audit AuditOptions) (session Session, done func(), err error)
	// Demo starts the demo cluster.
	Demo func(ctx context.Context) (Demo, error)
	// Rules reads a person's thresholds and mute list.
	Rules func() (model.Rules, error)
	// Screen runs the screen until it is left. An *ExitError says with which
	// code to exit; any other error is shown and means ExitFailure.
	Screen func(ctx context.Context, o ScreenOptions) error
}
