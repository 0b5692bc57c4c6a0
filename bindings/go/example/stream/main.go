// SPDX-License-Identifier: BSD-2-Clause

// Stream writes the files that a command opens as lines of JSON while it runs: stream COMMAND [ARG…]
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"dtrace.linux/dtrace"
)

type opened struct {
	Time    uint64 `json:"time"`
	Pid     int    `json:"pid"`
	Program string `json:"program"`
	Path    string `json:"path"`
}

func run(ctx context.Context, command []string) error {
	t, err := dtrace.Open(dtrace.Options{"quiet": "", "switchrate": "100ms"})
	if err != nil {
		return err
	}
	defer t.Close()
	if _, err := t.Spawn(command...); err != nil {
		return err
	}
	if err := t.Enable(`syscall::openat:entry /pid == $target/ { trace(pid); trace(execname); trace(copyinstr(arg1)); }`); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the channel if we return before it is closed
	out := json.NewEncoder(os.Stdout)
	for e := range t.Events(ctx) {
		o := opened{Time: e.Time}
		if err := e.Scan(&o.Pid, &o.Program, &o.Path); err != nil {
			return err
		}
		if err := out.Encode(o); err != nil {
			return err
		}
	}
	return t.Err()
}

func main() {
	command := os.Args[1:]
	if len(command) == 0 {
		command = []string{"ls", "-l", "/"}
	}
	if err := run(context.Background(), command); err != nil {
		log.Fatal(err)
	}
}
