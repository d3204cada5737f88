package broker

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
)

// ports are the ports of one cluster; plain, sasl and behind have one per node,
// extra has one per further listener of node 1.
type ports struct {
	controller                 int
	plain, sasl, behind, extra []int
}

// address is where a port listens.
func address(port int) string { return fmt.Sprintf("127.0.0.1:%d", port) }

// Ports are picked below those that systems give to who asks for any port (from
// 32768 on Linux): the other tests do that all the time, and would take one before
// the broker does, or while it is restarted.
const firstPort, lastPort = 20_000, 32_000

// maxPicks bounds how many ports are looked at for one that is free.
const maxPicks = 100

// freePorts picks ports that are free now. Somebody else may take one before
// the broker does; Start then tries again with others.
func freePorts(ctx context.Context, nodes, extra int) (ports, error) {
	var held []net.Listener
	defer func() {
		for _, l := range held {
			_ = l.Close()
		}
	}()
	picked := make([]int, 3*nodes+1+extra)
	for i := range picked {
		l, err := freePort(ctx)
		if err != nil {
			return ports{}, err
		}
		held = append(held, l)
		picked[i] = l.Addr().(*net.TCPAddr).Port
	}
	return ports{
		controller: picked[0],
		plain:      picked[1 : nodes+1],
		sasl:       picked[nodes+1 : 2*nodes+1],
		behind:     picked[2*nodes+1 : 3*nodes+1],
		extra:      picked[3*nodes+1:],
	}, nil
}

// FreeAddress is an address on 127.0.0.1 where nobody listens now, for a server
// that a test starts.
func FreeAddress(ctx context.Context) (string, error) {
	l, err := freePort(ctx)
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// freePort listens on a port that was free.
func freePort(ctx context.Context) (net.Listener, error) {
	var err error
	for range maxPicks {
		var l net.Listener
		port := firstPort + rand.IntN(lastPort-firstPort) //nolint:gosec // only spreads processes
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", address(port)); err == nil {
			return l, nil
		}
	}
	return nil, fmt.Errorf("no free port on 127.0.0.1 for a test broker: %w", err)
}
