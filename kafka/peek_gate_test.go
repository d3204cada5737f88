package kafka

import (
	"context"
	"errors"
	"testing"
)

// entered is how many peeks at a topic get in, of more than there is room for;
// they stay in until the test lets them out.
func entered(t *testing.T, g *peekGate, topic string) (n int, leave func()) {
	t.Helper()
	var all []func()
	for len(g.slots)+g.needs(topic) <= peeksAtOnce {
		out, err := g.enter(t.Context(), topic)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, out)
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := g.enter(over, topic); !errors.Is(err, context.Canceled) {
		t.Errorf("one more of %s got in, or failed otherwise: %v", topic, err)
	}
	return len(all), func() {
		for _, out := range all {
			out()
		}
	}
}

func TestPeeksOfLargeRecordsGoOneByOne(t *testing.T) {
	g := newPeekGate()
	for _, test := range []struct {
		what string
		saw  []int
		want int
	}{
		{"not seen yet", nil, 1},
		{"seen in vain", []int{0}, peeksAtOnce},
		{"small", []int{1 << 20, 10}, peeksAtOnce},
		{"large at last", []int{10, largeBatch}, 1},
		{"large at first", []int{largeBatch, 10, 0}, 1},
	} {
		for _, size := range test.saw {
			g.saw(test.what, size)
		}
		n, leave := entered(t, g, test.what)
		if n != test.want {
			t.Errorf("%s: %d at once", test.what, n)
		}
		leave()
		if len(g.slots) != 0 || len(g.turn) != 0 {
			t.Errorf("%s: not all was given back", test.what)
		}
	}
}
