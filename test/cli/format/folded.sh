# SPDX-License-Identifier: BSD-2-Clause
# -O folded: stacks of aggregations and of firings, once each, with all that was counted for them.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - folded stacks # SKIP tracing needs root"
	exit 0
fi

# fold PROGRAM: the lines, without the frames of the kernel but the mark of the last
fold() {
	"$dtrace" -qO folded -n "$1" 2>&1 | sed 's/;[^;]*_\[k\]\(;[^;]*_\[k\]\)*/;K/'
}

same "keys stand in front, the kernel is marked" "$(fold 'BEGIN { @["k", 3, stack()] = count(); exit(0); }')" "k;3;K 1"
same "printed twice is counted once, and what was cleared stays" \
    "$(fold 'BEGIN { @["k", stack()] = sum(7); printa(@); printa(@); clear(@); } BEGIN { @["k", stack()] = sum(5); printa(@); exit(0); }')" "k;K 12"
same "what trunc() removes stays, and what it leaves goes on" \
    "$(fold 'BEGIN { @["k", stack()] = sum(7); @["l", stack()] = sum(9); printa(@); trunc(@, 1); } BEGIN { @["k", stack()] = sum(8); @["l", stack()] = sum(1); printa(@); exit(0); }')" \
"k;K 15
l;K 10"
same "trunc() alone is no print" "$(fold 'BEGIN { @["k", stack()] = sum(7); @["l", stack()] = sum(9); trunc(@, 1); exit(0); }')" "l;K 9"
same "firings count one each" "$(fold 'BEGIN { trace("b"); stack(); } BEGIN { trace("b"); stack(); } BEGIN { trace("a"); stack(); exit(0); }')" \
"a;K 1
b;K 2"
same "several sources have their names" "$(fold 'BEGIN { @n["k", stack()] = count(); @t["k", stack()] = sum(9); @other["k"] = count(); stack(); exit(0); }')" \
"@n;k;K 1
@t;k;K 9
@samples;K 1
dtrace: @other is left out: none of its keys is a stack"
same "a histogram gives how many it counted" "$(fold 'BEGIN { @[stack()] = quantize(1); } BEGIN { @[stack()] = quantize(70); exit(0); }' | sed 's/^.* //')" 2
same "names cannot break lines and frames" "$(fold 'BEGIN { s = "a;b\nc d\377\033"; @[s, stack()] = count(); exit(0); }')" "a:b?c d�?;K 1"
same "what has no stack is left out, and that is told once" "$(fold 'BEGIN { @["x"] = count(); @["y"] = count(); trace(1); printa(@); } BEGIN { trace(2); exit(0); }')" \
"dtrace: @count is left out: none of its keys is a stack
dtrace: records are left out: they hold no stack"
same "a wrong format lists what there is" "$("$dtrace" -O folder -n 'BEGIN { exit(0); }' 2>&1 | grep -c 'folded\|-O web')" 2
same "folded takes no argument" "$("$dtrace" -O folded=x -n 'BEGIN { exit(0); }' 2>&1 | grep -c 'Invalid value')" 1

# user stacks: counts add up to what the program did
if command -v python3 >/dev/null; then
	"$dtrace" -qO folded -n 'syscall::getppid:entry /pid == $target/ { @[execname, ustack()] = count(); }' \
	    -c 'python3 -c "import os
for i in range(30): os.getppid()"' >"$tmp/out" 2>"$tmp/err"
	same "a process" "$(awk -F'[ ;]' '{ n += $NF; if (NF < 4 || /`[^;]*\+0x/) bad++ } END { print (n >= 30), bad + 0 }' "$tmp/out")" "1 0"
else
	echo "ok - a process # SKIP no python3"
fi
