# SPDX-License-Identifier: BSD-2-Clause
# The library's own pages: each function in one page of section 3, with the prototype of the header; the example builds against what
# is installed, with pkg-config, and counts what its command does.
: "${BUILD:=build}"
. test/cli/helpers.inc

tools/exports >"$tmp/functions"
for page in man/dtrace_*.3; do	# libdtrace.3 is about all of them
	sed -n '/^\.SH NAME/{n;s/ .-.*//;s/, /\n/g;p;}' "$page"
done | LC_ALL=C sort >"$tmp/named"
differ=$(comm -3 "$tmp/functions" "$tmp/named")
[ -s "$tmp/named" ] && [ -z "$differ" ] && [ -z "$(uniq -d "$tmp/named")" ]
check $? "each function is named by one page${differ:+: }$(echo $differ)"

# The prototypes of the pages are C that agrees with the header: a different one would not compile.
{ echo '#include <dtrace.h>'; sed -n 's/^\.B \(.*(.*);\)$/\1/p' man/dtrace_*.3; } >"$tmp/protos.c"
[ "$(grep -c ';' "$tmp/protos.c")" -eq "$(grep -c . "$tmp/functions")" ] &&
    cc -std=c11 -Wall -Werror -Iinclude -fsyntax-only "$tmp/protos.c" 2>"$tmp/log"
check $? "the prototypes in the pages are those of the header"

# L12: the same for the other library, whose map and page name what its header declares.
sed -n 's/^[a-z].*[ *]\(dtrace_usdt_[a-z_]*\)(.*/\1/p' include/dtrace/usdt-dynamic.h | LC_ALL=C sort >"$tmp/usdt"
sed -n 's/^		\(dtrace_usdt_[a-z_]*\);$/\1/p' libusdt/libdtrace-usdt.map | LC_ALL=C sort >"$tmp/map"
sed -n '/^\.SH NAME/{n;s/ .-.*//;s/, /\n/g;p;}' man/libdtrace-usdt.3 | grep dtrace_usdt_ | LC_ALL=C sort >"$tmp/page"
{ echo '#include <dtrace/usdt-dynamic.h>'; sed -n 's/^\.B \(.*(.*);\)$/\1/p' man/libdtrace-usdt.3; } >"$tmp/protos.c"
[ -s "$tmp/usdt" ] && cmp -s "$tmp/usdt" "$tmp/map" && cmp -s "$tmp/usdt" "$tmp/page" && [ "$(grep -c ';' "$tmp/protos.c")" -eq "$(grep -c . "$tmp/usdt")" ] &&
    cc -std=c11 -Wall -Werror -Iinclude -fsyntax-only "$tmp/protos.c" 2>"$tmp/log"
check $? "libdtrace-usdt: header, map, page and prototypes agree"

# Each page that libdtrace(3) sends to is there, and it sends to each.
for page in man/dtrace_*.3; do
	name=${page#man/}
	grep -q "^\.BR ${name%.3} (3)\$" man/libdtrace.3 || echo "$name"
done >"$tmp/log"
for name in $(grep -o 'dtrace_[a-z_]* *("\{0,1\}3)\|dtrace_[a-z_]*' man/libdtrace.3 | sed 's/ .*//' | sort -u); do
	grep -qx "$name" "$tmp/named" || echo "no page has $name"
done >>"$tmp/log"
[ ! -s "$tmp/log" ]
check $? "libdtrace(3) leads to each page"

# doc/API.md names each function: whole, or behind a sibling by the end of its name ("dtrace_anon_save() and _load()").
missing=
for f in $(cat "$tmp/functions"); do
	end=$(echo "$f" | sed 's/revsorted$/sorted/') found=
	while [ -z "$found" ] && [ -n "$end" ]; do
		grep -q "[^a-z0-9_]${end}[^a-z0-9_]" doc/API.md && found=yes
		case $end in _*_*) end=_${end#_*_} ;; _*) end= ;; *) end=_${end#*_} ;; esac
	done
	[ -n "$found" ] || missing="$missing $f"
done
[ -z "$missing" ]
check $? "doc/API.md names each function${missing:+:}$missing"

if [ ! -e "$BUILD/libdtrace.so" ] || nm -D "$BUILD/libdtrace.so" | grep -q __asan; then
	echo "ok - the example # SKIP no shared library that plain programs can use"
	exit 0
fi
make -s -o all B="$BUILD" DESTDIR="$tmp/root" PREFIX=/usr install >"$tmp/log" 2>&1
check $? "make install"
[ -e "$tmp/root/usr/share/man/man3/dtrace_work.3" ] && grep -q '^\.so man3/dtrace_work.3$' "$tmp/root/usr/share/man/man3/dtrace_go.3"
check $? "pages are there, the other names of a page lead to it"
if command -v pkg-config >/dev/null; then
	flags=$(PKG_CONFIG_SYSROOT_DIR=$tmp/root PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig pkg-config --cflags --libs libdtrace)
	[ "$(PKG_CONFIG_PATH=$tmp/root/usr/lib/pkgconfig pkg-config --modversion libdtrace)" = "$(sed -n 's/^VERSION := //p' Makefile)" ]
	check $? "pkg-config has the version"
else
	flags="-I$tmp/root/usr/include -L$tmp/root/usr/lib -ldtrace"
fi
cc -Wall -Wextra -Werror -o "$tmp/syscalls" "$tmp/root/usr/share/doc/dtrace/example/syscalls.c" $flags -I"$tmp/root/usr/include" \
    -L"$tmp/root/usr/lib" 2>"$tmp/log"
check $? "the example builds against what is installed"
: >"$tmp/log"
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - the example counts # SKIP tracing needs root"
	exit 0
fi
cat >"$tmp/victim.c" <<'END'
#include <unistd.h>
int main(void) { for (int i = 0; i < 321; i++) getppid(); return 0; }
END
cc -o "$tmp/victim" "$tmp/victim.c"
LD_LIBRARY_PATH=$tmp/root/usr/lib "$tmp/syscalls" "$tmp/victim" >"$tmp/log" 2>&1 && grep -q '^ *321 getppid$' "$tmp/log" && grep -q ' in all$' "$tmp/log"
check $? "and counts what its command does"
