package kafka

import (
	"context"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"sharetop/model"
)

// topicIDs knows topics by their id, which is how the state topic names them.
type topicIDs struct {
	names map[model.TopicID]string
	// wanted are ids that metadata is to be asked for.
	wanted map[model.TopicID]struct{}
	// unknown are ids that the cluster does not know, or does not let us see,
	// and when it said so.
	unknown map[model.TopicID]time.Time
	// moved counts the times that a name came to mean another topic, or none.
	moved int
}

func newTopicIDs() topicIDs {
	return topicIDs{
		names:   make(map[model.TopicID]string),
		wanted:  make(map[model.TopicID]struct{}),
		unknown: make(map[model.TopicID]time.Time),
	}
}

// unknownFor is how long an id that the cluster does not know is not asked
// again. Ids are never used twice, so that it is about missing rights only.
const unknownFor = 30 * time.Second

// learn notes an id's name.
func (n *topicIDs) learn(id model.TopicID, name string) {
	if id == (model.TopicID{}) || name == "" || n.names[id] == name {
		return
	}
	if len(n.names) >= maxInterned {
		clear(n.names)
	}
	n.names[id] = name
	delete(n.wanted, id)
	delete(n.unknown, id)
}

// topicByID is the topic that has this id now; nil when there is none, or it is
// not known yet and will be asked for. A topic that was deleted and made again
// under its name has another id. s.mu is held.
func (s *state) topicByID(id model.TopicID, now time.Time) *topicEntry {
	name, known := s.ids.names[id]
	if !known {
		if at, asked := s.ids.unknown[id]; !asked || now.Sub(at) >= unknownFor {
			s.ids.wanted[id] = struct{}{}
		}
		return nil
	}
	t := s.wantTopic(name)
	if t.topic.Gone || (t.topic.ID != model.TopicID{} && t.topic.ID != id) {
		return nil
	}
	return t
}

// unnamed are those of the ids whose name is to be asked for.
func (s *state) unnamed(ids []model.TopicID) []model.TopicID {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	for _, id := range ids {
		s.topicByID(id, now)
	}
	wanted := make([]model.TopicID, 0, len(s.ids.wanted))
	for id := range s.ids.wanted {
		wanted = append(wanted, id)
	}
	return wanted
}

// wantsNames tells whether some topic id has to be asked for.
func (s *state) wantsNames() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids.wanted) > 0
}

// identities counts the times that a topic's identity changed.
func (s *state) identities() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids.moved
}

// namesChunk is the most topics in one metadata request by id.
const namesChunk = 1000

// runNames asks for the topics that the state topic names and we do not know.
func (c *Client) runNames(ctx context.Context) error {
	ids := c.state.unnamed(nil)
	if len(ids) == 0 {
		return nil
	}
	if err := c.askNames(ctx, ids); err != nil {
		return err
	}
	c.schedule.kick(c.nodes.logJobs()...)
	c.tail.publishAll()
	return nil
}

// askNames asks any broker for topics by their id (Metadata version 12).
func (c *Client) askNames(ctx context.Context, ids []model.TopicID) error {
	for chunk := range slices.Chunk(ids, namesChunk) {
		resp, _, err := hedge(ctx, c.wg.Go, c.nodes.anyLinks(), func(ctx context.Context, l *link) (*kmsg.MetadataResponse, error) {
			req := kmsg.NewPtrMetadataRequest()
			req.AllowAutoTopicCreation = false
			for _, id := range chunk {
				t := kmsg.NewMetadataRequestTopic()
				t.TopicID = id
				req.Topics = append(req.Topics, t)
			}
			return ask[*kmsg.MetadataResponse](ctx, l, roleControl, req)
		})
		if err != nil {
			return err
		}
		if err := c.state.mergeNames(chunk, resp); err != nil {
			return err
		}
	}
	return nil
}

// mergeNames takes in an answer about topics by id. The error is one that some of
// them were answered with and that says nothing about them: they are still to be
// asked for.
func (s *state) mergeNames(asked []model.TopicID, resp *kmsg.MetadataResponse) (err error) {
	s.mu.Lock()
	open := make(map[model.TopicID]bool)
	for i := range resp.Topics {
		switch t := &resp.Topics[i]; {
		case t.ErrorCode == 0:
			s.ids.learn(t.TopicID, deref(t.Topic))
			s.wantTopic(deref(t.Topic))
		case !takesAway(t.ErrorCode):
			open[t.TopicID], err = true, kerr.ErrorForCode(t.ErrorCode)
		}
	}
	now := s.now()
	for _, id := range asked {
		if _, named := s.ids.names[id]; !named && !open[id] {
			s.ids.unknown[id] = now
			delete(s.ids.wanted, id)
		}
	}
	s.mu.Unlock()
	for i := range resp.Topics {
		if t := &resp.Topics[i]; t.ErrorCode == 0 && deref(t.Topic) != "" {
			s.mergeTopic(t)
		}
	}
	return err
}
