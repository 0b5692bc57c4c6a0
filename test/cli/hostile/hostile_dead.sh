# SPDX-License-Identifier: BSD-2-Clause
# A process runs a file of a file system whose server does not answer any more (H 9b): who asks for its bytes
# waits for ever, and cannot even be killed. The trace begins, counts, ends, and says why names are missing.
# alone
. test/trigger/bounded.sh
. test/cli/helpers.inc
may_trace "a dead file system"
build=${BUILD:-build}
tick=$(printf '\140')
server='' victim=''
trap 'kill $server $victim 2>/dev/null; wait 2>/dev/null; umount -l "$tmp/mount" 2>/dev/null; rm -rf "$tmp"' EXIT

mkdir "$tmp/mount"
mkfifo "$tmp/go"
exec 9<>"$tmp/go"
"$build/test/hostile_elf" symbols "$tmp/elf" 1 1
"$build/test/hostile_fuse" "$tmp/mount" "$tmp/elf" >"$tmp/said" &
server=$!
waits sh -c "grep -q mounted '$tmp/said' || ! kill -0 $server 2>/dev/null"
if ! grep -q mounted "$tmp/said"; then
	echo "ok - a dead file system # SKIP no FUSE here"
	exit 0
fi
STAY=1 "$build/test/hostile_map" 2 "$tmp/mount/file" <"$tmp/go" >"$tmp/mapped" &	# it runs without the server
victim=$!
waits grep -qs mapped "$tmp/mapped"
cat "$tmp/mount/file" >/dev/null
# another program, whose names are wanted
"$build/test/hostile_map" 2 "$tmp/elf" <"$tmp/go" >"$tmp/mapped2" &
other=$!
waits grep -qs mapped "$tmp/mapped2"
kill -USR1 $server

# SIGINT while a reader waits for the dead one, or has been given up
"$dtrace" -qn 'syscall::getppid:entry /pid == $target/ { ustack(); }' -x unwind=dwarf -p $victim >"$tmp/out" 2>"$tmp/err" </dev/null &
tracer=$!
stuck() {
	for child in $(cat "/proc/$tracer/task/$tracer/children" 2>/dev/null); do
		grep -qs ') D ' "/proc/$child/stat" && return 0
	done
	grep -q 'does not answer' "$tmp/err"
}
waits stuck
check $? "a reader waits for the dead file system"
began=$(date +%s%N)
kill -INT $tracer
wait $tracer
took=$((($(date +%s%N) - began) / 1000000))
[ $took -lt 5000 ]
check $? "SIGINT: $took ms"

run -qw -p $victim -p $other -n "syscall::getppid:entry /execname == \"hostile_map\"/ { @s[ustack()] = count(); @n = count(); }
	BEGIN { system(\"echo go >$tmp/go; echo go >$tmp/go\"); }
	END { printa(\"calls %@d\\n\", @n); printa(@s); }"
is "the trace ends" 0 "calls 4"
grep -q 'file+0x' "$tmp/out"
check $? "addresses of the file"
grep -q "hostile_map${tick}main+" "$tmp/out" && grep -q "elf${tick}run+" "$tmp/out"
check $? "names of the others"
grep -q 'its file system does not answer' "$tmp/err"
check $? "a notice"

# an indirect function whose slot is memory that the server would have to deliver (H 9a)
kill $server
wait $server 2>/dev/null
umount -l "$tmp/mount" 2>/dev/null
"$build/test/hostile_elf" ifunc "$tmp/evil"
rm -f "$tmp/mapped" "$tmp/said" "$tmp/go"
mkfifo "$tmp/go"
exec 9<>"$tmp/go"
"$build/test/hostile_fuse" "$tmp/mount" "$tmp/elf" >"$tmp/said" &
server=$!
waits grep -q mounted "$tmp/said"
# what is mapped later lies before it
"$build/test/hostile_map" 1 "$tmp/mount/file" "$tmp/evil" <"$tmp/go" >"$tmp/mapped" &
victim=$!
waits grep -qs mapped "$tmp/mapped"
evil=$(awk '/\/evil$/ { split($1, a, "-"); print a[2] }' /proc/$victim/maps)
kill -USR1 $server
if grep -q "^$evil-.*/file\$" /proc/$victim/maps; then
	run -ln 'pid$target:evil:run:entry' -p $victim
	is "a slot that is never delivered" 0 "has not been chosen yet"
else
	echo "ok - a slot that is never delivered # SKIP the mappings are not side by side"
fi
