// Package model says what share groups are: plain values and pure functions.
//
// It holds the snapshot of a cluster, what is derived from it (lag totals,
// rates, drain time, diagnosis), and how outside text is made safe to show.
// It has no IO, no clock and no goroutine: whoever calls it hands it the time.
// It imports the standard library only.
package model
