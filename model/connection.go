package model

import "time"

// Connection says how to reach a cluster.
type Connection struct {
	// Name is what a person calls the cluster; shown in the header. Empty: the
	// first bootstrap server is shown.
	Name Text
	// Bootstrap are host:port pairs.
	Bootstrap []string
	// ReadOnly refuses every request that could change something.
	ReadOnly bool
	// DialTimeout bounds one connection attempt; 0 means DefaultDialTimeout.
	DialTimeout time.Duration
}

// DefaultDialTimeout bounds one connection attempt to one broker.
const DefaultDialTimeout = 5 * time.Second
