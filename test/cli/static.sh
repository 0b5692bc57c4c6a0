# SPDX-License-Identifier: BSD-2-Clause
# slow
# make LDFLAGS=-static: a command that needs no library (N B13).
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
