#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# What programs see of the shared library: the dtrace_ names of its header and nothing else. A program linked with it compiles D.
: "${BUILD:=build}"
. test/cli/helpers.inc

nm -D --defined-only "$BUILD/libdtrace.so" | awk '{ print $3 }' | sed 's/@.*//' | sort -u >"$tmp/exported"
other=$(grep -v -e '^_\{0,1\}dtrace_' -e '^DTRACE_' "$tmp/exported" | grep -v -e '^__asan' -e '^__ubsan' -e '^__odr' -e '^__sanitizer')
[ -s "$tmp/exported" ] && [ -z "$other" ]
check $? "only dtrace_ names are exported${other:+: }$(echo $other)"

# each function the header declares is there, is listed by name, and nothing else is
tools/exports >"$tmp/declared"
missing=$(comm -23 "$tmp/declared" "$tmp/exported")
[ -s "$tmp/declared" ] && [ -z "$missing" ]
check $? "every function of dtrace.h is exported${missing:+: }$(echo $missing)"
sed -n 's/^\t\(dtrace_[a-z0-9_]*\);$/\1/p' src/api/libdtrace.map | LC_ALL=C sort >"$tmp/listed"
differ=$(comm -3 "$tmp/declared" "$tmp/listed")
[ -s "$tmp/listed" ] && [ -z "$differ" ] && ! grep -q 'dtrace_[a-z_]*\*' src/api/libdtrace.map
check $? "libdtrace.map lists each of them by name, once, and no other${differ:+: }$(echo $differ)"
missing=$(for v in $(sed -n 's/^extern .*[ *]\(_dtrace_[a-z]*\);.*/\1/p' include/dtrace.h); do
	grep -qx "$v" "$tmp/exported" && grep -q "^	$v;" src/api/libdtrace.map || echo "$v"
done)
[ -z "$missing" ] && grep -q '^extern .*_dtrace_version;' include/dtrace.h
check $? "the variables of history are there (L6)${missing:+: }$(echo $missing)"
bare=$(nm -D --defined-only "$BUILD/libdtrace.so" | awk '$3 ~ /^dtrace_/ && $3 !~ /@@DTRACE_[0-9.]+$/ { print $3 }')
[ -z "$bare" ]
check $? "every one has a version${bare:+: }$(echo $bare)"
version=$(sed -n 's/^VERSION := //p' Makefile)
readelf -d "$BUILD/libdtrace.so" | grep -q "SONAME.*\[libdtrace.so.${version%%.*}\]"
check $? "the soname has the major number of version $version"

# every function is named by a test in C or a script
bad=
for f in $(sed -n 's/^\t\(dtrace_[a-z0-9_]*\);/\1/p' src/api/libdtrace.map); do
	grep -rqw "$f" test/unit test/cli --include='*.c' --include='*.sh' || bad="$bad $f"
done
[ -z "$bad" ]
check $? "every function of the library is in a test${bad:+:}$bad"

# codes that are never raised are kept for their numbers, and say so
bad=
for code in $(sed -n 's/^\t\(EDT_[A-Z0-9_]*\).*/\1/p' include/dtrace.h | grep -v -e EDT_MAX -e EDT_BASE); do
	raised=no marked=no
	grep -rqw "$code" src --include='*.c' --include='*.h' --exclude=errors.c && raised=yes
	grep -w "$code" include/dtrace.h | grep -q '(never here)' && marked=yes
	[ "$raised" = "$marked" ] && bad="$bad $code"
done
[ -z "$bad" ]
check $? "error codes that are never raised are marked in dtrace.h, and no others${bad:+:}$bad"

cat >"$tmp/client.c" <<'END'
#include <dtrace.h>
#include <string.h>

int main(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV | DTRACE_O_NOSYS, &err);
	dtrace_prog_t *p;

	if (h == NULL)
		return 1;
	p = dtrace_program_strcompile(h, "BEGIN { trace(\"hello\"); }", DTRACE_PROBESPEC_NAME, DTRACE_C_ZDEFS, 0, NULL);
	if (p == NULL || dtrace_program_dump(h, p, stdout) != 0)
		return 2;
	if (dtrace_program_strcompile(h, "BEGIN { nosuch(); }", DTRACE_PROBESPEC_NAME, 0, 0, NULL) != NULL)
		return 3;
	printf("%s\n", dtrace_errmsg(h, dtrace_errno(h)));
	dtrace_close(h);
	return 0;
}
END
flags=
nm -D "$BUILD/libdtrace.so" | grep -q __asan && flags="-fsanitize=address,undefined"
cc $flags -Wall -Werror -Iinclude -o "$tmp/client" "$tmp/client.c" "$BUILD/libdtrace.so" -Wl,-rpath,"$(cd "$BUILD" && pwd)" 2>"$tmp/err"
check $? "a C program links with it $(head -n 3 "$tmp/err")"
"$tmp/client" >"$tmp/out" 2>&1 && grep -q 'sets DT_STRING\[1\], %r1' "$tmp/out" && grep -q nosuch "$tmp/out"
check $? "and compiles D with it"

# the header alone is valid C and C++
echo '#include <dtrace.h>' >"$tmp/h.c"
cc -std=c11 -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/h.c" 2>/dev/null
check $? "dtrace.h is C11 on its own"
if command -v c++ >/dev/null 2>&1; then
	c++ -x c++ -Wall -Wextra -Werror -Iinclude -fsyntax-only "$tmp/h.c" 2>/dev/null
	check $? "dtrace.h is C++ on its own"
fi
