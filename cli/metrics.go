package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"sharetop/metrics"
	"sharetop/model"
)

// metricsFlags are the flags of metrics.
type metricsFlags struct {
	listen   string
	interval time.Duration
}

// defaultScrape is how often the cluster is looked at while metrics are served.
const defaultScrape = 10 * time.Second

// shutdownFor bounds how long scrapes may go on once the program is to end.
const shutdownFor = 2 * time.Second

func newMetrics(p *program) *cobra.Command {
	var f metricsFlags
	cmd := p.command("metrics", "Print Prometheus metrics of all share groups, or serve them", opening{}, f.run)
	cmd.Long = "metrics prints the lag, offsets, members, state and verdict of every share group in the text format\n" +
		"of Prometheus, once. With --listen it serves them at /metrics, and its health at /healthz, until it is\n" +
		"stopped. The cluster is looked at every --min-interval, however many scrape and however often."
	cmd.Example = "  sharetop metrics > /var/lib/node_exporter/sharetop.prom\n  sharetop metrics --listen 9465"
	cmd.Args = noArguments
	flags := cmd.Flags()
	flags.StringVar(&f.listen, "listen", "", "serve at this `address`; a port alone, as 9465, is for this machine only")
	flags.DurationVar(&f.interval, "min-interval", defaultScrape, "with --listen: `duration` between two looks at the cluster, 500ms to 1m")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) (err error) {
		switch changed := cmd.Flags().Changed; {
		case changed("output"), changed("no-header"):
			return errors.New("metrics has one format, that of Prometheus: leave out --output and --no-header")
		case changed("min-interval") && f.listen == "":
			return errors.New("--min-interval does nothing without --listen")
		case f.interval < model.MinInterval || f.interval > model.MaxInterval:
			return fmt.Errorf("--min-interval %s is out of bounds: use %s to %s", f.interval, model.MinInterval, model.MaxInterval)
		}
		if f.listen != "" {
			f.listen, err = metrics.ListenAddress(f.listen)
		}
		return err
	}
	return cmd
}

func (f *metricsFlags) run(ctx context.Context, v *visit) error {
	if f.listen == "" {
		return v.printMetrics(ctx)
	}
	return v.serveMetrics(ctx, f)
}

// printMetrics prints one look.
func (v *visit) printMetrics(ctx context.Context) error {
	l := v.look(0)
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	exporter := metrics.New(func() *model.Board { return board }, v.env.Now, 0)
	if err := exporter.Write(v.env.Stdout); err != nil {
		return wrote(0, err)
	}
	return v.tell(model.AllProblems(board.Snapshot), l.timedOut)
}

// serveMetrics serves boards until ctx ends. A cluster that can't be reached at
// the start ends it, since the settings are wrong then more often than not; one
// that goes away later is told by the series.
func (v *visit) serveMetrics(ctx context.Context, f *metricsFlags) error {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", f.listen)
	if err != nil {
		return fmt.Errorf("metrics can't be served: %w", err)
	}
	defer listener.Close()
	l := v.look(0)
	board, err := l.run(ctx)
	if err != nil {
		return err
	}
	var newest atomic.Pointer[model.Board]
	newest.Store(board)
	server := metrics.New(newest.Load, v.env.Now, f.interval).NewServer()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	v.say("metrics are served at http://%s/metrics", listener.Addr())

	watching, stop := context.WithCancel(ctx)
	defer stop()
	watched := make(chan error, 1)
	go func() { watched <- l.follow(watching, f.interval, newest.Store) }()
	select {
	case err = <-failed:
		stop()
		return errors.Join(fmt.Errorf("metrics are no longer served: %w", err), <-watched)
	case err = <-watched:
	}
	endServer(ctx, server)
	if err != nil {
		return err
	}
	return exit(ExitInterrupted, "interrupted")
}

// endServer lets scrapes that are on come to their end.
func endServer(ctx context.Context, server *http.Server) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownFor)
	defer cancel()
	if server.Shutdown(ctx) != nil {
		_ = server.Close() // their time is over
	}
}

// follow goes on looking after run, and hands over a board every interval,
// until ctx ends. The wait for snapshots never stops: the cluster is asked only
// while somebody waits.
func (l *look) follow(ctx context.Context, interval time.Duration, show func(*model.Board)) error {
	l.scope.Once, l.scope.Interval = false, interval
	l.tracker.SetInterval(interval)
	due := l.now().Add(interval)
	for {
		s, err := l.before(ctx, due)
		switch {
		case ctx.Err() != nil:
			return nil
		case err == nil:
			l.last = s
		case !errors.Is(err, context.DeadlineExceeded):
			return fmt.Errorf("watching the cluster failed: %w", err)
		}
		if now := l.now(); !now.Before(due) {
			show(l.boardNow())
			due = now.Add(interval)
		}
	}
}

// before waits for the next snapshot, until due.
func (l *look) before(ctx context.Context, due time.Time) (*model.Snapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, due.Sub(l.now()))
	defer cancel()
	return l.source.Watch(ctx, l.scope, l.last.Version)
}
