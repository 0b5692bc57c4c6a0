# SPDX-License-Identifier: BSD-2-Clause
# User stacks in the engine inside the process: of code without frame pointers, in signal handlers, on other stacks, deep ones. The program
# (test/trigger/unwind_chain.c) prints the return addresses it finds itself; where the kernel engine runs, its stacks are the same too.
. test/cli/helpers.inc
inproc() { timeout 240 "$dtrace" -x engine="$engine" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; status=$?; }
engine=process
inproc -qn 'BEGIN { exit(0); }'
if [ "$status" -ne 0 ]; then
	echo "ok - user stacks in the process # SKIP $(head -n 1 "$tmp/err")"
	exit 0
fi
cc=${CC:-gcc}
flags="-std=gnu17 -D_GNU_SOURCE -O2 -fomit-frame-pointer -fno-optimize-sibling-calls -funwind-tables"
# shellcheck disable=SC2086
"$cc" $flags -o "$tmp/chain" test/trigger/unwind_chain.c -ldl >"$tmp/out" 2>"$tmp/err" || cp "${BUILD:-build}/test/unwind_chain" "$tmp/chain"

# The first two addresses that the program finds are in chain_end() and where chain_third() called it; the trace has chain_end() itself first.
agrees() {
	awk -v way="$1" '
	$1 == way { for (i = 3; i <= NF; i++) want[i - 2] = $i; n = NF - 2; next }
	/^ *0x/ { got[m++] = $1 }
	END {
		bad = n < 3 || m != n + 1
		for (i = 1; i <= n; i++)
			bad = bad || want[i] != got[i]
		exit bad
	}' "$tmp/out"
}
for way in plain alloca large qsort signal altstack leaf deep; do
	inproc -qx noresolve -n 'pid$target:chain:chain_end:entry { ustack(150); }' -c "$tmp/chain $way"
	agrees $way
	check $? "$way: as the program finds it"
done

# with names, and by both engines: the innermost frame is the probe's place
engines=process
timeout 240 "$dtrace" -x engine=kernel -qn 'BEGIN { exit(0); }' >/dev/null 2>&1 </dev/null && engines="kernel process"
for engine in $engines; do
	for way in plain signal deep; do
		inproc -qn 'pid$target:chain:chain_third:entry, pid$target:chain:chain_end:return { ustack(); trace(ustackdepth); }
		    pid$target:chain:chain_third:entry { @[ustack(3)] = count(); @d[ustack(1)] = count(); }' -c "$tmp/chain $way"
		grep -v "^$way " "$tmp/out"
	done >"$tmp/$engine"
	grep -q 'chain.chain_third' "$tmp/$engine" && grep -q 'chain.main+' "$tmp/$engine"
	check $? "$engine: from the probe to main()"
done
if [ "$engines" != process ]; then
	cmp "$tmp/kernel" "$tmp/process" >"$tmp/log"
	check $? "stacks at entry and return, with names, and as keys: as in the kernel"
fi

engine=process
inproc -qx unwind=fp -n 'pid$target:chain:chain_end:entry { ustack(); }' -c "$tmp/chain plain"
[ "$status" -eq 0 ] && grep -q 'chain.chain_end$' "$tmp/out" && ! grep -q chain_first "$tmp/out"
check $? "-x unwind=fp follows frame pointers"
inproc -qx unwindsize=4k -n 'pid$target:chain:chain_end:entry { ustack(); }' -c "$tmp/chain plain"
[ "$status" -eq 0 ] && grep -q 'do not fit into the tables for user stacks' "$tmp/err" && grep -q 'chain.chain_end$' "$tmp/out"
check $? "tables that are too small: told, and the stack goes as far as frame pointers lead"
inproc -qn 'pid$target:chain:chain_end:entry { ustack(); } tick-1ms /!n++/ { ustack(); } pid$target:chain:chain_end:return { exit(0); }' -c "$tmp/chain plain"
[ "$status" -eq 0 ] && grep -q 'chain.main+' "$tmp/out"
check $? "a stack in dtrace itself harms nothing"
