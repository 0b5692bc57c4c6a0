# SPDX-License-Identifier: BSD-2-Clause
# -O pprof: gzip reads the file, and `go tool pprof` finds types, units, stacks and counts in it.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - profiles # SKIP tracing needs root"
	exit 0
fi
for need in gzip gcc; do
	command -v $need >/dev/null || { echo "ok - profiles # SKIP no $need"; exit 0; }
done

"$dtrace" -qO pprof -o "$tmp/p" -n 'BEGIN { @n["a b", stack(1)] = count(); @t_ns["a b", stack(1)] = sum(3000000); @t_ns["c", stack(1)] = sum(1000000); stack(1); exit(0); }'
"$dtrace" -qO pprof -o "$tmp/empty" -n 'BEGIN { exit(0); }'
for file in p empty; do
	same "gzip reads it: $file" "$(gzip -t <"$tmp/$file" 2>&1) $(gzip -dc <"$tmp/$file" | wc -c | sed 's/^[1-9].*/some/')" " some"
done
# Functions, objects and the kernel have fields of their own: a small reader of protocol buffers.
if command -v python3 >/dev/null; then
	"$dtrace" -qO pprof -o "$tmp/k" -n 'BEGIN { @n["a key", ustack(1), stack(2)] = count(); exit(0); }'
	same "functions without objects, objects as files and mappings" "$(gzip -dc <"$tmp/k" | python3 -c '
import sys
def fields(b):
    i = 0
    def varint():
        nonlocal i
        v = s = 0
        while True:
            v |= (b[i] & 127) << s; s += 7; i += 1
            if b[i - 1] < 128: return v
    while i < len(b):
        k = varint(); v = varint()
        if k & 7 == 2: v, i = b[i:i + v], i + v
        yield k >> 3, v
all_ = list(fields(sys.stdin.buffer.read()))
text = [v.decode() for n, v in all_ if n == 6]
of = lambda kind: [dict(fields(v)) for n, v in all_ if n == kind]
maps = {m[1]: text[m[5]] for m in of(3)}
funcs = {f[1]: (text[f[2]], text[f.get(4, 0)]) for f in of(5)}
for l in of(4): print(*("key" if f == ("a key", "") else "K" if f[1] == "vmlinux" and "`" not in f[0] and "_[k]" not in f[0] else "other" for f in [funcs[dict(fields(l[4]))[1]]]), maps.get(l.get(2), "none"))
' | sort -u | grep -v ^other | tr '\n' ';')" "K [kernel];key none;"
fi
# names of C++ are demangled, with the symbol as system_name: speedscope's demangler crashes on some symbols
cat >"$tmp/named.c" <<'END'
#include <unistd.h>
__attribute__((noinline)) void work(void) __asm__("_ZN3far5thing2goEi");
void work(void) { getppid(); __asm__ volatile("" ::: "memory"); }
int main(void) { work(); return 0; }
END
gcc -O1 -fno-omit-frame-pointer -o "$tmp/named" "$tmp/named.c" &&
    "$dtrace" -qO pprof -o "$tmp/c" -n 'syscall::getppid:entry /pid == $target/ { @n[ustack(3)] = count(); }' -c "$tmp/named"
same "a name of C++, and its mangled form" \
    "$(gzip -dc <"$tmp/c" | grep -ao 'far::thing::go(int)\|_ZN3far5thing2goEi' | sort -u | tr '\n' ' ')" \
    "_ZN3far5thing2goEi far::thing::go(int) "
if ! go tool pprof -h >"$tmp/help" 2>&1 && ! grep -q sample_index "$tmp/help"; then
	echo "ok - go tool pprof reads it # SKIP no go tool pprof"
	exit 0
fi
export PPROF_TMPDIR="$tmp"
# top TYPE
top() {
	go tool pprof -top -sample_index="$1" "$tmp/p" 2>"$tmp/err" | awk '/^ *[0-9]/ { printf "%s %s %s;", $1, $4, $6 }' | sed 's/ [a-z_]*bpf[^;`]*;/ K;/'
}
same "counts" "$(top n)" "1 1 K;0 1 a;"
same "another aggregation, in its unit" "$(top t_ns)" "4ms 4ms K;0 3ms a;0 1ms c;"
same "firings" "$(top samples)" "1 1 K;"
same "types and samples" "$(go tool pprof -raw "$tmp/p" 2>"$tmp/err" | sed -n '/^Samples/,/^Locations/p' | sed '1d;$d' | tr -s ' \n' ' ')" \
    "samples/count n/count t_ns/nanoseconds 0 1 3000000: 1 2 0 0 1000000: 1 3 1 0 0: 1 "
same "an empty one" "$(go tool pprof -raw "$tmp/empty" 2>&1 | grep -c samples/count)" 1
