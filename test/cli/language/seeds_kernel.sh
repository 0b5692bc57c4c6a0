# SPDX-License-Identifier: BSD-2-Clause
# One-liners of notes and slides about disks, memory and the network, each against a load of which the right answer is known.
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "the one-liners"

# The one-liners see all programs of the machine, and others may use dd too: ours has another name.
dd=dd$$
cp "$(command -v dd)" "$tmp/$dd"

# by KEY MIN MAX WHAT: the aggregation's number for that key
by() {
	n=$(awk -v key="$1" '$1 == key { n += $2 } END { print n + 0 }' "$tmp/out")
	[ "$status" -eq 0 ] && [ "$n" -ge "$2" ] && [ "$n" -le "$3" ]
	check $? "$4: $n of $2"
}
if disk 16 && disk_fs; then
	dd if=/dev/urandom of="$mnt/file" bs=65536 count=16 conv=fsync status=none
	run -n 'io:::start { printf("%d %s %d",pid,execname,args[0]->b_bcount); }' -c "$tmp/$dd if=$mnt/file of=/dev/null bs=65536 iflag=direct status=none"
	[ "$status" -eq 0 ] && [ "$(grep -c " [1-9][0-9]* $dd 65536\$" "$tmp/out")" -ge 16 ]
	check $? "who asks a disk for how much: 16 times 65536 bytes"
	dd if="$mnt/file" iflag=nocache count=0 status=none
	run -n 'vminfo:::pgpgin { @pg[execname] = sum(arg0); }' -c "$tmp/$dd if=$mnt/file of=/dev/null bs=65536 status=none"
	by $dd 256 1256 "pages read in by program"
	# dd reads what it is made of too
	run -n 'sysinfo:::readch { @bytes[execname] = sum(arg0); }' -c "$tmp/$dd if=$mnt/file of=/dev/null bs=4096 status=none"
	by $dd 1048576 1090000 "bytes read by program"
	run -n 'sysinfo:::writech { @bytes[execname] = sum(arg0); }' -c "$tmp/$dd if=/dev/zero of=$mnt/other bs=4096 count=100 status=none"
	by $dd 409600 409600 "bytes written by program"
else
	ok "disk I/O, pages read in # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
fi
pages=$((1048576 / $(getconf PAGESIZE)))
run -n 'vminfo:::as_fault { @mem[execname] = sum(arg0); }' -c "$tmp/$dd if=/dev/zero of=/dev/null bs=1M count=1 status=none"
by $dd $pages $((pages + 1000)) "memory that a program touches"
run -n "dtmalloc::names_cache:malloc /execname == \"$dd\"/ { trace(execname); trace(arg3); }" -c "$tmp/$dd if=/dev/zero of=/dev/null count=1 status=none"
[ "$status" -eq 0 ] && [ "$(grep -c " $dd  *4096\$" "$tmp/out")" -ge 2 ]
check $? "memory of the kernel for names: both files that dd opens"
port=$((20000 + $$ % 3000 * 4))
run -n "tcp:::send /args[4]->tcp_sport == $port || args[4]->tcp_dport == $port/ { @[args[2]->ip_daddr] = sum(args[2]->ip_plength - args[4]->tcp_offset); }
tcp:::connect-established /args[4]->tcp_sport == $port/ { @n[\"connections\"] = count(); }" -c "${BUILD:-build}/test/provider_net tcp 127.0.0.1 $port"
by 127.0.0.1 32500 65000 "bytes sent by TCP"
by connections 5 5 "connections of TCP"
