# SPDX-License-Identifier: BSD-2-Clause
# lockwait, mutexwait: threads that want the same lock.
. test/trigger/tools.sh
may_trace "tools for locks"
fighter=
trap '[ -n "$fighter" ] && kill "$fighter" 2>/dev/null; rm -rf "$tmp"' EXIT
load=${BUILD:-build}/test/tools_load

# 50 times a millisecond each: who comes second waits, mostly for the rest of one, and for all of it when he lost again.
tool mutexwait -c "$load lock 50"
count=$(awk '$1 == "tools_load`mutex" && NF == 3 { print $2 }' "$tmp/out")
value "waits for the mutex, by its name" "$count" 1 100
value "microseconds of it" "$(awk '$1 == "tools_load`mutex" && NF == 3 { print $3 }' "$tmp/out")" 1000 1000000000
row "and by stack" "tools_load.hold\+0x" 1
run -s dtools/mutexwait
is "mutexwait says what it needs" 1 "-c"

# The fighters never end; the tool does when both kinds were seen. What it counts is counted beside it.
"${BUILD:-build}/test/provider_lockstat" fight "$tmp/file" &
fighter=$!
script lockwait -p $fighter -n 'int slept, both;
lockstat:::adaptive-block /pid == $target/ { slept = 1; @n = count(); }
lockstat:::rw-block /pid == $target/ { both = 1; }
tick-50ms /slept && both/ { exit(0); }
END { printa("adaptive-block %@d beside\n", @n); }'
beside=$(sed -n 's/^adaptive-block \(.*\) beside$/\1/p' "$tmp/out")
[ -n "$beside" ] && [ "$(awk '$1 == "adaptive-block" && $3 != "beside" && NF == 3 { print $2 }' "$tmp/out")" = "$beside" ]
check $? "lockwait: waits for mutexes: $beside"
row "semaphores" "^rw-block +[0-9]+ +[0-9]+$"
value "stacks" "$(grep -c ' us$' "$tmp/out")" 2 10
exit 0
