package broker

import (
	"context"
	"fmt"
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
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return ports{}, fmt.Errorf("no free port on 127.0.0.1 for a test broker: %w", err)
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
