# SPDX-License-Identifier: BSD-2-Clause
# Rows that look the same are one row: what different processes show by the same text is one element with the values of
# all (N 2.26, P4). Each process has its code at other addresses, which -x mergestacks=no shows. P3: a function without
# a name is shown as the file and the address in it, which is equal in all processes and can be looked up later.
. test/cli/helpers.inc
may_trace "merged stacks"
cc=${CC:-gcc}
command -v "$cc" >/dev/null 2>&1 || { echo "ok - merged stacks # SKIP no compiler ($cc)"; exit 0; }
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || { echo "ok - merged stacks # SKIP process ids are those of a container"; exit 0; }
"$cc" -std=gnu17 -D_GNU_SOURCE -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -fPIE -pie -o "$tmp/merged" \
    test/trigger/ustack_chain.c -ldl 2>"$tmp/err" || { bad "cannot build"; exit 0; }
tick=$(printf '\140')

# five processes that make 1, 2, 3, 4 and 5 calls
cat >"$tmp/five" <<END
for n in 1 2 3 4 5; do $tmp/merged -n \$n; done
END
of='syscall::getppid:entry /execname == "merged" && progenyof($target)/'

# the lines that are a number alone
numbers() { awk 'NF == 1 && $1 ~ /^[0-9]+$/ { print $1 }' "$tmp/out" | tr '\n' ' '; }

run -q -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(numbers)" = '15 ' ]
check $? "the stacks of five processes are one, with all calls"
[ "$(grep -c "merged${tick}chain_third" "$tmp/out")" = 1 ] && grep -q "merged${tick}main" "$tmp/out"
check $? "shown once, by names"
run -q -x mergestacks=no -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(numbers)" = '1 2 3 4 5 ' ] || [ "$(cat /proc/sys/kernel/randomize_va_space)" -eq 0 ]
check $? "five elements with mergestacks=no"

run -q -c "sh $tmp/five" -n "$of { self->n++; @a[usym(uregs[R_PC])] = count(); @b[umod(uregs[R_PC])] = max(self->n);
	@c[uaddr(uregs[R_PC])] = quantize(self->n); @d[ustack(1), \"x\"] = avg(self->n * 100); @e[usym(uregs[R_PC])] = min(self->n); }
	END { printa(\"a %A %@d\\n\", @a); printa(\"b %A %@d\\n\", @b); printa(\"c %A %@d\\n\", @c); printa(\"d %@d\\n\", @d);
	printa(\"e %@d\\n\", @e); printa(\"j %A %@d %@d\\n\", @a, @e); }"
grep -qx "a merged${tick}chain_third 15" "$tmp/out" && [ "$(grep -c '^a ' "$tmp/out")" = 1 ]
check $? "usym() and count()"
grep -qx "b merged 5" "$tmp/out" && [ "$(grep -c '^b ' "$tmp/out")" = 1 ]
check $? "umod() and max()"
# the first calls of five, then the second of four, the third of three, the fourth of two, the fifth of one
[ "$(grep -c '^c ' "$tmp/out")" = 1 ] && [ "$(awk '/^c/ { on = 1 } /^d/ { on = 0 } on && $NF > 0 && $1 ~ /^[0-9]+$/ { printf "%d=%d ", $1, $NF }' "$tmp/out")" = '1=5 2=7 4=3 ' ]
check $? "uaddr() and quantize()"
grep -qx 'd 233' "$tmp/out" && grep -qx 'e 1' "$tmp/out"	# (5 + 2 * 4 + 3 * 3 + 4 * 2 + 5) * 100 / 15
check $? "avg() and min()"
grep -qx "j merged${tick}chain_third 15 1" "$tmp/out"
check $? "merged keys are joined"

run -q -c "sh $tmp/five" -n "$of { @[strjoin(\"p\", lltostr(pid)), ustack(4)] = count(); }"
[ "$(numbers)" = '1 2 3 4 5 ' ]
check $? "another key keeps them apart, and they are sorted by value"
run -q -O json -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(grep -c '"values":\[15\]' "$tmp/out")" = 1 ]
check $? "other formats too"
# what is remembered of texts is thrown away often, the counts are not
run -q -x namesize=1m -x aggrate=10ms -c "sh $tmp/five" -n 'syscall:::entry /progenyof($target)/ { @all = count(); @u[ustack(300)] = count();
	@k[stack(300)] = count(); } END { printa("all %@d\n", @all); printa("u%k+%@d\n", @u); printa("k%k=%@d\n", @k); }'
awk '/^all / { all = $2 } /^\+[0-9]+$/ { u += $1 } /^=[0-9]+$/ { k += substr($1, 2) }
	END { exit !(all > 0 && u == all && k == all) }' "$tmp/out"
check $? "counts are exact with little memory for names"

# ---- P3: functions without a name ----

command -v strip >/dev/null && command -v addr2line >/dev/null || { echo "ok - functions without a name # SKIP no binutils"; exit 0; }
mkdir "$tmp/whole" && cp "$tmp/merged" "$tmp/whole/merged" && strip "$tmp/merged"
run -q -c "sh $tmp/five" -n "$of { @a[usym(uregs[R_PC])] = count(); @b[uaddr(uregs[R_PC])] = count(); @c[ustack(2)] = count();
	@d[umod(uregs[R_PC])] = count(); } END { printa(\"a %A %@d\n\", @a); printa(\"b %A %@d\n\", @b); printa(\"c%k%@d\n\", @c);
	printa(\"d %A %@d\n\", @d); }"
grep -Eqx 'a merged\+0x[0-9a-f]+ 15' "$tmp/out" && grep -Eqx 'b merged\+0x[0-9a-f]+ 15' "$tmp/out" && grep -qx 'd merged 15' "$tmp/out"
check $? "usym(), uaddr(): the file and the address in it, the same in five processes; umod(): the file"
[ "$(grep -Ecx ' *merged\+0x[0-9a-f]+' "$tmp/out")" = 2 ] && [ "$(grep -cx 15 "$tmp/out")" = 1 ]
check $? "a stack of such frames is one"
place=$(sed -n 's/^a merged+\(0x[0-9a-f]*\) 15$/\1/p' "$tmp/out")
[ "$(addr2line -f -e "$tmp/whole/merged" "${place:-0}" | head -n 1)" = chain_third ]
check $? "addr2line(1) finds the function by it"
run -q -x noresolve -c "sh $tmp/five" -n "$of { @[usym(uregs[R_PC])] = count(); } END { printa(\"%A %@d\n\", @); }"
! grep -q merged "$tmp/out" && grep -Eq '^0x[0-9a-f]+ [0-9]+$' "$tmp/out"
check $? "addresses with noresolve"
run -q -O json -c "sh $tmp/five" -n "$of { @[ustack(2)] = count(); }"
[ "$(grep -Ec "\"symbol\":\"merged\\+$place\"" "$tmp/out")" = 1 ]
check $? "JSON"
run -q -O folded -c "sh $tmp/five" -n "$of { @[ustack(2)] = count(); }"
grep -Eqx "merged\+0x[0-9a-f]+;merged\+$place 15" "$tmp/out"
check $? "folded: the address tells frames apart"
