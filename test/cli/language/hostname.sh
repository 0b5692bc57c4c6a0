# SPDX-License-Identifier: BSD-2-Clause
# hostname is what uname -n prints: as text, as a key, compared, and in the other executors.
. test/cli/helpers.inc
may_trace "hostname"
host=$(uname -n)
run -qn 'BEGIN { @[hostname] = count(); printf("%s %d\n", hostname, strlen(hostname)); exit(0); } END { printa("key %s %@d\n", @); }'
is "hostname in a clause" 0 "$host ${#host}"
is "hostname as a key" 0 "key $host 1"
run -qn "BEGIN /hostname == \"$host\"/ { printf(\"this one\"); exit(0); } BEGIN { exit(1); }"
is "hostname in a predicate" 0 "this one"
printf '1 a:b:c:d\n' >"$tmp/events"
run -q --replay "$tmp/events" -n 'a:b:c:d { printf("%s", hostname); }'
is "hostname in the interpreter" 0 "$host"
