#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# starttime is what the kernel keeps of the process's first thread, by the clock of timestamp.
: "${BUILD:=build}"
. test/cli/helpers.inc

if ! "$BUILD/dtrace" -qn 'BEGIN { exit(0); }' >/dev/null 2>&1; then
	echo "ok - starttime # SKIP tracing is not possible here"
	exit 0
fi
out=$("$BUILD/dtrace" -qn 'BEGIN { printf("%d", starttime == curthread->group_leader->start_time && starttime > 0 && starttime <= timestamp);
	exit(0); }' 2>&1)
[ "$out" = 1 ]
check $? "it is the member of the kernel's struct, and in the past: $out"
# dtrace is older than what it starts, and that has not been long ago
out=$("$BUILD/dtrace" -qn 'BEGIN { mine = starttime; begun = timestamp; }
	syscall::exit_group:entry /pid == $target/ { printf("%d", starttime > mine && starttime < begun && timestamp - starttime > 0); exit(0); }' \
	-c /bin/true 2>&1)
[ "$out" = 1 ]
check $? "a child is younger than its parent: $out"
