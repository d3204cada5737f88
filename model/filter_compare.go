package model

import (
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
)

// lagComparison takes "lag>1000" apart; ok is false for any other text.
func lagComparison(text string) (op, value string, ok bool) {
	if len(text) < 4 || !strings.EqualFold(text[:3], "lag") {
		return "", "", false
	}
	for _, op := range []string{">=", "<=", ">", "<", "="} {
		if value, ok := strings.CutPrefix(text[3:], op); ok {
			return op, value, true
		}
	}
	return "", "", false
}

// matchLag holds for groups whose lag is known and compares so.
func matchLag(op, value string) (func(*Row) bool, error) {
	limit, ok := parseCount(value)
	if !ok {
		return nil, fmt.Errorf("lag%s%s has no whole number after it: write e.g. lag%s1000 or lag%s10k",
			op, Sanitize(value), op, op)
	}
	return func(row *Row) bool {
		lag, known := row.Lag.Get()
		return known && compares(lag, op, limit)
	}, nil
}

// compares applies an operator of lagComparison.
func compares(a int64, op string, b int64) bool {
	switch op {
	case ">=":
		return a >= b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case "<":
		return a < b
	}
	return a == b
}

// parseCount reads a whole number: 1000, 1,000, 10k, 2M, -5.
func parseCount(s string) (int64, bool) {
	factor := int64(1)
	switch {
	case strings.HasSuffix(s, "k") || strings.HasSuffix(s, "K"):
		factor, s = 1000, s[:len(s)-1]
	case strings.HasSuffix(s, "m") || strings.HasSuffix(s, "M"):
		factor, s = 1000*1000, s[:len(s)-1]
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(s, ",", ""), 10, 64)
	if err != nil || n > math.MaxInt64/factor || n < math.MinInt64/factor {
		return 0, false
	}
	return n * factor, true
}

// maxRegexpSize bounds a compiled pattern, in instructions. The parser allows a
// repetition of 1,000 around whatever fits into a line; matching takes time in
// proportion to this size and to the length of an id, for every row.
const maxRegexpSize = 10_000

// matchRegexp looks for a pattern (RE2 syntax; case matters unless it begins
// with (?i)) in the group id as it is and as it is shown.
func matchRegexp(pattern string) (func(*Row) bool, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("/%s/ is not a regular expression: %s", Sanitize(pattern), Sanitize(regexpReason(err)))
	}
	if regexpSize(tree) > maxRegexpSize {
		return nil, fmt.Errorf("/%s/ repeats too much: a filter may have %s steps at most",
			Sanitize(pattern), FormatInt(maxRegexpSize))
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("/%s/ is not a regular expression: %s", Sanitize(pattern), Sanitize(regexpReason(err)))
	}
	return func(row *Row) bool {
		id := row.Group.ID
		return re.MatchString(id.raw) || (id.safe != id.raw && re.MatchString(id.safe))
	}, nil
}

// regexpReason is the parser's reason without its own introduction.
func regexpReason(err error) string {
	return strings.TrimPrefix(err.Error(), "error parsing regexp: ")
}

// regexpSize estimates how many instructions a pattern compiles to; it stops
// counting beyond maxRegexpSize.
func regexpSize(re *syntax.Regexp) int {
	size := 1 + len(re.Rune)
	for _, sub := range re.Sub {
		size = min(size+regexpSize(sub), maxRegexpSize+1)
	}
	if re.Op == syntax.OpRepeat {
		size *= max(re.Min, re.Max, 1)
	}
	return min(size, maxRegexpSize+1)
}
