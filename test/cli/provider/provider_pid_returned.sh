#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# N25: pid:::returned is where the caller of a function continues, also if the function ends by jumping to another one: in C, C++ and Rust,
# with recursion, longjmp(), exceptions and panics (Go: provider_pid_go.sh). Counts are exact, the program ends as without probes, and what
# cannot be told is refused.
. test/cli/helpers.inc
may_trace "where callers continue"
prog=${BUILD:-build}/test/provider_pid_returned
alone=$("$prog" 10)
text=
for f in thin thick maybe jumper step gives gives_slot slow deep; do
	text="$text pid\$target:a.out:$f:entry { @e[probefunc] = count(); self->t[probefunc] = timestamp; }
	pid\$target:a.out:$f:returned { @r[probefunc] = count(); @v[probefunc] = sum((int)arg1); @t[probefunc] = min((timestamp - self->t[probefunc]) / 1000000); }"
done
run -q -x childstatus -c "$prog 10" -n "$text END { printa(\"%s entered %@d\n\", @e); printa(\"%s returned %@d of %@d\n\", @r, @v); printa(\"%s least %@d\n\", @t); }"
is "the program ends as without probes" 7 "$alone"
is "a jump: one end for each call, with the value of what was jumped to" 7 "thin returned 20 of 110"
is "two jumps" 7 "thick returned 10 of 55"
is "a jump on a condition, or a return" 7 "maybe returned 10 of 55"
is "recursion, deeper than the kernel's return probes see" 7 "step returned 1000 of 1666500"
is "what is left by longjmp() does not return, and is not taken for the next call" 7 "jumper returned 10 of 30"
is "… which is entered" 7 "jumper entered 20"
is "a jump to another file" 7 "gives returned 10 of"
is "… through the word that the dynamic linker fills in" 7 "gives_slot returned 10 of"
is "a function that is jumped to and called" 7 "slow returned 45 of"
for f in thin thick slow; do
	least=$(sed -n "s/^$f least //p" "$tmp/out")
	[ "${least:-0}" -ge 1 ]
	check $? "the time of what is jumped to: $f"
done
run -q -x childstatus -c "$prog 10" -n 'pid$target:a.out:thin:returned { @a = count(); } pid$target:a.out:thin:returned { @b = count(); } pid$target:a.out:slow:return { @c = count(); }
pid$target:a.out:thick:returned /arg0 == 0/ { @d = count(); } END { printa("%@d %@d %@d %@d\n", @a, @b, @c, @d); }'
is "several clauses, and other probes at the same instructions" 7 "20 20 45 10"
run -q -x uretprobe -x childstatus -c "$prog 10" -n 'pid$target:a.out:thin:return { @ = count(); } END { printa("thin %@d\n", @); }'
is "-x uretprobe: the same of return, where it used to be refused" 7 "thin 20"
for f in by_pointer:"through a pointer" by_variable:"through a pointer" to_loop:"circle, which begins with a loop" even:"which ends with a jump that leads back to it"; do
	run -n "pid\$target:a.out:${f%%:*}:returned" -c "$prog 1"
	is "refused, and why: ${f%%:*}" 1 "${f#*:}"
done
run -n "pid*:$(readlink -f "$prog"):gives:returned { exit(0); }"
is "refused for all processes: what differs between them" 1 "of another file, which differs between processes"
run -q -c "$prog 10" -n "pid*:$(readlink -f "$prog"):thin:returned { @ = count(); } END { printa(\"every %@d\n\", @); }"
is "in every process" 0 "every 20"

# the functions of a library that only it uses have no names where it is installed
cat >"$tmp/unnamed.c" <<'END'
#define F __attribute__((noinline, noclone))
static volatile int sink, one = 1;
static F int last(int x) { for (int i = 0; i < 3; i++) sink = sink + x; if (x < 0) return -1; __asm__ volatile("" ::: "memory"); return x + sink - sink; }
static F int next(int x) { sink = sink + 1; if (x == 7) return 70; return last(x); }
F int outer(int x) { sink = sink + 1; return next(x * one); }
F int other(int x) { int n = next(x); sink = sink + n; return n + 1; }
int main(void) { int n = 0; for (int i = 0; i < 10; i++) n += outer(i) + other(i); return n == 0; }
END
if ${CC:-gcc} -O2 -rdynamic -o "$tmp/unnamed" "$tmp/unnamed.c" 2>/dev/null && strip "$tmp/unnamed" 2>/dev/null; then
	for e in kernel process; do
		run -q -x engine=$e -c "$tmp/unnamed" -n 'pid$target:a.out:outer:returned { @ = count(); @v = sum(arg1); } pid$target:a.out:other:entry { @o = count(); }
		END { printa("outer %@d ", @); printa("values %@d ", @v); printa("other %@d\n", @o); }'
		# on x86-64 an instruction of code without a symbol may be too short for a jump
		if [ $e = process ] && grep -q 'could not be enabled\|cannot attach to' "$tmp/err"; then
			ok "jumps to functions without names: $e # SKIP $(head -n 1 "$tmp/err")"
			continue
		fi
		is "jumps to functions without names: $e" 0 "outer 10 values 108 other 10"
	done
else
	ok "functions without names # SKIP no compiler or strip here"
fi

cat >"$tmp/thrown.cc" <<'END'
#include <cstdio>
#include <time.h>
#define F extern "C" __attribute__((noinline, noclone))
static volatile int sink;
F int check(int x) { sink = sink + 1; if (x % 2) throw x; __asm__ volatile("" ::: "memory"); return x; }
F int over(int x) { sink = sink + 1; return check(x); }
F int slow(int x) { timespec ms = { 0, 1000000 }; nanosleep(&ms, nullptr); return x; }
F int thin(int x) { sink = sink + 1; return slow(x); }
int main()
{
	int caught = 0, sum = 0;

	for (volatile int i = 0; i < 50; i = i + 1) {
		try { sum += over(i); } catch (int) { caught++; }
		sum += check(0) + thin(1);
	}
	std::printf("caught %d sum %d\n", caught, sum);
	return 3;
}
END
case ${CC:-gcc} in *clang*) cxx=clang++ ;; *) cxx=g++ ;; esac
if $cxx -O2 -o "$tmp/thrown" "$tmp/thrown.cc" 2>/dev/null; then
	run -q -x childstatus -c "$tmp/thrown" -n 'pid$target:a.out:over:entry, pid$target:a.out:thin:entry, pid$target:a.out:check:entry { @e[probefunc] = count(); self->t[probefunc] = timestamp; }
	pid$target:a.out:over:returned, pid$target:a.out:thin:returned, pid$target:a.out:check:returned { @r[probefunc] = count(); @t[probefunc] = min((timestamp - self->t[probefunc]) / 1000000); }
	END { printa("%s %@d %@d\n", @e, @r); printa("%s least %@d\n", @t); }'
	is "C++: exceptions go through what ends by a jump" 3 "caught 25 sum 650"
	is "C++: what has thrown has not returned" 3 "over 50 25"
	is "C++: what was jumped to" 3 "check 100 75"
	[ "$(sed -n 's/^thin least //p' "$tmp/out")" -ge 1 ]
	check $? "C++: the time of what was jumped to"
else
	ok "C++ # SKIP no compiler of C++ here"
fi

# no instruction with a lock: where a function begins with one, the kernel has no probe
cat >"$tmp/panics.rs" <<'END'
use std::sync::atomic::{AtomicU64, Ordering};
static N: AtomicU64 = AtomicU64::new(0);
#[inline(never)] #[no_mangle] pub fn check(x: u64) -> u64 { N.store(N.load(Ordering::Relaxed) + 1, Ordering::Relaxed); if x % 2 == 1 { panic!("odd") } x }
#[inline(never)] #[no_mangle] pub fn over(x: u64) -> u64 { N.store(N.load(Ordering::Relaxed) + 1, Ordering::Relaxed); check(x) }
fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let (mut caught, mut sum) = (0, 0);
    for i in 0..50u64 {
        match std::panic::catch_unwind(|| over(i)) { Ok(n) => sum += n, Err(_) => caught += 1 }
        sum += check(2);
    }
    println!("caught {caught} sum {sum}");
    std::process::exit(5);
}
END
if command -v rustc >/dev/null && rustc -O -o "$tmp/panics" "$tmp/panics.rs" 2>/dev/null; then
	run -q -x childstatus -c "$tmp/panics" -n 'pid$target:a.out:over:entry, pid$target:a.out:check:entry { @e[probefunc] = count(); }
	pid$target:a.out:over:returned, pid$target:a.out:check:returned { @r[probefunc] = count(); @v[probefunc] = sum(arg1); } END { printa("%s %@d %@d %@d\n", @e, @r, @v); }'
	is "Rust: panics that are caught" 5 "caught 25 sum 700"
	is "Rust: what has panicked has not returned" 5 "over 50 25 600"
	is "Rust: what was jumped to" 5 "check 100 75 700"
else
	ok "Rust # SKIP no compiler of Rust here"
fi
exit 0
