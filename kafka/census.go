package kafka

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

const (
	// describeChunk is the most groups in one ShareGroupDescribe request.
	describeChunk = 500
	// patience is how long a broker may take before its silence is told.
	patience = 500 * time.Millisecond
	// groupType is how share groups are called in lists (KIP-848, KIP-932).
	groupType = "share"
)

// runCensus lists and describes the groups of one broker, and asks for the
// offsets of those on screen as soon as the list is there.
func (c *Client) runCensus(ctx context.Context, nd *node) error {
	c.warmUp(ctx, nd.link)
	answer, err := c.list(ctx, nd)
	if err != nil {
		c.unreachable(ctx, nd, err)
		return err
	}
	first, code := c.reached(nd), answer.ErrorCode
	if code == 0 {
		err = c.mergeList(nd, answer)
		c.state.cure(problemKey{actionList, brokerKey(nd.id)})
	} else {
		c.state.listFailed(nd.id)
		c.state.report(problemKey{actionList, brokerKey(nd.id)}, listProblem(nd.id, nd.link.addr, code))
	}
	if first { // not before the groups are known that it lists
		c.schedule.kick(c.settings, c.configs)
	}
	c.askOffsets(nd)
	if err == nil && !c.demand.scope().ListOnly {
		err = c.describe(ctx, nd)
	}
	if err != nil {
		c.unreachable(ctx, nd, err)
		return err
	}
	if code != 0 {
		return kerr.ErrorForCode(code)
	}
	return nil
}

// warmUp opens the connection that offsets will be asked on while the list of
// groups is on its way: opened when they are, it costs two round trips more
// before the first rows are complete. What fails is told by the request that
// needs it.
func (c *Client) warmUp(ctx context.Context, l *link) {
	if c.tail.forced() || c.demand.scope().NoOffsets || !l.warmed.CompareAndSwap(false, true) {
		return
	}
	c.wg.Go(func() {
		_, _ = ask[*kmsg.ApiVersionsResponse](ctx, l, roleOffsets, kmsg.NewPtrApiVersionsRequest())
	})
}

// list asks one broker for its share groups. While it is silent for longer than
// patience that is told, so that a screen can name what is missing.
func (c *Client) list(ctx context.Context, nd *node) (*listResponse, error) {
	silence := time.AfterFunc(patience, func() {
		if c.nodes.setReachable(nd.id, false) {
			c.state.setReachable(nd.id, false)
		}
		c.state.reportFirst(problemKey{actionReach, brokerKey(nd.id)}, slowProblem(nd.id, nd.link.addr))
	})
	defer silence.Stop()
	return ask[*listResponse](ctx, nd.link, roleControl, newListRequest(c.listSeed, c.state.knownList(nd.id)))
}

// mergeList takes in what a broker lists, as far as the scope is about it, unless
// it is what was merged before.
func (c *Client) mergeList(nd *node, answer *listResponse) error {
	scope := c.demand.scope()
	if !scope.Only && answer.raw != nil && c.state.sameList(nd.id, answer.sum) {
		return nil
	}
	groups, err := answer.groups(only(scope))
	if err == nil {
		c.state.mergeList(nd.id, groups, answer.sum)
	}
	return err
}

// reached notes that a broker answers, and tells whether that is new.
func (c *Client) reached(nd *node) (first bool) {
	if first = c.nodes.setReachable(nd.id, true); first {
		c.state.setReachable(nd.id, true)
	}
	c.state.cure(problemKey{actionReach, brokerKey(nd.id)}, problemKey{actionBootstrap, ""})
	if c.nodes.link(nd.id) == nil { // it has left in the meantime, and was named
		c.state.reportFirst(problemKey{actionReach, brokerKey(nd.id)}, departedProblem(nd.id, nd.link.addr))
	}
	return first
}

func (c *Client) unreachable(ctx context.Context, nd *node, err error) {
	if ctx.Err() != nil {
		return
	}
	c.opts.Logf("broker %d at %s: %v", nd.id, nd.link.addr, err)
	c.nodes.setReachable(nd.id, false)
	c.state.setReachable(nd.id, false)
	c.state.listFailed(nd.id)
	c.state.markTried(nd.id)
	c.state.report(problemKey{actionReach, brokerKey(nd.id)}, reachProblem(nd.id, nd.link.addr, err))
	c.swept()
}

// askOffsets makes the source ask for the groups of one broker: those of the
// scope now, all others in turn.
func (c *Client) askOffsets(nd *node) {
	scope := c.demand.scope()
	if scope.NoOffsets {
		if c.state.lacksConfigs(scope.Open.Raw()) {
			c.schedule.kick(c.configs)
		}
		c.state.markTried(nd.id)
		return
	}
	groups, layout := c.state.groupsAt(nd.id, scope)
	c.source.Follow(nd.id, byCoordinator(c.state.targets(wanted(scope)))[nd.id])
	c.sweep(nd, scope, groups, layout)
	if c.state.lacksConfigs(scope.Open.Raw()) {
		c.schedule.kick(c.configs)
	}
	c.state.markTried(nd.id)
	c.swept()
}

// sweep adds the groups that a broker coordinates to the round, and makes the
// source ask for those that are new in it. While the state topic covers all of
// them, and none came or went, another round would tell nothing.
func (c *Client) sweep(nd *node, scope model.Scope, groups []string, layout uint64) {
	c.sweeper.retain(c.state.has)
	covered := c.tail.coversAll()
	if covered && nd.covered == layout && !scope.Once {
		return
	}
	nd.covered = 0
	fresh, fast := c.sweeper.extend(groups, roundGap(scope))
	if len(fresh) > 0 {
		c.source.Sweep(nd.id, fresh, fast || scope.Once)
		c.schedule.kickSoon(c.settings)
	}
	if covered && c.sweeper.isFirstOver() {
		nd.covered = layout
	}
}

// roundGap is the least time from one round through all groups to the next. A
// printout is made of one round, however long the rest of it takes.
func roundGap(scope model.Scope) time.Duration {
	if scope.Once {
		return math.MaxInt64
	}
	return 2 * interval(scope)
}

// describe asks one broker to describe the groups it coordinates, and the
// opened one if nobody lists it.
func (c *Client) describe(ctx context.Context, nd *node) error {
	ids := c.dueDescriptions(nd)
	c.visibleFirst(ids)
	if err := c.describeChunks(ctx, nd, ids); err != nil {
		return err
	}
	if open := c.demand.scope().Open.Raw(); open != "" && !c.state.knows(open) {
		return c.describeOpen(ctx, nd, open)
	}
	return nil
}

// dueDescriptions are the groups of one broker to describe in this tick: all of
// them, where that is one request. Where there are more, those of the scope and
// those that changed by the list, and of the others a request's worth in turn: described
// all at every tick, thousands of groups are felt by everybody else.
func (c *Client) dueDescriptions(nd *node) []string {
	scope := c.demand.scope()
	ids, _ := c.state.groupsAt(nd.id, scope)
	if len(ids) <= describeChunk || scope.Once {
		return slices.Clone(ids)
	}
	from, _ := slices.BinarySearch(ids, nd.describedTo+"\x00")
	turn := slices.Concat(ids[from:], ids[:from])[:describeChunk]
	nd.describedTo = turn[describeChunk-1]
	due := c.state.changedOr(wanted(scope), ids)
	for _, id := range turn {
		due[id] = struct{}{}
	}
	return slices.Collect(maps.Keys(due))
}

// visibleFirst orders ids so that the rows on screen are described first.
func (c *Client) visibleFirst(ids []string) {
	first := make(map[string]int)
	for i, id := range wanted(c.demand.scope()) {
		first[id] = i + 1
	}
	if len(first) == 0 || len(ids) <= describeChunk {
		return
	}
	rank := func(id string) int {
		if r := first[id]; r > 0 {
			return r
		}
		return len(first) + 1
	}
	slices.SortStableFunc(ids, func(a, b string) int { return rank(a) - rank(b) })
}

func describeGroups(ctx context.Context, l *link, ids []string) (*kmsg.ShareGroupDescribeResponse, error) {
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = ids
	return ask[*kmsg.ShareGroupDescribeResponse](ctx, l, roleControl, req)
}

// describeChunks asks for the groups in turn; the next request is on its way
// while an answer is taken in.
func (c *Client) describeChunks(ctx context.Context, nd *node, ids []string) error {
	type answer struct {
		groups []kmsg.ShareGroupDescribeResponseGroup
		err    error
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answers := make(chan answer, 1)
	c.wg.Go(func() {
		defer close(answers)
		for chunk := range slices.Chunk(ids, describeChunk) {
			var a answer
			resp, err := describeGroups(ctx, nd.link, chunk)
			if a.err = err; err == nil {
				a.groups = resp.Groups
			}
			select {
			case answers <- a:
			case <-ctx.Done():
			}
			if err != nil {
				return
			}
		}
	})
	for a := range answers {
		if a.err != nil {
			return a.err
		}
		c.mergeDescriptions(nd, a.groups)
	}
	return nil
}

func (c *Client) mergeDescriptions(nd *node, groups []kmsg.ShareGroupDescribeResponseGroup) {
	moved := false
	c.state.together(func() {
		for i := range groups {
			c.state.mergeDescription(nd.id, &groups[i])
			moved = moved || groups[i].ErrorCode == kerr.NotCoordinator.Code
		}
	})
	if moved {
		c.relist()
	}
	if !c.hurried() {
		c.metTopics()
	}
}

// describeOpen asks one broker for a group that nobody lists. Only its
// coordinator answers with something else than NOT_COORDINATOR.
func (c *Client) describeOpen(ctx context.Context, nd *node, id string) error {
	resp, err := describeGroups(ctx, nd.link, []string{id})
	if err != nil {
		return fmt.Errorf("describing a group by its id: %w", err)
	}
	for i := range resp.Groups {
		g := &resp.Groups[i]
		switch g.ErrorCode {
		case 0:
			c.state.mergeDescription(nd.id, g)
			c.source.Follow(nd.id, []string{id})
			c.schedule.kick(c.configs)
		case kerr.NotCoordinator.Code:
		case kerr.GroupIDNotFound.Code:
			c.state.openGone(id, deref(g.ErrorMessage))
		default:
			c.state.openFailed(id, g.ErrorCode, deref(g.ErrorMessage))
		}
	}
	return nil
}
