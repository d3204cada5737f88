package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
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

// Reconfigure gives every node further properties, or other values of those it
// has, from its next start on.
func (c *Cluster) Reconfigure(props map[string]string) error {
	if c.options.Behind != nil {
		return errors.New("a cluster behind proxies can't be given other properties: they would be put in front once more")
	}
	all := maps.Clone(c.options.Props)
	if all == nil {
		all = make(map[string]string, len(props))
	}
	maps.Copy(all, props)
	c.options.Props = all
	for _, n := range c.nodes {
		if err := c.configure(n); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) node(number int) (*node, error) {
	if number < 1 || number > len(c.nodes) {
		return nil, fmt.Errorf("this cluster has no node %d, only 1 to %d", number, len(c.nodes))
	}
	return c.nodes[number-1], nil
}
