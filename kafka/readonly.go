package kafka

import (
	"fmt"

	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// readOnlyKeys are the requests that may leave in read-only mode, with the
// highest version we speak. FindCoordinator is not among them: it makes a fresh
// cluster create __consumer_offsets.
func readOnlyKeys() map[int16]int16 {
	allowed := []kmsg.Request{
		kmsg.NewPtrFetchRequest(),
		kmsg.NewPtrListOffsetsRequest(),
		kmsg.NewPtrMetadataRequest(),
		kmsg.NewPtrListGroupsRequest(),
		kmsg.NewPtrSASLHandshakeRequest(),
		kmsg.NewPtrApiVersionsRequest(),
		kmsg.NewPtrOffsetForLeaderEpochRequest(),
		kmsg.NewPtrDescribeConfigsRequest(),
		kmsg.NewPtrListConfigResourcesRequest(),
		kmsg.NewPtrSASLAuthenticateRequest(),
		kmsg.NewPtrShareGroupDescribeRequest(),
		kmsg.NewPtrDescribeShareGroupOffsetsRequest(),
	}
	keys := make(map[int16]int16, len(allowed))
	for _, r := range allowed {
		keys[r.Key()] = r.MaxVersion()
	}
	return keys
}

// readOnlyVersions is the allow-list in the form that kgo enforces itself: it
// refuses every key that is not in it before anything is written.
func readOnlyVersions() *kversion.Versions {
	versions := new(kversion.Versions)
	for key, v := range readOnlyKeys() {
		versions.SetMaxKeyVersion(key, v)
	}
	return versions
}

// ReadOnlyError says that a request was not sent because the connection is
// read-only.
type ReadOnlyError struct {
	// Key is the API key of the refused request.
	Key int16
}

// Error is a sentence that names the request and how to allow it.
func (e *ReadOnlyError) Error() string {
	name := kmsg.NameForKey(e.Key)
	if name == "" {
		name = fmt.Sprintf("Request %d", e.Key)
	}
	return name + " was not sent: this connection is read-only; leave out --read-only " +
		"(or SHARETOP_READ_ONLY, or read_only in the profile) to allow it"
}

// guard is our own check in front of every request: kgo's refusal says only
// that a key is unknown.
type guard struct {
	allowed map[int16]int16 // nil: everything may be sent
}

func newGuard(readOnly bool) guard {
	if !readOnly {
		return guard{}
	}
	return guard{allowed: readOnlyKeys()}
}

// check returns a ReadOnlyError for a request that may not be sent.
func (g guard) check(req kmsg.Request) error {
	if g.allowed == nil {
		return nil
	}
	if _, ok := g.allowed[req.Key()]; ok {
		return nil
	}
	return &ReadOnlyError{Key: req.Key()}
}
