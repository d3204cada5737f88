//go:build unix

package broker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// guardScript runs a program and kills it when the lifeline (standard input)
// ends, which it does when the process that holds its other end is gone,
// whatever ended it. The shell stays the program's parent until it is dead, so
// the process id that it reports can't become somebody else's.
//
// PR_SET_PDEATHSIG would be shorter, but is tied to the thread that started the
// child, and Go ends threads as it likes.
const guardScript = `
exec 4<&0
"$@" </dev/null 3>&- 4<&- &
program=$!
{ exec 3>&- >/dev/null 2>&1; read -r line <&4; kill -9 "$program"; } &
watcher=$!
echo "$program" >&3
exec 3>&- 4<&-
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`

// outputDelay bounds how long the output of an ended program is waited for.
const outputDelay = 5 * time.Second

// process is a running program that ends with this one at the latest.
type process struct {
	pid      int
	lifeline *os.File
	// done is closed when the program is gone; err is then how it ended.
	done chan struct{}
	err  error
}

// startGuarded starts a program under guardScript, in a process group of its
// own so that a terminal's ctrl-c is not for it.
func startGuarded(argv []string, stdout, stderr io.Writer) (*process, error) {
	life, lifeline, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("no pipe to guard %s: %w", argv[0], err)
	}
	defer func() { _ = life.Close() }()
	report, reporter, err := os.Pipe()
	if err != nil {
		_ = lifeline.Close()
		return nil, fmt.Errorf("no pipe to guard %s: %w", argv[0], err)
	}
	defer func() { _ = report.Close() }()
	cmd := exec.Command("/bin/sh", append([]string{"-c", guardScript, "guard"}, argv...)...) // the lifeline bounds it; a context would kill the guard alone
	cmd.Stdin, cmd.Stdout, cmd.Stderr = life, stdout, stderr
	cmd.ExtraFiles = []*os.File{reporter}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = outputDelay
	err = cmd.Start()
	_ = reporter.Close()
	if err != nil {
		_ = lifeline.Close()
		return nil, fmt.Errorf("%s can't be started: %w", argv[0], err)
	}
	p := &process{lifeline: lifeline, done: make(chan struct{})}
	p.pid, err = readPID(report)
	go p.wait(cmd)
	if err != nil {
		p.kill()
		return nil, fmt.Errorf("the guard of %s did not tell its process id: %w", argv[0], err)
	}
	return p, nil
}

func readPID(report io.Reader) (int, error) {
	line, err := bufio.NewReader(report).ReadString('\n')
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(line))
}

func (p *process) wait(cmd *exec.Cmd) {
	p.err = cmd.Wait()
	_ = p.lifeline.Close()
	close(p.done)
}

// kill ends the program at once (SIGKILL, by its guard) and waits until it is
// gone.
func (p *process) kill() {
	_ = p.lifeline.Close()
	<-p.done
}

// stop freezes the program (SIGSTOP), and returns once it stands still.
func (p *process) stop() error {
	if err := p.signal(syscall.SIGSTOP); err != nil {
		return err
	}
	return p.awaitStopped()
}

// cont lets a frozen program go on (SIGCONT).
func (p *process) cont() error { return p.signal(syscall.SIGCONT) }

func (p *process) signal(sig syscall.Signal) error {
	select {
	case <-p.done:
		return errors.New("the process has ended")
	default:
		return syscall.Kill(p.pid, sig)
	}
}

// runGuarded runs a program to its end, and kills it when the context ends.
func runGuarded(ctx context.Context, argv []string, stdout, stderr io.Writer) error {
	p, err := startGuarded(argv, stdout, stderr)
	if err != nil {
		return err
	}
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.kill()
		return fmt.Errorf("stopped: %w", context.Cause(ctx))
	}
}
