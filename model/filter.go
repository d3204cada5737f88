package model

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of a filter line; what is longer is refused with a sentence.
const (
	// MaxFilterLine is the length of a line in bytes.
	MaxFilterLine = 1000
	// MaxFilterTerms is how many terms a line may have.
	MaxFilterTerms = 32
)

// Filter is a parsed filter line; the zero Filter lets everything through.
type Filter struct {
	line  string
	terms []filterTerm
}

// filterTerm is one condition on a row.
type filterTerm struct {
	invert bool
	match  func(*Row) bool
}

// ParseFilter reads a filter line: plain text is a substring of the group id
// (case does not matter), /re/ a regular expression, ! before a term inverts
// it; state:empty, lag>1000 (also <, =, >=, <=), topic:orders, why:stuck (a
// severity or a finding), member:text. Terms are separated by spaces and all
// must hold. The error is one sentence that says which term is wrong and why.
//
// "…" takes text as it stands: spaces, a leading / or !, a colon; \" and \\
// stand for those two inside. A word before a colon that is none of the above
// is plain text, since group ids have colons. Text is looked for both in the
// raw id and in the form shown. Severities and findings may be shortened:
// why:window means window-full and window-nearly-full.
func ParseFilter(line string) (Filter, error) {
	if len(line) > MaxFilterLine {
		return Filter{}, fmt.Errorf("the filter is longer than %d bytes: shorten it", MaxFilterLine)
	}
	words, err := filterWords(line)
	if err != nil {
		return Filter{}, err
	}
	if len(words) > MaxFilterTerms {
		return Filter{}, fmt.Errorf("the filter has more than %d terms: shorten it", MaxFilterTerms)
	}
	f := Filter{line: strings.TrimSpace(line)}
	for _, w := range words {
		match, err := w.matcher()
		if err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, filterTerm{invert: w.invert, match: match})
	}
	return f, nil
}

// Match tells whether all terms hold for a row. A comparison with a value that
// is unknown does not hold, and its inversion does.
func (f Filter) Match(row *Row) bool {
	for _, t := range f.terms {
		if t.match(row) == t.invert {
			return false
		}
	}
	return true
}

// IsZero tells whether the filter lets everything through.
func (f Filter) IsZero() bool { return len(f.terms) == 0 }

// String is the line as it was typed, safe for a terminal.
func (f Filter) String() string { return Sanitize(f.line) }

// matcher turns a word into a condition.
func (w filterWord) matcher() (func(*Row) bool, error) {
	switch w.kind {
	case wordRegexp:
		return matchRegexp(w.text)
	case wordQuoted:
		return matchGroup(w.text), nil
	case wordPlain:
	}
	if op, value, ok := lagComparison(w.text); ok {
		return matchLag(op, value)
	}
	switch w.key {
	case "state":
		return matchState(w.text)
	case "why":
		return matchWhy(w.text)
	case "topic":
		return matchTopic(w.text), nil
	case "member":
		return matchMember(w.text), nil
	}
	return matchGroup(w.text), nil
}

// matchGroup looks for text in the group id.
func matchGroup(text string) func(*Row) bool {
	folded := strings.ToLower(text)
	return func(row *Row) bool { return contains(row.Group.ID.Text, folded) }
}

// contains looks for a lower case text in the raw or in the shown form.
func contains(t Text, folded string) bool {
	if strings.Contains(strings.ToLower(t.raw), folded) {
		return true
	}
	return t.safe != t.raw && strings.Contains(strings.ToLower(t.safe), folded)
}

// matchState holds for groups in a state.
func matchState(text string) (func(*Row) bool, error) {
	for _, s := range []GroupState{GroupEmpty, GroupStable, GroupDead} {
		if strings.EqualFold(text, string(s)) {
			return func(row *Row) bool { return row.Group.State == s }, nil
		}
	}
	if strings.EqualFold(text, "unknown") {
		return func(row *Row) bool { return row.Group.State == GroupUnknown }, nil
	}
	return nil, fmt.Errorf("state:%s is not a state of a share group: use empty, stable, dead or unknown",
		Sanitize(text))
}

// matchTopic looks for text in the topics that a group reads or subscribes to.
func matchTopic(text string) func(*Row) bool {
	folded := strings.ToLower(text)
	return func(row *Row) bool {
		for i := range row.Group.Partitions {
			// Partitions are sorted by topic: look at each name once.
			if i > 0 && row.Group.Partitions[i].Topic == row.Group.Partitions[i-1].Topic {
				continue
			}
			if contains(row.Group.Partitions[i].Topic.Text, folded) {
				return true
			}
		}
		return slices.ContainsFunc(row.Group.Members, func(m Member) bool {
			return slices.ContainsFunc(m.Subscribed, func(t TopicName) bool { return contains(t.Text, folded) })
		})
	}
}

// matchMember looks for text in ids, client ids and hosts of the members.
func matchMember(text string) func(*Row) bool {
	folded := strings.ToLower(text)
	return func(row *Row) bool {
		return slices.ContainsFunc(row.Group.Members, func(m Member) bool {
			return contains(m.ID, folded) || contains(m.ClientID, folded) || contains(m.Host, folded)
		})
	}
}

// matchWhy holds for groups with a severity, or with a finding as their
// verdict or beside it.
func matchWhy(text string) (func(*Row) bool, error) {
	word := strings.ToLower(text)
	for _, s := range []Severity{SeverityStuck, SeverityWarn, SeverityFine, SeverityUnknown} {
		if word == s.String() {
			return func(row *Row) bool { return row.Verdict.Severity == s }, nil
		}
	}
	var wanted []Finding
	for _, f := range AllFindings() {
		if strings.HasPrefix(string(f), word) {
			wanted = append(wanted, f)
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("why:%s is neither a severity (stuck, warn, fine, unknown) nor a finding such as %s or %s",
			Sanitize(text), FindingBlocked, FindingNobody)
	}
	return func(row *Row) bool {
		return slices.Contains(wanted, row.Verdict.Finding) ||
			slices.ContainsFunc(row.Verdict.Others, func(v Verdict) bool { return slices.Contains(wanted, v.Finding) })
	}, nil
}
