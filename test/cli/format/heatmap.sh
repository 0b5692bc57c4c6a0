# SPDX-License-Identifier: BSD-2-Clause
# -O heatmap: a page with what each bucket counted since the time before; printa(), clear() and snapshots.
. test/cli/helpers.inc
if [ "$(id -u)" -ne 0 ]; then
	echo "ok - heat maps # SKIP tracing needs root"
	exit 0
fi

if ! "$dtrace" -qO heatmap -n 'BEGIN { exit(0); }' >/dev/null 2>"$tmp/err" && grep -q 'this build has no pages' "$tmp/err"; then
	echo "ok - without its page dtrace says so"
	echo "ok - heat maps # SKIP the pages are not built"
	exit 0
fi

# lines PROGRAM: the data of the page, times as T, blanks for tabs
lines() {
	"$dtrace" -qO heatmap -n "$1" >"$tmp/page.html" 2>"$tmp/err"
	sed -n '/id="data"/,/<\/script>/p' "$tmp/page.html" | sed '1d;$d' | sed 's/^at	[0-9]*/at T/' | tr '\t' ' '
	cat "$tmp/err"
}

same "what was counted, once" "$(lines 'BEGIN { @l["k", 1] = lquantize(3, 0, 10, 5); @l["k", 1] = lquantize(99, 0, 10, 5); printa(@l); printa(@l); exit(0); }')" \
"series 0 @l k, 1
bucket 0 1 0 4
bucket 0 2 5 9
bucket 0 3 10 
at T 0 1:1 3:1"
same "clear() begins anew" "$(lines 'BEGIN { @ = lquantize(1, 0, 10, 5); } BEGIN { printa(@); clear(@); } BEGIN { printa(@); exit(0); }')" \
"series 0 @lquantize 
bucket 0 1 0 4
at T 0 1:1"
same "what trunc() leaves goes on, the rest begins anew" "$(lines 'BEGIN { @["a"] = lquantize(1, 0, 10, 5); @["b"] = lquantize(1, 0, 10, 5); @["b"] = lquantize(7, 0, 10, 5); printa(@); trunc(@, 1); }
    BEGIN { @["a"] = lquantize(1, 0, 10, 5); @["a"] = lquantize(1, 0, 10, 5); @["b"] = lquantize(1, 0, 10, 5); printa(@); exit(0); }' | awk -F'[ :]' '$1 == "series" { name[$2] = $4 } $1 == "at" { for (i = 5; i <= NF; i += 2) n[name[$3]] += $i } END { print n["a"], n["b"] }')" "3 3"
same "several, and what is no histogram" "$(lines 'BEGIN { @a = quantize(0); @b = llquantize(7, 10, 0, 1, 10); @c = count(); exit(0); }' | grep -c '^series')" 2
same "names stay names" "$(lines 'BEGIN { s = "</script>%\t\n"; @[s] = lquantize(1, 0, 10, 5); exit(0); }' | head -n 1)" "series 0 @lquantize %3C/script>%25??"
same "no histogram" "$(lines 'BEGIN { @ = count(); exit(0); }')" "dtrace: @count is left out: it is no histogram"

# Snapshots: the deltas of a trace with many of them add up to what was done.
"$dtrace" -qO heatmap -x aggrate=1ms -n 'syscall::write:entry /pid == $target/ { @q = lquantize(1, 0, 10, 5); }' \
    -c 'dd if=/dev/zero of=/dev/null bs=1 count=2000 status=none' >"$tmp/page.html" 2>"$tmp/err"
same "snapshots add up" "$(awk -F'[\t:]' '$1 == "at" { n += $5 } END { print n }' "$tmp/page.html")" 2000

if command -v chromium >/dev/null; then
	dom "$tmp/page.html" 'class="note"[^>]*>[^<]'
	same "Chromium runs the script" "$(grep -c '<h2>@q</h2>.*class="note"[^>]*>darkest: [0-9].*2[^0-9]*000 in all' "$tmp/dom")" 1
else
	echo "ok - Chromium runs the script # SKIP no chromium"
fi
