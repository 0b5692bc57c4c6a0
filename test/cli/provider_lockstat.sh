# SPDX-License-Identifier: BSD-2-Clause
# lockstat: threads that fight for one lock of the kernel, an inode's (rw_semaphore): writers append to one file, so that some
# wait; how long each waited is less than the whole took. Taking and giving back where functions can be traced.
. test/trigger/trace.sh
may_trace "lockstat probes"

cat >"$tmp/fight.c" <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int fd;
static void *writer(void *arg)
{
	static char block[65536];

	for (int i = 0; i < 2000; i++)
		if (pwrite(fd, block, sizeof(block), 0) < 0)
			_exit(1);
	return arg;
}
int main(int argc, char **argv)
{
	pthread_t t[4];

	fd = open(argv[argc - 1], O_CREAT | O_RDWR, 0600);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, writer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	return fd < 0;
}
END
cc -O1 -pthread -o "$tmp/fight" "$tmp/fight.c"
run -q -c "$tmp/fight $tmp/file" -n '
int wrong, writers;
BEGIN { start = timestamp; }
lockstat:::rw-block, lockstat:::rw-spin, lockstat:::adaptive-block, lockstat:::adaptive-spin, lockstat:::spin-spin /pid == $target/
{ waits++; wrong += arg0 == 0 || arg1 > timestamp - start; }
lockstat:::rw-block /pid == $target/ { blocks++; writers += arg2 == 0; }
END { printf("waits %d wrong %d blocks %d writers %d\n", waits > 0, wrong, blocks > 0, blocks == writers); }'
is "waiting for an inode: rw-block by writers, times within the whole" 0 "waits 1 wrong 0 blocks 1 writers 1"
run -lvn 'lockstat:::adaptive-block'
is "types of arguments" 0 "args[0]: struct mutex *"
run -n 'lockstat:::rw-upgrade'
is "what Linux does not have" 1 "turn into a writer"
if "$dtrace" -ln 'lockstat:::adaptive-acquire' >/dev/null 2>&1; then
	run -q -c "$tmp/fight $tmp/file" -n 'lockstat:::rw-acquire /pid == $target && arg1 == 0/ { @a[arg0] = count(); }
		lockstat:::rw-release /pid == $target && arg1 == 0/ { @r[arg0] = count(); }
		END { trunc(@a, 1); trunc(@r, 1); printa("got %@d\n", @a); printa("given %@d\n", @r); }'
	got=$(awk '$1 == "got" { print $2 }' "$tmp/out") given=$(awk '$1 == "given" { print $2 }' "$tmp/out")
	[ "$status" -eq 0 ] && [ "${got:-0}" -ge 8000 ] && [ "$got" = "$given" ]
	check $? "the inode's lock is taken for each of 8000 writes, $got, and given back, $given"
else
	run -n 'lockstat:::adaptive-acquire'
	is "without functions: why" 1 "way to trace its functions"
	echo "ok - lockstat: taking and giving back # SKIP needs kernel functions"
fi
