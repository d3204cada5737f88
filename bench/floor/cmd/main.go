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
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: cmd HOST:PORT [GROUP]")
		os.Exit(1)
	}
	counts, err := floor.Look(ctx, os.Args[1], os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("%+v\n", counts)
}
