#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pid probes in a real program of Go: goroutines whose stacks grow, and are moved, while their frames are probed. Counts are exact, the program ends
# as without us, stacks are whole, with symbols and debugging data and without.
. test/cli/helpers.inc
may_trace "pid probes in Go"

command -v go >/dev/null || { ok "pid probes in Go # SKIP there is no go here"; exit 0; }
mkdir "$tmp/src"
cat >"$tmp/src/main.go" <<'END_GO'
package main

import (
	"fmt"
	"sync"
)

//go:noinline
func double(n int) int { return n * 2 }

//go:noinline
func deep(n int) int { // large frames: the stack is moved below them
	var room [256]int
	room[n%256] = n
	if n == 0 {
		return room[0]
	}
	return deep(n-1) + room[n%256]
}

//go:noinline
func leaf(n int) int {
	if n%3 == 0 {
		return 1
	}
	return deep(n % 7)
}

func main() {
	var wg sync.WaitGroup
	var lock sync.Mutex
	total, calls := 0, 0
	for g := 0; g < 50; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			sum := 0
			for i := 0; i < 20; i++ {
				sum += double(i)
			}
			sum += deep(100)
			sum += leaf(g)
			lock.Lock()
			total += sum
			calls += 101
			if g%3 != 0 {
				calls += g%7 + 1
			}
			lock.Unlock()
		}(g)
	}
	wg.Wait()
	fmt.Println("total", total, "calls", calls)
}
END_GO
export HOME="$tmp" GOCACHE="$tmp/cache" GO111MODULE=off GOFLAGS= CGO_ENABLED=0
if ! go build -o "$tmp/prog" "$tmp/src/main.go" >"$tmp/out" 2>&1; then
	ok "pid probes in Go # SKIP it cannot be compiled here: $(head -n 1 "$tmp/out")"
	exit 0
fi
alone=$("$tmp/prog")

run -qc "$tmp/prog" -n '
pid$target:a.out:main.double:entry, pid$target:a.out:main.deep:entry, pid$target:a.out:main.leaf:entry { @e[probefunc] = count(); @a[probefunc] = sum(arg0); }
pid$target:a.out:main.double:return, pid$target:a.out:main.deep:return, pid$target:a.out:main.leaf:return { @r[probefunc] = count(); @v[probefunc] = sum(arg1); }
pid$target:a.out:main.*:return { @at = min(arg0); }
END { printa("entry %s %@d %@d\n", @e, @a); printa("return %s %@d %@d\n", @r, @v); printa("at %@d\n", @at); }'
is "a program whose stacks are moved ends as without probes" 0 "$alone"
is "entries: one a call, whatever its stack needs" 0 "entry main.deep ${alone##* } 252753"
is "entries: arguments" 0 "entry main.double 1000 9500"
is "returns: one a call" 0 "return main.deep ${alone##* } "
is "returns: two places, and the values" 0 "return main.leaf 50 270"
! grep -qx 'at 0' "$tmp/out"
check $? "returns: arg0 is an offset inside of the function"

run -qc "$tmp/prog" -n 'pid$target:a.out:main.deep:entry /args[0] == 40/ { @[args[0]] = count(); } END { printa("typed %d %@d\n", @); }'
is "args[ ] from its debugging data" 0 "typed 40 50"

# frames NAME: those of the one stack that was printed, as names
frames() { sed -n 's/^ *[^ `]*`\(main\.[^+ ]*\|runtime\.goexit[^+ ]*\).*/\1/p' "$tmp/out" | tr '\n' ' '; }
stack='pid$target:a.out:main.leaf:PROBE { @[ustack()] = count(); }'
for probe in entry return; do
	run -qc "$tmp/prog" -n "$(echo "$stack" | sed "s/PROBE/$probe/") END { trunc(@, 1); }"
	case $(frames) in
	"main.leaf main.main.func1 main.main."*"runtime.goexit"*) ok "ustack() at $probe: to the start of the goroutine" ;;
	*) bad "ustack() at $probe: $(frames)" ;;
	esac
done

# N25: where the caller continues is where Go's functions return
run -qc "$tmp/prog" -n 'pid$target:a.out:main.double:returned, pid$target:a.out:main.deep:returned, pid$target:a.out:main.leaf:returned { @r[probefunc] = count(); @v[probefunc] = sum(arg1); }
END { printa("returned %s %@d %@d\n", @r, @v); }'
is "returned: the program ends as without probes" 0 "$alone"
is "returned: one a call, on stacks that are moved" 0 "returned main.deep ${alone##* } "
is "returned: the values" 0 "returned main.leaf 50 270"

# N27: goroutines that move between threads while a function of them runs; the program says their numbers
cat >"$tmp/src/moves.go" <<'END_GO'
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

//go:noinline
func serve(n int) int {
	time.Sleep(time.Millisecond)
	runtime.Gosched()
	return n * 2
}

func number() string {
	b := make([]byte, 64)
	return strings.Fields(string(b[:runtime.Stack(b, false)]))[1]
}

func main() {
	var wg sync.WaitGroup
	var lock sync.Mutex
	ids := []string{}
	for g := 0; g < 60; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			serve(g)
			os.Getppid() // a system call
			lock.Lock()
			ids = append(ids, number())
			lock.Unlock()
		}(g)
	}
	wg.Wait()
	for _, id := range ids {
		fmt.Println("goroutine", id)
	}
}
END_GO
if go build -o "$tmp/moves" "$tmp/src/moves.go" >"$tmp/out" 2>&1; then
	run -qc "$tmp/moves" -n 'pid$target:a.out:main.serve:entry { t[goid] = timestamp; }
	pid$target:a.out:main.serve:returned /t[goid]/ { @n = count(); @ms = min((timestamp - t[goid]) / 1000000); printf("seen %d\n", goid); t[goid] = 0; }
	syscall::getppid:entry /pid == $target/ { printf("called %d\n", goid); }
	END { printa("timed %@d\n", @n); }'
	is "goid: each of 60 calls is timed" 0 "timed 60"
	for what in seen called; do
		sed -n 's/^goroutine //p' "$tmp/out" | sort -n >"$tmp/told"
		sed -n "s/^$what //p" "$tmp/out" | sort -n | cmp -s - "$tmp/told"
		check $? "goid is the number that Go gives it: $what"
	done
else
	bad "a program whose goroutines move"
fi
run -qc "$tmp/prog" -n 'syscall::exit_group:entry /pid == $target/ { printf("at the end %d\n", goid); } syscall:::entry /pid != $target && pid == $pid && goid != 0/ { @ = count(); } END { printa("others %@d\n", @); }'
is "goid of main is 1" 0 "at the end 1"
! grep -q others "$tmp/out"
check $? "goid is 0 outside of Go"

run -qc "$tmp/prog" -n 'pid$target:a.out::return { @ = count(); } END { printa("seen %@d\n", @); }'
is "returns of everything it has" 0 "$alone"

go build -ldflags '-s -w' -o "$tmp/bare" "$tmp/src/main.go" >"$tmp/out" 2>&1
run -n 'pid$target:a.out:main.deep:entry' -c "$tmp/bare"
is "without symbols: said" 1 "no function main.deep"
