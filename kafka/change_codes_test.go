package kafka

import (
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// codeCase is a code that a broker gives, and what is made of it.
type codeCase struct {
	err          *kerr.Error
	says, advice string
}

// brokersWords are what a faked broker adds to a code: an escape sequence must not
// come through.
const brokersWords = "broker says so \x1b[2J"

// TestResetCodesOfOnePartition has each code that a broker may give one partition
// of an altered group.
func TestResetCodesOfOnePartition(t *testing.T) {
	t.Parallel()
	for _, c := range []codeCase{
		{kerr.UnknownTopicOrPartition, "broker says so", "make a new plan"},
		{kerr.UnknownTopicID, "broker says so", "make a new plan"},
		{kerr.TopicAuthorizationFailed, "broker says so", "--operation READ --topic orders"},
		{kerr.NonEmptyGroup, "broker says so", "stop the group's members"},
		{kerr.NotCoordinator, "broker says so", "try again"},
		{kerr.CoordinatorNotAvailable, "broker says so", "try again"},
		{kerr.CoordinatorLoadInProgress, "broker says so", "try again"},
		{kerr.NotLeaderForPartition, "broker says so", "try again"},
		{kerr.LeaderNotAvailable, "broker says so", "try again"},
		{kerr.RequestTimedOut, "broker says so", "try again"},
		{kerr.FencedLeaderEpoch, "FENCED_LEADER_EPOCH", ""},
		{kerr.InvalidRequest, "INVALID_REQUEST", ""},
		{kerr.UnknownServerError, "UNKNOWN_SERVER_ERROR", ""},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			ch, p := planned(t, 1)
			sent := 0
			control(ch.cluster, kmsg.AlterShareGroupOffsets, func(r kmsg.Request) kmsg.Response {
				sent++
				resp := r.ResponseKind().(*kmsg.AlterShareGroupOffsetsResponse)
				topic := kmsg.NewAlterShareGroupOffsetsResponseTopic()
				topic.Topic = "orders"
				for n := range int32(3) {
					part := kmsg.NewAlterShareGroupOffsetsResponseTopicPartition()
					part.Partition, part.ErrorCode, part.ErrorMessage = n, c.err.Code, kmsg.StringPtr(brokersWords)
					topic.Partitions = append(topic.Partitions, part)
				}
				resp.Topics = append(resp.Topics, topic)
				return resp
			})
			r := ch.reset(p)
			for i := range r.Rows {
				row := &r.Rows[i]
				if !strings.Contains(row.Problem, c.says) || strings.ContainsRune(row.Problem, 0x1b) || !strings.Contains(row.Advice, c.advice) {
					t.Errorf("row %d: %q, advice %q, want %q and %q", i, row.Problem, row.Advice, c.says, c.advice)
				}
			}
			if sent != 1 || ch.book.of("reset", "refused") != 3 {
				t.Errorf("sent %d times; audit file %+v", sent, ch.book.entries)
			}
		})
	}
}

// TestDeleteCodes has each code that a broker may answer a deletion with.
func TestDeleteCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []codeCase{
		{kerr.NonEmptyGroup, "got a member in the meantime", "stop its members"},
		{kerr.GroupAuthorizationFailed, "DELETE on the group is missing", "--operation DELETE --group billing"},
		{kerr.TopicAuthorizationFailed, "was not deleted", "READ on the topics"},
		{kerr.NotCoordinator, "loading or moving", "try again"},
		{kerr.CoordinatorNotAvailable, "loading or moving", "try again"},
		{kerr.CoordinatorLoadInProgress, "loading or moving", "try again"},
		{kerr.GroupIDNotFound, "was not deleted", "another type"},
		{kerr.InvalidGroupID, "broker says so", ""},
		{kerr.UnsupportedVersion, "was not deleted", "share.version=1"},
		{kerr.UnknownTopicOrPartition, "broker says so", ""},
		{kerr.UnknownServerError, "UNKNOWN_SERVER_ERROR", ""},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			cluster := fakeCluster(t, kfakeBrokers(1))
			place(t, cluster, "orders", 0, "billing")
			refuseDeletes(cluster, c.err.Code)
			ch := changes(t, cluster)
			id := model.NewGroupID("billing")
			groups, err := ch.DeleteGroups(t.Context(), []model.GroupID{id})
			if err != nil {
				t.Fatal(err)
			}
			offsets, err := ch.DeleteOffsets(t.Context(), id, model.NewTopicName("orders"))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range append(groups, offsets) {
				if !strings.Contains(r.Problem, c.says) || strings.ContainsRune(r.Problem, 0x1b) || !strings.Contains(r.Advice, c.advice) {
					t.Errorf("%q, advice %q, want %q and %q", r.Problem, r.Advice, c.says, c.advice)
				}
			}
			if ch.book.of("delete-group", "refused") != 1 || ch.book.of("delete-offsets", "refused") != 1 {
				t.Errorf("audit file %+v", ch.book.entries)
			}
		})
	}
}

// refuseDeletes answers deletions of a group, and of a topic in it, with a code.
func refuseDeletes(c *kfake.Cluster, code int16) {
	control(c, kmsg.DeleteGroups, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DeleteGroupsResponse)
		g := kmsg.NewDeleteGroupsResponseGroup()
		g.Group, g.ErrorCode, g.ErrorMessage = "billing", code, kmsg.StringPtr(brokersWords)
		resp.Groups = append(resp.Groups, g)
		return resp
	})
	control(c, kmsg.DeleteShareGroupOffsets, func(r kmsg.Request) kmsg.Response {
		resp := r.ResponseKind().(*kmsg.DeleteShareGroupOffsetsResponse)
		topic := kmsg.NewDeleteShareGroupOffsetsResponseTopic()
		topic.Topic, topic.ErrorCode, topic.ErrorMessage = "orders", code, kmsg.StringPtr(brokersWords)
		resp.Topics = append(resp.Topics, topic)
		return resp
	})
}

// A deletion that is not answered, or whose answer does not name it, may have been
// made or not: that is said, and nothing is sent again.
func TestDeleteWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	deletions := []struct {
		action string
		key    kmsg.Key
		do     func(*changing) (model.DeleteResult, error)
	}{
		{"delete-group", kmsg.DeleteGroups, func(ch *changing) (model.DeleteResult, error) {
			all, err := ch.DeleteGroups(t.Context(), []model.GroupID{model.NewGroupID("billing")})
			return all[0], err
		}},
		{"delete-offsets", kmsg.DeleteShareGroupOffsets, func(ch *changing) (model.DeleteResult, error) {
			return ch.DeleteOffsets(t.Context(), model.NewGroupID("billing"), model.NewTopicName("orders"))
		}},
	}
	for says, answer := range map[string]func(r kmsg.Request) (kmsg.Response, error){
		"it may have been deleted or not": func(kmsg.Request) (kmsg.Response, error) { return nil, net.ErrClosed },
		"the broker's answer does not name it": func(r kmsg.Request) (kmsg.Response, error) {
			return r.ResponseKind(), nil
		},
	} {
		for _, d := range deletions {
			// Each with a cluster of its own: on a connection that the one before lost
			// it might not reach the broker.
			t.Run(d.action+", "+says, func(t *testing.T) {
				t.Parallel()
				c := fakeCluster(t, kfakeBrokers(1))
				place(t, c, "orders", 0, "billing")
				var sent atomic.Int64
				c.ControlKey(d.key.Int16(), func(r kmsg.Request) (kmsg.Response, error, bool) {
					c.KeepControl()
					sent.Add(1)
					resp, err := answer(r)
					return resp, err, true
				})
				ch := changes(t, c)
				result, err := d.do(ch)
				if err != nil || !strings.Contains(result.Problem, says) {
					t.Errorf("%+v, %v", result, err)
				}
				if n := sent.Load(); n != 1 {
					t.Errorf("%d requests for one deletion", n)
				}
				if ch.book.of(d.action, "unknown") != 1 {
					t.Errorf("audit file %+v", ch.book.entries)
				}
			})
		}
	}
}

// TestConfigCodes has each code that a broker may answer a change of a config
// with: its own words are given whole.
func TestConfigCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []codeCase{
		{kerr.InvalidConfig, "INVALID_CONFIG", ""},
		{kerr.GroupAuthorizationFailed, "GROUP_AUTHORIZATION_FAILED", "--operation ALTER_CONFIGS --group billing"},
		{kerr.ClusterAuthorizationFailed, "CLUSTER_AUTHORIZATION_FAILED", ""},
		{kerr.InvalidRequest, "INVALID_REQUEST", ""},
		{kerr.NotController, "NOT_CONTROLLER", ""},
		{kerr.UnsupportedVersion, "UNSUPPORTED_VERSION", ""},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			for _, checked := range []bool{false, true} {
				cluster := fakeCluster(t, kfakeBrokers(1))
				ch := changes(t, cluster)
				control(cluster, kmsg.IncrementalAlterConfigs, func(r kmsg.Request) kmsg.Response {
					if checked && r.(*kmsg.IncrementalAlterConfigsRequest).ValidateOnly {
						return nil // it would do it, and then does not
					}
					resp := r.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
					res := kmsg.NewIncrementalAlterConfigsResponseResource()
					res.ErrorCode, res.ErrorMessage = c.err.Code, kmsg.StringPtr(brokersWords)
					resp.Resources = append(resp.Resources, res)
					return resp
				})
				r, err := ch.ChangeConfig(t.Context(), model.ConfigChange{
					Group: model.NewGroupID("billing"), Key: model.NewText(keyReset), Value: model.NewText("earliest"),
				})
				if err != nil || !strings.Contains(r.Problem, c.says) || !strings.Contains(r.Problem, `broker says so \e[2J`) || !strings.Contains(r.Advice, c.advice) {
					t.Errorf("%+v, %v, want %q and %q", r, err, c.says, c.advice)
				}
				if checked != (ch.book.of("set-config", "refused") == 1) {
					t.Errorf("checked %t; audit file %+v", checked, ch.book.entries)
				}
			}
		})
	}
}

// TestLookCodes has the codes that keep a partition out of a plan.
func TestLookCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []codeCase{
		{kerr.NotLeaderForPartition, "left out: its leader is moving", ""},
		{kerr.LeaderNotAvailable, "left out: its leader is moving", ""},
		{kerr.UnknownTopicOrPartition, "left out: the topic does not exist", ""},
		{kerr.TopicAuthorizationFailed, "left out: DESCRIBE on the topic is missing", ""},
		{kerr.UnknownServerError, "left out: UNKNOWN_SERVER_ERROR", ""},
	} {
		t.Run(c.err.Message, func(t *testing.T) {
			t.Parallel()
			cluster := fakeCluster(t, kfakeBrokers(1))
			produce(t, cluster, "orders", 10)
			place(t, cluster, "orders", 8, "billing")
			control(cluster, kmsg.ListOffsets, func(r kmsg.Request) kmsg.Response {
				resp := r.ResponseKind().(*kmsg.ListOffsetsResponse)
				topic := kmsg.NewListOffsetsResponseTopic()
				topic.Topic = "orders"
				for n := range int32(3) {
					part := kmsg.NewListOffsetsResponseTopicPartition()
					part.Partition, part.ErrorCode, part.Offset = n, c.err.Code, -1
					topic.Partitions = append(topic.Partitions, part)
				}
				resp.Topics = append(resp.Topics, topic)
				return resp
			})
			p := changes(t, cluster).plan("billing", toOffset(3))
			for _, r := range p.Rows {
				if r.Write || r.Note != c.says {
					t.Errorf("partition %d: %q, want %q", r.Partition, r.Note, c.says)
				}
			}
			if len(p.Rows) != 3 {
				t.Errorf("%d rows", len(p.Rows))
			}
		})
	}
}
