# SPDX-License-Identifier: BSD-2-Clause
# Aggregations at the end of a real trace: what trunc() keeps, and the order of everything.
. test/cli/helpers.inc
may_trace "aggregations"

# words WHAT TEXT: standard output of the last run with all white space made one blank
words() {
	got=$(tr -s ' \n' '  ' <"$tmp/out" | sed 's/^ *//; s/ *$//')
	[ "$got" = "$2" ]
	check $? "$1"
}

# fifty keys of one value each, in no order; the key decides (S D1)
prog=$(for i in $(seq 0 49); do echo "@[$(((i * 37) % 50))] = count();"; done)
run -qn "BEGIN { $prog trunc(@, 5); exit(0); }"
words "trunc() keeps the last by key among equals" '45 1 46 1 47 1 48 1 49 1'
run -qn "BEGIN { $prog trunc(@, -3); exit(0); }"
words "or the first, when it keeps the smallest" '0 1 1 1 2 1'
run -qn 'BEGIN { @["b", 1] = count(); @["a", 2] = count(); @["a", 1] = count(); trunc(@, 2); exit(0); }'
words "by all keys" 'a 2 1 b 1 1'
run -qn 'dtrace:::BEGIN, dtrace:::END { @[probename] = count(); } END { trunc(@, 1); } tick-1ms { exit(0); }'
words "keys that are names of probes" 'END 1'
run -q -x aggsortrev -n 'BEGIN { @a["x"] = count(); @b["y"] = sum(2); @b["z"] = sum(3); exit(0); }'	# S D4, P 4.14
words "aggsortrev: the last aggregation first" 'z 3 y 2 x 1'
run -qn 'BEGIN { @[1] = count(); @[0x123456789ab] = count(); @[-1] = count(); @["s" == "s" ? (char)2 : 0] = count(); exit(0); }'	# S D6
words "integers of different sizes as keys" '1 1 2 1 -1 1 1250999896491 1'
