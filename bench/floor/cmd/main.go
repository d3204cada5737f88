// Command cmd runs the floor as a process of its own, so that its start-up is
// measured like sharetop's: cmd HOST:PORT [GROUP].
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"sharetop/bench/floor"
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: cmd HOST:PORT [GROUP]")
		os.Exit(1)
	}
	if err := look(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

func look(bootstrap string, groups []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	counts, err := floor.Look(ctx, bootstrap, groups...)
	if err == nil {
		fmt.Printf("%+v\n", counts)
	}
	return err
}
