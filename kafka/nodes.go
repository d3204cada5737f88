package kafka

import (
	"cmp"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// node is one broker of the cluster: the way to it and the jobs that ask it.
type node struct {
	id   int32
	link *link
	// census lists and describes the groups it coordinates; logs asks for the
	// log offsets of the partitions it leads.
	census, logs *job
	// describedTo is the last group that was described in turn; only the census
	// touches it.
	describedTo string
	// covered is the state.layout in which the state topic was last found to cover
	// all groups; 0 for none. Only the census touches it.
	covered uint64
}

// nodes are the brokers we know, and the ways to all that we may have to ask.
type nodes struct {
	factory   clients
	bootstrap []string

	mu        sync.Mutex
	closed    bool
	links     map[string]*link
	byID      map[int32]*node
	reachable map[int32]bool
}

func newNodes(factory clients, bootstrap []string) *nodes {
	return &nodes{
		factory: factory, bootstrap: bootstrap,
		links:     make(map[string]*link),
		byID:      make(map[int32]*node),
		reachable: make(map[int32]bool),
	}
}

// brokerKey names a broker in a problemKey.
func brokerKey(id int32) string { return "broker " + strconv.Itoa(int(id)) }

// at returns the link to an address; n.mu is held.
func (n *nodes) at(addr string) *link {
	l := n.links[addr]
	if l == nil {
		l = newLink(addr, n.factory)
		if n.closed {
			l.close()
			return l
		}
		n.links[addr] = l
	}
	return l
}

// maxBootstrap bounds how many bootstrap servers are tried.
const maxBootstrap = 32

// anyLinks are the links that a question for any broker may go to, best first:
// brokers that answered, then the bootstrap servers, then the other brokers.
func (n *nodes) anyLinks() []*link {
	n.mu.Lock()
	defer n.mu.Unlock()
	var good, other, all []*link
	for _, nd := range n.sorted() {
		if n.reachable[nd.id] {
			good = append(good, nd.link)
		} else {
			other = append(other, nd.link)
		}
	}
	for _, addr := range n.bootstrap[:min(len(n.bootstrap), maxBootstrap)] {
		good = append(good, n.at(addr))
	}
	for _, l := range append(good, other...) {
		if !slices.Contains(all, l) {
			all = append(all, l)
		}
	}
	return all
}

// addresses are those of anyLinks.
func (n *nodes) addresses() []string {
	links := n.anyLinks()
	addrs := make([]string, len(links))
	for i, l := range links {
		addrs[i] = l.addr
	}
	return addrs
}

// all are the known brokers, by id.
func (n *nodes) all() []*node {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.sorted()
}

// sorted is all; n.mu is held.
func (n *nodes) sorted() []*node {
	all := make([]*node, 0, len(n.byID))
	for _, nd := range n.byID {
		all = append(all, nd)
	}
	slices.SortFunc(all, func(a, b *node) int { return cmp.Compare(a.id, b.id) })
	return all
}

// sync makes the nodes those that metadata names. It returns those that came
// and those that went; one whose address changed does both.
func (n *nodes) sync(brokers []kmsg.MetadataResponseBroker) (came, went []*node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	addrs := make(map[int32]string, len(brokers))
	for i := range brokers {
		b := &brokers[i]
		addrs[b.NodeID] = net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	}
	for id, nd := range n.byID {
		if addrs[id] != nd.link.addr {
			delete(n.byID, id)
			delete(n.reachable, id)
			went = append(went, nd)
		}
	}
	for id, addr := range addrs {
		if n.byID[id] == nil {
			nd := &node{id: id, link: n.at(addr)}
			n.byID[id] = nd
			came = append(came, nd)
		}
	}
	return came, went
}

// prune closes links that no node and no bootstrap server needs.
func (n *nodes) prune() {
	n.mu.Lock()
	needed := make(map[string]bool, len(n.links))
	for _, nd := range n.byID {
		needed[nd.link.addr] = true
	}
	for _, addr := range n.bootstrap {
		needed[addr] = true
	}
	var unused []*link
	for addr, l := range n.links {
		if !needed[addr] {
			delete(n.links, addr)
			unused = append(unused, l)
		}
	}
	n.mu.Unlock()
	closeLinks(unused)
}

// close closes all links, side by side.
func (n *nodes) close() {
	n.mu.Lock()
	n.closed = true
	all := make([]*link, 0, len(n.links))
	for _, l := range n.links {
		all = append(all, l)
	}
	clear(n.links)
	n.mu.Unlock()
	closeLinks(all)
}

func closeLinks(links []*link) {
	var wg sync.WaitGroup
	for _, l := range links {
		wg.Go(l.close)
	}
	wg.Wait()
}

// link returns the link to a broker; nil where it is not known.
func (n *nodes) link(id int32) *link {
	n.mu.Lock()
	defer n.mu.Unlock()
	if nd := n.byID[id]; nd != nil {
		return nd.link
	}
	return nil
}

func (n *nodes) addr(id int32) string {
	if l := n.link(id); l != nil {
		return l.addr
	}
	return "unknown"
}

// setReachable notes whether a broker answers; it returns true when that is new.
func (n *nodes) setReachable(id int32, ok bool) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	before, known := n.reachable[id]
	n.reachable[id] = ok
	return !known || before != ok
}

func (n *nodes) isReachable(id int32) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.reachable[id]
}

// someReachable tells whether any broker answered when last asked.
func (n *nodes) someReachable() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, ok := range n.reachable {
		if ok {
			return true
		}
	}
	return false
}

// setJobs gives a node its jobs.
func (n *nodes) setJobs(nd *node, census, logs *job) {
	n.mu.Lock()
	defer n.mu.Unlock()
	nd.census, nd.logs = census, logs
}

func (n *nodes) censuses() []*job { return n.each(func(nd *node) *job { return nd.census }) }
func (n *nodes) logJobs() []*job  { return n.each(func(nd *node) *job { return nd.logs }) }

// each picks a job of every node that has its jobs.
func (n *nodes) each(pick func(*node) *job) []*job {
	n.mu.Lock()
	defer n.mu.Unlock()
	jobs := make([]*job, 0, len(n.byID))
	for _, nd := range n.byID {
		if j := pick(nd); j != nil {
			jobs = append(jobs, j)
		}
	}
	return jobs
}

// jobs are all jobs of all nodes.
func (n *nodes) jobs() []*job { return append(n.censuses(), n.logJobs()...) }
