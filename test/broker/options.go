package broker

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The Kafka versions that sharetop is tested with.
const (
	Kafka42 = "4.2.2"
	Kafka43 = "4.3.1"
	Kafka44 = "4.4.0"
)

// Options say what kind of cluster to start. The zero value is one node of the
// newest version without an authorizer.
type Options struct {
	// Version is the Kafka version; empty means Kafka44.
	Version string
	// Nodes is the number of brokers, 1 or 3; 0 means 1. Node 1 is also the
	// controller.
	Nodes int
	// Features are feature levels given at format, such as "share.version=0";
	// nil keeps the version's own defaults.
	Features []string
	// Users are names and passwords of users that come in through a second
	// listener with SASL/PLAIN. If there are any, StandardAuthorizer is on: these
	// users may do nothing until an ACL allows it, while the first listener
	// (User:ANONYMOUS) may do everything.
	Users map[string]string
	// Behind, when set, opens one more listener without authentication per node.
	// It is told that listener's address before the broker starts, and returns
	// the address that brokers advertise for it: the one of a proxy in front.
	Behind func(target string) (advertised string, err error)
	// Listeners are further listeners of node 1, each on a port of its own.
	Listeners []Listener
	// Props are server properties that are added to the usual ones, or replace
	// them.
	Props map[string]string
}

// Listener is one more way in to a broker.
type Listener struct {
	// Name is in capitals; Protocol is Kafka's security protocol.
	Name, Protocol string
	// Props are its own properties, without the listener's prefix.
	Props map[string]string
}

// withDefaults fills in what was left at zero, and refuses what can't be.
func (o Options) withDefaults() (Options, error) {
	if o.Version == "" {
		o.Version = Kafka44
	}
	if o.Nodes == 0 {
		o.Nodes = 1
	}
	if o.Nodes != 1 && o.Nodes != 3 {
		return o, fmt.Errorf("a test cluster has 1 node or 3, not %d", o.Nodes)
	}
	return o, nil
}

// quick are the settings of every test cluster: members join in about 1.2 s
// instead of 5 s, locks of one second are allowed, and the internal topics are
// small, so that they are made fast. What a broker else does by itself every five
// minutes is left out: a slow machine is in any test then. It would write the
// state of quiet share-partitions once more, delete the beginning of the state
// topic, and move leaders. Nor is a member dropped, or a broker fenced, that a busy
// machine keeps from its heartbeats for some seconds.
func quick() map[string]string {
	return map[string]string{
		"num.partitions":                                        "3",
		"auto.create.topics.enable":                             "false",
		"offsets.topic.num.partitions":                          "5",
		"transaction.state.log.num.partitions":                  "3",
		"transaction.state.log.min.isr":                         "1",
		"share.coordinator.state.topic.min.isr":                 "1",
		"group.initial.rebalance.delay.ms":                      "0",
		"group.share.min.heartbeat.interval.ms":                 "500",
		"group.share.heartbeat.interval.ms":                     "500",
		"group.share.min.session.timeout.ms":                    "5000",
		"group.share.session.timeout.ms":                        "20000",
		"group.share.min.record.lock.duration.ms":               "1000",
		"share.coordinator.state.topic.num.partitions":          "3",
		"log.cleaner.dedupe.buffer.size":                        "4194304",
		"broker.session.timeout.ms":                             "9000",
		"broker.heartbeat.interval.ms":                          "500",
		"auto.leader.rebalance.enable":                          "false",
		"share.coordinator.cold.partition.snapshot.interval.ms": "3600000",
		"share.coordinator.state.topic.prune.interval.ms":       "3600000",
	}
}

// properties is the server.properties of one node (counted from 1).
func (o Options) properties(node int, p ports, dataDir string) (string, error) {
	props := quick()
	props["node.id"] = strconv.Itoa(node)
	props["log.dirs"] = dataDir
	props["controller.quorum.bootstrap.servers"] = address(p.controller)
	props["controller.listener.names"] = "CONTROLLER"
	props["inter.broker.listener.name"] = "PLAINTEXT"
	props["process.roles"] = "broker"
	props["listener.security.protocol.map"] = "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_PLAINTEXT:SASL_PLAINTEXT,BEHIND:PLAINTEXT"
	for _, topic := range []string{"offsets.topic", "transaction.state.log", "share.coordinator.state.topic"} {
		props[topic+".replication.factor"] = strconv.Itoa(o.Nodes)
	}
	listeners := []string{"PLAINTEXT://" + address(p.plain[node-1])}
	if len(o.Users) > 0 {
		listeners = append(listeners, "SASL_PLAINTEXT://"+address(p.sasl[node-1]))
		o.addAuthorizer(props)
	}
	if node == 1 {
		props["process.roles"] = "broker,controller"
		listeners = append(listeners, "CONTROLLER://"+address(p.controller))
	}
	advertised := slices.Clone(listeners)
	if o.Behind != nil {
		target := address(p.behind[node-1])
		front, err := o.Behind(target)
		if err != nil {
			return "", fmt.Errorf("nothing stands in front of node %d: %w", node, err)
		}
		listeners = append(listeners, "BEHIND://"+target)
		advertised = append(advertised, "BEHIND://"+front)
	}
	if node == 1 {
		for i, l := range o.Listeners {
			at := l.Name + "://" + address(p.extra[i])
			listeners, advertised = append(listeners, at), append(advertised, at)
			props["listener.security.protocol.map"] += "," + l.Name + ":" + l.Protocol
			for key, value := range l.Props {
				props["listener.name."+strings.ToLower(l.Name)+"."+key] = value
			}
		}
	}
	props["listeners"] = strings.Join(listeners, ",")
	props["advertised.listeners"] = strings.Join(advertised, ",")
	maps.Copy(props, o.Props)
	return writeProperties(props), nil
}

// addAuthorizer lets the first listener do everything and the users nothing.
func (o Options) addAuthorizer(props map[string]string) {
	var jaas strings.Builder
	jaas.WriteString("org.apache.kafka.common.security.plain.PlainLoginModule required")
	for _, user := range slices.Sorted(maps.Keys(o.Users)) {
		fmt.Fprintf(&jaas, " user_%s=%q", user, o.Users[user])
	}
	props["listener.name.sasl_plaintext.plain.sasl.jaas.config"] = jaas.String() + ";"
	props["listener.name.sasl_plaintext.sasl.enabled.mechanisms"] = "PLAIN"
	props["authorizer.class.name"] = "org.apache.kafka.metadata.authorizer.StandardAuthorizer"
	props["super.users"] = "User:ANONYMOUS"
}

// writeProperties writes one key=value a line, sorted by key.
func writeProperties(props map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(props)) {
		fmt.Fprintf(&b, "%s=%s\n", key, props[key])
	}
	return b.String()
}
