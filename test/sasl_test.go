//go:build unix

package test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// auditor and stateAuditor are users of the SASL listener who may do only what an
// ACL allows: one for each test that grants something, as tests run beside each
// other.
const (
	auditor         = "auditor"
	stateAuditor    = "state-auditor"
	auditorPassword = "audit-only"
)

// users are the users of the SASL listener: the auditors, and one for each case
// of the ACLs.
func users() map[string]string {
	all := map[string]string{auditor: auditorPassword, stateAuditor: auditorPassword}
	for _, c := range aclCases() {
		all[c.user] = aclPassword
	}
	return all
}

// dialAs is a dialer whose connections are authenticated (SASL/PLAIN) before
// they are handed over, so that a client needs no credentials of its own.
func dialAs(user, password string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if deadline, ok := ctx.Deadline(); ok {
			_ = conn.SetDeadline(deadline)
		}
		if err := authenticate(conn, user, password); err != nil {
			return nil, fmt.Errorf("%s at %s: %w", user, addr, errors.Join(err, conn.Close()))
		}
		return conn, conn.SetDeadline(time.Time{})
	}
}

func authenticate(conn net.Conn, user, password string) error {
	handshake := kmsg.NewPtrSASLHandshakeRequest()
	handshake.Mechanism = "PLAIN"
	handshake.Version = 1
	answer, err := exchange(conn, handshake)
	if err != nil {
		return err
	}
	if code := answer.(*kmsg.SASLHandshakeResponse).ErrorCode; code != 0 {
		return kerr.ErrorForCode(code)
	}
	plain := kmsg.NewPtrSASLAuthenticateRequest()
	plain.SASLAuthBytes = []byte("\x00" + user + "\x00" + password)
	answer, err = exchange(conn, plain)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(answer.(*kmsg.SASLAuthenticateResponse).ErrorCode)
}

// exchange sends one request of a version without tagged fields and reads its
// answer.
func exchange(conn net.Conn, req kmsg.Request) (kmsg.Response, error) {
	if _, err := conn.Write(new(kmsg.RequestFormatter).AppendRequest(nil, req, 0)); err != nil {
		return nil, err
	}
	var size [4]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return nil, err
	}
	frame := make([]byte, binary.BigEndian.Uint32(size[:]))
	if _, err := io.ReadFull(conn, frame); err != nil {
		return nil, err
	}
	answer := req.ResponseKind()
	answer.SetVersion(req.GetVersion())
	return answer, answer.ReadFrom(frame[4:])
}
