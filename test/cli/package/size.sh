# SPDX-License-Identifier: BSD-2-Clause
# The size of the command without debugging data. On aarch64 it grows by steps of 64 KiB, the largest page it must run with.
# What takes room: nm --size-sort -S build/dtrace, and readelf -r: a pointer in a table takes 32 bytes, its relocation included, where
# the linker or the C library does not know relative relocations by bit maps (RELR in the Makefile).
build=${BUILD:-build}
. test/cli/helpers.inc
case $(uname -m) in
aarch64|x86_64) limit=2100000 ;;
*) limit= ;;
esac

# Other compilers, sanitizers and other flags make other sizes.
plain() {
	grep -q RELR_LDFLAGS "$build/pkg.mk" || return 1
	case $(cat "$build/flags") in
	*clang*|*-fsanitize*|*-static*|*--coverage*) return 1 ;;
	*gcc*" -O2 -g "*) return 0 ;;
	*) return 1 ;;
	esac
}
if [ -z "$limit" ] || ! plain || ! command -v strip >/dev/null; then
	echo "ok - the size of the command # SKIP not a release build by gcc for aarch64 or x86-64, or no strip"
	exit 0
fi
strip -o "$tmp/dtrace" "$dtrace" 2>"$tmp/log"
check $? "debugging data can be removed"
size=$(wc -c <"$tmp/dtrace")
[ "$size" -le "$limit" ]
check $? "the command has at most $limit bytes ($size)"
"$tmp/dtrace" -e -n BEGIN >"$tmp/log" 2>&1
check $? "it still runs"
