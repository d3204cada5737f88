// Package broker starts a real Apache Kafka for tests and benchmarks.
//
// The broker and Kafka's own commands come from Maven artifacts, fetched once
// per version into the user's cache. A cluster has one node or three, listens
// on free ports of 127.0.0.1 only, and never outlives the process that started
// it, however that process ends.
//
// Needed on the machine: Java 17 or later and Maven; Require says in one
// sentence what is missing.
package broker
