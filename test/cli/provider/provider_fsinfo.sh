# SPDX-License-Identifier: BSD-2-Clause
# fsinfo: a workload that does every operation on files a known number of times (test/trigger/provider_files.c).
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "fsinfo probes"
load=${BUILD:-build}/test/provider_files
run -n 'fsinfo:::poll'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
mkdir "$tmp/dir0"
run -qn 'fsinfo:::seek /pid == $target && args[0]->fi_name == "a"/ { printf("to %d in %s\n", args[1], args[0]->fi_pathname); }' -c "$load $tmp/dir0"
is "fsinfo:::seek, from the system call" 0 "to 3 in $tmp/dir0/a"
# T 12: without kernel functions system calls tell of what has a descriptor; of calls with several buffers the bytes are not known
listed fsinfo:::rename
functions=$?
if [ "$functions" -ne 0 ]; then
	is "without kernel functions a probe says what is missing" 0 "no way to trace its functions (vfs_rename is the one)"
	# T 11: a pattern that matches some tells of the others, once
	run -qn 'fsinfo::: { n++; } fsinfo::: { n++; } BEGIN { exit(0); }'
	[ "$status" -eq 0 ] && [ "$(grep -c 'fsinfo::: leaves out [1-9][0-9]* of [0-9]* probes: .* this kernel has no way to trace its functions' "$tmp/err")" -eq 1 ]
	check $? "a pattern tells which probes are left out: $(cat "$tmp/err")"
	run -qn 'fsinfo:::[rw]e*[d-e] { n++; } BEGIN { exit(0); }'
	[ "$status" -eq 0 ] && grep -q 'leaves out 2 of 3 probes: fsinfo:::remove cannot be had' "$tmp/err"
	check $? "and means what it names: $(cat "$tmp/err")"
	run -qn 'fsinfo:::read, fsinfo:::write { n++; } BEGIN { exit(0); }'
	[ "$status" -eq 0 ] && ! [ -s "$tmp/err" ]
	check $? "names say nothing of others"
fi
cat >"$tmp/load.d" <<'DONE'
#pragma D option quiet
self int in;
syscall::times:entry /pid == $target/ { self->in++; }
fsinfo::: /self->in == 1/ { printf("%s %d\n", probename, (int)arg1); }
/* T 11: args[0] is that of the probe that fires, whatever it is made of */
fsinfo::: /self->in == 1 && probename != "fid"/ { printf("any %s %s %s\n", probename, args[0]->fi_name, args[0]->fi_fs); }
fsinfo:::write /self->in == 1/ { printf("path %s %s %s\n", args[0]->fi_pathname, args[0]->fi_fs, args[0]->fi_name); }
DONE
[ "$functions" -eq 0 ] && cat >>"$tmp/load.d" <<'DONE'
fsinfo:::create /self->in == 1/ { printf("made %s %o\n", args[0]->fi_name, args[1] & 0777); }
fsinfo:::mkdir /self->in == 1/ { printf("made %s %o\n", args[0]->fi_name, args[1] & 0777); }
fsinfo:::fid /self->in == 1/ { printf("made %s 0\n", args[0]->fi_name); }
DONE
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
# A file system on a disk writes pages back, one in memory does not.
dir=$tmp/dir
if disk 16 && disk_fs; then dir=$mnt/dir; fi
mkdir "$dir"
: >"$tmp/raw"
run -s "$tmp/load.d" -o "$tmp/raw" -c "$load $dir"
check "$status" "a workload is traced"
tally
"$dtrace" -lP fsinfo >"$tmp/list" 2>/dev/null
value() { awk -v p="$1" '$1 == p { n += $3 } END { print n + 0 }' "$tmp/got"; }
cat >"$tmp/table" <<'DONE'
read 4 256
write 6 600
open 3
close 3
create 4
seek 4 6
fsync 3 1
getattr 4
setattr 3
space 1 0
ioctl 2 43010
setfl 2 4096
frlock 2 12
map 1 1
addmap 1 4096
delmap 1 4096
getpage +1
fid 1
setsecattr 2 5
getsecattr 2 200
link 1
symlink 1
readlink 4 396
rename 1 0
remove 5
mkdir 2
rmdir 3
readdir 2
access +3
lookup +10
inactive +3
DONE
# all in one go: processes are slow in an emulated machine
awk -v functions="$functions" -v inlined="$(inlined vfs_fsync_range && echo fsync)" 'FILENAME ~ /list$/ { have[$5] = 1; next }
FILENAME ~ /got$/ { n[$1] += $3; sum[$1] += $2 * $3; next }
{
	good = $2 ~ /^[+]/ ? n[$1] + 0 >= substr($2, 2) + 0 : n[$1] + 0 == $2 + 0 && (NF < 3 || (functions != 0 && ($1 == "read" || $1 == "write")) || sum[$1] + 0 == $3 + 0)
	if (!($1 in have)) print "ok - fsinfo:::" $1 " # SKIP not on this kernel"
	else if ($1 == inlined) print "ok - fsinfo:::" $1 " # SKIP its function is inlined in this kernel"
	else print (good ? "ok" : "not ok") " - fsinfo:::" $1 ": " n[$1] + 0 " (sum " sum[$1] + 0 ") of " $2 " " $3
}' "$tmp/list" "$tmp/got" "$tmp/table"
line() { grep -qx "$1" "$tmp/got"; check $? "fsinfo: $1"; }
fs=$(stat -f -c %T "$dir" | sed 's,ext2/ext3,ext4,')
line "path $dir/a $fs a 6"
line "any write a $fs 6"
line "any seek a $fs 4"
if [ "$functions" -ne 0 ]; then
	ok "fsinfo:::create, mkdir, fid, putpage # SKIP needs kernel functions"
	exit 0
fi
line "any mkdir d1 $fs 1"
line "any remove a $fs 1"
grep -q "^any access .* $fs " "$tmp/got"
check $? "fsinfo: an inode, where any probe is meant"
line "made a 600 1"
line "made b 640 1"
line "made c 600 1"
line "made p 644 1"
line "made d1 700 1"
line "made d2 711 1"
line "made a 0 1"
if [ "$dir" != "$tmp/dir" ]; then
	[ "$(value putpage)" -ge 1 ]
	check $? "fsinfo:::putpage: $(value putpage), not under 1"
else
	ok "fsinfo:::putpage # SKIP no disk of our own: $(head -n 1 "$tmp/err")"
fi
