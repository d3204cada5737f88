package broker

import (
	"context"
	"fmt"
)

// Kill9 kills a node (counted from 1) with SIGKILL and returns when it is gone.
func (c *Cluster) Kill9(number int) error {
	n, err := c.node(number)
	if err != nil {
		return err
	}
	n.kill()
	return nil
}

// Freeze stops a node with SIGSTOP: its connections stay, nothing is answered.
func (c *Cluster) Freeze(number int) error {
	n, err := c.node(number)
	if err != nil {
		return err
	}
	return n.process.stop()
}

// Thaw lets a frozen node go on with SIGCONT.
func (c *Cluster) Thaw(number int) error {
	n, err := c.node(number)
	if err != nil {
		return err
	}
	return n.process.cont()
}

// Restart starts a killed node again with its old data and returns when a
// client sees all brokers.
func (c *Cluster) Restart(ctx context.Context, number int) error {
	n, err := c.node(number)
	if err != nil {
		return err
	}
	n.kill()
	if err := n.start(c.home, c.logConfig("info")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return c.waitReady(ctx)
}

func (c *Cluster) node(number int) (*node, error) {
	if number < 1 || number > len(c.nodes) {
		return nil, fmt.Errorf("this cluster has no node %d, only 1 to %d", number, len(c.nodes))
	}
	return c.nodes[number-1], nil
}
