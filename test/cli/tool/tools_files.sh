# SPDX-License-Identifier: BSD-2-Clause
# opensnoop, statsnoop, rwsnoop, rwtop, filetop, fslower, mountsnoop: calls whose files and bytes are known.
. test/trigger/tools.sh
may_trace "tools for files"
head -c 40960 /dev/zero >"$tmp/input"
copy="dd if=$tmp/input of=$tmp/output bs=4096"

tool opensnoop -c "cat $tmp/input $tmp/missing"
row "a file that is there" "^ *[0-9]+\.[0-9]{3} +[0-9]+ cat +3 +$tmp/input$"
row "one that is not" " cat +-1 ENOENT +$tmp/missing$"
# a program that writes nothing: cat(1) copies inside the kernel, over what dtrace writes to the same file meanwhile
tool opensnoop -c "cmp $tmp/input $tmp/input" -n nobody
row "another name: only the heading" "." 1
tool statsnoop -c "ls -d $tmp/input $tmp/missing"
row "a file that is there" "^ *[0-9]+\.[0-9]{3} +[0-9]+ ls +(statx|newfstatat|lstat|newlstat) +$tmp/input$"
value "one that is not" "$(grep -c "ls .*ENOENT .*$tmp/missing" "$tmp/out")" 1 2

tool rwsnoop -c "$copy"
row "10 reads" "^ *[0-9]+\.[0-9]{3} +[0-9]+ dd +R +4096 $tmp/input$" 10
row "10 writes" " dd +W +4096 $tmp/output$" 10
tool rwtop -c "$copy"
value "10 writes and dd's report" "$(awk '$2 == "dd" { print $6 }' "$tmp/out")" 11 20
value "40 KB are written" "$(awk '$2 == "dd" { print $7 }' "$tmp/out")" 40 42
value "40 KB are read, and what starting reads" "$(awk '$2 == "dd" { print $5 }' "$tmp/out")" 40 60
# a process whose bytes nobody else has: the table of each second
watch rwtop "" 1
sh -c "exec dd if=/dev/zero of=/dev/null bs=4096 count=10000" 2>/dev/null &
victim=$!
wait $victim
waits grep -q "^ *$victim dd " "$tmp/out"
finish
value "40000 KB of process $victim, while it goes on" "$(awk -v pid=$victim '$1 == pid { n += $7 } END { print n }' "$tmp/out")" 40000 40002
tool filetop -c "$copy"
row "10 reads of 40 KB" "^ *40 +10 +40 +0 +0 dd +$tmp/input$|^ *40 +11 +40 +0 +0 dd +$tmp/input$"
row "10 writes of 40 KB" "^ *40 +0 +0 +10 +40 dd +$tmp/output$"
watch filetop "" 1
dd if=/dev/zero of="$tmp/second" bs=4096 count=5 2>/dev/null
waits grep -q "$tmp/second" "$tmp/out"
finish
row "the table of a second" "^ *20 +0 +0 +5 +20 dd +$tmp/second$"

tool fslower -c "$copy conv=fsync" 0
row "all reads" "^ *[0-9]+\.[0-9]{3} +[0-9]+ dd +read +4096 +[0-9]+\.[0-9]{3} [^ ]+ +$tmp/input$" 10
row "the fsync" " dd +fsync +0 +[0-9]+\.[0-9]{3} [^ ]+ +$tmp/output$"
tool fslower -c "$copy conv=fsync" 10000000
row "nothing takes hours: only the heading" "." 1

if unshare -m sh -c "mkdir '$tmp/m' && mount -t tmpfs none '$tmp/m'" 2>"$tmp/err"; then
	tool mountsnoop -c "unshare -m sh -c 'mount -t tmpfs nowhere $tmp/m; umount $tmp/m; umount -i $tmp/input'"
	if grep -q fsopen "$tmp/out"; then
		row "a mount, by the new calls" " mount +move_mount +.* to .*$tmp/m$"
	else
		row "a mount" " mount +mount +nowhere on $tmp/m type tmpfs flags 0x[0-9a-f]+$"
	fi
	row "its end" " umount +umount2 +$tmp/m flags 0x[0-9a-f]+$"
	row "what cannot be unmounted" " umount +umount2 +EINVAL +$tmp/input "
else
	ok "mountsnoop # SKIP mounting is not allowed here: $(head -n 1 "$tmp/err")"
fi
exit 0
