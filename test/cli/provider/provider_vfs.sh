# SPDX-License-Identifier: BSD-2-Clause
# vfs: operations by function, the walk over names and their cache (test/trigger/provider_files.c).
. test/cli/helpers.inc
. test/trigger/disk.sh
may_trace "vfs probes"
load=${BUILD:-build}/test/provider_files
run -n 'vfs:fplookup:lookup:done'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
mkdir "$tmp/dir0"
run -qn 'vfs:vop:vop_ioctl:entry /pid == $target && arg1 == 0x5401/ { printf("asked %s\n", stringof(args[0]->f_path.dentry->d_name.name)); }
vfs:vop:vop_ioctl:return /pid == $target && arg1 == 0x5401/ { printf("error %d\n", args[2]); }' -c "$load $tmp/dir0"
is "vfs:vop:vop_ioctl:entry, from the system call" 0 "asked a"
is "vfs:vop:vop_ioctl:return" 0 "error 25"
if ! listed vfs:vop:vop_read:entry; then
	is "without kernel functions a probe says what is missing" 0 "vfs:vop:vop_read:entry cannot be had: this kernel has no way to trace its functions"
	ok "vfs:vop, vfs:namei, vfs:namecache # SKIP needs kernel functions"
	exit 0
fi
cat >"$tmp/vop.d" <<'DONE'
#pragma D option quiet
self int in;
syscall::times:entry /pid == $target/ { self->in++; }
vfs:vop::entry /self->in == 1/ { printf("%s %s\n", probefunc, probename); }
vfs:vop::return /self->in == 1/ { printf("%s %s\n%s error %d\n", probefunc, probename, probefunc, arg2); }
vfs:vop:vop_write:return /self->in == 1/ { printf("write %s %d\n", stringof(args[0]->f_path.dentry->d_name.name), args[1]); }
vfs:vop:vop_mkdir:return /self->in == 1/ { printf("mkdir %s %d\n", stringof(args[0]->d_name.name), args[1] & 0777); }
vfs:vop:vop_rename:entry /self->in == 1/ { printf("rename %s %d\n", stringof(args[0]->d_name.name), 0); }
DONE
# A file system on a disk writes pages back, one in memory does not.
dir=$tmp
if disk 16 && disk_fs; then dir=$mnt; fi
mkdir "$dir/dir" "$tmp/dir2"
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
: >"$tmp/raw"
run -s "$tmp/vop.d" -o "$tmp/raw" -c "$load $dir/dir"
check "$status" "a workload is traced"
tally
line() { grep -qx "$1" "$tmp/got"; check $? "vfs: $1"; }
"$dtrace" -lP vfs >"$tmp/list" 2>/dev/null
value() { awk -v p="$1" -v e="$2" '$1 == p && $2 == e { v = $3 } END { print v + 0 }' "$tmp/got"; }
cat >"$tmp/table" <<'DONE'
read 3
write 5
open 3
close 3
create 1
mkdir 2
rmdir 3
remove 5
rename 1
link 1
symlink 1
readlink 4
readdir 2
getattr 4
setattr 3
allocate 1
setextattr 1
getextattr 2
deleteextattr 1
access +3
inactive +3
mknod 1
lookup +1
fsync 3
ioctl 2
advlock 2
listextattr 1
getpages +1
putpages +1
DONE
# all in one go: processes are slow in an emulated machine
inlined="$(inlined vfs_fsync_range && echo fsync) $(inlined vfs_lock_file && echo advlock)"
awk -v disk="$([ "$dir" = "$mnt" ] && echo 1)" -v inlined=" $inlined " '
FILENAME ~ /list$/ { have[$4 " " $5] = 1; next }
FILENAME ~ /got$/ { n[$1 " " $2] = $3; next }
{
	for (i = 1; i <= 2; i++) {
		name = i == 1 ? "entry" : "return"
		p = "vop_" $1 " " name
		what = "vfs:vop:vop_" $1 ":" name
		good = $2 ~ /^[+]/ ? n[p] + 0 >= substr($2, 2) + 0 : n[p] + 0 == $2 + 0
		if (!(p in have)) print "ok - " what " # SKIP not on this kernel"
		else if (index(inlined, " " $1 " ")) print "ok - " what " # SKIP its function is inlined in this kernel"
		else if ($1 ~ /pages$/ && !disk) print "ok - " what " # SKIP no disk of our own"
		else print (good ? "ok" : "not ok") " - " what ": " n[p] + 0 " of " $2
	}
}' "$tmp/list" "$tmp/got" "$tmp/table"
line "vop_ioctl error 25 2"
line "vop_rmdir error 39 1"
line "vop_rmdir error 0 2"
line "write a 100 5"
line "mkdir d1 448 1"
line "mkdir d2 457 1"
line "rename b 0 1"

cat >"$tmp/names.d" <<'DONE'
#pragma D option quiet
self int in;
syscall::times:entry /pid == $target/ { self->in++; }
vfs:namei:lookup:entry /self->in == 1/ { printf("namei %s\n", strstr(stringof(args[1]), "dtrace-none") != NULL ? "none" : stringof(args[1])); }
vfs:namei:lookup:return /self->in == 1/ { printf("error %s\n", arg0 == 2 ? "ENOENT" : arg0 == 0 ? "none" : "other"); }
vfs:namecache:lookup:hit /self->in == 1/ { printf("hit %s\n", stringof(args[2]->d_name.name) == stringof(args[1]) ? "itself" : "other"); }
vfs:namecache:lookup:hit-negative, vfs:namecache:lookup:miss /self->in == 1 && strstr(stringof(args[1]), "dtrace-none") != NULL/ { printf("%s none\n", probename); }
vfs:namecache:enter_negative:done /self->in == 1 && strstr(stringof(args[1]), "dtrace-none") != NULL/ { printf("enter_negative %s\n", stringof(args[0]->d_name.name)); }
vfs:namecache:enter:done /self->in == 1/ { printf("enter %s\n", stringof(args[1])); }
vfs:namecache:zap:done, vfs:namecache:zap_negative:done /self->in == 1/ { printf("zap any\n"); }
vfs:namecache:fullpath:entry, vfs:namecache:fullpath:return /self->in == 1/ { printf("fullpath %s\n", probename); }
vfs:namecache:purge:done /pid == $target/ { printf("purge any\n"); }
DONE
: >"$tmp/raw"
run -s "$tmp/names.d" -o "$tmp/raw" -c "$load $tmp/dir2"
check "$status" "names are traced"
tally
most() { [ "$(value "$1" "$2")" -ge "$3" ]; check $? "vfs: $1 $2 $(value "$1" "$2"), not under $3"; }
most namei none 3
most namei d1/d2 2
most error ENOENT 3
most error none 10
most hit itself 10
line "miss none 1"
line "hit-negative none 2"
line "enter_negative kernel 1"
most enter a 1
most enter d2 1
most zap any 3
most fullpath entry 2
most fullpath return 2
most purge any 1
if [ "$dir" = "$mnt" ]; then
	run -qn 'vfs:namecache:purgevfs:done /pid == $target/ { printf("purged %s %s\n", stringof(args[1]), stringof(args[0]->d_name.name)); }' \
	    -c "mount -o remount,ro $mnt"
	is "vfs:namecache:purgevfs:done when a file system is mounted otherwise" 0 "purged ${disk#/dev/} /"
else
	ok "vfs:namecache:purgevfs # SKIP no disk of our own"
fi
