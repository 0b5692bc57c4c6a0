# SPDX-License-Identifier: BSD-2-Clause
# audit: records of mkdirat(2), with audit turned on in a machine of our own (test/vm/run), never on a user's.
. test/cli/helpers.inc
may_trace "audit probes"
load=${BUILD:-build}/test/provider_checks
mkdir "$tmp/dir"
run -n 'audit:event:mkdirat:commit'
if grep -q "no way to trace" "$tmp/err"; then
	is "without kernel functions a record says what is missing" 1 "audit_log_exit is the one"
	ok "audit:event # SKIP needs kernel functions"
	exit 0
fi
if [ -z "$VM_KERNEL" ]; then
	ok "audit:event # SKIP audit is turned on in a virtual machine only"
	exit 0
fi
is "audit that is off says how to turn it on" 1 "auditctl -e 1"
"$load" audit-on 2>"$tmp/err"
check $? "audit is turned on"
run -n 'audit:event:aue_mkdir:commit'
is "names of another system" 1 "audit:event:mkdir:commit"
cat >"$tmp/load.d" <<'DONE'
#pragma D option quiet
audit:event::commit /pid == $target/ { printf("%s %s\n", probefunc, probename); }
audit:event:mkdirat:commit /pid == $target/ { printf("%s %s\n", args[0], args[1]->major == 34 || args[1]->major == 258 ? "its number" : "another"); }
audit:event:mkdirat:bsm /pid == $target && arg3 > 40/ { printf("%s %s\n", args[0], substr(stringof(args[2]), 0, 5)); }
DONE
# Lines in place of aggregations: the kernel may have no memory at hand for a new key, and drop it.
tally() { sort "$tmp/raw" | sed '/^$/d' | uniq -c | sed 's/^ *\([0-9]*\) \(.*\)/\2 \1/' >"$tmp/got"; }
: >"$tmp/raw"
run -s "$tmp/load.d" -o "$tmp/raw" -c "$load mkdir $tmp/dir"
"$load" audit-off 2>>"$tmp/err"
check "$status" "a workload is traced"
tally
line() { grep -qx "$1" "$tmp/got"; check $? "audit: $1"; }
line "mkdirat commit 3"
line "mkdirat its number 3"
[ "$(awk '$1 == "mkdirat" && $2 == "audit" { s += $3 } END { print s + 0 }' "$tmp/got")" -ge 3 ]
check $? "audit:event:mkdirat:bsm: text of records"
! grep -q "^rmdir\|^unlinkat" "$tmp/got"
check $? "calls no rule is about are not told"
