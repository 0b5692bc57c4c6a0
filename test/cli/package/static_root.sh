# SPDX-License-Identifier: BSD-2-Clause
# E1: a static dtrace (STATIC, or BUILD/static/dtrace) loads nothing and does all that the dynamic one does: in a root of another
# release of Debian, whose C library is another one, and in a root with nothing but it, /proc and /sys. Libraries that abort when they
# are loaded are in its path all the time. test/vm/other builds one for the other architecture and runs this there; static.sh is for this one.
static=${STATIC:-${BUILD:-build}/static/dtrace}
if [ ! -x "$static" ]; then
	echo "ok - a static dtrace # SKIP none is built here"
	exit 0
fi
if [ "$1" != inside ]; then	# what is mounted goes when this ends
	tmp=$(mktemp -d) || exit 2
	trap 'rm -rf "$tmp"' EXIT
	if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
		echo "ok - a static dtrace in other roots # SKIP no rights"
		exit 0
	fi
	unshare -m sh "$0" inside "$tmp"
	exit
fi
tmp=$2
command -v g++ >/dev/null || { echo "ok - a static dtrace in other roots # SKIP no g++"; exit 0; }

cat >"$tmp/shop.cc" <<'END'
#include <pthread.h>
#include <sched.h>
#include <sys/sdt.h>
struct item { int id; const char *name; };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
namespace shop { struct cart { int add(const item *i); int total; }; }
__attribute__((noinline)) int shop::cart::add(const item *i)
{
	sched_yield();
	total += i->id;
	return total;
}
extern "C" __attribute__((noinline)) int price(const struct item *i, int n)
{
	if (n > 100)
		return -1;
	__asm__ volatile("" ::: "memory");
	return i->id * n;
}
extern "C" __attribute__((noinline)) int open_till(int n) __asm__("_ZN4till4open17h0123456789abcdefE");
extern "C" int open_till(int n)
{
	sched_yield();
	return n + 1;
}
int main()
{
	char name[] = "apple";	/* written: its page is in memory */
	item apple = { 21, name };
	shop::cart c = { 0 };
	int sum = 0;
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		sum += c.add(&apple);
		pthread_mutex_unlock(&lock);
		sum += price(&apple, 2) + open_till(i);
		DTRACE_PROBE1(shop, sold, apple.id);
	}
	return sum == 0;
}
END
cat >"$tmp/abort.c" <<'END'
#include <stdlib.h>
__attribute__((constructor)) static void loaded(void) { abort(); }
END
# small: compressed types; frames: its stacks are walked by a compressed .debug_frame, as those of Go
build() { g++ -O1 -g -Iinclude "$@" "$tmp/shop.cc" -pthread 2>>"$tmp/log"; }
build -o "$tmp/shop" && build -gz=zlib -o "$tmp/small" && build -static -gz=zlib -o "$tmp/shop_static" &&
	build -gz=zlib -fno-exceptions -fno-asynchronous-unwind-tables -fno-unwind-tables -fomit-frame-pointer -o "$tmp/frames" &&
	objcopy -R .eh_frame -R .eh_frame_hdr "$tmp/frames" 2>>"$tmp/log" &&
	mkdir "$tmp/bad" && gcc -shared -fPIC -o "$tmp/bad/libz.so.1" "$tmp/abort.c" 2>>"$tmp/log" ||
	{ echo "not ok - programs to trace"; cat "$tmp/log"; exit 1; }
objcopy --compress-debug-sections=zstd "$tmp/shop" "$tmp/zstd" 2>>"$tmp/log" || cp "$tmp/shop" "$tmp/zstd"	# where binutils can
for name in libdw.so.1 libelf.so.1 libbpf.so.1 liblzma.so.5 libzstd.so.1 libZydis.so.4 libZydis.so.4.0 libnss_files.so.2 libnss_dns.so.2 \
    libgcc_s.so.1 libmicrohttpd.so.12; do
	ln "$tmp/bad/libz.so.1" "$tmp/bad/$name"
done
echo 'int main(void) { return __builtin_strlen(zlibVersion()) == 0; }' | sed '1i #include <zlib.h>' >"$tmp/loads.c"
gcc -o "$tmp/loads" "$tmp/loads.c" -lz 2>"$tmp/log" && "$tmp/loads" && ! LD_LIBRARY_PATH=$tmp/bad "$tmp/loads" 2>/dev/null &&
	echo "ok - a program that loads one of the libraries aborts" || echo "not ok - a program that loads one of the libraries aborts"

enter() {	# enter ROOT WHAT PROGRAM: everything is in /opt there; the root itself may be read-only
	root=$1 what=$2
	mount -t proc proc "$root/proc" && mount --rbind /sys "$root/sys" && mount -t tmpfs tmpfs "$root/opt" &&
		mount -t tmpfs tmpfs "$root/etc" || { echo "not ok - mounts in $what"; return 1; }
	[ ! -x "${static%/*}/dtrace-web" ] || cp "${static%/*}/dtrace-web" "$root/opt"
	cp "$static" "$root/opt/dtrace" && cp -r "$tmp/bad" "$tmp/small" "$tmp/zstd" "$tmp/frames" dtools/syscount "$root/opt" &&
		cp "$3" "$root/opt/shop" && ln -s dtrace "$root/opt/dtruss" && ln -s dtrace "$root/opt/lockstat" &&
		ln -s dtrace "$root/opt/plockstat" && echo 'till 4242/tcp' >"$root/etc/services"
}
run() {		# run COMMAND ARGS…
	command=$1
	shift
	env LD_LIBRARY_PATH=/opt/bad chroot "$root" "/opt/$command" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}
shows() {	# shows TEXT-OF-TEST PATTERN COMMAND ARGS…: its status is 0, and one line of its output matches
	text=$1 pattern=$2
	shift 2
	run "$@"
	if [ "$status" -eq 0 ] && grep -Eq -e "$pattern" "$tmp/out"; then
		echo "ok - $what: $text"
	else
		echo "not ok - $what: $text: status $status, no line like $pattern"
		head -n 12 "$tmp/err" "$tmp/out" | sed 's/^/  /'
	fi
}
quiet() {	# quiet TEXT-OF-TEST PATTERN D ARGS…
	text=$1 pattern=$2 program=$3
	shift 3
	shows "$text" "$pattern" dtrace -qn "$program" "$@"
}

# The live page: a program begins to count, and the page and its count are asked for.
ask() {		# ask PATH?…: the answer, up to the line that has the count
	bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1" && printf "GET %s HTTP/1.0\r\nHost: 127.0.0.1:%s\r\n\r\n" "$2" "$1" >&3 && timeout 60 sed "/\"snap\".*\"v\":.0,126./q" <&3' \
	    ask "$port" "$1" 2>&1
}
live_page() {
	if [ ! -x "$root/opt/dtrace-web" ] || ! command -v bash >/dev/null; then
		echo "ok - $what: the live page # SKIP it is not built, or no bash"
		return
	fi
	: >"$tmp/url"
	env LD_LIBRARY_PATH=/opt/bad chroot "$root" /opt/dtrace -O web -n 'pid$target::price:return { @sums[probefunc] = sum(arg1); }' -c /opt/shop \
	    >"$tmp/url" 2>"$tmp/err" </dev/null &
	server=$!
	until [ -s "$tmp/url" ] || ! kill -0 $server 2>/dev/null; do sleep 0.05; done
	port=$(sed -n 's|^http://127.0.0.1:\([0-9]*\)/.*|\1|p' "$tmp/url") token=$(sed -n 's|.*token=||p' "$tmp/url")
	ask "/?token=$token" >"$tmp/out"
	grep -q '^HTTP/1.1 200 OK' "$tmp/out" && grep -qi '</html>\|</script>' "$tmp/out" && echo "ok - $what: the live page" ||
		echo "not ok - $what: the live page: $(head -n 3 "$tmp/out" "$tmp/err")"
	ask "/stream?token=$token" >"$tmp/out"
	grep -aq 'dtrace recording 2' "$tmp/out" && grep -aq 'price' "$tmp/out" && LC_ALL=C grep -aqP '\x7e\x00{7}' "$tmp/out" && echo "ok - $what: the live page counts" ||
		echo "not ok - $what: the live page counts: $(tail -n 5 "$tmp/out")"
	kill $server
	wait $server 2>/dev/null
}

everywhere() {	# what needs no program of the root but our own
	shows "its version" '^dtrace: D [0-9]' dtrace -V
	shows "the probes" 'syscall .* openat entry' dtrace -l -n syscall::openat:
	shows "what the machine allows" '^eBPF programs +yes' dtrace --doctor
	quiet "BEGIN" '^hello$' 'BEGIN { printf("hello\n"); exit(0); }'
	quiet "system calls" '^[1-9][0-9]* calls$' 'syscall:::entry { @ = count(); } tick-200ms { printa("%@d calls\n", @); exit(0); }'
	quiet "samples, and kernel stacks" '^ +vmlinux`|^ +[a-z_0-9]+`[a-z]' 'profile-997 /arg0/ { stack(); exit(0); }'
	quiet "types of the kernel" '^[1-9][0-9]* processors?$' 'BEGIN { printf("%d processors\n", curthread->nr_cpus_allowed); exit(0); }'
	quiet "entries, with arguments" '^price 2 apple$' \
	    'pid$target::price:entry { printf("%s %d %s\n", probefunc, arg1, copyinstr(*(uintptr_t *)copyin(arg0 + 8, 8))); }' -c /opt/shop
	quiet "returns, with values" '^price 42$' 'pid$target::price:return { printf("%s %d\n", probefunc, arg1); }' -c /opt/shop
	quiet "each instruction" '^([5-9]|1[0-9]) instructions, 3 first$' 'pid$target::price: { @i[probename] = count(); n++; }
		pid$target::price:0 { first++; } END { printf("%d instructions, %d first\n", n / 3 - 2, first); }' -c /opt/shop
	quiet "types of arguments" '^21 apple 2$' \
	    'pid$target::price:entry { printf("%d %s %d\n", args[0]->id, stringof(copyinstr((uintptr_t)args[0]->name)), args[1]); }' -c /opt/shop
	quiet "types by name, printed" 'id = 0x15$' 'pid$target::price:entry { print(*(struct pid$target`item *)arg0); }' -c /opt/shop
	quiet "stacks with names of C++" '`shop::cart::add\(item const\*\)\+0x' \
	    'syscall::sched_yield:entry /pid == $target/ { ustack(); }' -x demangle -c /opt/shop
	quiet "stacks with names of Rust" '`till::open\+0x' 'syscall::sched_yield:entry /pid == $target/ { ustack(); }' -x demangle -c /opt/shop
	quiet "static probes" '^sold 21$' 'shop$target:::sold { printf("sold %d\n", arg0); }' -c /opt/shop
	quiet "names of services" '^till 65001$' 'BEGIN { printf("%P %P\n", (uint16_t)4242, (uint16_t)65001); exit(0); }'
	shows "JSON" '"[a-z]+": *"?hello' dtrace -O json -qn 'BEGIN { trace("hello"); exit(0); }'
	shows "completion" '^syscall::nanosleep' dtrace --complete syscall::nanos
	shows "a tool" '^sched_yield +6$|sched_yield.* 6$' dtrace --tool /opt/syscount -c /opt/shop
	run dtruss /opt/shop
	grep -q '^sched_yield() *= 0' "$tmp/err" && echo "ok - $what: dtruss" || echo "not ok - $what: dtruss: $(tail -n 3 "$tmp/err")"
	live_page
	run lockstat -n 100 /opt/shop
	grep -Eq 'no events in|Count' "$tmp/out" "$tmp/err" && echo "ok - $what: lockstat" || echo "not ok - $what: lockstat: $(head -n 3 "$tmp/err")"
}

other=$(test/vm/release "$(uname -m)" 2>"$tmp/log")
if [ -z "$other" ] || [ ! -d "$other/opt" ]; then
	echo "ok - a root of another release # SKIP $(tail -n 1 "$tmp/log")"
elif enter "$other" "another release" "$tmp/shop"; then
	quiet "functions of its C library" '^sched_yield in libc.so.6$' \
	    'pid$target:libc.so.6:sched_yield:entry { printf("%s in %s\n", probefunc, probemod); }' -c /opt/shop
	quiet "compressed types" '^21$' 'pid$target::price:entry { printf("%d\n", args[0]->id); }' -c /opt/small
	quiet "types in zstd" '^21$' 'pid$target::price:entry { printf("%d\n", args[0]->id); }' -c /opt/zstd
	quiet "stacks by compressed frames" '^ +frames`main\+0x' 'syscall::sched_yield:entry /pid == $target/ { ustack(); }' -c /opt/frames
	shows "plockstat" '^ +3 .*`lock ' plockstat -H /opt/shop
	quiet "commands of the root" '^from the root$' 'BEGIN { system("echo from the root"); exit(0); }' -w
	everywhere
fi
mkdir -p "$tmp/root/proc" "$tmp/root/sys" "$tmp/root/opt" "$tmp/root/etc"
if enter "$tmp/root" "an empty root" "$tmp/shop_static"; then
	everywhere
fi
