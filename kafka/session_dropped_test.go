package kafka

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A member that was dropped joins again, but not a group that was deleted since:
// that would make it anew, without its offsets.
func TestADroppedMemberJoinsOnlyAGroupThatIsThere(t *testing.T) {
	t.Parallel()
	for name, code := range map[string]int16{
		"there": 0, "deleted": kerr.GroupIDNotFound.Code, "not to be described": kerr.TopicAuthorizationFailed.Code,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, s := billingSession(t, &logbook{})
			if code != 0 {
				control(c, kmsg.ShareGroupDescribe, func(r kmsg.Request) kmsg.Response {
					resp, group := r.ResponseKind().(*kmsg.ShareGroupDescribeResponse), kmsg.NewShareGroupDescribeResponseGroup()
					group.GroupID, group.ErrorCode = "billing", code
					resp.Groups = append(resp.Groups, group)
					return resp
				})
			}
			s.missed(&answeredError{kerr.UnknownMemberID.Code, ""})
			sent := count(c)
			_, err := s.beatOnce()
			gone := code == kerr.GroupIDNotFound.Code
			if !gone && err != nil {
				t.Error(err)
			}
			if gone && (err == nil || !strings.Contains(err.Error(), "the group does not exist any more")) {
				t.Errorf("err = %v, want that there is no group", err)
			}
			if n := sent.of(kmsg.ShareGroupHeartbeat); (n == 0) != gone {
				t.Errorf("%d heartbeats left", n)
			}
		})
	}
}
