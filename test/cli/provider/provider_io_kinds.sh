# SPDX-License-Identifier: BSD-2-Clause
# io: what b_flags, b_bcount, b_error and the file tell of a request (T 10), and XFS, whose memory is of many kinds (P 4.3).
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "kinds of io"
if ! disk 32 || ! disk_fs; then
	ok "kinds of io # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
	exit 0
fi
name=${disk#/dev/}
head -c 65536 /dev/urandom >"$tmp/data"
dd if="$tmp/data" of="$mnt/file" bs=65536 conv=fsync status=none	# it has its blocks
# Whose memory it is, and who waits. `kinds COMMAND…` prints each kind of request of the disk by the command's thread.
kinds() {
	run -qn 'io:::start /pid == $target && args[1]->dev_statname == $$1/ { this->f = args[0]->b_flags; this->n = args[0]->b_bcount;
	@[this->f & B_READ ? "read" : this->f & B_WRITE ? "write" : "no data", this->f & B_PAGEIO ? " pageio" : "", this->f & B_PHYS ? " phys" : "",
	    this->f & B_ASYNC ? " async" : " sync", this->f & B_DISCARD ? " discard" : "", this->f & B_ZERO ? " zero" : "", this->f & B_FLUSH ? " flush" : "",
	    this->n == 0 ? " 0" : ""] = count(); } END { printa("%s%s%s%s%s%s%s%s\n", @); }' -c "$*" "$name"
}
kinds "dd if=$mnt/file of=/dev/null bs=4096 iflag=direct status=none"
is "direct reads: B_PHYS, and waited for" 0 "read phys sync"
kinds "dd if=$tmp/data of=$mnt/file bs=4096 conv=notrunc oflag=direct status=none"
is "direct writes" 0 "write phys sync"
sync -f "$mnt/file"
dd if="$mnt/file" iflag=nocache count=0 status=none
kinds "dd if=$mnt/file of=/dev/null bs=4096 count=1 status=none"
is "reads through the cache: B_PAGEIO, and waited for" 0 "read pageio sync"
kinds "dd if=$tmp/data of=$mnt/new bs=65536 conv=fsync status=none"
is "fsync(2) writes pages of the cache, waited for" 0 "write pageio sync"
# more than a window at a time: the next one is read while nobody waits for it
head -c 4194304 /dev/urandom >"$mnt/long"
sync -f "$mnt/long"
dd if="$mnt/long" iflag=nocache count=0 status=none
kinds "dd if=$mnt/long of=/dev/null bs=4096 status=none"
grep -q '^read pageio sync$' "$tmp/out" && grep -q '^read pageio async$' "$tmp/out"
check $? "reads ahead of what is read are not waited for"
run -qn 'io:::start /pid == $target && args[1]->dev_statname == $$1/ { @ = sum(args[0]->b_flags & B_FLUSH && args[0]->b_bcount == 0); }
END { printa("flushes %@d\n", @); }' -c "sync $disk" "$name"
is "a flush has no data, and is none" 0 "flushes 1"
rm "$mnt/long"
disk 8
name=${disk#/dev/}
# What is no longer needed is not written, and a write of zeros has no data of its own
kinds "blkdiscard -o 0 -l 65536 $disk"
if [ "$status" -eq 0 ]; then
	is "blkdiscard: neither read nor written, no bytes" 0 "no data sync discard 0"
	run -qn 'io:::start /pid == $target && args[0]->b_flags & B_DISCARD/ { trace(args[0]->b_bufsize); }' -c "blkdiscard -o 0 -l 65536 $disk"
	is "its range is b_bufsize" 0 65536
	kinds "blkdiscard -z -o 0 -l 65536 $disk"
	is "zeros are written" 0 "write sync zero"
else
	ok "blkdiscard # SKIP $(head -n 1 "$tmp/err")"
fi
# A device that is longer than its file
truncate -s 4M "$tmp/disk8"
run -qn 'io:::start /pid == $target && args[1]->dev_statname == $$1/ { mine[arg0] = 1; }
io:::done /mine[arg0]/ { printf("error %d %s %d\n", args[0]->b_error, args[0]->b_flags & B_ERROR ? "B_ERROR" : "none", arg2 != 0); }' \
    -c "dd if=$disk of=/dev/null bs=4096 skip=1536 count=1 iflag=direct" "$name"
if [ "$status" -eq 0 ] && grep -q '4096 bytes' "$tmp/err"; then
	ok "io:::done of a read that fails # SKIP this kernel reads zeros where the file has ended"
else
	is "io:::done of a read that fails: EIO" 0 "error 5 B_ERROR 1"
fi
truncate -s 8M "$tmp/disk8"
# The log and the metadata of XFS are in memory of the kernel, of which only args[2] may be unknown.
umount "$mnt"
if disk 320 && disk_xfs; then
	name=${disk#/dev/}
	cat >"$tmp/xfs.sh" <<DONE
dd if=$tmp/data of=$mnt/file bs=4096 conv=fsync status=none
mkdir $mnt/a $mnt/b; mv $mnt/file $mnt/a; sync -f $mnt
umount $mnt
DONE
	run -qn 'int n, told, pages; sdt:block::block_bio_queue /stringof(args[0]->bi_bdev->bd_device.kobj.name) == $$1/ { n++; }
	vminfo:::fspgout { pages++; }
	io:::start /args[1]->dev_statname == $$1/ { told++; @[args[2]->fi_pathname, args[0]->b_flags] = count(); }
	ERROR { errors++; } END { printf("XFS %s, %d errors\n", n > 2 && n == told && pages > 0 ? "whole" : "in part", errors); }' -c "sh $tmp/xfs.sh" "$name"
	is "io:::start on XFS: every request, no fault" 0 "XFS whole, 0 errors"
	grep -q "^  $mnt/file " "$tmp/out"
	check $? "its file by name"
else
	ok "XFS # SKIP $(head -n 1 "$tmp/err")"
fi
