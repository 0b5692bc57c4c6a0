#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# slow
# make rpm: the packages of package/dtrace.spec are built, install together in an empty root, and work from there.
build=${BUILD:-build}
. test/cli/helpers.inc
trap 'rm -rf --one-file-system "$tmp"' EXIT
command -v rpmbuild >/dev/null || { echo "ok - RPM packages # SKIP no rpmbuild"; exit 0; }
case $build in *asan*|*clang*) echo "ok - RPM packages # SKIP once is enough"; exit 0 ;; esac

if command -v rpmlint >/dev/null; then
	# two that Fedora does not have: names of libraries as in Mandriva, the fallback for a macro of Python
	rpmlint package/dtrace.spec >"$tmp/log" 2>&1
	! grep ': E: ' "$tmp/log" | grep -qv 'lib-package-without-%mklibname\|hardcoded-library-path in %{_prefix}/lib/python3'
	check $? "rpmlint finds no error in the spec"
else
	echo "ok - rpmlint # SKIP it is not installed"
fi
# not optimized: `make deb` builds it as users get it
CFLAGS='-O0 -g0' make -s B="$build" rpm >"$tmp/log" 2>&1
check $? "make rpm"
for name in dtrace dtrace-tools libdtrace libdtrace-usdt libdtrace-devel python3-dtrace; do
	ls "$build/rpm/$name"-[0-9]*.rpm >"$tmp/log" 2>&1
	check $? "the package $name"
done
rpm -qp --requires "$build"/rpm/libdtrace-usdt-[0-9]*.rpm >"$tmp/log" 2>/dev/null
! grep -v '^libc\.so\|^rpmlib\|^ld-linux\|^rtld' "$tmp/log" | grep -q .
check $? "libdtrace-usdt needs libc alone"
rpm -qp --requires "$build"/rpm/libdtrace-devel-[0-9]*.rpm >"$tmp/log" 2>/dev/null
grep -q '^libdtrace(.*) = \|^libdtrace = ' "$tmp/log" && grep -q '^libdtrace-usdt(.*) = \|^libdtrace-usdt = ' "$tmp/log"
check $? "libdtrace-devel needs the libraries of its version"

root=$tmp/root
mkdir -p "$root"
rpm --root "$root" --initdb >"$tmp/log" 2>&1 && rpm --root "$root" --nodeps -i "$build"/rpm/*.rpm >"$tmp/log" 2>&1
check $? "they install together in an empty root"
rpm --root "$root" --nodeps -V dtrace dtrace-tools libdtrace libdtrace-usdt libdtrace-devel python3-dtrace >"$tmp/log" 2>&1
check $? "and verify"
lib=$(dirname "$(ls "$root"/usr/lib*/libdtrace.so)")
for file in usr/sbin/lockstat usr/sbin/execsnoop usr/share/man/man8/execsnoop.8 usr/share/man/man7/d.7 usr/share/man/man3/dtrace_usdt_fire.3 usr/include/dtrace.h \
    usr/include/dtrace/usdt-dynamic.h usr/share/bash-completion/completions/dtrace usr/share/doc/dtrace/guide usr/share/doc/libdtrace-devel/example/usdt_lines.c; do
	ls -d "$root/$file"* >/dev/null 2>&1 || echo "no $file"
done >"$tmp/log"
[ ! -s "$tmp/log" ] && [ -e "$lib/libdtrace-usdt.so" ] && [ -e "$lib/pkgconfig/libdtrace-usdt.pc" ] && [ ! -e "$root/usr/include/sys/sdt.h" ]
check $? "commands, tools, pages, headers, libraries, completion, examples"
"$root/usr/bin/dtrace" -e -n 'BEGIN { printf("%d\n", pid); }' >"$tmp/log" 2>&1
check $? "dtrace from there compiles a program"
if "$root/usr/sbin/dtrace" -qn 'BEGIN { exit(0); }' >"$tmp/log" 2>&1; then
	"$root/usr/sbin/dtrace" -qn 'syscall:::entry /pid == $target/ { @ = count(); } END { printa("%@d calls\n", @); }' -c true >"$tmp/log" 2>&1
	grep -q '^[1-9][0-9]* calls' "$tmp/log"
	check $? "and traces"
	"$root/usr/sbin/lockstat" -e 1 true >"$tmp/log" 2>&1
	check $? "lockstat from there"
else
	echo "ok - it traces # SKIP $(head -n 1 "$tmp/log")"
fi
if command -v python3 >/dev/null; then
	LIBDTRACE=$lib/libdtrace.so.0 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$(dirname "$(find "$root/usr" -path '*/dtrace/__init__.py' -exec dirname {} \;)") \
		python3 -c 'import dtrace' >"$tmp/log" 2>&1
	check $? "Python finds its module and the library"
fi
cc -I"$root/usr/include" -o "$tmp/lines" "$root/usr/share/doc/libdtrace-devel/example/usdt_lines.c" -L"$lib" -ldtrace-usdt >"$tmp/log" 2>&1 &&
    echo text | LD_LIBRARY_PATH=$lib "$tmp/lines" >>"$tmp/log" 2>&1
check $? "the example of libdtrace-usdt builds and runs"
