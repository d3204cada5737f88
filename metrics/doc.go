// Package metrics turns a model.Board into Prometheus series, since Apache Kafka
// has no metric for the lag of a share group (KIP-932). It asks no cluster: who
// serves it hands it boards.
package metrics
