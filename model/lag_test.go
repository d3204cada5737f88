package model

import (
	"math"
	"testing"
)

func TestAheadAndWindow(t *testing.T) {
	log := func(end Number) PartitionLog { return PartitionLog{Asked: true, LogStart: Known(0), End: end} }
	tests := []struct {
		name          string
		p             SharePartition
		end           Number
		ahead, window Number
	}{
		{"13 finished ahead of the one in the way", part("r", 0, 9120, 14), Known(9147), Known(13), Known(14)},
		{"nothing finished ahead", part("r", 0, 100, 20), Known(120), Known(0), Known(1)},
		{"drained, the start trails", part("r", 0, 118, 0), Known(666), Known(548), Known(0)},
		{"end sampled before the lag", part("r", 0, 100, 20), Known(110), Known(0), Known(1)},
		{"start past the end", part("r", 0, 1000, -980), Known(20), Known(0), Known(0)},
		{"start past the end by one", part("r", 0, 21, -1), Known(20), Known(0), Known(0)},
		{"no start", unsettledPart("r", 0), Known(20), Number{}, Number{}},
		{"no lag", SharePartition{Start: Known(5)}, Known(20), Number{}, Number{}},
		{"no end", part("r", 0, 5, 5), Number{}, Number{}, Number{}},
		{"the end that belongs to the lag wins", SharePartition{Start: Known(0), Lag: Known(5), LagEnd: Known(10)}, Known(99), Known(5), Known(6)},
		{"as large as numbers get", part("r", 0, math.MinInt64, 1), Known(math.MaxInt64), Known(math.MaxInt64 - 1), Known(math.MaxInt64)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := aheadOf(&test.p, log(test.end)); got != test.ahead {
				t.Errorf("ahead: got %+v, want %+v", got, test.ahead)
			}
			if got := windowOf(&test.p, log(test.end)); got != test.window {
				t.Errorf("window: got %+v, want %+v", got, test.window)
			}
		})
	}
}

func TestSumLag(t *testing.T) {
	full := PartitionLog{Asked: true, LogStart: Known(3), End: Known(9)}
	empty := PartitionLog{Asked: true, LogStart: Known(9), End: Known(9)}
	failed := unsettledPart("a", 0)
	failed.Problem = &Problem{Kind: ProblemOther}
	tests := []struct {
		name    string
		parts   []SharePartition
		log     PartitionLog
		hidden  bool
		sum     Number
		partial bool
	}{
		{"no partition told", nil, full, false, Number{}, true},
		{"no partition, and some are hidden", nil, full, true, Number{}, true},
		{"all known", []SharePartition{part("a", 0, 0, 3), part("a", 1, 0, 4)}, full, false, Known(7), false},
		{"all known, and some are hidden", []SharePartition{part("a", 0, 0, 3)}, full, true, Known(3), true},
		{"one unknown", []SharePartition{part("a", 0, 0, 3), unsettledPart("a", 1)}, full, false, Known(3), true},
		{"all unknown", []SharePartition{unsettledPart("a", 0), unsettledPart("a", 1)}, full, false, Number{}, true},
		{"no record there", []SharePartition{unsettledPart("a", 0)}, empty, false, Known(0), false},
		{"no record there, but an error", []SharePartition{failed}, empty, false, Number{}, true},
		{"log unknown", []SharePartition{unsettledPart("a", 0)}, PartitionLog{}, false, Number{}, true},
		{"lag -1 is a number", []SharePartition{part("a", 0, 10, -1), part("a", 1, 0, 4)}, full, false, Known(4), false},
		{"no overflow", []SharePartition{part("a", 0, 0, math.MaxInt64), part("a", 1, 0, 4)}, full, false, Known(math.MaxInt64), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g := &Group{OffsetsAt: sceneStart, Partitions: test.parts}
			if test.hidden {
				g.Problems = []Problem{{Kind: ProblemHidden}}
			}
			sum, partial := sumLag(g, func(*SharePartition) PartitionLog { return test.log })
			if sum != test.sum || partial != test.partial {
				t.Errorf("got %+v %v, want %+v %v", sum, partial, test.sum, test.partial)
			}
		})
	}
	reads := &Group{OffsetsAt: sceneStart, OffsetsFrom: FromStateTopic}
	if sum, partial := sumLag(reads, nil); sum != Known(0) || partial {
		t.Errorf("a group that the state topic has nothing of: got %+v %v", sum, partial)
	}
	if sum, partial := sumLag(&Group{}, nil); sum.IsKnown() || !partial {
		t.Error("a group that was never asked has no known lag")
	}
}
