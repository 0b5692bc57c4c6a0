# SPDX-License-Identifier: BSD-2-Clause
# H 12, H 13, H 14: numbers of options and sizes of types that nobody can have are refused in our own words, rates
# have a floor, and `-x destructive=no` holds. What is refused when tracing starts needs the right to trace.
. test/trigger/bounded.sh
. test/cli/helpers.inc

B='BEGIN { printf("%d", speculation()); exit(0); }'
is "strsize beyond 32 bits" 1 "(a size in bytes: 4096, 64k, 4m, 1g; 1 to 65536)" -q -x strsize=4294967552 -n "$B"
is "nspec beyond 32 bits" 1 "(a number; 0 to 128)" -q -x nspec=4294967297 -n "$B"
is "a pragma's range" 1 "it takes a number; 0 to 128" -q -n "#pragma D option nspec=129
$B"
is "ustackframes" 1 "(a number; 1 to 65535)" -q -x ustackframes=2147483647 -n 'BEGIN { ustack(); }'
is "jstackstrsize" 1 "0 to 65535)" -q -x jstackstrsize=4294967295 -n 'BEGIN { jstack(); }'
is "stackindent" 1 "(a number; 0 to 1000)" -e -x stackindent=2147483647 -n 'BEGIN { stack(); }'

if [ "$(id -u)" -ne 0 ]; then
	echo "ok - sizes, rates and destructive actions # SKIP needs root"
	exit 0
fi
is "nspec=0: there is no speculation" 0 "0" -q -x nspec=0 -n "$B"
is "nspec=0 is told" 0 "1 failed speculation" -q -x nspec=0 -n "$B"
is "the most frames of a process" 0 "ok" -q -x ustackframes=65535 \
    -n 'BEGIN { printf("ok"); exit(0); } syscall:::entry { ustack(); }'
is "dynvarsize=0: no room" 0 "1 dynamic variable drop" -q -x dynvarsize=0 -n 'BEGIN { a[1] = 1; exit(0); }'
is "dynvarsize of 64 bits" 0 "dynamic variable size lowered to" -x dynvarsize=8000t -n 'BEGIN { a[1] = 1; exit(0); }'

S='struct s { char b[1000000000]; };'
is "a huge global" 1 "global variables up to x have 1000000008 bytes; together they have at most" -q \
    -n "$S struct s x; BEGIN { x.b[1] = 1; exit(0); }"
is "a huge array" 1 "global variables up to a have 2000000008 bytes" -q \
    -n 'int a[500000000]; BEGIN { a[1] = 1; exit(0); }'
is "huge for a thread" 1 "self-> variables up to x have 1000000008 bytes" -q \
    -n "$S self struct s x; BEGIN { self->x.b[1] = 1; exit(0); }"
is "huge for a clause" 1 "this-> variables up to x have 1000000008 bytes" -q \
    -n "$S this struct s x; BEGIN { this->x.b[1] = 1; exit(0); }"
is "a huge element" 1 "an element of x has 1000000000 bytes" -q \
    -n "$S struct s x[int]; BEGIN { x[1].b[1] = 1; exit(0); }"
is "long strings of threads" 1 "self-> variables up to s have 65552 bytes" -q -x strsize=65536 \
    -n 'BEGIN { self->s = execname; exit(0); }'

is "switchrate=0 is often, not always, and nothing is said of it (L10)" 0 "" -q -o /dev/null -x switchrate=0 -n 'BEGIN { exit(0); }'
is "aggrate and statusrate" 0 "aggregation rate reduced to 1000 hz" -x aggrate=1ns -x statusrate=0 -n 'BEGIN { exit(0); }'

printf '#pragma D option destructive\nBEGIN { system("echo done"); exit(0); }\n' >"$tmp/w.d"
is "a pragma allows" 0 "done" -q -s "$tmp/w.d"
is "no holds against it" 1 "(-x destructive=no forbids them, whatever the program says)" -q -x destructive=no -s "$tmp/w.d"
is "0 means no" 1 "(-x destructive=no forbids them, whatever the program says)" -q -x destructive=0 -s "$tmp/w.d"
is "any other number means yes" 0 "done" -q -x destructive=2 -n 'BEGIN { system("echo done"); exit(0); }'

# H 11: searching strings that a traced process has made much alike takes as long as their length asks for: not
# thousands of times as long as a plain search in the same string, of which the best of eight counts
{
	printf '#pragma D option strsize=65536\n#pragma D option quiet\nstring a, c;\n'
	printf 'BEGIN { plain = alike = match = -1ull >> 1; a = "aaaaaaaaaaaaaaaa"; }\n'
	for i in 1 2 3 4 5 6 7 8 9 10 11; do echo 'BEGIN { a = strjoin(a, a); }'; done
	echo 'BEGIN { c = strjoin(a, "b"); } BEGIN { a = strjoin(a, a); }'
	for i in 1 2 3 4 5 6 7 8; do
		echo 'BEGIN { t = timestamp; } BEGIN { i = index(a, "b"); } BEGIN { t = timestamp - t; plain = t < plain ? t : plain; }'
		echo 'BEGIN { t = timestamp; } BEGIN { i = index(a, c); } BEGIN { t = timestamp - t; alike = t < alike ? t : alike; }'
		echo 'BEGIN { t = timestamp; } BEGIN { i = strmatch(a, strjoin("*", c)); } BEGIN { t = timestamp - t; match = t < match ? t : match; }'
	done
	echo 'BEGIN { printf("%d %d", alike < 200 * plain, match < 400 * plain); exit(0); }'
} >"$tmp/long.d"
is "a search in strings that are alike, and strmatch()" 0 "1 1" -s "$tmp/long.d"
