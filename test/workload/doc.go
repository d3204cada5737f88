// Package workload makes topics, records, share groups and share consumers for
// tests and benchmarks against a real Kafka.
//
// Everything goes through franz-go, since each of Kafka's own commands costs a
// second or more of starting Java.
package workload
