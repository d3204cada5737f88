package kafka

import (
	"hash/maphash"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// listed makes a broker's answer in bytes.
func listed(edit func(*kmsg.ListGroupsResponse), ids ...string) []byte {
	resp := kmsg.NewPtrListGroupsResponse()
	resp.Version = 5
	for _, id := range ids {
		g := kmsg.NewListGroupsResponseGroup()
		g.Group, g.GroupType, g.GroupState = id, "Share", "Empty"
		resp.Groups = append(resp.Groups, g)
	}
	if edit != nil {
		edit(resp)
	}
	return resp.AppendTo(nil)
}

func TestAKnownListIsNotDecoded(t *testing.T) {
	seed := maphash.MakeSeed()
	read := func(known uint64, raw []byte) *listResponse {
		req := newListRequest(seed, known)
		req.SetVersion(5)
		resp, ok := req.ResponseKind().(*listResponse)
		if !ok {
			t.Fatalf("the answer is read into a %T", req.ResponseKind())
		}
		if err := resp.ReadFrom(raw); err != nil {
			t.Fatal(err)
		}
		return resp
	}
	all := func(string) bool { return true }
	first := read(0, listed(nil, "billing", "shipping"))
	if groups, err := first.groups(all); err != nil || len(groups) != 2 || first.sum == 0 {
		t.Fatalf("%v, %v, sum %d", groups, err, first.sum)
	}
	again := read(first.sum, listed(nil, "billing", "shipping"))
	if again.raw == nil || len(again.Groups) != 0 {
		t.Error("the same answer is decoded again")
	}
	if groups, err := again.groups(all); err != nil || len(groups) != 2 {
		t.Errorf("where it is needed all the same it says %v, %v", groups, err)
	}
	if other := read(first.sum, listed(nil, "billing")); other.raw != nil || len(other.Groups) != 1 {
		t.Error("another answer is taken for the same")
	}
	throttled := func(r *kmsg.ListGroupsResponse) { r.ThrottleMillis = 100 }
	failed := func(r *kmsg.ListGroupsResponse) { r.ErrorCode = 15 }
	for name, edit := range map[string]func(*kmsg.ListGroupsResponse){"throttles": throttled, "has an error": failed} {
		if resp := read(first.sum, listed(edit, "billing")); resp.sum != 0 {
			t.Errorf("an answer that %s is to be known again", name)
		}
	}
}

// A list is passed over only while merging it would change nothing.
func TestTheSameListIsMergedOnce(t *testing.T) {
	const sum = 7
	billing := []listedGroup{{"billing", "Empty"}, {"shipping", "Empty"}}
	tests := []struct {
		name string
		then func(s *state)
		same bool
	}{
		{"nothing happened", func(*state) {}, true},
		{"described", func(s *state) {
			s.mergeDescription(1, &kmsg.ShareGroupDescribeResponseGroup{GroupID: "billing", GroupState: "Stable"})
		}, true},
		{"gone by its description", func(s *state) {
			s.mergeDescription(1, &kmsg.ShareGroupDescribeResponseGroup{GroupID: "billing", ErrorCode: 69})
		}, false},
		{"moved by its description", func(s *state) {
			s.mergeList(2, billing, 0)
			s.mergeDescription(1, &kmsg.ShareGroupDescribeResponseGroup{GroupID: "billing", ErrorCode: 16})
		}, false},
		{"its list failed", func(s *state) { s.listFailed(1) }, false},
		{"its broker left", func(s *state) { s.dropNode(1) }, false},
		{"another broker lists some of it", func(s *state) { s.mergeList(2, billing[:1], 0) }, false},
		{"merged without a sum", func(s *state) { s.mergeList(1, billing, 0) }, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := newState(time.Now)
			s.mergeList(1, billing, sum)
			test.then(s)
			known := s.knownList(1)
			if got := s.sameList(1, sum); got != test.same || (known == sum) != test.same {
				t.Errorf("the same list again: %v, the sum asked with is %d", got, known)
			}
			if s.sameList(1, sum+1) || s.sameList(1, 0) {
				t.Error("another list is taken for the same")
			}
		})
	}
}
