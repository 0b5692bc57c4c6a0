# SPDX-License-Identifier: BSD-2-Clause
# dtruss(1) says what strace -f -y says, call by call, of real programs. test/cli/command/dtruss.awk lists what is not compared.
. test/cli/helpers.inc
may_trace "dtruss against strace"
if ! strace -f -o "$tmp/try" true >/dev/null 2>&1; then
	ok "dtruss against strace # SKIP strace is not there, or may not trace"
	exit 0
fi
dtruss=$tmp/dtruss
ln -s "$(realpath "$dtrace")" "$dtruss"
here=$PWD

# The same files each time, in a folder of the same name; addresses are those of every run (setarch -R).
run_in() {	# TRACER…
	rm -rf "$tmp/work" && mkdir -p "$tmp/work/d/e" && cd "$tmp/work" || exit 2
	seq 1 2000 >numbers
	echo 'int main(void) { return 0; }' >t.c
	echo root >d/e/f
	timeout 240 setarch -R "$@" >"$tmp/stdout" 2>"$tmp/stderr" </dev/null
	cd "$here" || exit 2
}
same() {	# NAME COMMAND…: $tmp/err has the difference
	name=$1
	shift
	run_in strace -f -y -o "$tmp/s" "$@"
	run_in "$dtruss" -f -o "$tmp/d" "$@"
	awk -f test/cli/command/dtruss.awk "$tmp/s" >"$tmp/s.calls"
	awk -f test/cli/command/dtruss.awk "$tmp/d" >"$tmp/d.calls"
	diff "$tmp/s.calls" "$tmp/d.calls" >"$tmp/err"
	[ $? -eq 0 ] && [ -s "$tmp/s.calls" ]
	check $? "$name: $(wc -l <"$tmp/s.calls") calls as strace -f -y shows them"
	for out in s d; do awk -v signals=1 -f test/cli/command/dtruss.awk "$tmp/$out" | grep +++ | sort >"$tmp/$out.ends"; done
	diff "$tmp/s.ends" "$tmp/d.ends" >"$tmp/err"
	check $? "$name: ends of processes"
}
same ls ls -l d
# P9: every operation of prctl(), with its arguments
same prctl "$(realpath "${BUILD:-build}/test/prctls")"
same cat cat numbers
same sh sh -c 'cat numbers | wc -l; cd d; nosuch; exec true'
same cp cp numbers copy
same tar tar cf x.tar numbers d
same grep grep -r root d
same sort sort -n numbers
same dd dd if=numbers of=copy bs=512 count=4 status=none
same find find d
same files sh -c 'mkdir n; touch n/x; mv n/x n/y; ln -s y n/z; chmod 600 n/y; readlink n/z; rm -r n'
# LeakSanitizer does not work under ptrace(2)
case ${BUILD:-build} in
*asan*) ok "network # SKIP the sanitizer ends programs that strace traces" ;;
*) same network "$(realpath "${BUILD:-build}/test/dtruss_net")" ;;
esac
[ ! -x /usr/bin/gcc ] || same gcc /usr/bin/gcc -c t.c
