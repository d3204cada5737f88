package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"sharetop/model"
)

// consumeFlags are the flags of consume.
type consumeFlags struct {
	most      int
	group     groupFlags
	topics    []string
	ack       string
	decide    string
	logValues bool
	execute   executeFlags

	id       model.GroupID
	decision model.Decision
}

func newConsume(p *program) *cobra.Command {
	var f consumeFlags
	cmd := p.command("consume GROUP", "Acquire records of a share group, print them, and acknowledge each", f.execute.opening(), f.run)
	cmd.Long = "consume joins a share group, acquires records, prints them and releases them again, or acknowledges\n" +
		"them as --ack or --decide says. Without --execute it says what that would mean, and peeks. With\n" +
		"--decide - each record is decided by a line of JSON on stdin that names it and has a decision:\n" +
		"  {\"topicName\":\"refunds\",\"partitionIndex\":0,\"offset\":9120,\"decision\":\"reject\"}\n" +
		"What is not decided by the end of the input, or before its lock ends, is released. Every way out releases\n" +
		"what is held. What is released comes first again, so the first batch with such a record is the last that\n" +
		"is taken, of at most 500. What came of each record goes to stderr."
	cmd.Example = "  sharetop consume payments-retry -n 5\n  sharetop consume payments-retry -n 1 --ack reject --execute\n" +
		"  mkfifo d; sharetop consume payments-retry -o jsonl --decide - --execute <d | judge >d"
	flags := cmd.Flags()
	flags.IntVarP(&f.most, "max", "n", model.DefaultTake, "at most `N` records")
	f.group.register(flags)
	flags.StringArrayVar(&f.topics, "topic", nil, "subscribe to this `topic`, not to what the group reads; can be given again")
	flags.StringVar(&f.ack, "ack", "release", "`decision` for each record: release, accept or reject")
	flags.StringVar(&f.decide, "decide", "", "`source` of a decision for each record: -, which is stdin")
	flags.BoolVar(&f.logValues, "log-values", false, "write keys and values of records to the audit file too")
	f.execute.register(flags)
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error { return f.check(cmd.Flags().Changed, args) }
	return cmd
}

func (f *consumeFlags) check(changed func(string) bool, args []string) (err error) {
	if f.id, err = f.group.one(args); err != nil {
		return err
	}
	if f.decision, err = parseDecision(f.ack); err != nil {
		return fmt.Errorf("--ack: %w", err)
	}
	switch {
	case f.most < model.MinTake || f.most > maxConsume:
		return fmt.Errorf("-n %d is out of bounds: use %d to %d", f.most, model.MinTake, maxConsume)
	case f.decide != "" && f.decide != "-":
		return fmt.Errorf("--decide %s: only -, which is stdin, can be read", f.decide)
	case f.decide != "" && changed("ack"):
		return errors.New("--ack and --decide exclude each other")
	}
	return f.execute.check()
}

// maxConsume bounds -n.
const maxConsume = 1_000_000

func parseDecision(text string) (model.Decision, error) {
	for _, d := range []model.Decision{model.Release, model.Accept, model.Reject} {
		if d.String() == text {
			return d, nil
		}
	}
	return model.Undecided, fmt.Errorf("%q is no decision: use release, accept or reject", text)
}

func (f *consumeFlags) run(ctx context.Context, v *visit) error {
	if f.execute.execute && v.readOnly() {
		return exit(ExitRefused, "refused: the connection is read-only; nobody joined")
	}
	l := v.look(0)
	l.about(f.id)
	l.thorough = true
	if _, err := l.run(ctx); err != nil {
		return err
	}
	if err := l.absence(f.id); err != nil {
		return err
	}
	g := l.last.Group(f.id)
	var topics []model.TopicName
	for _, name := range f.topics {
		topics = append(topics, model.NewTopicName(name))
	}
	cost := model.CostOfJoining(g, topics)
	if len(cost.Topics) == 0 {
		return fmt.Errorf("share group %s reads no topic: name one with --topic", f.id)
	}
	if f.execute.execute {
		return f.consume(ctx, v, cost)
	}
	v.say("would join %s, acquire at most %d of its records and %s; with --execute. What that means:", f.id, f.most, f.intent())
	v.remark(cost.Lines()...)
	return f.peek(ctx, v, g, cost.Topics)
}

// intent says what each record would get.
func (f *consumeFlags) intent() string {
	if f.decide != "" {
		return "acknowledge each as stdin decides"
	}
	return f.decision.String() + " each"
}

// peek shows what would come, as far as it can be told without acquiring it.
func (f *consumeFlags) peek(ctx context.Context, v *visit, g *model.Group, topics []model.TopicName) error {
	peeker, ok := v.source.(Peeker)
	if !ok {
		return errors.New("this connection can't peek")
	}
	var places []peekPlace
	for _, t := range topics {
		places = append(places, peekPlace{topic: t})
	}
	out := v.printer(recordsSheet())
	problems, err := v.peekGroup(ctx, peeker, out, g, places, min(f.most, model.MaxPeekRecords))
	if err != nil {
		return err
	}
	return v.peeked(out, problems)
}

// consume joins, takes until there are as many records as were asked for, and
// leaves whatever happens.
func (f *consumeFlags) consume(ctx context.Context, v *visit, cost model.JoinCost) (err error) {
	request := model.JoinRequest{Group: f.id, Topics: cost.Topics, Terms: cost.Terms}
	session, closeAudit, err := v.env.Join(ctx, v.source, request, AuditOptions{File: v.shared.auditFile, Values: f.logValues})
	if err != nil {
		return err
	}
	defer closeAudit()
	defer func() {
		// ctx may be done by now: what is held is released all the same.
		left := session.Leave(context.WithoutCancel(ctx))
		v.remark(left.Lines(v.shared.utc)...)
		if len(left.NotReleased)+len(left.Unanswered) > 0 && err == nil {
			err = &ExitError{Code: ExitPartial}
		}
	}()
	terms := cost.Terms
	agreed := session.Terms()
	terms.Group, terms.Member, terms.Topics = agreed.Group, agreed.Member, agreed.Topics
	c := &consuming{
		v: v, session: session, state: model.NewSession(terms, v.env.Now()),
		out: v.printer(recordsSheet()), decision: f.decision, outcomes: outcomes{},
	}
	if f.decide != "" {
		c.decisions = readDecisions(v.env.Stdin)
	}
	return c.run(ctx, f.most)
}

// consuming is one session of consume.
type consuming struct {
	v       *visit
	session Session
	state   *model.Session
	out     *printer
	// decision is what each record gets; decisions come from outside instead where
	// that is not nil.
	decision  model.Decision
	decisions <-chan recordDecision
	outcomes  outcomes
	taken     int
	// gaveBack says that some record was released. Those come first again, so that
	// going on would use up their deliveries one by one.
	gaveBack bool
}

// run takes and acknowledges batch after batch, up to one that gives records
// back.
func (c *consuming) run(ctx context.Context, most int) error {
	for c.taken < most && !c.gaveBack {
		more, err := c.batch(ctx, most-c.taken)
		if err != nil {
			return err
		}
		if !more {
			break
		}
	}
	if c.gaveBack && c.taken < most {
		c.v.say("%d of at most %d records were taken: what is released comes first again, and each time uses up a delivery", c.taken, most)
	}
	if err := c.out.end(nil); err != nil {
		return err
	}
	if c.taken == 0 {
		return exit(ExitTimeout, fmt.Sprintf("no record came within %s", c.v.shared.timeout))
	}
	return c.outcomes.error()
}

// batch takes records once; false when none came in time.
func (c *consuming) batch(ctx context.Context, most int) (more bool, err error) {
	limited, cancel := context.WithTimeout(ctx, c.v.shared.timeout)
	defer cancel()
	records, err := c.session.Take(limited, min(most, model.MaxTake))
	switch {
	case ctx.Err() != nil:
		return false, exit(ExitInterrupted, "interrupted")
	case errors.Is(err, context.DeadlineExceeded):
		return false, nil
	case err != nil:
		return false, err
	}
	c.state.Took(records, c.v.env.Now())
	for i := range records {
		c.print(&records[i])
	}
	if err := c.out.flush(); err != nil {
		return false, err
	}
	c.warn()
	c.taken += len(records)
	if err := c.decide(ctx, records); err != nil {
		return false, err
	}
	return true, c.acknowledge(ctx)
}

// warn says what is to be known about what is held.
func (c *consuming) warn() {
	first, more := c.state.Warnings(c.v.env.Now())
	for _, w := range first {
		c.v.say("%s: %s", w.ID, w.Text)
	}
	if more > 0 {
		c.v.say("and %d more such records", more)
	}
}

func (c *consuming) print(r *model.HeldRecord) {
	if r.Record == nil {
		c.v.say("%s could not be read: %s", r.ID, r.Unreadable)
		c.out.add(unreadableCells(r)...)
		return
	}
	c.out.add(recordCells(r.Record, word("held"), model.Known(int64(r.Delivery)), r.LockEnds)...)
}

// decide gives each record its decision: the same to all, or as they are read
// until all are decided, the input ends, or a lock is about to.
func (c *consuming) decide(ctx context.Context, records []model.HeldRecord) error {
	now := c.v.env.Now()
	if c.decisions == nil {
		for i := range records {
			c.state.Decide(records[i].ID, c.decision, now)
		}
		return nil
	}
	var lockEnds <-chan time.Time
	if next := c.state.NextLock(now); next != nil {
		timer := time.NewTimer(next.LockLeft(now) - 2*model.LockMargin)
		defer timer.Stop()
		lockEnds = timer.C
	}
	for held, decided := c.state.Count(c.v.env.Now()); decided < held; held, decided = c.state.Count(c.v.env.Now()) {
		select {
		case <-ctx.Done():
			return exit(ExitInterrupted, "interrupted")
		case <-lockEnds:
			c.v.say("a lock is about to end: what is not decided is released")
			return nil
		case d, open := <-c.decisions:
			switch {
			case !open:
				return nil
			case d.err != nil:
				return d.err
			case !c.state.Decide(d.id, d.decision, c.v.env.Now()):
				c.v.say("%s is not held: its decision is left out", d.id)
			}
		}
	}
	return nil
}

// acknowledge sends what is decided, and says what came of each.
func (c *consuming) acknowledge(ctx context.Context) error {
	now := c.v.env.Now()
	plan := c.state.Plan(now)
	for _, id := range plan.Archives {
		c.v.say("%s is released on its last delivery, and so archived", id)
	}
	for _, id := range plan.LeftOut {
		c.outcomes[failed]++
		c.v.say("%s: not sent, since its lock has ended or may end on the way", id)
	}
	acks := c.state.Begin(plan, now)
	c.gaveBack = slices.ContainsFunc(acks, func(a model.Acknowledgement) bool { return a.Decision == model.Release })
	results, err := c.session.Acknowledge(ctx, acks)
	if err != nil {
		return fmt.Errorf("nothing was acknowledged: %w", err)
	}
	c.state.Settle(results, c.v.env.Now())
	for i := range results {
		r := &results[i]
		if r.Beside() {
			continue // it was left out, which is said already
		}
		if r.Outcome == model.OutcomeDone {
			c.outcomes[done]++
		} else {
			c.outcomes[failed]++
		}
		detail := ""
		if r.Detail != "" {
			detail = " (" + r.Detail + ")"
		}
		c.v.say("%s: %s: %s%s", r.ID, r.Decision, r.Outcome, detail)
	}
	return nil
}
