// Package bench measures sharetop against what else there is: the same requests
// bare (the floor) and Kafka's own command, on a real Kafka and in the same
// run, since machines are noisy and figures of two runs can't be compared.
//
// The benchmarks start their own brokers (see test/broker) and measure whole
// processes from outside. README.md has the figures and the commands.
package bench
