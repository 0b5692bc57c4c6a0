# SPDX-License-Identifier: BSD-2-Clause
# wall-n reads memory of a process that lies on a file system which does not answer any more: the pass waits, for ever. Other probes fire
# on, what was counted is printed, the trace ends, and so does dtrace.
# alone
. test/cli/helpers.inc
may_trace "memory that a dead file system has to give"
build=${BUILD:-build}
server='' victim=''
trap 'kill $server $victim 2>/dev/null; wait 2>/dev/null; umount -l "$tmp/mount" 2>/dev/null; rm -rf "$tmp"' EXIT
if ! command -v python3 >/dev/null; then
	echo "ok - memory that a dead file system has to give # SKIP no python3"
	exit 0
fi
mkdir "$tmp/mount"
head -c 65536 /dev/zero >"$tmp/bytes"
"$build/test/hostile_fuse" "$tmp/mount" "$tmp/bytes" >"$tmp/said" &
server=$!
waits sh -c "grep -q mounted '$tmp/said' || ! kill -0 $server 2>/dev/null"
if ! grep -q mounted "$tmp/said"; then
	echo "ok - memory that a dead file system has to give # SKIP no FUSE here"
	exit 0
fi
# it maps the file and tells where, and touches no byte of it
python3 -c '
import ctypes, mmap, os, sys, time
m = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 65536, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
print("at 0x%x" % ctypes.addressof(ctypes.c_char.from_buffer(m)), flush=True)
time.sleep(1000)' "$tmp/mount/file" >"$tmp/mapped" 2>"$tmp/err" &
victim=$!
waits sh -c "grep -q at '$tmp/mapped' || ! kill -0 $victim 2>/dev/null"
at=$(sed 's/at //' "$tmp/mapped")
kill -USR1 $server

run -qn '
profile:::wall-10ms /pid == '$victim'/ { @before = count(); }
profile:::wall-10ms /pid == '$victim'/ { @never = sum(*(char *)copyin('"$at"', 1) + 1); }
profile:::tick-100ms { @ticks = count(); ticks++; }
profile:::tick-100ms /ticks == 10/ { exit(0); }
END { printa("before %@d\n", @before); printa("never %@d\n", @never); printa("ticks %@d\n", @ticks); }'
is "the trace ends" 0 "ticks 10"
is "the pass that waits has begun" 0 "before 1"
grep -qx "never [1-9].*" "$tmp/out"
[ $? -ne 0 ]
check $? "and has not got that byte"
