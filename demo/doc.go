// Package demo runs a small Kafka inside the process: three brokers of
// franz-go's kfake with share groups that live on real share consumers.
//
// The data is seeded: the same records, groups and start offsets every time.
// Totals are promised (see Orders, Rejected, Released); which consumer gets
// which record, and in which order, is not, as with a real share group.
//
// kfake is not Kafka: it answers no broker-side error texts, moves the start
// offset at once, and would hand out offset -1 of a group that has no start
// offset: the demo places it as its first member joins (see placeAtJoin). It has
// no share state topic either: the demo writes one, in the bytes that Kafka
// writes, from what share consumers are answered: its own, and others such as
// sharetop (see tap).
package demo
