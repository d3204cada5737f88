package statetopic

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sharetop/model"
)

// What Kafka's own combiner made of the same batches. 4.2.2 and 4.3.1 answer
// the same, but now and then leave equal neighbours apart.
func TestMergesAsKafkaDoes(t *testing.T) {
	f, err := os.Open("testdata/kafka-merges.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		cases++
		fields := strings.Split(lines.Text(), ";")
		start, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		feed := newFeed(t)
		feed.snapshot(Snapshot{StartOffset: NotTold, Batches: parseBatches(t, fields[1])})
		feed.update(Update{StartOffset: start, Batches: parseBatches(t, fields[2])})
		got := feed.state().Batches()
		if want := parseBatches(t, fields[3]); !slices.Equal(toWire(got), want) {
			t.Errorf("%s: %v, want %v", lines.Text(), toWire(got), want)
		}
		checkHead(t, feed.state(), got)
	}
	if cases != 500 {
		t.Errorf("%d cases", cases)
	}
}

func parseBatches(t *testing.T, s string) []Batch {
	t.Helper()
	var batches []Batch
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' }) {
		var b Batch
		if _, err := fmt.Sscanf(part, "%d/%d/%d/%d", &b.First, &b.Last, &b.State, &b.Count); err != nil {
			t.Fatalf("%q: %v", part, err)
		}
		batches = append(batches, b)
	}
	return batches
}

// checkHead finds the head once more, offset by offset.
func checkHead(t *testing.T, s *model.PartitionState, iv model.Intervals) {
	t.Helper()
	head, known := s.Start().Get()
	if !known {
		return
	}
	done := map[int64]bool{}
	for _, b := range iv {
		for o := b.First; o <= b.Last; o++ {
			done[o] = b.State.Done()
		}
	}
	for done[head] {
		head++
	}
	if s.Head() != model.Known(head) {
		t.Errorf("head %v of %v, want %d", s.Head(), iv, head)
	}
}
