# SPDX-License-Identifier: BSD-2-Clause
# Programs of users of libdtrace: one in C as plockstat is one, compiled against the header and the shared library alone, and
# one in Python through ctypes (R 5: "not usable from other languages for its main purpose").
: "${BUILD:=build}"
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
if [ "$(id -u)" -ne 0 ] || [ ! -e "$BUILD/libdtrace.so" ]; then
	echo "ok - clients of the library # SKIP tracing needs root, and a shared library"
	exit 0
fi
same() { if [ "$2" = "$3" ]; then echo "ok - $1"; else echo "not ok - $1: $2, expected $3"; fi; }
library=$(cd "$BUILD" && pwd)/libdtrace.so
sanitized=
nm -D "$library" | grep -q __asan && sanitized="-fsanitize=address,undefined"

cat >"$tmp/victim.c" <<'END'
#include <unistd.h>
__attribute__((noinline)) int often(void) { int n = 0; for (int i = 0; i < 50; i++) n += getppid() > 0; return n; }
__attribute__((noinline)) int seldom(void) { return getppid() + 1; }
int main(void) { return often() + seldom() < 2; }
END
if cc $sanitized -Wall -Wextra -Werror -Iinclude -o "$tmp/callers" test/client/callers.c "$library" -Wl,-rpath,"$(dirname "$library")" 2>"$tmp/err" &&
    cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/victim" "$tmp/victim.c" 2>>"$tmp/err"; then
	"$tmp/callers" "$tmp/victim" >"$tmp/out" 2>&1
	same "a C program joins aggregations" "$? $(sed 's/+0x[0-9a-f]*//; s/  */ /g' "$tmp/out" | LC_ALL=C sort | tr '\n' ',')" \
	    '0 3 1 some getppid victim`seldom,3 50 some getppid victim`often,@hist getppid 51,System calls,'
else
	echo "not ok - a C program compiles: $(head -n 5 "$tmp/err")"
fi

if ! command -v python3 >/dev/null; then
	echo "ok - Python # SKIP no python3"
elif [ -n "$sanitized" ]; then
	echo "ok - Python # SKIP the library is made for the sanitizers, which python3 is not"
else
	same "a Python program reads aggregations and text" "$(python3 test/client/counts.py "$library" 2>&1)" \
	    "[('begun 1', 3)] [('getpgid', True, 1), ('getppid', True, 100)]"
fi
