// Command dlsim runs a payout system under distributed locks in worlds that pause, kill, cut and
// skew it, and checks what happened against the rules it promises to keep.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"dlsim/sim/live"
)

func main() {
	if status, ok := live.Child(os.Args); ok {
		os.Exit(status)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program the hard way
	os.Exit(newApp(os.Stdout, os.Stderr).execute(ctx, os.Args[1:]))
}
