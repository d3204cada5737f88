// Command sharetop shows Kafka share groups live in a terminal.
//
// This package only puts the others together: it owns the signals, the
// terminal and the exit code. What the flags mean is in cli, what is shown in
// ui, and where it comes from in kafka.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/charmbracelet/x/term"

	"sharetop/cli"
	"sharetop/demo"
	"sharetop/model"
	"sharetop/profile"
)

func main() {
	runtime.MemProfileRate = 0 // nobody reads the profile, and its table is a megabyte
	os.Exit(run(os.Args[1:]))
}

// run returns only when all is closed, and keeps the signals until then.
func run(args []string) int {
	shown := &pagers{}
	ctx, release := signalContext(shown)
	defer release()
	ctx, end := context.WithCancel(ctx)
	defer end()
	failed := &panicked{end: end}
	code := cli.Main(ctx, args, collectLater(environment(ctx, failed, shown)))
	if failed.tell(os.Stderr) {
		return cli.ExitFailure
	}
	return code
}

// environment is the world as the command line gets it. Panics of the screen
// and of the client go to failed; shown are the pagers that it opens.
func environment(ctx context.Context, failed *panicked, shown *pagers) cli.Env {
	return cli.Env{
		Stdin:            os.Stdin,
		Stdout:           os.Stdout,
		Stderr:           os.Stderr,
		StdoutIsTerminal: term.IsTerminal(os.Stdout.Fd()),
		ReaderGone:       func(ctx context.Context) bool { return readerGone(ctx, os.Stdout) },
		Getenv:           os.Getenv,
		Now:              time.Now,
		Version:          version,
		Ask:              asker(ctx, os.Stdin, os.Stderr),
		Connect:          func(r model.ConnectRequest) (model.Resolved, error) { return profile.Resolve(profileEnv(), r) },
		Open: func(ctx context.Context, conn model.Connection, ask askFunc) (cli.Source, error) {
			return openCluster(ctx, conn, ask, failed)
		},
		Changer: openChanger,
		Join:    joinGroup,
		Demo:    startDemo,
		Rules:   func() (model.Rules, error) { return profile.LoadRules(profile.ConfigPath(os.Getenv)) },
		Screen:  func(ctx context.Context, o cli.ScreenOptions) error { return showScreen(ctx, o, failed, shown) },
	}
}

func version() string { return cli.BuildVersion(debug.ReadBuildInfo()) }

// startDemo starts the demo cluster. It is up in well under a second, so
// nothing waits for ctx.
func startDemo(context.Context) (cli.Demo, error) {
	cluster, err := demo.Start(demo.Options{}) //nolint:contextcheck // the cluster lives until Stop, not as long as a call
	if err != nil {
		return cli.Demo{}, err
	}
	return cli.Demo{Bootstrap: cluster.Addrs(), Stop: cluster.Close}, nil
}
