# SPDX-License-Identifier: BSD-2-Clause
# dtmalloc: memory of the kernel that a workload asks for a known number of times (test/trigger/provider_dtmalloc.c).
. test/cli/helpers.inc
may_trace "dtmalloc probes"
load=${BUILD:-build}/test/provider_dtmalloc
have() { listed "$1"; }
run -ln 'dtmalloc::names_cache:malloc'
is "caches of the kernel are listed" 0 names_cache
exact=
have 'dtmalloc::kmalloc-large:free' && exact=1

cat >"$tmp/load.d" <<DONE
#pragma D option quiet
self int in, msg, wrong;
syscall::times:entry /pid == \$target/ { self->in++; }
syscall::msgsnd:entry, syscall::msgrcv:entry /self->in == 1/ { self->msg = 1; }
syscall::msgsnd:return, syscall::msgrcv:return { self->msg = 0; }
dtmalloc::names_cache: /self->in == 1/ { printf("%s %s %d\n", probefunc, probename, arg3); }
dtmalloc::names_cache:malloc /self->in == 1 && stringof(args[0]->name) == "names_cache" && args[0]->size == args[3]/ { printf("typed %s 0\n", probename); }
dtmalloc::kmalloc-large: /self->in == 1/ { printf("%s %s %d\n", probefunc, probename, arg3); }
dtmalloc::page: /self->in == 1/ { printf("bytes %s %d\n", probename, arg3); self->wrong += arg3 != 4096 << arg4; }
DONE
if [ "$exact" ]; then
	printf '%s\n' 'dtmalloc::*-1k: /self->msg/ { printf("1k %s %d\n", probename, arg3); }' >>"$tmp/load.d"
else
	printf '%s\n' 'dtmalloc::kmalloc-1k:malloc /self->msg/ { printf("1k %s %d\n", probename, arg3); } dtmalloc::kfree:free /self->msg/ { printf("kfree %s %d\n", probename, arg3); }' >>"$tmp/load.d"
fi
cat >>"$tmp/load.d" <<'DONE'
syscall::times:entry /self->in == 2/ { printf("wrong %d\n", self->wrong); }
DONE
: >"$tmp/file"
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
: >"$tmp/raw"
run -s "$tmp/load.d" -o "$tmp/raw" -c "$load $tmp/file"
check "$status" "a workload is traced"
tally
line() { grep -qx "$1" "$tmp/got"; check $? "dtmalloc: $1"; }
most() { awk -v p="$1" -v e="$2" -v n="$3" '$1 == p && $2 == e { s += $NF } END { exit !(s >= n) }' "$tmp/got"; check $? "dtmalloc::$1:$2, not under $3"; }
line "names_cache malloc 4096 9"
line "names_cache free 4096 9"
line "typed malloc 0 9"
line "1k malloc 1024 7"
if [ "$exact" ]; then
	line "1k free 1024 7"
	line "kmalloc-large free 0 3"
else
	most kfree free 7
	ok "dtmalloc::kmalloc-*:free # SKIP needs /proc/kcore"
fi
grep -qx "kmalloc-large malloc 16384 [36]" "$tmp/got"	# __kmalloc() and what it calls may both tell
check $? "dtmalloc::kmalloc-large:malloc"
bytes() { awk -v e="$1" -v n="$2" '$1 == "bytes" && $2 == e { s += $3 * $4 } END { exit !(s >= n) }' "$tmp/got"; check $? "dtmalloc::page:$1, not under $2 bytes"; }
bytes malloc $((64 * 4096))
bytes free $((32 * 4096))	# the rest may wait in a list of the CPU
grep -qx "wrong 0 1" "$tmp/got"
check $? "dtmalloc::page: sizes are pages by their order"

run -n 'dtmalloc::temp:malloc /execname == "csh"/ { trace(execname); trace(arg3); }'
is "a cache of another system" 1 "the kernel has no cache temp"
is "and the way on" 1 "dtmalloc::kmalloc-*:malloc"
run -n 'dtmalloc::names_cach:malloc'
is "a cache that is misspelt" 1 "did you mean names_cache?"
alias=$(find /sys/kernel/slab -type l 2>/dev/null | sed 's,.*/,,' | while read -r name; do grep -q "^$name " /proc/slabinfo || { echo "$name"; break; }; done)
if [ -n "$alias" ]; then
	run -n "dtmalloc::$alias:malloc"
	is "a cache whose memory goes by another's name" 1 "has its memory together with others"
else
	ok "a cache whose memory goes by another's name # SKIP no such cache here"
fi
