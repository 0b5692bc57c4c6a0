// SPDX-License-Identifier: BSD-2-Clause

// Latency shows how long the system calls of a command take: latency COMMAND [ARG…]
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"dtrace.linux/dtrace"
)

const program = `
syscall:::entry /pid == $target/ { self->begin = timestamp; }
syscall:::return /self->begin/ { @[probefunc] = quantize(timestamp - self->begin); self->begin = 0; }`

func run(command []string) error {
	t, err := dtrace.Open(dtrace.Options{"quiet": ""})
	if err != nil {
		return err
	}
	defer t.Close()
	if _, err := t.Spawn(command...); err != nil {
		return err
	}
	if err := t.Enable(program); err != nil {
		return err
	}
	if err := t.Wait(context.Background()); err != nil {
		return err
	}
	elements, err := t.Aggregation("", dtrace.Sorted)
	if err != nil {
		return err
	}
	for _, e := range elements {
		var call string
		var buckets []dtrace.Bucket
		if err := e.Scan(&call, &buckets); err != nil {
			return err
		}
		total := int64(0)
		for _, b := range buckets {
			total += b.Count
		}
		fmt.Printf("%s: %d calls\n", call, total)
		for _, b := range buckets {
			fmt.Printf("%12d ns |%-40s| %d\n", b.Low, strings.Repeat("@", int(40*b.Count/total)), b.Count)
		}
	}
	return nil
}

func main() {
	command := os.Args[1:]
	if len(command) == 0 {
		command = []string{"ls", "-l", "/"}
	}
	if err := run(command); err != nil {
		log.Fatal(err)
	}
}
