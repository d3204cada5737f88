package statetopic

import (
	"encoding/base64"
	"math"
	"strconv"
)

// PartitionFor returns the state topic partition that holds a share-partition,
// of as many as the topic really has; -1 when it has none.
func PartitionFor(k ShareKey, partitions int32) int32 {
	if partitions <= 0 {
		return -1
	}
	return partitionOf(javaHash(coordinatorKey(k)), partitions)
}

// partitionOf divides the hash's absolute value; the lowest number has none and
// counts as 0.
func partitionOf(hash, partitions int32) int32 {
	if hash == math.MinInt32 {
		return 0
	}
	return max(hash, -hash) % partitions
}

// coordinatorKey is group:topic id:partition, which FindCoordinator also takes
// for key type 2. The topic id is in base64url without padding.
func coordinatorKey(k ShareKey) string {
	return k.Group + ":" + base64.RawURLEncoding.EncodeToString(k.TopicID[:]) + ":" +
		strconv.FormatInt(int64(k.Partition), 10)
}

// surrogates is the first character that takes two UTF-16 units.
const surrogates = 0x10000

// javaHash is Java's String.hashCode: over UTF-16 units, so that a character
// beyond the basic plane counts as its two surrogates.
func javaHash(s string) int32 {
	var h int32
	for _, r := range s {
		if r < surrogates {
			h = 31*h + r
			continue
		}
		r -= surrogates
		h = 31*(31*h+0xd800+r>>10) + 0xdc00 + r&0x3ff
	}
	return h
}
