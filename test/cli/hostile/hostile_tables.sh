# SPDX-License-Identifier: BSD-2-Clause
# Issue 11, item 2: tables for walking stacks. Files with very many rows come and go, or are mapped by somebody without rights for good:
# programs that start later are still walked without frame pointers.
. test/trigger/bounded.sh
. test/trigger/hostile.sh
may_trace "tables for user stacks"
cc=${CC:-gcc}
command -v "$cc" >/dev/null 2>&1 || { echo "ok - tables for user stacks # SKIP no compiler ($cc)"; exit 0; }
tick=$(printf '\140')

# program NAME ROWS: it calls getpgid(2) again and again, from functions without frame pointers
program() {
	cat >"$tmp/$1.c" <<-END
		#include <sys/syscall.h>
		#include <unistd.h>
		__attribute__((noinline)) static int inner(int n) { volatile char b[64]; b[n & 63] = 1; return (int)syscall(SYS_getpgid, 0) + b[n & 63]; }
		__attribute__((noinline)) static int middle(int n) { return inner(n + 1) + 1; }
		__attribute__((noinline)) static int outer(int n) { return middle(n + 1) + 1; }
		int main(void) { for (int i = 0;; i++) { volatile int n = outer(i); (void)n; usleep(2000); } }
	END
	printf '.text\nf:\n.cfi_startproc\n.rept %d\n.cfi_def_cfa_offset 16\nnop\n.cfi_def_cfa_offset 32\nnop\n.endr\nret\n.cfi_endproc\n' $(($2 / 2)) >"$tmp/$1.s"
	"$cc" -O1 -fomit-frame-pointer -fno-optimize-sibling-calls -o "$tmp/$1" "$tmp/$1.c" "$tmp/$1.s"
}
# walked NAME: it runs until its stack has all three functions
walked() {
	"$tmp/$1" &
	attackers="$attackers $!"
	whole() { grep -q "$1${tick}outer" "$tmp/out" && grep -q "$1${tick}middle" "$tmp/out"; }
	waits whole "$1"
	check $? "$2"
	kill $!
	wait $! 2>/dev/null
}

program rows 400000 || { bad "a program with many rows"; exit 0; }
start -qn 'BEGIN { printf("ready\n"); } syscall::getpgid:entry /ppid == $1 && ++n[pid] % 16 == 1/ { ustack(); }' $$
for i in 1 2 3 4 5 6 7 8; do
	cp "$tmp/rows" "$tmp/life$i"
	walked life$i "file $i of 400,000 rows, when the others have ended"
	rm "$tmp/life$i"
done
kill -INT "$tracer"
wait "$tracer"
peaceful

# three files of somebody without rights, with 1.8 million rows, are mapped all the time
program foreign 600000
start -qn 'BEGIN { printf("ready\n"); } syscall::getpgid:entry /(ppid == $1 || uid == 65534) && ++n[pid] % 16 == 1/ { ustack(); }' $$
for i in 1 2 3; do
	cp "$tmp/foreign" "$tmp/foreign$i" && chown 65534 "$tmp/foreign$i"
	chroot --userspec=65534:65534 / "$tmp/foreign$i" &
	attackers="$attackers $!"
	shown() { grep -q "foreign$i${tick}inner" "$tmp/out"; }
	waits shown
done
walked rows "a program of root's, beside 1.8 million rows of somebody else"
kill -INT "$tracer"
wait "$tracer"
peaceful
