// Command sharetop shows Kafka share groups live in a terminal.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"sharetop/demo"
	"sharetop/kafka"
	"sharetop/model"
	"sharetop/ui"
)

func main() { os.Exit(run(os.Args[1:])) }

func run(args []string) int {
	ctx, release := signalContext()
	defer release()
	flags := flag.NewFlagSet("sharetop", flag.ContinueOnError)
	bootstrap := flags.String("bootstrap-server", "", "HOST:PORT,…")
	isDemo := flags.Bool("demo", false, "run against a small Kafka inside the program")
	group := flags.String("group", "", "open this group")
	if flags.Parse(args) != nil {
		return 2
	}
	conn := model.Connection{Bootstrap: strings.Split(*bootstrap, ",")}
	cfg := ui.Config{OpenGroup: *group}
	if *isDemo {
		cfg.Demo = true
	}
	switch err := showScreen(ctx, conn, cfg); {
	case errors.Is(err, tea.ErrInterrupted):
		return 130
	case err != nil:
		fmt.Fprintln(os.Stderr, "sharetop:", err)
		return 1
	}
	return 0
}

// showScreen runs the screen on a cluster, or on the demo's.
func showScreen(ctx context.Context, conn model.Connection, cfg ui.Config) error {
	if cfg.Demo {
		cluster, err := demo.Start(demo.Options{})
		if err != nil {
			return err
		}
		defer cluster.Close()
		conn.Bootstrap = cluster.Addrs()
		conn.Name = model.NewText("demo")
	}
	client, err := kafka.Open(conn, kafka.Options{Now: time.Now})
	if err != nil {
		return err
	}
	defer client.Close()
	cfg.Source = client
	cfg.Now = time.Now
	cfg.ClusterName = conn.Name.Raw()
	cfg.Bootstrap = conn.Bootstrap
	cfg.ReadOnly = conn.ReadOnly
	cfg.Env = os.Getenv
	return runScreen(ctx, ui.New(cfg))
}
