package kafka

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	"sharetop/model"
)

// departedFor is how long a broker that left the cluster is named: one that
// restarts is back by then, and one that was taken away for good is no problem
// for ever.
const departedFor = 10 * time.Minute

// departures remembers which brokers left the cluster, and when.
type departures struct {
	mu   sync.Mutex
	left map[int32]time.Time
}

// update notes who went and who is there, and returns who has been away for so
// long that it need not be named any more.
func (d *departures) update(went []*node, present map[int32]bool, now time.Time) (gone []*node, over []int32) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, nd := range went {
		if !present[nd.id] {
			if d.left == nil {
				d.left = make(map[int32]time.Time)
			}
			d.left[nd.id] = now
			gone = append(gone, nd)
		}
	}
	for id, at := range d.left {
		switch {
		case present[id]:
			delete(d.left, id)
		case now.Sub(at) >= departedFor:
			delete(d.left, id)
			over = append(over, id)
		}
	}
	return gone, over
}

// tellDepartures names brokers that left the cluster. Once a controller has
// taken out a broker that hangs nobody asks it any more, so that nothing else
// would tell of it.
func (c *Client) tellDepartures(went []*node, brokers []model.Broker) {
	present := make(map[int32]bool, len(brokers))
	for i := range brokers {
		present[brokers[i].ID] = true
	}
	gone, over := c.departed.update(went, present, c.opts.Now())
	for _, nd := range gone {
		c.state.reportFirst(problemKey{actionReach, brokerKey(nd.id)}, departedProblem(nd.id, nd.link.addr))
	}
	for _, id := range over {
		c.state.cure(problemKey{actionReach, brokerKey(id)})
	}
}

// departedProblem says that a broker is no longer part of the cluster.
func departedProblem(id int32, addr string) model.Problem {
	return model.Problem{
		Kind: model.ProblemUnreachable, Target: target("broker", strconv.Itoa(int(id))),
		Detail: fmt.Sprintf("%s left the cluster: it was stopped, or the controller took it out because it does not "+
			"answer; its groups and partitions are moving to other brokers.", capital(brokerName(id, addr))),
		Advice: "check that the broker runs, unless it was taken away on purpose",
	}
}
