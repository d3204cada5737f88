package broker

import (
	"fmt"
	"os"
	"path/filepath"
)

// node is one Kafka process and its files.
type node struct {
	number  int
	dir     string
	process *process
}

func (n *node) file(name string) string { return filepath.Join(n.dir, name) }

func (n *node) logPath() string { return n.file("kafka.log") }

// start runs Kafka; its output is added to what an earlier run wrote.
func (n *node) start(home kafkaHome, logConfig string) error {
	log, err := os.OpenFile(n.logPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("the log of node %d can't be opened: %w", n.number, err)
	}
	defer func() { _ = log.Close() }()
	argv := home.command(logConfig, "512m", "kafka.Kafka", n.file("server.properties"))
	n.process, err = startGuarded(argv, log, log)
	return err
}

// running tells whether the process is there (frozen or not).
func (n *node) running() bool {
	if n.process == nil {
		return false
	}
	select {
	case <-n.process.done:
		return false
	default:
		return true
	}
}

// kill ends the process at once; nothing happens when there is none.
func (n *node) kill() {
	if n.process != nil {
		n.process.kill()
	}
}
