// Package judge runs Kafka's own ShareGroupCommand (kafka-share-groups.sh) and
// reads what it prints, so that sharetop's values can be held against it.
//
// What the command leaves out is unknown here too ("-"): a start offset that
// is not fixed, and with it the leader epoch, but also a lag below zero, which
// it does not print. It sorts the groups of --all-groups by id.
package judge
