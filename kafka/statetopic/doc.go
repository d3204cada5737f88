// Package statetopic reads and writes the records of __share_group_state, and
// merges them into the state of every share-partition as Kafka's share
// coordinator does.
//
// It has no client: bytes go in, values come out. Table is what a consumer of
// the topic feeds; the rest is the codec below it. Kafka 4.1 to 4.4 write the
// same format; that of the early access in 4.0 is another one and fails to
// decode.
//
// A table of 1,000 share-partitions takes 0.3 MB while they are idle, 0.5 MB
// with ten batches each and 50 MB with 2,000 each (BenchmarkMemory), what it has
// handed out included; MaxBatches bounds each one.
package statetopic
