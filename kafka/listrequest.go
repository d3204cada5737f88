package kafka

import (
	"hash/maphash"
	"strings"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// listRequest is a ListGroups request whose answer is not decoded when it is the
// one that was merged last: with ten thousand groups that would be a megabyte of
// names at every tick, and nearly always the same.
type listRequest struct {
	*kmsg.ListGroupsRequest
	seed maphash.Seed
	// known is the sum of the answer merged last; 0 for none.
	known uint64
}

// newListRequest asks for share groups. Brokers before version 5 ignore the
// filter.
func newListRequest(seed maphash.Seed, known uint64) *listRequest {
	req := kmsg.NewPtrListGroupsRequest()
	req.TypesFilter = []string{groupType}
	return &listRequest{ListGroupsRequest: req, seed: seed, known: known}
}

// ResponseKind makes kgo read the answer into a listResponse.
func (r *listRequest) ResponseKind() kmsg.Response {
	resp := kmsg.NewPtrListGroupsResponse()
	resp.Version = r.Version
	return &listResponse{ListGroupsResponse: resp, request: r}
}

// listResponse is the answer to a listRequest.
type listResponse struct {
	*kmsg.ListGroupsResponse
	request *listRequest
	// sum names what was answered; 0 for what is not to be known again.
	sum uint64
	// raw is an answer that is known, and so was not decoded.
	raw []byte
}

// ReadFrom takes in the answer's bytes.
func (r *listResponse) ReadFrom(raw []byte) error {
	r.sum = maphash.Bytes(r.request.seed, raw)
	if r.sum == r.request.known {
		r.raw = raw
		return nil
	}
	return r.decode(raw)
}

// decode reads the bytes. An answer with an error is not to be known again, nor
// one that throttles: kgo has to see that.
func (r *listResponse) decode(raw []byte) error {
	if err := r.ListGroupsResponse.ReadFrom(raw); err != nil {
		return err
	}
	if r.ErrorCode != 0 || r.ThrottleMillis != 0 {
		r.sum = 0
	}
	return nil
}

// groups are the share groups in the answer, as far as wanted lets them through:
// what nobody asked for is left out before it costs anything.
func (r *listResponse) groups(wanted func(id string) bool) ([]listedGroup, error) {
	if r.raw != nil {
		if err := r.decode(r.raw); err != nil {
			return nil, err
		}
	}
	var listed []listedGroup
	for i := range r.Groups {
		// Brokers before version 5 name no type.
		if g := &r.Groups[i]; strings.EqualFold(g.GroupType, groupType) && wanted(g.Group) {
			listed = append(listed, listedGroup{g.Group, g.GroupState})
		}
	}
	return listed, nil
}
