# SPDX-License-Identifier: BSD-2-Clause
# slow
# make LDFLAGS=-static: a command that needs no library (N B13), which traces in a root with nothing but it, /proc and /sys; the tarball.
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
check() { if [ "$1" -eq 0 ]; then echo "ok - $2"; else echo "not ok - $2"; tail -n 20 "$tmp/log" | sed 's/^/  /'; fi; }
echo 'int main(void) { return 0; }' >"$tmp/t.c"
if ! cc -static -o "$tmp/t" "$tmp/t.c" >"$tmp/log" 2>&1; then
	echo "ok - a static build # SKIP this compiler makes no static programs"
	exit 0
fi
make -s -j2 B="$tmp/b" CFLAGS='-O0 -g0' LDFLAGS=-static >"$tmp/log" 2>&1
check $? "make LDFLAGS=-static"
grep -q 'the live page .* is not built: a static build has none' "$tmp/log"
check $? "make says that it has no live page"
"$tmp/b/dtrace" --web >"$tmp/log" 2>&1
[ $? -eq 1 ] && grep -q 'a static build has none' "$tmp/log"
check $? "so does the command"
ldd "$tmp/b/dtrace" >"$tmp/log" 2>&1
check $((! $?)) "it names no library"
"$tmp/b/dtrace" -e -n 'BEGIN { printf("%d\n", pid); }' >"$tmp/log" 2>&1
check $? "it compiles a program"
"$tmp/b/dtrace" -qn 'BEGIN { printf("traced\n"); exit(0); }' >"$tmp/log" 2>&1
if grep -q 'privilege' "$tmp/log"; then
	echo "ok - it traces # SKIP no rights"
else
	grep -q traced "$tmp/log"
	check $? "it traces"
fi
# a root with nothing in it
mkdir -p "$tmp/root/proc" "$tmp/root/sys"
cp "$tmp/b/dtrace" "$tmp/root/dtrace"
if [ "$(id -u)" -ne 0 ] || ! unshare -m true 2>/dev/null; then
	echo "ok - an empty root # SKIP no rights"
else
	unshare -m sh -c "mount -t proc proc $tmp/root/proc && mount --rbind /sys $tmp/root/sys &&
		exec chroot $tmp/root /dtrace -qn 'syscall:::entry { @[execname] = count(); } tick-100ms { exit(0); }'" >"$tmp/log" 2>&1
	check $? "it traces in an empty root"
fi
tools/tarball "$tmp/b" 0 here >"$tmp/log" 2>&1 && tar -C "$tmp" -xf "$tmp/b/dtrace-0-here.tar.xz" &&
	sh "$tmp/dtrace-0-here/install.sh" "$tmp/there" >"$tmp/log" 2>&1 && [ -x "$tmp/there/sbin/lockstat" ] &&
	"$tmp/there/bin/dtrace" -V >"$tmp/log" 2>&1
check $? "the tarball installs"
