package ui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"sharetop/model"
)

// lettersTab lists the group's dead-letter topic, newest first, one row for
// each record that was given up, and shows that record: the copy in the letter,
// or the source, which is fetched.
type lettersTab struct {
	recordSplit
	table  *table[*model.DeadLetter, model.LetterKey]
	topic  model.TopicName
	window *model.RecordWindow
	// partitions is how many the topic has; unknown until the first answer.
	partitions model.Number
	loader     recordLoader
	problem    *model.Problem
	// sources are the records that letters are about, as far as looked for.
	sources map[model.LetterKey]letterSource
	group   *groupPage
}

// letterSource is what became of the record that a letter is about.
type letterSource struct {
	// record is nil while it is looked for, and where it is gone: then why says
	// what is known.
	record *model.Record
	why    string
}

// Bounds of the source records that are remembered: how many, and their bytes,
// with the one that comes last over them.
const (
	maxSources     = 200
	maxSourceBytes = model.MaxLoadedBytes / 4
)

func newLettersTab(e *env, p *groupPage) *lettersTab {
	t := &lettersTab{group: p, window: model.NewRecordWindow(true), sources: make(map[model.LetterKey]letterSource)}
	t.table = newTable((*model.DeadLetter).Key, letterColumns(e, p))
	t.table.stale = func(d *model.DeadLetter) bool { return !t.window.Whole(d.Record) }
	t.recordSplit = recordSplit{env: e, beside: lettersBeside, list: t.table}
	return t
}

// whyNoLetters says why there is no dead-letter topic to look at; empty when
// there is one.
func (p *groupPage) whyNoLetters(e *env) string {
	g := p.group()
	switch {
	case e.cfg.Peeker == nil:
		return noPeeker
	case g == nil || g.Settings == nil:
		return "the group's configs are not known"
	case g.Effective().DeadLetterTopic.Empty():
		return "errors.deadletterqueue.topic.name is not set"
	}
	if v, known := e.board.Snapshot.Cluster.ShareVersion.Get(); known && v < lettersVersion {
		return fmt.Sprintf("share.version is %d: below %d nothing is written to the dead-letter topic", v, lettersVersion)
	}
	return ""
}

// lettersVersion is the share.version from which on there are dead letters
// (KIP-1191).
const lettersVersion = 2

// noPeeker is why nothing can be peeked at.
const noPeeker = "records can't be read here"

func (t *lettersTab) refresh(_ *env, p *groupPage) { t.group = p }

// open reads the newest letters, unless they are shown already.
func (t *lettersTab) open(e *env) {
	g := t.group.group()
	if g == nil {
		return
	}
	topic := model.NewTopicName(g.Effective().DeadLetterTopic.Raw())
	if t.topic != topic || len(t.window.Records()) == 0 {
		t.topic = topic
		t.begin(e)
	}
}

// begin forgets what was loaded and reads the newest letters.
func (t *lettersTab) begin(e *env) {
	t.window, t.problem, t.partitions = model.NewRecordWindow(true), nil, model.Number{}
	t.loader.restart()
	t.table.moved = false
	t.loadNewest(e, 0)
	t.arrange(e)
}

// loadNewest asks for the last records of one partition.
func (t *lettersTab) loadNewest(e *env, partition int32) {
	t.load(e, model.PeekRequest{Topic: t.topic, Partition: partition, From: model.PeekAtEnd, Backward: true})
}

func (t *lettersTab) load(e *env, r model.PeekRequest) {
	if e.cfg.Peeker != nil {
		t.send(t.loader.ask(e.cfg.Peeker, r))
	}
}

// loadMore reads older letters, of the partitions that lack them for the list to be
// whole up to a letter.
func (t *lettersTab) loadMore(e *env, upTo *model.DeadLetter) {
	for partition := range int32(maxInterleaved) {
		edge := t.window.Edge(partition)
		if edge != nil && !edge.AtStart() && t.window.Lacks(partition, upTo.Record, true) {
			t.load(e, model.PeekRequest{Topic: t.topic, Partition: partition, Offset: edge.From, Backward: true})
		}
	}
}

// update takes the replies to the tab's own commands.
func (t *lettersTab) update(e *env, msg tea.Msg) {
	switch msg := msg.(type) {
	case peekedMsg:
		t.peeked(e, msg)
	case sourceMsg:
		t.found(e, msg)
	case recordRowsMsg:
		t.pane.update(e, msg)
	}
}

func (t *lettersTab) peeked(e *env, m peekedMsg) {
	if m.request.Topic != t.topic || !t.loader.received(m) {
		return
	}
	if m.err != nil {
		t.problem = &model.Problem{Detail: "The dead letters could not be read: " + model.Sanitize(m.err.Error())}
		t.arrange(e)
		return
	}
	if t.problem == nil || m.result.Problem != nil {
		t.problem = m.result.Problem
	}
	first := t.window.Edge(m.result.Partition) == nil
	t.window.Add(m.result, m.request)
	if n, known := m.result.Partitions.Get(); known && first && m.result.Partition == 0 {
		t.partitions = m.result.Partitions
		for partition := int32(1); partition < int32(min(n, maxInterleaved)); partition++ {
			t.loadNewest(e, partition)
		}
	}
	t.arrange(e)
}

// arrange hands the letters over to the table.
func (t *lettersTab) arrange(e *env) {
	t.table.empty = t.whyEmpty()
	t.table.Show(model.DeadLetters(t.window.Records()))
	t.showCursor(e)
}

func (t *lettersTab) whyEmpty() string {
	switch {
	case t.problem != nil && t.problem.Kind == model.ProblemGone:
		return t.problem.Detail + "\nKafka makes the topic with the first dead letter where " +
			"errors.deadletterqueue.auto.create.topics.enable is true;\nelse records are archived without a letter."
	case t.problem != nil:
		return t.problem.Detail + "\n" + t.problem.Advice
	case t.loader.outstanding > 0:
		return "Reading."
	}
	if left := t.leftOut(); left != "" {
		return "There is no dead letter in " + t.topic.String() + " as far as it is read, " + left + "."
	}
	return "There is no dead letter in " + t.topic.String() + ": nothing was rejected, and nothing came to its delivery limit."
}

// leftOut says which partitions of the topic the list is without, since there are more
// than maxInterleaved; empty for none.
func (t *lettersTab) leftOut() string {
	n, known := t.partitions.Get()
	if !known || n <= maxInterleaved {
		return ""
	}
	return fmt.Sprintf("without partitions %d to %d", maxInterleaved, n-1)
}

// showCursor puts the record that the letter under the cursor is about into the
// pane, and looks for it where the letter has no copy.
func (t *lettersTab) showCursor(e *env) {
	d, ok := t.table.Cursor()
	if !ok {
		t.send(t.pane.show(e, nil, nil))
		return
	}
	source, looked := t.sources[d.Key()]
	if !looked && !d.HasCopy() && !d.Source.Empty() && e.cfg.Peeker != nil {
		source.why = "looking for it"
		t.remember(d.Key(), source)
		t.send(t.lookForSource(e, d))
	}
	r := d.Record
	if source.record != nil {
		r = source.record
	}
	t.send(t.pane.show(e, r, letterFields(d, source)))
}

func (t *lettersTab) remember(k model.LetterKey, s letterSource) {
	size := 0
	for _, known := range t.sources {
		if known.record != nil {
			size += known.record.Memory()
		}
	}
	if len(t.sources) >= maxSources || size > maxSourceBytes {
		clear(t.sources)
	}
	t.sources[k] = s
}

// sourceMsg has the record that a letter is about.
type sourceMsg struct {
	key    model.LetterKey
	result *model.PeekResult
	err    error
}

func (t *lettersTab) lookForSource(e *env, d *model.DeadLetter) tea.Cmd {
	req := model.PeekRequest{Topic: d.Source, Partition: d.Partition, Offset: d.Offset, Max: 1}
	ask, key := t.loader.ask(e.cfg.Peeker, req), d.Key()
	t.loader.outstanding-- // the list does not wait for it
	return func() tea.Msg {
		m, ok := ask().(peekedMsg)
		if !ok {
			return nil
		}
		return sourceMsg{key, m.result, m.err}
	}
}

func (t *lettersTab) found(e *env, m sourceMsg) {
	s := letterSource{}
	switch {
	case m.err != nil:
		s.why = "it could not be read: " + model.Sanitize(m.err.Error())
	case len(m.result.Records) > 0 && m.result.Records[0].Offset == m.key.Offset:
		s.record = m.result.Records[0]
	case m.result.Problem != nil:
		s.why = m.result.Problem.Detail
	case m.result.LogStart.Or(0) > m.key.Offset:
		s.why = "retention has deleted it: the log begins at " + model.FormatNumber(m.result.LogStart)
	default:
		s.why = "it is not in the log any more: compaction took it, or it was never written"
	}
	t.remember(m.key, s)
	t.showCursor(e)
}

// letterFields are what the letter says, for the pane.
func letterFields(d *model.DeadLetter, source letterSource) []field {
	why := d.Message.String()
	if n, ok := d.Deliveries.Get(); ok {
		why += fmt.Sprintf(" Delivery %d.", n)
	}
	letter := fmt.Sprintf("%s, %s", recordName(d.Record), copies(d.Copies))
	from := source.why
	switch {
	case d.Source.Empty():
		from = "its headers do not say which record it was"
	case d.HasCopy():
		from = sourceName(d) + ", copied into the letter"
	case source.record != nil:
		from = sourceName(d) + ", read from there"
	default:
		from = sourceName(d) + ": " + from
	}
	return []field{{"reason", orUnknown(why)}, {"group", orUnknown(d.Group.String())}, {"source", from}, {"letter", letter}}
}

func copies(n int) string {
	if n == 1 {
		return "written once"
	}
	return fmt.Sprintf("written %d times", n)
}

// sourceName is where the record was that a letter is about.
func sourceName(d *model.DeadLetter) string {
	if d.Source.Empty() {
		return model.Unknown
	}
	return fmt.Sprintf("%s-%d@%s", d.Source, d.Partition, model.FormatInt(d.Offset))
}

// key handles the keys of the tab.
func (t *lettersTab) key(e *env, k tea.KeyPressMsg) bool {
	keys := e.keys.Letters
	switch {
	case keys.Newest.Pressed(k):
		t.begin(e)
	default:
		return t.paneKey(paneKeys{keys.Open, keys.NextView, keys.Save, keys.Pager}, k) || t.move(e, k)
	}
	return true
}

func (t *lettersTab) move(e *env, k tea.KeyPressMsg) bool {
	if t.table.resort(e.keys.Lists, k) {
		t.arrange(e)
		return true
	}
	if !moveTable(t.table, e.keys.Lists, k) {
		return false
	}
	if rows := t.table.rows; len(rows) > 0 && t.loader.outstanding == 0 {
		t.loadMore(e, rows[min(t.table.cursor+loadAhead, len(rows)-1)])
	}
	t.showCursor(e)
	return true
}

func (t *lettersTab) only(text string) {
	t.table.only = text
	t.table.Show(model.DeadLetters(t.window.Records()))
}

func (t *lettersTab) view(e *env, _ *groupPage, r Rect) string {
	if r.Empty() {
		return ""
	}
	return t.draw(" "+t.banner(e, r.W-2), r)
}

// banner is the line above the list. Where not all of it fits, the tab's name says
// alone what the list has.
func (t *lettersTab) banner(e *env, width int) string {
	var parts []string
	if t.problem != nil && len(t.table.rows) > 0 {
		parts = append(parts, e.styles.warn.render(e.glyphs.warn+" "+plain(t.problem.Detail)))
	}
	if left := t.leftOut(); left != "" {
		parts = append(parts, e.styles.warn.render(e.glyphs.warn+" "+left))
	}
	parts = append(parts, e.styles.accent.render("PEEK: the group is not touched"), e.styles.dim.render(t.counted()))
	if text := cutText(t.window, width < lettersBeside); text != "" {
		parts = append(parts, text)
	}
	whole := append([]string{e.styles.bold.render("dead letters in " + t.topic.String())}, parts...)
	if line := strings.Join(whole, blanks(partGap)); cellWidth(line) <= width {
		return line
	}
	return joinFitting(append([]string{e.styles.bold.render(t.topic.String())}, parts...), width)
}

// counted is how many records were given up, as far as they are loaded.
func (t *lettersTab) counted() string {
	more := ""
	if t.leftOut() != "" || t.older() {
		more = "+"
	}
	return model.FormatInt(int64(len(t.table.rows))) + more + " records given up, newest first"
}

// older tells whether some partition has letters that are not loaded.
func (t *lettersTab) older() bool {
	for partition := range int32(maxInterleaved) {
		if edge := t.window.Edge(partition); edge != nil && !edge.AtStart() {
			return true
		}
	}
	return false
}

func (t *lettersTab) copyItems() []copyItem {
	items := t.pane.copyItems()
	if d, ok := t.table.Cursor(); ok && !d.Source.Empty() {
		items = append(items, copyItem{
			what: "source record", text: d.Source.Raw() + "-" + strconv.Itoa(int(d.Partition)) + "@" + strconv.FormatInt(d.Offset, 10),
		})
	}
	return items
}

func (t *lettersTab) close() {
	t.loader.restart()
	t.pane.stop()
}
