// SPDX-License-Identifier: BSD-2-Clause

// Top shows system calls by process, refreshed: top [INTERVAL [ROUNDS]], such as top 500ms 10.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"time"

	"dtrace.linux/dtrace"
)

func show(t *dtrace.Tracer) error {
	elements, err := t.Aggregation("", dtrace.ByValueReversed)
	if err != nil {
		return err
	}
	fmt.Printf("%-20s %8s %10s\n", "PROGRAM", "PID", "CALLS")
	for i, e := range elements {
		var program string
		var pid, calls int
		if err := e.Scan(&program, &pid, &calls); err != nil {
			return err
		}
		if i < 20 && calls > 0 {
			fmt.Printf("%-20s %8d %10d\n", program, pid, calls)
		}
	}
	fmt.Println()
	return t.Clear()
}

func run(ctx context.Context, interval time.Duration, rounds int) error {
	t, err := dtrace.Open(dtrace.Options{"quiet": ""})
	if err != nil {
		return err
	}
	defer t.Close()
	if err := t.Enable(`syscall:::entry { @[execname, pid] = count(); }`); err != nil {
		return err
	}
	for n := 0; rounds == 0 || n < rounds; n++ {
		round, cancel := context.WithTimeout(ctx, interval)
		err := t.Wait(round)
		cancel()
		if ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err // ended by ^C, by itself, or by an error
		}
		if err := show(t); err != nil {
			return err
		}
	}
	return nil
}

func main() {
	interval, rounds := time.Second, 0
	var err error
	if len(os.Args) > 1 {
		if interval, err = time.ParseDuration(os.Args[1]); err != nil {
			log.Fatal(err)
		}
	}
	if len(os.Args) > 2 {
		if rounds, err = strconv.Atoi(os.Args[2]); err != nil {
			log.Fatal(err)
		}
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	if err := run(ctx, interval, rounds); err != nil && ctx.Err() == nil {
		log.Fatal(err)
	}
}
