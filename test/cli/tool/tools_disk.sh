# SPDX-License-Identifier: BSD-2-Clause
# iosnoop, diotop, bitesize, biolatency, seeksize: requests of known size, number and place on a disk of our own.
. test/trigger/tools.sh
. test/trigger/disk.sh
may_trace "tools for disks"
if ! disk 32 || ! disk_fs; then
	ok "tools for disks # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
	exit 0
fi
dev=${disk#/dev/}
dd if=/dev/zero of="$mnt/file" bs=65536 count=16 conv=fsync 2>/dev/null
direct="dd if=$mnt/file of=/dev/null bs=65536 iflag=direct"

tool iosnoop -c "$direct" "$dev"
row "16 reads of 64 KB" "^ *[0-9]+\.[0-9]{3} +[0-9]+ dd +$dev +R +[0-9]+ +65536 +[0-9]+ <none>$" 16
tool iosnoop -c "$direct" nosuchdisk
row "another disk: only the heading" "." 1
tool iosnoop -c "dd if=/dev/zero of=$mnt/new bs=65536 count=4 conv=fsync" "$dev"
value "262144 bytes are written, with their file" "$(awk -v f="$mnt/new" '$5 == "W" && $NF == f { n += $7 } END { print n }' "$tmp/out")" 262144 262144
# all of the system
watch iosnoop "" "$dev"
$direct 2>/dev/null
waits sh -c "[ \$(grep -c ' dd .* R ' '$tmp/out') -ge 16 ]"
finish
row "16 reads, in all of the system" " dd +$dev +R +[0-9]+ +65536 " 16

tool diotop -c "$direct"
row "16 reads of 1024 KB together" "^ *[0-9]+ dd +$dev +R +16 +1024 +[0-9]+$"
tool bitesize -c "$direct" "$dev"
row "whose" "^[0-9]+ dd, reads$"
row "64 KB each, 16 times" "^ +65536 \|@+ +16 *$"
tool biolatency -c "$direct" "$dev"
row "16 reads" "^$dev +read +count 16 +avg [0-9]+ +min [0-9]+ "
value "the histogram has them all" "$(awk '/ [|]/ { n += $NF } END { print n }' "$tmp/out")" 16 16

umount "$mnt"
# backwards, with 64 KB in between: each goes back by two requests and what lies between
i=12 back=
while [ $i -ge 0 ]; do back="$back $i"; i=$((i - 4)); done
tool seeksize -c "sh -c 'for i in $back; do dd if=$disk of=/dev/null bs=65536 count=1 skip=\$((i + 64)) iflag=direct 2>/dev/null; done'" "$dev"
value "three go back by 640 sectors" "$(awk '$1 == -512 { n += $NF } END { print n }' "$tmp/out")" 3 3
tool seeksize -c "dd if=$disk of=/dev/null bs=65536 count=16 iflag=direct" "$dev"
value "15 in order" "$(awk '$1 == 0 { n = $NF } END { print n }' "$tmp/out")" 15 15
exit 0
