#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# pid probes in programs of other languages and shapes: exceptions through probed frames, names of C++ and Rust, a stripped file, a file
# whose symbols are elsewhere, one that says it is of Go, jumps on a condition. What is to be traced is compiled here.
. test/cli/helpers.inc
may_trace "pid probes in other languages"

# makes WHAT COMMAND…: without a compiler that works here the rest of its tests is skipped
makes() {
	what=$1
	shift
	command -v "$1" >/dev/null && "$@" >"$tmp/err" 2>&1 && "$tmp/prog" >/dev/null 2>&1 && return
	ok "$what # SKIP it cannot be compiled here"
	return 1
}

cat >"$tmp/throws.cc" <<'END'
#include <cstdio>
#include <stdexcept>
#define APART __attribute__((noinline, noclone))
namespace shop {
struct Cart {
	int total = 0;
	APART int add(int n);
};
APART int check(int n)
{
	if (n % 2 != 0)
		throw std::runtime_error("odd");
	__asm__ volatile("" ::: "memory");
	return n * 3;
}
APART int Cart::add(int n)
{
	int got = check(n);
	__asm__ volatile("" ::: "memory");
	total += got;
	return got + 1;
}
}
extern "C" APART int leave(shop::Cart *c, int n) { return c->add(n); }	/* may be a jump */
int main()
{
	shop::Cart c;
	int caught = 0;

	for (int i = 0; i < 1000; i++)
		try {
			leave(&c, i);
		} catch (const std::exception &) {
			caught++;
		}
	std::printf("caught %d total %d\n", caught, c.total);
}
END
if makes "C++" g++ -O2 -o "$tmp/prog" "$tmp/throws.cc"; then
	run -qc "$tmp/prog" -n '
	pid$target:a.out:leave:entry, pid$target:a.out:shop*:entry { @e[probefunc] = count(); }
	pid$target:a.out:leave:return, pid$target:a.out:shop*:return { @r[probefunc] = count(); }
	pid$target:a.out:shop*check*:return { @v = sum(arg1); @odd = max(arg1 % 2 ? 1 : arg0 == 0 ? 2 : 0); }
	pid$target:a.out:main:return { printf("main %d\n", arg1); }
	END { printa("entry %s %@d\n", @e); printa("return %s %@d\n", @r); printa("values %@d", @v); printa(" %@d\n", @odd); }'
	is "C++: exceptions go through frames whose returns are probed" 0 "caught 500 total 748500"
	is "C++: entries by their written names" 0 "entry shop::Cart::add(int) 1000"
	is "C++: frames that are thrown through do not return" 0 "return shop::Cart::add(int) 500"
	is "C++: values of those that return, at an offset" 0 "values 748500 0"
	is "C++: main returns" 0 "main 0"
	run -ln 'pid$target::_ZN4shop*:return' -c "$tmp/prog"
	is "C++: names as they are in the file" 0 "shop::check(int)"
	run -ln 'pid$target:a.out:*Cart::add*:entry' -c "$tmp/prog"
	is "C++: patterns of written names" 0 "shop::Cart::add(int)"
	run -qc "$tmp/prog" -n 'pid$target:::return { @ = count(); }'
	is "C++: returns of everything" 0 "caught 500 total 748500"

	strip -o "$tmp/stripped" "$tmp/prog" 2>/dev/null
	run -n 'pid$target:a.out:leave:entry' -c "$tmp/stripped"
	is "stripped: functions that have no name any more" 1 "no function leave in a.out"
	run -qn 'pid$target:libstdc*:__cxa_throw:entry { @ = count(); } END { printa("thrown %@d\n", @); }' -c "$tmp/stripped"
	is "stripped: its libraries" 0 "thrown 500"
	vaddr=$(nm "$tmp/prog" | sed -n 's/^0*\([0-9a-f]*\) [Tt] _ZN4shop5checkEi$/\1/p')
	run -qn "pid\$target:a.out:-:$vaddr { @ = count(); } END { printa(\"at address %@d\\n\", @); }" -c "$tmp/stripped"
	is "stripped: an address" 0 "at address 1000"
	g++ -O2 -rdynamic -s -o "$tmp/dynamic" "$tmp/throws.cc" 2>/dev/null
	run -qn 'pid$target:a.out:shop??check*:entry { @ = count(); } END { printa("exported %@d\n", @); }' -c "$tmp/dynamic"
	is "stripped: functions it exports" 0 "exported 1000"
	objcopy --only-keep-debug "$tmp/prog" "$tmp/apart.debug" && objcopy --strip-all --add-gnu-debuglink="$tmp/apart.debug" "$tmp/prog" "$tmp/apart"
	run -qn 'pid$target:a.out:shop??check*:entry { @ = count(); } END { printa("apart %@d\n", @); }' -c "$tmp/apart"
	is "stripped: functions of a separate debug file" 0 "apart 1000"
fi

cat >"$tmp/known.rs" <<'END'
mod shop {
    #[inline(never)]
    pub fn check(n: u32) -> u32 {
        if n % 2 != 0 { panic!("odd"); }
        std::hint::black_box(n * 3)
    }
    pub trait Total { fn total(&self) -> u32; }
    pub struct Cart(pub u32);
    impl Total for Cart {
        #[inline(never)]
        fn total(&self) -> u32 { std::hint::black_box(self.0 + 1) }
    }
}
use shop::Total;
fn main() {
    std::panic::set_hook(Box::new(|_| ()));
    let mut caught = 0;
    let mut sum = 0;
    for i in 0..100u32 {
        match std::panic::catch_unwind(|| shop::check(i)) {
            Ok(n) => sum += n,
            Err(_) => caught += 1,
        }
    }
    for i in 0..20u32 { sum += shop::Cart(std::hint::black_box(i)).total(); }
    println!("caught {caught} sum {sum}");
}
END
if makes "Rust" rustc -O -o "$tmp/prog" "$tmp/known.rs"; then
	run -qc "$tmp/prog" -n '
	pid$target:a.out:known::shop::check*:entry { @e = count(); }
	pid$target:a.out:known::shop::check*:return { @r = count(); @v = sum(arg1); }
	pid$target:a.out:*Cart*total*:entry { @t = count(); }
	END { printa("entry %@d", @e); printa(" return %@d", @r); printa(" values %@d", @v); printa(" total %@d\n", @t); }'
	is "Rust: panics go through frames whose returns are probed" 0 "caught 50 sum 7560"
	is "Rust: counts and values" 0 "entry 100 return 50 values 7350 total 20"
	run -ln 'pid$target:a.out:_*shop*:entry' -c "$tmp/prog"
	is "Rust: names as they are in the file" 0 "known::shop::check"
fi

# Stacks of Go move: its files are known by their sections. Here is one of C that has such a section; a real one is in provider_pid_go.sh.
cat >"$tmp/go.c" <<'END'
#include <stdio.h>
__attribute__((section(".go.buildinfo"), used)) static const char mark[] = "mark";
void *volatile back;
__attribute__((noinline, noclone)) long known(long n)
{
	back = __builtin_return_address(0);	/* as who walks the stack finds it */
	return n < 10 ? n : n * 2;
}
int main(void)
{
	void *first, *second;
	long sum = 0;

	for (long i = 0; i < 100; i++)
		sum += known(i);
	known(1);
	first = back;
	sum += known(20);
	second = back;
	printf("sum %ld %s\n", sum, (char *)second - (char *)first > 0 && (char *)second - (char *)first < 4096 ? "unmoved" : "changed");
	return 0;
}
END
if makes "Go" cc -O2 -o "$tmp/prog" "$tmp/go.c"; then
	run -qc "$tmp/prog" -n '
	pid$target:a.out:known:return { @r = count(); @v = sum(arg1); @at = min(arg0); }
	END { printa("returns %@d", @r); printa(" values %@d\n", @v); printa("at %@d\n", @at); }'
	is "Go: returns are seen without changing the stack" 0 "sum 9895 unmoved"
	is "Go: counts and values" 0 "returns 102 values 9896"
	! grep -qx 'at 0' "$tmp/out"
	check $? "Go: arg0 is the offset"
fi

# A function may go on into another one on a condition: a return of it when the condition holds, and only then.
cat >"$tmp/tails.c" <<'END'
#include <stdio.h>
__attribute__((section(".go.buildinfo"), used)) static const char mark[] = "mark";
long other(long, long), tail(long, long);
__attribute__((noinline)) long other(long a, long b) { return a + b; }
#ifdef __aarch64__
__asm__(".text\n.globl tail\n.type tail, %function\ntail:\n\tcmp x0, #10\n\tb.lt other\n\tcbz x1, other\n\ttbnz x1, #1, other\n"
    "\tmov x0, #7\n\tret\n.size tail, . - tail\n");
#else
__asm__(".text\n.globl tail\n.type tail, @function\ntail:\n\tcmp $10, %rdi\n\tjl other\n\tmov %rsi, %rcx\n\tjrcxz 1f\n\ttest $2, %sil\n\tjne other\n"
    "\tmov $7, %eax\n\tret\n1:\ttest %rsi, %rsi\n\tje other\n\tret\n.size tail, . - tail\n");
#endif
int main(void)
{
	long sum = 0;

	for (long i = 0; i < 80; i++)
		sum += tail(i / 4, i % 4);
	printf("sum %ld\n", sum);
	return 0;
}
END
if makes "jumps on a condition" cc -O2 -o "$tmp/prog" "$tmp/tails.c"; then
	run -qc "$tmp/prog" -n '
	pid$target:a.out:tail:entry { @e = count(); } pid$target:a.out:tail:return { @r = count(); @at[arg0] = count(); }
	END { printa("entries %@d", @e); printa(" returns %@d", @r); printa(" %@d", @at); printf(" end\n"); }'
	is "jumps on a condition: each call returns once" 0 "entries 80 returns 80 "
	is "jumps on a condition: from where they were taken" 0 " 10 10 20 40 end"
fi
