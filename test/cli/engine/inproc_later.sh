# SPDX-License-Identifier: BSD-2-Clause
# The engine in the process: libraries that a process loads while it is traced are held until their probes are live, from the constructor on;
# what is unloaded is forgotten, and nothing is ever written into what is mapped there later. As root and as an ordinary user.
. test/cli/helpers.inc
build=${BUILD:-build}
later=$build/test/inproc_later
# a machine that is busy holds longer
inproc() { timeout 240 "$dtrace" -x engine=process -x exechold=30s "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
inproc -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - libraries that are loaded later # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
if ! command -v cc >/dev/null || ! echo 'int main(void) { return 0; }' | cc -x c -o "$tmp/a.out" - 2>/dev/null || ! "$tmp/a.out"; then
	ok "libraries that are loaded later # SKIP no compiler that works here"
	exit 0
fi
cat >"$tmp/plug.c" <<'END'
#include <sys/sdt.h>
static volatile int sink;
static int calls;
#ifdef OTHER
int padding(void);
int padding(void) { sink += 3; sink *= 7; return sink; }
#endif
__attribute__((noinline)) int plug_work(int i);
__attribute__((noinline)) int plug_work(int i)
{
	sink += i;
	DTRACE_PROBE1(plugprov, worked, i);
	calls++;
	return sink * 3;
}
__attribute__((constructor)) static void loaded(void)
{
	for (int i = 0; i < 3; i++)
		plug_work(i);
}
int plug_run(int n);
int plug_run(int n)
{
	int before = calls;

	for (int i = 0; i < n; i++)
		plug_work(i);
	return calls - before;
}
END
cc -O1 -fPIC -shared -Iinclude -o "$tmp/plug_a.so" "$tmp/plug.c" && cc -O1 -fPIC -shared -Iinclude -DOTHER -o "$tmp/plug_b.so" "$tmp/plug.c"
check $? "plugins"
chmod 755 "$tmp" "$tmp"/plug_*.so
said() { awk '$1 == "calls" { print $2 }' "$tmp/out"; }
counted() { awk -v w="$1" '$1 == w { n = $2 } END { print n + 0 }' "$tmp/out"; }
more=
# exact WHAT HOW ROUNDS DESCRIPTION…: firings of one probe, and the calls that the process has counted
exact() {
	what=$1 how=$2 rounds=$3
	shift 3
	inproc $more -Zqn "$* { @ = count(); } END { printa(\"fired %@d\n\", @); }" -c "$later $rounds $how $tmp/plug_a.so $tmp/plug_b.so"
	[ "$status" -eq 0 ] && [ -n "$(said)" ] && [ "$(counted fired)" -eq "$(said)" ]
	check $? "$what: $(counted fired) of $(said)"
}

exact "a module by its name" - 3 'pid$target:plug_*:plug_work:entry'
exact "in any module" - 3 'pid$target::plug_work:entry'
exact "all functions of all modules" - 2 'pid$target:::entry /probefunc == "plug_work"/'
exact "returns" - 3 'pid$target::plug_work:return'
exact "static probes" - 3 'plugprov$target:::worked'
exact "loaded and unloaded again and again, while signals come" s 40 'pid$target::plug_work:entry'
exact "two threads that load and unload" t 20 'pid$target::plug_work:entry'
exact "children are not traced" f 5 'pid$target::plug_work:entry'
more="-x evaltime=exec"
exact "before the dynamic linker has run" - 3 'pid$target::plug_work:entry'

# one clause waits for a module, another one sees it with all others: the same places
inproc -Zqn 'pid$target:plug_a.so:plug_work:entry { @a = count(); } pid$target:::entry /probefunc == "plug_work"/ { @b = count(); }
END { printa("a %@d\n", @a); printa("b %@d\n", @b); }' -c "$later 4 - $tmp/plug_a.so"
[ "$status" -eq 0 ] && [ "$(counted a)" = "$(said)" ] && [ "$(counted b)" = "$(said)" ]
check $? "two clauses at the same places: $(counted a) and $(counted b) of $(said)"

# nothing waits: the first calls may be missed, and no process is stopped for long
inproc -x exechold=no -Zqn 'pid$target::plug_work:entry { @ = count(); }' -c "$later 1 - $tmp/plug_a.so"
[ "$status" -eq 0 ] && [ "$(said)" -eq 8 ]
check $? "-x exechold=no"

# a dtrace that is stopped holds nobody longer than exechold
mkfifo "$tmp/go"
"$later" 2 w "$tmp/plug_a.so" <"$tmp/go" >"$tmp/victim" &
victim=$!
exec 5>"$tmp/go"
start -x engine=process -x exechold=200ms -Zqp $victim -n 'BEGIN { printf("ready\n"); } pid$target::plug_work:entry { @ = count(); } tick-10ms /!live_/ { live_ = 1; printf("live\n"); }'
waits grep -q live "$tmp/out"
kill -STOP $tracer
echo go >&5
waits ended $victim
wait $victim
[ $? -eq 7 ] && grep -q 'calls 16' "$tmp/victim"
check $? "dtrace is stopped: the process goes on"
kill -CONT $tracer
wait $tracer
exec 5>&-

# the end of a trace, and a dtrace that is killed, after another library was mapped where one was
for how in INT KILL; do
	"$later" 6 wk "$tmp/plug_a.so" "$tmp/plug_b.so" <"$tmp/go" >"$tmp/victim" &
	victim=$!
	exec 5>"$tmp/go"
	start -x engine=process -x exechold=30s -Zqp $victim -n 'BEGIN { printf("ready\n"); } pid$target::plug_work:entry { @ = count(); } tick-10ms /!live_/ { live_ = 1; printf("live\n"); }
	    END { printa("fired %@d\n", @); }'
	waits grep -q live "$tmp/out"
	echo go >&5
	waits grep -q kept "$tmp/victim"
	kill -$how $tracer
	wait $tracer 2>/dev/null
	gone() { ! grep -q 'memfd:dtrace' "/proc/$victim/maps"; }
	waits gone
	[ $how = KILL ] || [ "$(counted fired)" -eq 96 ]
	check $? "SIG$how: all calls until then"
	exec 5>&-
	wait $victim
	[ $? -eq 7 ] && grep -q 'calls 101' "$tmp/victim"
	check $? "SIG$how: the libraries are as they were"
done

# system calls of a library
cat >"$tmp/calls.c" <<'END'
#include <sys/syscall.h>
static long ask(void)
{
#ifdef __x86_64__
	long n = SYS_getpgid;
	__asm__ volatile("syscall" : "+a"(n) : "D"(0L) : "rcx", "r11", "memory");
	return n;
#else
	register long n __asm__("x8") = SYS_getpgid;
	register long a __asm__("x0") = 0;
	__asm__ volatile("svc #0" : "+r"(a) : "r"(n) : "memory");
	return a;
#endif
}
__attribute__((constructor)) static void loaded(void)
{
	for (int i = 0; i < 3; i++)
		(void)ask();
}
int plug_run(int n);
int plug_run(int n)
{
	for (int i = 0; i < n; i++)
		(void)ask();
	return n;
}
END
cc -O1 -fPIC -shared -o "$tmp/plug_c.so" "$tmp/calls.c" && chmod 755 "$tmp/plug_c.so"
inproc -qn 'syscall::getpgid:entry { @ = count(); } END { printa("fired %@d\n", @); }' \
    -c "$later 5 - $tmp/plug_c.so"
[ "$status" -eq 0 ] && [ "$(said)" -eq 40 ] && [ "$(counted fired)" -eq 40 ]
check $? "system calls of a library: $(counted fired) of $(said)"

# What cannot be patched when it comes is said: on x86-64 these functions have four bytes, on aarch64 any has room.
printf '%s\n' 'int plug_work(int i);' 'int plug_run(int n);' 'int plug_run(int n) { return plug_work(n) * 3; }' \
    'int plug_work(int i) { return i + 1; }' >"$tmp/short.c"
if [ "$(uname -m)" = x86_64 ] && cc -O2 -fPIC -shared -fcf-protection=none -fno-toplevel-reorder -o "$tmp/short.so" "$tmp/short.c"; then
	chmod 755 "$tmp/short.so"
	inproc -qn 'pid$target:short.so:plug_work:entry { @ = count(); }' -Z -c "$later 1 - $tmp/short.so"
	grep -q 'probes of what was loaded later could not be enabled, e.g. short.so:plug_work+0x0: its instruction is shorter than a jump' "$tmp/err"
	check $? "a function that comes later and is too short: a notice"
fi

. test/trigger/ordinary_user.sh
ordinary_user "an ordinary user" "$later"
needs_engine_process
run -x exechold=30s -Zqn 'pid$target::plug_work:entry { @ = count(); } END { printa("fired %@d\n", @); }' -c "$tmp/inproc_later 5 s $tmp/plug_a.so $tmp/plug_b.so"
[ "$status" -eq 0 ] && [ "$(said)" -eq 80 ] && [ "$(counted fired)" -eq 80 ]
check $? "an ordinary user: $(counted fired) of $(said)"
