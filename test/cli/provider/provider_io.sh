# SPDX-License-Identifier: BSD-2-Clause
# io: a file of known size written and read on a disk of our own, past the cache and through it.
# alone
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "io probes"
if ! disk 32 || ! disk_fs; then
	ok "io probes # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
	exit 0
fi
name=${disk#/dev/}
head -c 65536 /dev/urandom >"$tmp/data"

cat >"$tmp/io.d" <<'DONE'
#pragma D option quiet
int bytes, n, ended, pairs, back, wrong, size[uint64_t], blk[uint64_t];
io:::start /args[1]->dev_statname == $$1/
{
	size[arg0] = args[0]->b_bcount;
	blk[arg0] = args[0]->b_blkno;
}
io:::start /args[1]->dev_statname == $$1 && pid == $target/
{
	n++;
	bytes += args[0]->b_bcount;
	write = (args[0]->b_flags & B_WRITE) != 0;
	wrong += ((args[0]->b_flags & B_READ) != 0) == write;
	wrong += args[1]->dev_major != 7 || args[1]->dev_name != $$1 || args[1]->dev_pathname != strjoin("/dev/", $$1);
	wrong += args[0]->b_edev != (7 << 20 | args[1]->dev_minor) || args[0]->b_error != 0;
	printf("%s %d %s %s\n", write ? "write" : "read", args[0]->b_bcount, args[2]->fi_name, args[2]->fi_fs);
}
io:::done /size[arg0]/
{
	pairs++;
	back += args[0]->b_bcount;
	wrong += args[0]->b_bcount != size[arg0] || args[0]->b_blkno != blk[arg0] || args[1]->dev_statname != $$1 || args[0]->b_error != 0;
	size[arg0] = 0;
}
END { printf("start %d of %d bytes\nwrong %d\ndone %s\n", n, bytes, wrong, pairs >= n && back >= bytes ? "all" : "not all"); }
DONE
# io WHAT REQUESTS BYTES COMMAND…
io() {
	what=$1 requests=$2 bytes=$3
	shift 3
	printf '%s\n' "$*" >"$tmp/command.sh"
	rm -f "$tmp/got"
	run -s "$tmp/io.d" -o "$tmp/got" -c "sh $tmp/command.sh" "$name"
	cp "$tmp/got" "$tmp/out"
	[ "$status" -eq 0 ] && grep -qx 'wrong 0' "$tmp/got" && grep -qx 'done all' "$tmp/got" &&
	    awk -v n="$requests" -v b="$bytes" '$1 == "start" { ok = (n == 0 ? $2 > 0 : $2 == n) && $4 == b } END { exit !ok }' "$tmp/got"
	check $? "io: $what: $(grep '^start' "$tmp/got")"
}
dd if="$tmp/data" of="$mnt/file" bs=65536 conv=fsync status=none	# it has its blocks
io "written past the cache" 16 65536 "exec dd if=$tmp/data of=$mnt/file bs=4096 conv=notrunc oflag=direct status=none"
grep -q '^write 4096 <none> <none>$' "$tmp/got"
check $? "memory of a program has no file"
io "read past the cache" 16 65536 "exec dd if=$mnt/file of=/dev/null bs=4096 iflag=direct status=none"
sync -f "$mnt/file"
dd if="$mnt/file" iflag=nocache count=0 status=none
io "read through the cache" 0 65536 "exec dd if=$mnt/file of=/dev/null bs=65536 status=none"
grep -q '^read [0-9]* file ext4$' "$tmp/got"
check $? "fileinfo_t of a file that is read"
# the journal is written too: only what is of the file counts
run -qn 'int bytes; io:::start /args[1]->dev_statname == $$1 && pid == $target && args[2]->fi_name == "new"/ { bytes += args[0]->b_bcount; fs = args[2]->fi_fs; }
END { printf("%d %s\n", bytes, fs); }' -c "dd if=$tmp/data of=$mnt/new bs=65536 conv=fsync status=none" "$name"
is "a file that is written back, by name" 0 "65536 ext4"

if listed 'io:::wait-start'; then
	# a flush of the device is a request somebody waits for
	run -qn 'self int in; int begun, ended, same; io:::wait-start /args[1]->dev_statname == $$1 && pid == $target/ { self->in = 1; begun++; bio = arg0; }
	io:::wait-done /self->in/ { self->in = 0; ended++; same += arg0 == bio; }
	END { printf("waits %s\n", begun > 0 && begun == ended && same == ended ? "end" : "are lost"); }' -c "sync $disk" "$name"
	is "io:::wait-start, wait-done" 0 "waits end"
else
	ok "io:::wait-start, wait-done # SKIP needs kernel functions"
fi
disk 8
name=${disk#/dev/}
io "a device past the cache" 4 16384 "exec dd if=$disk of=/dev/null bs=4096 count=4 iflag=direct status=none"
# Many that the kernel puts together into few: each begins and ends, and all clauses see one before any sees the next.
# Requests of other disks, which others use, are not counted.
run -qn 'int n, pairs, wrong, open[uint64_t], ours[uint64_t]; this uint64_t bio;
io:::start /pid == $target && args[1]->dev_statname == $$1/ { n++; ours[arg0] = 1; open[arg0] = args[0]->b_blkno + 1; }
rawtp:::block_rq_complete /ours[(uint64_t)((struct request *)arg0)->bio]/ { requests++; }
io:::done /open[arg0]/ { this->bio = arg0; pairs++; wrong += args[0]->b_bcount != 4096 || args[0]->b_blkno + 1 != open[arg0]; }
io:::done /open[arg0]/ { wrong += this->bio != arg0; open[arg0] = 0; }
END { printf("start %d done %d wrong %d, %s requests\n", n, pairs, wrong, requests == 0 ? "no" : requests < 32 ? "few" : "many"); }' -c "${BUILD:-build}/test/provider_io $disk 32" "$name"
is "32 blocks in one call" 0 "start 32 done 32 wrong 0, few requests"
# A clause with all that takes room on the stack still fits behind the others.
run -qn 'io:::done { @[ustack(5), stack(5), json("{\"a\":1}", "a"), execname, strjoin(args[1]->dev_pathname, args[2]->fi_pathname)] = count(); }
END { printf("loaded\n"); }' -c "dd if=$disk of=/dev/null bs=4096 count=1 iflag=direct status=none"
is "large clauses" 0 loaded
# T 10: the listing and probefunc name the place
run -qn 'io:::start /pid == $target && args[1]->dev_statname == $$1/ { printf("at %s\n", probefunc); exit(0); }' \
    -c "dd if=$disk of=/dev/null bs=4096 count=1 iflag=direct status=none" "${disk#/dev/}"
is "probefunc" 0 "at block_bio_queue"
run -ln 'io::block_bio_queue:'
is "by function" 0 "block_bio_queue start"
run -ln 'io:genunix:bdev_strategy:start'
is "by a function of another system" 0 "block_bio_queue start"
run -ln 'io:sd:no_such_function:start'
is "by a function of no system" 0 "here it is io:vmlinux:block_bio_queue:start, which io:::start matches everywhere"
run -lvn 'io:::start'
is "-lv: translated arguments" 0 "args[2]: fileinfo_t *"
