# SPDX-License-Identifier: BSD-2-Clause
# fsinfo: a workload that does every operation on files a known number of times (test/trigger/provider_files.c).
. test/trigger/trace.sh
may_trace "fsinfo probes"
load=${BUILD:-build}/test/provider_files
run -n 'fsinfo:::poll'
is "a probe that Linux cannot have says why" 1 "never there on Linux"
mkdir "$tmp/dir0"
run -qn 'fsinfo:::seek /pid == $target && args[0]->fi_name == "a"/ { printf("to %d in %s\n", args[1], args[0]->fi_pathname); }' -c "$load $tmp/dir0"
is "fsinfo:::seek, from the system call" 0 "to 3 in $tmp/dir0/a"
run -ln fsinfo:::read
if [ "$status" -ne 0 ]; then
	is "without kernel functions a probe says what is missing" 1 "no way to trace its functions (vfs_read is the one)"
	ok "fsinfo:::read and all the others # SKIP needs kernel functions"
	exit 0
fi
cat >"$tmp/load.d" <<'DONE'
#pragma D option quiet
self int in;
syscall::times:entry /pid == $target/ { self->in++; }
fsinfo::: /self->in == 1/ { printf("%s %d\n", probename, (int)arg1); }
fsinfo:::write /self->in == 1/ { printf("path %s %s %s\n", args[0]->fi_pathname, args[0]->fi_fs, args[0]->fi_name); }
fsinfo:::create /self->in == 1/ { printf("made %s %o\n", args[0]->fi_name, args[1] & 0777); }
fsinfo:::mkdir /self->in == 1/ { printf("made %s %o\n", args[0]->fi_name, args[1] & 0777); }
fsinfo:::fid /self->in == 1/ { printf("made %s 0\n", args[0]->fi_name); }
DONE
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
mkdir "$tmp/dir"
: >"$tmp/raw"
run -s "$tmp/load.d" -o "$tmp/raw" -c "$load $tmp/dir"
check "$status" "a workload is traced"
tally
value() { awk -v p="$1" '$1 == p { n += $3 } END { print n + 0 }' "$tmp/got"; }
sum() { awk -v p="$1" '$1 == p { n += $2 * $3 } END { print n + 0 }' "$tmp/got"; }
"$dtrace" -lP fsinfo >"$tmp/list" 2>/dev/null
have() { grep -q " $1\$" "$tmp/list"; }
while read -r probe n sum; do
	case $probe in ''|'#'*) continue ;; esac
	if ! have "$probe"; then ok "fsinfo:::$probe # SKIP not on this kernel"; continue; fi
	case $n in
	+*) [ "$(value "$probe")" -ge "${n#+}" ] ;;
	*) [ "$(value "$probe")" -eq "$n" ] && { [ -z "$sum" ] || [ "$(sum "$probe")" -eq "$sum" ]; } ;;
	esac
	check $? "fsinfo:::$probe: $(value "$probe") (sum $(sum "$probe")) of $n $sum"
done <<'DONE'
read 4 256
write 6 600
open 3
close 3
create 3
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
remove 4
mkdir 2
rmdir 3
readdir 2
access +3
lookup +10
inactive +3
DONE
line() { grep -qx "$1" "$tmp/got"; check $? "fsinfo: $1"; }
line "path $tmp/dir/a $(stat -f -c %T "$tmp/dir" | sed 's,ext2/ext3,ext4,') a 6"
line "made a 600 1"
line "made b 640 1"
line "made c 600 1"
line "made d1 700 1"
line "made d2 711 1"
line "made a 0 1"
run -ln 'fsinfo:::putpage'
is "fsinfo:::putpage is there" 0 do_writepages
