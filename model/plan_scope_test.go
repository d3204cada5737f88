package model

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseScope(t *testing.T) {
	for _, c := range []struct{ text, want, bad string }{
		{"", "", ""},
		{" orders , refunds ", "orders refunds", ""},
		{"orders:0,2,refunds:1 7", "7 orders-0 orders-2 refunds-1", ""},
		{"7,8", "7 8", ""},
		{"orders:", "", `"" is no partition of orders`},
		{"orders:0,refunds", "", `"refunds" is no partition of orders: write orders:0,1,2`},
		{"orders:-1", "", "no partition"},
		{"orders:99999999999", "", "no partition"},
		{":5", "", "no topic before the colon"},
		{"a\x1b[2Jb:x", "", `no partition of a\e[2Jb`},
		{strings.Repeat("t ", maxScopeTopics+1), "", "more than 100 topics"},
	} {
		s, err := ParseScope(c.text)
		if (err == nil) != (c.bad == "") || err != nil && !strings.Contains(err.Error(), c.bad) {
			t.Errorf("%q: %v, want %q", c.text, err, c.bad)
		}
		if got := scopeWords(s); err == nil && got != c.want {
			t.Errorf("%q is %q, want %q", c.text, got, c.want)
		}
		if s.All() != (c.want == "") {
			t.Errorf("%q: All is %t", c.text, s.All())
		}
	}
}

func scopeWords(s ResetScope) string {
	var words []string
	for _, topic := range s.Topics {
		words = append(words, topic.Raw())
	}
	for _, p := range s.Partitions {
		words = append(words, fmt.Sprintf("%s-%d", p.Topic.Raw(), p.Partition))
	}
	return strings.Join(words, " ")
}
