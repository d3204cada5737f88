// Package kafka is the cluster side: it turns what brokers answer into
// model.Snapshot values, and sends nothing that could change a share group.
//
// A [Client] owns all connections and goroutines. Each broker has a node with
// connections of its own, so that a broker that is down or never answers
// delays nobody else. Jobs (list and describe, log offsets, metadata, configs)
// run on the nodes at every tick while somebody watches; each is one job that
// never overlaps itself and backs off with jitter when it fails. Start offsets
// and lag come through an [OffsetSource]: from the state topic, which a reader
// of its own tails, for all that it covers, and from requests for the rest.
// Everything ends in one state, which copies on write and hands out snapshots
// through [Client.Watch].
package kafka
