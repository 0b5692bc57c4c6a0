# SPDX-License-Identifier: BSD-2-Clause
# -x mergestacks: what different processes show by the same names is one element with the values of all (N 2.26). Each
# process has its code at other addresses, which otherwise splits them.
. test/trigger/trace.sh
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

run -q -x mergestacks -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(numbers)" = '15 ' ]
check $? "the stacks of five processes are one, with all calls"
[ "$(grep -c "merged${tick}chain_third" "$tmp/out")" = 1 ] && grep -q "merged${tick}main" "$tmp/out"
check $? "shown once, by names"
run -q -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(numbers)" = '1 2 3 4 5 ' ] || [ "$(cat /proc/sys/kernel/randomize_va_space)" -eq 0 ]
check $? "five elements without the option"

run -q -x mergestacks -c "sh $tmp/five" -n "$of { self->n++; @a[usym(uregs[R_PC])] = count(); @b[umod(uregs[R_PC])] = max(self->n);
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

run -q -x mergestacks -c "sh $tmp/five" -n "$of { @[strjoin(\"p\", lltostr(pid)), ustack(4)] = count(); }"
[ "$(numbers)" = '1 2 3 4 5 ' ]
check $? "another key keeps them apart, and they are sorted by value"
run -q -O json -x mergestacks -c "sh $tmp/five" -n "$of { @[ustack(4)] = count(); }"
[ "$(grep -c '"values":\[15\]' "$tmp/out")" = 1 ]
check $? "other formats too"
