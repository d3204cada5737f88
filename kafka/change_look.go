package kafka

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// Look looks once at what a reset is about: who is in the group, its start
// offsets, the ends of the logs, and where asked the offsets at a time. That is
// one request for each, and for each leader one for every kind of offset. It
// changes nothing; that it may be done in read-only mode too costs one request
// for each broker. The error is a sentence.
func (ch *Changer) Look(ctx context.Context, r model.LookRequest) (*model.GroupLook, error) {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	l, err := ch.coordinator(ctx, r.Group.Raw())
	if err != nil {
		return nil, err
	}
	return ch.lookAt(ctx, l, r)
}

func (ch *Changer) lookAt(ctx context.Context, l *link, r model.LookRequest) (*model.GroupLook, error) {
	look := &model.GroupLook{Group: r.Group}
	if err := describeOne(ctx, l, look); err != nil {
		return nil, err
	}
	offsets, err := startsOf(ctx, l, r.Group.Raw())
	if err != nil {
		return nil, err
	}
	metadata, err := ch.metadataFor(ctx, topicsOf(r, offsets))
	if err != nil {
		return nil, err
	}
	parts := partitionsOf(r, offsets, metadata)
	ch.askEnds(ctx, parts, r.Target)
	for i := range parts {
		look.Partitions = append(look.Partitions, parts[i].LookPartition)
	}
	ch.addStates(r.Group.Raw(), look.Partitions)
	look.At = ch.client.opts.Now()
	return look, nil
}

// describeOne asks who is in a group.
func describeOne(ctx context.Context, l *link, look *model.GroupLook) error {
	raw := look.Group.Raw()
	req := kmsg.NewPtrShareGroupDescribeRequest()
	req.GroupIDs = []string{raw}
	resp, err := ask[*kmsg.ShareGroupDescribeResponse](ctx, l, roleControl, req)
	if err != nil {
		return fmt.Errorf("the coordinator of %s %s", safeText(raw), whyAndRemedy(err))
	}
	for i := range resp.Groups {
		d := &resp.Groups[i]
		switch {
		case d.GroupID != raw:
			continue
		case d.ErrorCode == kerr.GroupIDNotFound.Code:
			return isShareGroup(ctx, l, raw)
		case d.ErrorCode != 0:
			return sentence(groupProblem(raw, "state and members", d.ErrorCode, deref(d.ErrorMessage)))
		}
		var g model.Group
		newNames().applyDescription(&g, d)
		look.Exists, look.State, look.Members = true, g.State, g.Members
		return nil
	}
	return fmt.Errorf("the coordinator's answer does not name %s", safeText(raw))
}

// sentence makes a problem an error.
func sentence(p model.Problem) error {
	if p.Advice == "" {
		return fmt.Errorf("%s", p.Detail)
	}
	return fmt.Errorf("%s To fix it: %s", p.Detail, p.Advice)
}

// wantedPart is one partition of a look with its leader.
type wantedPart struct {
	model.LookPartition
	leader string // its address; empty when there is none
}

func startsOf(ctx context.Context, l *link, group string) ([]partitionOffsets, error) {
	ctx, cancel := context.WithTimeout(ctx, offsetsTimeout)
	defer cancel()
	resp, err := describeOffsets(ctx, l, group)
	if err != nil {
		return nil, fmt.Errorf("the coordinator of %s %s when asked for offsets", safeText(group), whyAndRemedy(err))
	}
	o := groupOffsets(group, resp, time.Time{})
	if o.Problem != nil {
		return nil, sentence(*o.Problem)
	}
	return o.partitions, nil
}

// topicsOf are the topics that a look is about.
func topicsOf(r model.LookRequest, offsets []partitionOffsets) []string {
	topics := make(map[string]struct{})
	switch {
	case r.Target.Kind == model.ToFile:
		for p := range r.Target.File {
			topics[p.Topic.Raw()] = struct{}{}
		}
	case r.Scope.All():
		for i := range offsets {
			topics[offsets[i].topic] = struct{}{}
		}
	}
	if r.Target.Kind != model.ToFile {
		for _, t := range r.Scope.Topics {
			topics[t.Raw()] = struct{}{}
		}
		for _, p := range r.Scope.Partitions {
			topics[p.Topic.Raw()] = struct{}{}
		}
	}
	return slices.Sorted(maps.Keys(topics))
}

// logOf is what metadata tells of a partition.
type logOf struct {
	id      [16]byte
	leader  string
	trouble string
}

type lookMetadata struct {
	logs map[partitionName]logOf
	// counts are the partitions of each topic; trouble is why a topic has none.
	counts  map[string]int32
	trouble map[string]string
}

type partitionName struct {
	topic     string
	partition int32
}

func (ch *Changer) metadataFor(ctx context.Context, topics []string) (*lookMetadata, error) {
	m := &lookMetadata{logs: make(map[partitionName]logOf), counts: make(map[string]int32), trouble: make(map[string]string)}
	if len(topics) == 0 {
		return m, nil
	}
	resp, _, err := ch.client.askMetadata(ctx, topics)
	if err != nil {
		return nil, nobodyToAsk("for topics", err)
	}
	addrs := make(map[int32]string, len(resp.Brokers))
	for i := range resp.Brokers {
		b := &resp.Brokers[i]
		addrs[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	for i := range resp.Topics {
		m.add(&resp.Topics[i], addrs)
	}
	return m, nil
}

func (m *lookMetadata) add(t *kmsg.MetadataResponseTopic, addrs map[int32]string) {
	name := deref(t.Topic)
	if t.ErrorCode != 0 {
		m.trouble[name] = topicTrouble(t.ErrorCode)
		return
	}
	for i := range t.Partitions {
		p := &t.Partitions[i]
		log := logOf{id: t.TopicID, leader: addrs[p.Leader]}
		if log.leader == "" {
			log.trouble = "no leader"
		}
		m.logs[partitionName{name, p.Partition}] = log
		m.counts[name] = max(m.counts[name], p.Partition+1)
	}
}

func topicTrouble(code int16) string {
	switch code {
	case kerr.UnknownTopicOrPartition.Code, kerr.UnknownTopicID.Code:
		return "the topic does not exist"
	case kerr.TopicAuthorizationFailed.Code:
		return "DESCRIBE on the topic is missing"
	default:
		return codeText(code, "")
	}
}

// partitionsOf puts together what is in the scope, sorted.
func partitionsOf(r model.LookRequest, offsets []partitionOffsets, m *lookMetadata) []wantedPart {
	known := make(map[partitionName]*partitionOffsets, len(offsets))
	names := make(map[partitionName]struct{})
	for i := range offsets {
		name := partitionName{offsets[i].topic, offsets[i].partition}
		known[name] = &offsets[i]
		if r.Scope.All() && r.Target.Kind != model.ToFile {
			names[name] = struct{}{}
		}
	}
	for name := range namedBy(r, m) {
		names[name] = struct{}{}
	}
	topics := newNames()
	out := make([]wantedPart, 0, len(names))
	for name := range names {
		out = append(out, lookPartition(topics, name, known[name], m))
	}
	slices.SortFunc(out, func(a, b wantedPart) int {
		return cmp.Or(compareTopics(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	return out
}

// namedBy are the partitions that the request names one by one, or by topic.
func namedBy(r model.LookRequest, m *lookMetadata) map[partitionName]struct{} {
	names := make(map[partitionName]struct{})
	if r.Target.Kind == model.ToFile {
		for p := range r.Target.File {
			names[partitionName{p.Topic.Raw(), p.Partition}] = struct{}{}
		}
		return names
	}
	for _, p := range r.Scope.Partitions {
		names[partitionName{p.Topic.Raw(), p.Partition}] = struct{}{}
	}
	for _, t := range r.Scope.Topics {
		// A topic without partitions stands in the plan with the reason why.
		for p := range max(1, m.counts[t.Raw()]) {
			names[partitionName{t.Raw(), p}] = struct{}{}
		}
	}
	return names
}

func lookPartition(topics *names, name partitionName, o *partitionOffsets, m *lookMetadata) wantedPart {
	log, exists := m.logs[name]
	p := wantedPart{leader: log.leader}
	p.TopicPartition = model.TopicPartition{Topic: topics.topic(name.topic), Partition: name.partition}
	p.TopicID, p.Trouble = log.id, log.trouble
	switch {
	case m.trouble[name.topic] != "":
		p.Trouble = m.trouble[name.topic]
	case !exists:
		p.Trouble = "the topic has no such partition"
	}
	if o == nil {
		return p
	}
	if o.errorCode != 0 {
		if p.Trouble == "" {
			p.Trouble = codeText(o.errorCode, o.errorText)
		}
		return p
	}
	p.Read = true
	if o.start != -1 {
		p.Start = model.Known(o.start)
	}
	// A lag of -1 is "not known"; that it can be one past the end costs nothing.
	if o.lagTold && o.lag != -1 && p.Start.IsKnown() {
		p.Lag = model.Known(o.lag)
	}
	return p
}

// askEnds asks every leader for the ends of its logs, and for the offsets at the
// target's time: all leaders side by side.
func (ch *Changer) askEnds(ctx context.Context, parts []wantedPart, target model.ResetTarget) {
	byLeader := make(map[string][]*wantedPart)
	for i := range parts {
		if p := &parts[i]; p.Trouble == "" {
			byLeader[p.leader] = append(byLeader[p.leader], p)
		}
	}
	var wg sync.WaitGroup
	for addr, mine := range byLeader {
		wg.Go(func() { ch.askLeader(ctx, addr, mine, target) })
	}
	wg.Wait()
}

func (ch *Changer) askLeader(ctx context.Context, addr string, parts []*wantedPart, target model.ResetTarget) {
	l := ch.client.nodes.linkAt(addr)
	questions := []struct {
		at  int64
		put func(*wantedPart, model.Number)
	}{
		{earliest, func(p *wantedPart, n model.Number) { p.LogStart = n }},
		{latest, func(p *wantedPart, n model.Number) { p.End = n }},
	}
	if target.HasTime() {
		questions = append(questions, struct {
			at  int64
			put func(*wantedPart, model.Number)
		}{target.Time.UnixMilli(), func(p *wantedPart, n model.Number) { p.AtTime = n }})
	}
	for _, q := range questions {
		for chunk := range slices.Chunk(parts, logsChunk) {
			askLeaderFor(ctx, l, chunk, q.at, q.put)
		}
	}
}

// askLeaderFor asks for one kind of offset of the partitions that are still
// without trouble.
func askLeaderFor(ctx context.Context, l *link, parts []*wantedPart, at int64, put func(*wantedPart, model.Number)) {
	byName := make(map[partitionName]*wantedPart, len(parts))
	var asked []logQuestion
	for _, p := range parts {
		if p.Trouble == "" {
			byName[partitionName{p.Topic.Raw(), p.Partition}] = p
			asked = append(asked, logQuestion{topic: p.Topic.Raw(), partition: p.Partition})
		}
	}
	if len(asked) == 0 {
		return
	}
	resp, err := ask[*kmsg.ListOffsetsResponse](ctx, l, roleControl, listOffsets(asked, at))
	if err != nil {
		for _, p := range byName {
			p.Trouble = fmt.Sprintf("its leader (%s) %s", safeText(l.addr), whyAndRemedy(err))
		}
		return
	}
	for i := range resp.Topics {
		for j := range resp.Topics[i].Partitions {
			answer := &resp.Topics[i].Partitions[j]
			p := byName[partitionName{resp.Topics[i].Topic, answer.Partition}]
			switch {
			case p == nil:
			case answer.ErrorCode != 0:
				p.Trouble = logTrouble(answer.ErrorCode)
			case answer.Offset >= 0:
				put(p, model.Known(answer.Offset))
			}
		}
	}
}

func logTrouble(code int16) string {
	switch code {
	case kerr.NotLeaderForPartition.Code, kerr.LeaderNotAvailable.Code:
		return "its leader is moving"
	default:
		return topicTrouble(code)
	}
}

// addStates adds what the state topic has of each partition, where it is as new
// as the coordinator's own answer: the start is the same, and what is finished
// explains the lag with a log end that there was.
func (ch *Changer) addStates(group string, parts []model.LookPartition) {
	s := ch.client.state
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.groups[group]
	if e == nil || e.group.OffsetsFrom != model.FromStateTopic {
		return
	}
	for i := range e.group.Partitions {
		sp := &e.group.Partitions[i]
		key := model.TopicPartition{Topic: sp.Topic, Partition: sp.Partition}
		at, found := slices.BinarySearchFunc(parts, key, func(p model.LookPartition, k model.TopicPartition) int {
			return cmp.Or(compareTopics(p.Topic, k.Topic), cmp.Compare(p.Partition, k.Partition))
		})
		if found && explains(sp, &parts[at], s.logEnd(sp.Topic.Raw(), sp.Partition)) {
			parts[at].State = sp.State
		}
	}
}

// explains tells whether a state is that of a look: the log end that the broker
// must have used is one between the end seen before the look and after it.
func explains(sp *model.SharePartition, p *model.LookPartition, before model.Number) bool {
	start, ok := p.Start.Get()
	lag, told := p.Lag.Get()
	finished, counted := sp.State.FinishedAhead().Get()
	if sp.State == nil || sp.TopicID != p.TopicID || !ok || !told || !counted || sp.State.Start() != p.Start {
		return false
	}
	end := start + lag + finished
	return end >= before.Or(end) && end <= p.End.Or(end)
}
