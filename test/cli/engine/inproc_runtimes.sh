# SPDX-License-Identifier: BSD-2-Clause
# The engine inside the process, in programs of real runtimes: C++ exceptions and backtrace(), Go, Java, Python, node, static and musl
# programs, PostgreSQL. Output and exit status are those of the program alone, and counts are the program's own.
# slow: left out of `make check`
. test/cli/helpers.inc
"$dtrace" -x engine=process -qn 'BEGIN { exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null || { echo "ok - runtimes # SKIP $(head -n 1 "$tmp/err")"; exit 0; }
export HOME="$tmp" GOCACHE="$tmp/gocache" GOFLAGS=-mod=mod CGO_ENABLED=0 LC_ALL=C
server=
trap '[ -z "$server" ] || { kill -INT $server && wait $server; }; rm -rf "$tmp"' EXIT

# traced WHAT D COMMAND: it runs alone and traced; $tmp/counts has what dtrace prints, $tmp/alone what the program prints
traced() {
	rm -f "$tmp/counts"
	$3 >"$tmp/alone" 2>&1 </dev/null
	alone=$?
	timeout 240 "$dtrace" -x engine=process -x childstatus -qo "$tmp/counts" -n "$2" -c "$3" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ $status -eq $alone ] && cmp -s "$tmp/alone" "$tmp/out"
	check $? "$1: output and status $alone as without tracing"
}
said() { awk -v w="$1" '{ for (i = 1; i < NF; i++) if ($i == w) print $(i + 1) }' "$tmp/alone"; }
counted() { awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }' "$tmp/counts"; }
found() { command -v "$1" >/dev/null || { ok "$2 # SKIP no $1 here"; false; }; }

# ---- C++: exceptions pass traced functions, and backtrace() sees the same frames ----
cat >"$tmp/cxx.cc" <<'END'
#include <atomic>
#include <cstdio>
#include <execinfo.h>
#include <stdexcept>
#include <thread>
#include <vector>
static std::atomic<long> thrown, caught, left, wrong;
extern "C" __attribute__((noinline)) long thrower(long n) { thrown++; if (n % 3 == 0) throw std::runtime_error("x"); return n; }
extern "C" __attribute__((noinline)) long middle(long n) { struct leaves { ~leaves() { left++; } } l; return thrower(n) + 1; }
extern "C" __attribute__((noinline)) int frames(void) { void *b[64]; return backtrace(b, 64); }
int main()
{
	std::vector<std::thread> t;
	for (int k = 0; k < 4; k++)
		t.emplace_back([] {
			for (long i = 0; i < 3000; i++)
				try { if (middle(i) != i + 1) wrong++; } catch (std::exception &) { caught++; }
		});
	for (auto &x : t)
		x.join();
	printf("thrower %ld caught %ld middle %ld wrong %ld frames %d\n", thrown.load(), caught.load(), left.load(), wrong.load(), frames());
	return 7;
}
END
if found g++ C++ && g++ -O1 -pthread -o "$tmp/cxx" "$tmp/cxx.cc" 2>"$tmp/err"; then
	traced C++ 'pid$target:cxx:thrower:entry, pid$target:cxx:middle:entry, pid$target:libstdc*:__cxa_throw:entry { @[probefunc] = count(); }
	    pid$target:cxx:thrower:return { @["returns"] = count(); } pid$target:cxx:frames:entry, pid$target:cxx:frames:return, pid$target:libgcc_s*::entry { @x = count(); }
	    END { printa("%s %@d\n", @); }' "$tmp/cxx"
	[ "$(counted thrower)" = "$(said thrower)" ] && [ "$(counted middle)" = "$(said middle)" ] && [ "$(counted __cxa_throw)" = "$(said caught)" ] &&
		[ "$(counted returns)" -eq $(($(said thrower) - $(said caught))) ]
	check $? "C++: $(counted thrower) calls, $(counted returns) returns, $(counted __cxa_throw) exceptions"
fi

# ---- Go: small stacks that move, goroutines, no C library ----
cat >"$tmp/main.go" <<'END'
package main

import ("fmt"; "os"; "runtime"; "sync"; "sync/atomic")

var nwork, ndeep, wrong int64

//go:noinline
func Work(n int64) int64 { atomic.AddInt64(&nwork, 1); return n*2 + 1 }

//go:noinline
func Deep(n int, pad [32]int) int {
	atomic.AddInt64(&ndeep, 1)
	if n == 0 { return pad[0] }
	pad[0]++
	return Deep(n-1, pad)
}

func main() {
	var wg sync.WaitGroup
	for g := 0; g < 200; g++ {
		wg.Add(1)
		go func(g int) {
			defer wg.Done()
			for i := int64(0); i < 300; i++ {
				if Work(i) != 2*i+1 { atomic.AddInt64(&wrong, 1) }
				if i%100 == 0 { var p [32]int; if Deep(200, p) != 200 { atomic.AddInt64(&wrong, 1) }; runtime.Gosched() }
				if i == 250 && g%50 == 0 { runtime.GC() }
			}
		}(g)
	}
	wg.Wait()
	fmt.Printf("work %d deep %d wrong %d\n", nwork, ndeep, wrong)
	os.Exit(7)
}
END
if found go Go && (cd "$tmp" && go build -o gop main.go) 2>"$tmp/err"; then
	traced Go 'pid$target:gop:main.Work:entry, pid$target:gop:main.Deep:entry { @[probefunc] = count(); } pid$target:gop:runtime.mallocgc:entry { @m = count(); }
	    pid$target:gop:main.Work:return { @["returns"] = count(); } END { printa("%s %@d\n", @); }' "$tmp/gop"
	# a signal that comes between the jump and the function makes it begin again: never less than the program knows
	[ "$(counted main.Work)" = "$(said work)" ] && [ "$(counted returns)" = "$(said work)" ] && [ "$(counted main.Deep)" = "$(said deep)" ]
	check $? "Go: $(counted main.Work) calls and returns, $(counted main.Deep) on growing stacks"
	traced "Go, all functions" 'pid$target:gop::entry, pid$target:gop::return { @ = count(); }' "$tmp/gop"
fi

# ---- Java: code that is compiled while it runs, and collected ----
cat >"$tmp/J.java" <<'END'
public class J {
	static volatile Object keep;
	static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
	public static void main(String[] a) throws Exception {
		Thread[] t = new Thread[6];
		long[] sums = new long[6];
		for (int k = 0; k < 6; k++) {
			int q = k;
			t[k] = new Thread(() -> {
				for (int i = 0; i < 40; i++) {
					sums[q] += fib(18);
					for (int j = 0; j < 2000; j++) keep = new byte[512];
					try { if (i % 5 == 0) throw new RuntimeException("x" + i); } catch (RuntimeException e) { sums[q] += e.getMessage().length(); }
				}
			});
			t[k].start();
		}
		long s = 0;
		for (int k = 0; k < 6; k++) { t[k].join(); s += sums[k]; }
		System.gc();
		System.out.println("sum " + s);
		System.exit(7);
	}
}
END
if found javac Java && (cd "$tmp" && javac J.java) 2>"$tmp/err"; then
	traced "Java, all of libc" 'pid$target:libc.so.6::entry, pid$target:libc.so.6::return { @ = count(); } END { printa("all %@d\n", @); }' "java -cp $tmp J"
	[ "$(counted all)" -gt 10000 ]
	check $? "Java: $(counted all) firings"
	jvm=$(dirname "$(readlink -f "$(command -v java)")")/../lib/server/libjvm.so
	java -cp "$tmp" J >"$tmp/alone"
	if [ -f "$jvm" ]; then
		cat >"$tmp/W.java" <<'END'
public class W { public static void main(String[] a) throws Exception { System.out.println("up"); System.in.read(); J.main(a); } }
END
		(cd "$tmp" && javac W.java && mkfifo go) && { java -cp "$tmp" W <"$tmp/go" >"$tmp/said" 2>&1 & victim=$!; exec 5>"$tmp/go"; waits grep -q up "$tmp/said"; }
		start -x engine=process -q -n 'BEGIN { printf("ready\n"); } pid$1:libjvm.so:JVM_*:entry, pid$1:libjvm.so:JVM_*:return { @ = count(); } END { printa("all %@d\n", @); }' $victim 5>&-
		echo >&5
		exec 5>&-
		wait $victim
		same "Java, functions of libjvm: output and status" "$? $(tail -n 1 "$tmp/said")" "7 $(cat "$tmp/alone")"
		kill -INT "$tracer" 2>/dev/null
		wait "$tracer"
		cp "$tmp/out" "$tmp/counts"
		[ "$(counted all)" -gt 100 ]
		check $? "Java: $(counted all) firings in libjvm"
	fi
fi

# ---- Python and node: large programs, threads ----
cat >"$tmp/p.py" <<'END'
import threading, sys, gc
n = [0] * 4
def f(k):
    for i in range(3000):
        n[k] += len(repr(i)) > 0
        try:
            if i % 7 == 0: raise ValueError(i)
        except ValueError: pass
    gc.collect()
t = [threading.Thread(target=f, args=(k,)) for k in range(4)]
[x.start() for x in t]; [x.join() for x in t]
print("n", sum(n)); sys.exit(7)
END
py=$(readlink -f /usr/bin/python3 2>/dev/null)
if found /usr/bin/python3 Python; then
	traced "Python, all functions" 'pid$target:a.out::entry, pid$target:a.out::return { @[probename] = count(); }
	    END { printa("%s %@d\n", @); }' "$py $tmp/p.py"
	[ "$(counted entry)" -gt 1000 ] && [ "$(counted return)" -gt 1000 ]
	check $? "Python: $(counted entry) calls, $(counted return) returns"
fi
cat >"$tmp/n.js" <<'END'
function f(n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
let s = 0;
for (let i = 0; i < 20; i++) { s += f(20); try { if (i % 3 == 0) throw new Error('x' + i); } catch (e) { s += e.message.length; } }
const a = []; for (let i = 0; i < 100000; i++) a.push({ i });
console.log('sum', s); process.exit(7);
END
if found node node; then
	traced node 'pid$target:node:*v8*Heap*:entry, pid$target:node:*v8*Heap*:return { @ = count(); } END { printa("all %@d\n", @); }' "node $tmp/n.js"
fi

# ---- without a dynamic linker, and with another C library ----
cat >"$tmp/s.c" <<'END'
#include <pthread.h>
#include <stdio.h>
__attribute__((noinline)) long work(long n) { __asm__ volatile("" : : : "memory"); return 2 * n; }
static long (*volatile do_work)(long) = work;
static void *run(void *arg) { for (long i = 0; i < 5000; i++) do_work(i); return arg; }
int main(void)
{
	pthread_t t[4];
	for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0);
	for (int i = 0; i < 4; i++) pthread_join(t[i], 0);
	puts("work 20000");
	return 7;
}
END
for cc in 'gcc -static' musl-gcc 'musl-gcc -static'; do
	found "${cc%% *}" "$cc" || continue
	$cc -O1 -pthread -o "$tmp/plain" "$tmp/s.c" 2>"$tmp/err" || { ok "$cc # SKIP it cannot make a program"; continue; }
	traced "$cc" 'pid$target:plain:work:entry { @e = count(); @t[tid] = count(); } pid$target:plain:work:return { @r = count(); }
	    END { printa("entry %@d\n", @e); printa("return %@d\n", @r); printa("thread %d %@d\n", @t); }' "$tmp/plain"
	[ "$(counted entry)" -eq 20000 ] && [ "$(counted return)" -eq 20000 ] && [ "$(grep -c '^thread .* 5000$' "$tmp/counts")" -eq 4 ]
	check $? "$cc: all calls, by thread"
done

# ---- PostgreSQL: as many updates as pgbench says it has made transactions ----
. test/trigger/postgres.sh
if [ "$(id -u)" -ne 0 ] || ! postgres_found; then
	ok "PostgreSQL # SKIP no server here, or not root"
	exit 0
fi
postgres_serves || { bad "PostgreSQL: a server of our own"; exit 1; }
as_user "$bin/pgbench" -h "$db" -i -q -n postgres >"$tmp/err" 2>&1
# clients wait for a lock in their first statement, until their servers are traced
printf '%s\n' 'select pg_advisory_lock_shared(1);' 'select pg_advisory_unlock_shared(1);' '\set aid random(1, 100000)' \
    'update pgbench_accounts set abalance = abalance + 1 where aid = :aid;' >"$tmp/bench.sql"
chmod 644 "$tmp/bench.sql"
mkfifo "$tmp/lock"
sql <"$tmp/lock" >"$tmp/locked" 2>&1 &
holder=$!
exec 6>"$tmp/lock"
echo "select pg_advisory_lock(1); select 'held';" >&6
waits grep -q held "$tmp/locked"
as_user "$bin/pgbench" -h "$db" -n -c 4 -j 1 -t 1000 -f "$tmp/bench.sql" postgres >"$tmp/bench" 2>&1 6>&- &
bench=$!
waiting() { sql -c "select pid from pg_stat_activity where query like 'select pg_advisory_lock_shared%' and wait_event_type = 'Lock'"; }
all_wait() { [ "$(waiting | wc -l)" -eq 4 ]; }
waits all_wait
D='BEGIN { printf("ready\n"); }'
for pid in $(waiting); do
	D="$D pid$pid:postgres:heap_update:entry { @e = count(); } pid$pid:postgres:heap_update:return { @r = count(); } pid$pid:postgres:*Alloc*:entry { @a = count(); }"
done
start -x engine=process -q -n "$D END { printa(\"entry %@d\\n\", @e); printa(\"return %@d\\n\", @r); }" 6>&-
echo "select pg_advisory_unlock(1);" >&6
wait $bench
exec 6>&-
wait $holder
kill -INT "$tracer" 2>/dev/null
wait "$tracer"
cp "$tmp/out" "$tmp/counts"
made=$(sed -n 's/^number of transactions actually processed: \([0-9]*\).*/\1/p' "$tmp/bench")
[ "${made:-0}" -eq 4000 ] && [ "$(counted entry)" = "$made" ] && [ "$(counted return)" = "$made" ]
check $? "PostgreSQL: $(counted entry) updates for $made transactions of pgbench"
kill -0 "$server" && postgres_answers
check $? "PostgreSQL: the server lives"
