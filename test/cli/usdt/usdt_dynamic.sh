#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# L12: probes that a program makes while it runs (libdtrace-usdt): their arguments, seen by a tracer that runs already, unloaded,
# in children, in threads; names that are refused; other readers of their notes; what they cost while nobody looks.
. test/cli/helpers.inc
build=${BUILD:-build}
prog=$build/test/usdt_dynamic

# says WHAT ANSWER LINE…: the program's last answer to these commands
says() {
	what=$1 want=$2
	shift 2
	printf '%s\n' "$@" | "$prog" >"$tmp/out" 2>"$tmp/err"
	[ $? -eq 0 ] && [ "$(tail -n 1 "$tmp/out")" = "$want" ]
	check $? "$what"
}

# ---- what needs no rights: errors name the cause ----

n53=$(printf 'p%.0s' $(seq 53)) n63=$(printf 'p%.0s' $(seq 63))
provider="error: a provider's name is a letter or _, then letters, digits and _, at most 53 in all, and does not end in a digit: tracers append the number of the process"
for name in 1a a1 a-b a.b 'a:b' 'a*' "${n53}p" "$(printf 'a\303\274')" "$(printf 'a\033[1m')"; do
	says "provider $(printf %s "$name" | cut -c1-8 | tr '\033' '?') is refused" "$provider" "open $name"
done
says "a provider of 53 characters" ok "open $n53" "add ${n63} -" load
name="error: a probe's name is a letter or _, then letters, digits, _ and -, at most 63 in all"
for bad in 1a -a a:b a.b 'a*' "${n63}p"; do
	says "probe $(printf %s "$bad" | cut -c1-8) is refused" "$name" "open p" "add $bad -"
done
module="error: a module's name is a letter or _, then letters, digits and _ . - +, at most 63 in all"
for bad in a/b ../a a:b; do
	says "module $bad is refused" "$module" "open p $bad"
done
says "a function of 128 characters is refused" "error: a function's name has 1 to 127 visible ASCII characters" "open p" "add a ${n63}${n63}pp"
says "an unknown type is refused" "error: a type is one of DTRACE_USDT_INT8 to _INT64, _UINT8 to _UINT64, _POINTER and _STRING" "open p" "add a - int3"
i=int32
says "13 arguments are refused" "error: a probe has 0 to 12 arguments, and a list of as many types" "open p" "add a - $i $i $i $i $i $i $i $i $i $i $i $i $i"
says "the same probe twice is refused" "error: the provider has this probe in this function already" "open p" "add a-b f" "add a__b f"
says "one name with other types is refused" \
    "error: the provider has a probe of this name with other types: give both the same types, or choose another name" "open p" "add a f int8" "add a g int16"
says "a provider without probes is refused" "error: the provider has no probes: add one before it is loaded" "open p" load
says "4097 probes are refused" "error: a provider has at most 4096 probes: open another one for the rest" "open p" "many 4097"
says "no memfd_create: an error that names it" "error: the system refuses a file in memory (memfd_create): allow that call in the seccomp filter of \
the container or service, and check the limit of open files and vm.memfd_noexec" "open p" "add a -" filter load
says "and the probe may be fired" ok "open p" "add a - int32" filter load "fire a 1"
says "loading twice, unloading twice" ok "open p" "add a -" load load unload unload load "fire a" unload "fire a"
says "threads fire while it is loaded and unloaded" ok "open p" "add a - int32" "add b - string" load "race 200"

# ---- the file ----

# begin COMMAND…: the program in the background as $host, told by tell
begin() {
	rm -f "$tmp/in"
	mkfifo "$tmp/in"
	: >"$tmp/answers"
	"$prog" <"$tmp/in" >"$tmp/answers" 2>&1 &
	host=$!
	exec 9>"$tmp/in"
	told=0
	tell "$@"
}
answered() { [ "$(wc -l <"$tmp/answers")" -ge $told ]; }
tell() {	# tell LINE…: and waits for the answers
	told=$((told + $#))
	printf '%s\n' "$@" >&9
	waits answered
}
finish() { exec 9>&-; wait "$host"; }
memory_file() {	# the descriptor of the mapped file
	for fd in /proc/"$host"/fd/*; do
		case $(readlink "$fd") in /memfd:*) echo "$fd"; return ;; esac
	done
}

all="int8 int16 int32 int64 uint8 uint16 uint32 uint64 string pointer int64 uint64"
begin "open dynprov" "add all-twelve Some.func $all" load
if command -v readelf >/dev/null; then
	readelf -nW "$(memory_file)" >"$tmp/out" 2>"$tmp/err"
	case $(uname -m) in
	x86_64) args='-1@%dil -2@%si -4@%edx -8@%rcx 1@%r8b 2@%r9w 4@8(%rsp) 8@16(%rsp) 8@24(%rsp) 8@32(%rsp) -8@40(%rsp) 8@48(%rsp)' ;;
	*) args='-1@x0 -2@x1 -4@x2 -8@x3 1@x4 2@x5 4@x6 8@x7 8@[sp] 8@[sp, 8] -8@[sp, 16] 8@[sp, 24]' ;;
	esac
	[ ! -s "$tmp/err" ] && grep -q 'Provider: dynprov' "$tmp/out" && grep -q 'Name: all__twelve' "$tmp/out" && grep -qF "Arguments: $args" "$tmp/out" &&
	    readelf -aW "$(memory_file)" >"$tmp/out" 2>"$tmp/err" && [ ! -s "$tmp/err" ] && grep -q 'FUNC .* Some.func' "$tmp/out"
	check $? "readelf reads the notes, and complains about nothing"
else
	ok "readelf reads the notes # SKIP there is none"
fi
if command -v objdump >/dev/null && [ -e "$build/libdtrace-usdt.so" ] && ! nm -D "$build/libdtrace-usdt.so" | grep -q __asan; then
	objdump -d --disassemble=dtrace_usdt_fire "$build/libdtrace-usdt.so" >"$tmp/out" 2>"$tmp/err"
	count=$(grep -c '^ *[0-9a-f]*:	' "$tmp/out")
	[ "$count" -ge 3 ] && [ "$count" -le 12 ]
	check $? "a probe that is off costs a call of few instructions: $count"
else
	ok "what a probe costs that is off # SKIP no objdump, or a build that is not plain"
fi
finish

may_trace "probes made at run time"

# files in memory that cannot be executed: a namespace of processes has this setting of its own
if [ -e /proc/sys/vm/memfd_noexec ] && unshare -pf --mount-proc true 2>/dev/null; then
	printf 'open p\nadd a - int32\nload\n' >"$tmp/commands"
	unshare -pf --mount-proc sh -c 'echo 2 >/proc/sys/vm/memfd_noexec && "$1" <"$2"' sh "$prog" "$tmp/commands" >"$tmp/out" 2>"$tmp/err"
	[ "$(tail -n 1 "$tmp/out")" = ok ]
	check $? "vm.memfd_noexec=2 does not matter"
else
	ok "vm.memfd_noexec # SKIP not on this kernel, or no rights"
fi

# ---- arguments ----

# fires COUNT: a probe with that many arguments, each with a value of its own
fires() {
	types= values= want= k=0
	while [ $k -lt "$1" ]; do
		types="$types int64" values="$values -10$k" want="$want -10$k"
		k=$((k + 1))
	done
	begin "open dynprov" "add p$1 - $types" load
	start -q -n 'BEGIN { printf("ready\n"); } dynprov'"$host"':::p'"$1"' { printf("args %d %d %d %d %d %d %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
		arg6, arg7, arg8, arg9, *(int64_t *)copyin(uregs[R_SP] + '$at', 8), *(int64_t *)copyin(uregs[R_SP] + '$((at + 8))', 8)); exit(0); }'
	tell "fire p$1 $values"
	waits ended $tracer
	finish
	while [ $k -lt 12 ]; do
		want="$want 0"
		k=$((k + 1))
	done
	grep -qx "args$want" "$tmp/out" || failed="$failed $1"
}
# D has ten arguments; the last two are on the stack
case $(uname -m) in x86_64) at=40 ;; *) at=16 ;; esac
failed=
for n in 0 1 5 6 7 8 9 10 11 12; do
	fires $n
done
[ -z "$failed" ]
check $? "0 to 12 arguments arrive exact$failed"

begin "open dynprov mymod.so" "add all-twelve Some.func $all" load
run -ln "dynprov$host:mymod.so:Some.func:all-twelve"
is "provider, module, function and name" 0 "all-twelve"
run -lvn "dynprov$host:::"
grep -q 'args\[8\]:.*char \*' "$tmp/out" && grep -q 'args\[1\]: *short' "$tmp/out" && grep -q 'args\[6\]: *unsigned int' "$tmp/out"
check $? "the types of args[ ]"
tell "enabled all-twelve"
start -q -n 'BEGIN { printf("ready\n"); } dynprov'"$host"':::all-twelve { printf("%d %d %d %d %u %u %u %u %s %x\n", args[0], args[1], args[2], args[3], args[4], args[5],
	args[6], args[7], stringof(args[8]), arg9); printf("%s:%s:%s\n", probeprov, probefunc, copyinstr(arg8)); exit(0); }'
tell "enabled all-twelve" "fire all-twelve 0x180 0x18000 0x180000000 -1 0x1ff 0x1ffff 0x1ffffffff -1 \"text 0xabc"
waits ended $tracer
grep -qx -- '-128 -32768 -2147483648 -1 255 65535 4294967295 18446744073709551615 text abc' "$tmp/out"
check $? "values have the width and sign of their types"
grep -qx "dynprov$host:Some.func:text" "$tmp/out"
check $? "its own names"
off() { tell "enabled all-twelve"; [ "$(tail -n 1 "$tmp/answers")" = 0 ]; }
[ "$(sed -n 4p "$tmp/answers")" = 0 ] && [ "$(sed -n 5p "$tmp/answers")" = 1 ] && waits off
check $? "enabled: off, on, off"
# tables of how stacks are walked are read while the first ones come
start -q -n 'BEGIN { printf("ready\n"); } dynprov'"$host"':::all-twelve { ustack(2); }'
walked() { tell "fire all-twelve"; grep -A1 'mymod.so`Some.func' "$tmp/out" | grep -q '`call_site'; }
waits walked
check $? "a stack begins at the site, then comes its caller"
kill $tracer
wait $tracer
finish

# ---- tracers that run already ----

# seen DESCRIPTION: is it listed? (while a tracer writes to $tmp/out)
seen() { timeout 60 "$dtrace" -ln "$1" >"$tmp/list" 2>&1; [ "$(grep -c " dyn[a-z]*$host " "$tmp/list")" -gt 0 ]; }

start -q -Z -n 'BEGIN { printf("ready\n"); } dynlate*:::go { printf("%s %d %s\n", probeprov, arg0, copyinstr(arg1)); }'
begin "open dynlate" "add go - int32 string" load
first=$host
fired() { tell "fires go 1"; grep -q "^dynlate$host 0 go" "$tmp/out"; }
waits fired
check $? "a running dtrace sees a provider that is loaded"
tell "fires go 100"
all_there() { [ "$(grep -c "^dynlate$host 99 go" "$tmp/out")" -ge 1 ]; }
waits all_there
check $? "and what it fires from then on"
finish
begin "open dynlate" "add go - int32 string" load
waits fired
check $? "a second process with a provider and module of the same names"
# unloaded: nobody sees it, whatever was enabled; loaded again: the same tracer sees it
tell unload "enabled go"
[ "$(tail -n 1 "$tmp/answers")" = 0 ] && [ "$host" != "$first" ]
check $? "unloaded, it is off"
! seen "dynlate$host:::go" && [ "$(memory_file)" = "" ]
check $? "and not listed, and its file is closed"
tell load
seen "dynlate$host:::go"
check $? "loaded again, it is listed"
kill $tracer
wait $tracer
start -q -n 'BEGIN { printf("ready\n"); } dynlate*:::go { printf("%s %d %s\n", probeprov, arg0, copyinstr(arg1)); }'
tell unload load
waits fired
check $? "reloaded while it is traced, it fires"
tell "add more - int32" load "many 600" load
seen "dynlate$host:::p599" && seen "dynlate$host:::more"
check $? "it grows while it is loaded"
seen "dynlate$host:::go"
[ "$(grep -c "dynlate$host " "$tmp/list")" -eq 1 ]
check $? "and has each probe once"
kill $tracer
wait $tracer
finish

# ---- children, several providers, many probes ----

begin "open dynone" "add go - int32 string" load "open dyntwo" "add gone - int32 string" load fork
child=$(tail -n 1 "$tmp/answers")
run -l -n "dynone$child:::go" -n "dyntwo$child:::gone" -n "dynone$host:::go"
[ "$(grep -c 'dyn\(one\|two\)[0-9]' "$tmp/out")" -eq 3 ]
check $? "a child has the probes of its parent"
start -q -n "BEGIN { printf(\"ready\\n\"); } dynone$child:::go, dyntwo$child:::gone { @[probeprov] = count(); } dyntwo$child:::gone /arg0 == 6/ { exit(0); }"
tell "fires go 5" "fires gone 7"
waits ended $tracer
grep -q "dynone$child  *5\$" "$tmp/out" && grep -q "dyntwo$child  *7\$" "$tmp/out"
check $? "and fires them under its own number"
finish

begin "open dynmany" "many 4096" load
run -ln "dynmany$host:::"
[ "$(grep -c "dynmany$host " "$tmp/out")" -eq 4096 ]
check $? "4096 probes are listed"
start -q -n "BEGIN { printf(\"ready\\n\"); } dynmany$host:::p4095 { printf(\"last %d\\n\", arg0); exit(0); }"
tell "fire p4095 4711"
waits ended $tracer
grep -q 'last 4711' "$tmp/out"
check $? "and the last one fires"
finish

begin "open dynrace" "add a - int32" "add b - int32" load
start -q -Z -n 'BEGIN { printf("ready\n"); } dynrace*::: { @ = count(); } tick-20ms { printa("%@d\n", @); }'
tell "race 1000"
[ "$(tail -n 1 "$tmp/answers")" = ok ]
check $? "threads fire while it is traced, loaded and unloaded"
kill $tracer
wait $tracer
finish

# ---- the examples: C, Python and Node, against what is installed ----

if [ ! -e "$build/libdtrace-usdt.so" ] || nm -D "$build/libdtrace-usdt.so" | grep -q __asan || ! command -v make >/dev/null ||
    ! echo 'int main(void) { return 0; }' | cc -x c -o "$tmp/a.out" - 2>/dev/null; then
	ok "the examples # SKIP no compiler, or no shared library that plain programs can use"
else
	mkdir -p "$tmp/root"
	make -s -o all B="$build" DESTDIR="$tmp/root" PREFIX=/usr install >"$tmp/out" 2>"$tmp/err"
	there=$tmp/root/usr export LD_LIBRARY_PATH="$tmp/root/usr/lib"
	flags="-Wall -Werror -I$there/include -L$there/lib -ldtrace-usdt"
	grep -q -- '-ldtrace-usdt' "$there/lib/pkgconfig/libdtrace-usdt.pc" && [ -s "$there/share/man/man3/dtrace_usdt_fire.3" ]
	check $? "installed with a file for pkg-config and pages"
	# example WHAT COMMAND…: fires for each line; dtrace is there when the first one has been seen
	example() {
		what=$1
		shift
		rm -f "$tmp/in"
		mkfifo "$tmp/in"
		start -q -Z -n 'BEGIN { printf("ready\n"); } lines*:::line { printf("%d %s\n", arg1, copyinstr(arg0)); }'
		"$@" <"$tmp/in" >"$tmp/answers" 2>&1 &
		host=$!
		exec 9>"$tmp/in"
		heard() { ended $host || { echo again >&9; grep -q again "$tmp/out"; }; }
		waits heard
		echo last line >&9
		exec 9>&-
		wait $host
		done_=$?
		written() { grep -q 'last line' "$tmp/out"; }
		[ $done_ -eq 0 ] && waits written
		check $? "the example in $what"
		kill $tracer
		wait $tracer
	}
	cc -o "$tmp/lines" "$there/share/doc/dtrace/example/usdt_lines.c" $flags 2>"$tmp/err"
	check $? "the example in C builds"
	example C "$tmp/lines"
	if command -v python3 >/dev/null 2>&1; then
		example Python python3 "$there/share/doc/dtrace/example/usdt_lines.py"
	else
		ok "the example in Python # SKIP there is none"
	fi
	if command -v node >/dev/null 2>&1 && [ -e /usr/include/node/node_api.h ]; then
		cc -shared -fPIC -o "$tmp/usdt_node.node" "$there/share/doc/dtrace/example/usdt_node.c" -I/usr/include/node $flags 2>"$tmp/err"
		check $? "the addon for Node builds"
		USDT_NODE=$tmp/usdt_node.node example Node node "$there/share/doc/dtrace/example/usdt_lines.js"
	else
		ok "the example in Node # SKIP no node, or not its headers"
	fi
	unset LD_LIBRARY_PATH
fi

# ---- another tracer ----

if command -v bpftrace >/dev/null 2>&1; then
	begin "open dynbpf" "add go - string int32 int64 int64 int64 int64" load
	bpftrace -p "$host" -e 'BEGIN { printf("ready\n"); } usdt:*:dynbpf:go { printf("%s %d %d %d\n", str(arg0), (int32)arg1, arg4, arg5); exit(); }' >"$tmp/out" 2>"$tmp/err" 9>&- &
	tracer=$!
	# its BEGIN comes before it has attached the rest
	traced() { tell 'fire go "text -2 3 4 5 6'; ended $tracer; }
	waits traced || kill $tracer
	grep -qx 'text -2 5 6' "$tmp/out"
	check $? "bpftrace traces it"
	finish
else
	ok "bpftrace traces it # SKIP there is none"
fi
