# SPDX-License-Identifier: BSD-2-Clause
# execsnoop, killsnoop, exitsnoop, errinfo, procsystime, syscount, threadsnoop: a family of processes whose doings are known.
. test/trigger/tools.sh
may_trace "tools for processes"
cat >"$tmp/family.sh" <<'DONE'
/bin/echo one "two three" >/dev/null
ls /nonexistent-1 /nonexistent-2 2>/dev/null
sleep 1000 &
kill -TERM $!
wait $! 2>/dev/null
kill -USR2 $$
exit 3
DONE
sed -i '1s/^/trap : USR2\n/' "$tmp/family.sh"
family="sh $tmp/family.sh"
tool execsnoop -c "$family"
row "a program and its arguments" "^ *[0-9]+\.[0-9]{3} +[0-9]+ +[0-9]+ +[0-9]+ /bin/echo one two three$"
row "another" " ls /nonexistent-1 /nonexistent-2$"
tool execsnoop -c "$family" -n ls
row "one name, and none of the others" "^ *[0-9]" 1
row "and it is that" " ls /nonexistent-1 /nonexistent-2$"
# without -c: all of the system, of which our process is a part
watch execsnoop echo
/bin/echo "all of the system, $$" >/dev/null
waits grep -q "all of the system, $$" "$tmp/out"
finish
row "the whole system" "/bin/echo all of the system, $$$"

tool killsnoop -c "$family" 15
row "SIGTERM, once" " sh +SIGTERM +[0-9]+ (sh|sleep) +sent$"
row "and no other signal" "^ *[0-9]" 1
tool killsnoop -c "$family"
row "SIGUSR2, to itself" "([0-9]+) sh +SIGUSR2 +\1 sh +sent$"

tool exitsnoop -c "$family"
row "the shell's exit(3)" "^ *[0-9.]+ +[0-9]+ +[0-9]+ sh +[0-9]+\.[0-9]{3} 3$"
row "ls failed with 2" " ls +[0-9.]+ 2$"
row "who was killed, by what" " (sh|sleep) +[0-9.]+ SIGTERM$"
sleep 1000 &
victim=$!
sleep 0.3
watch exitsnoop -p $victim
kill $victim
wait "$tracer"
status=$?
ms=$(awk '$4 == "sleep" { sub(/[.]/, "", $5); print $5 + 0 }' "$tmp/out")
value "age of a process that is older than 300 ms" "$ms" 300 1000000

tool errinfo -c "$family"
value "what ls does not find" "$(awk '$1 == "ls" && $3 == "ENOENT" && $2 ~ /stat/ { n += $5 } END { print n }' "$tmp/out")" 2 20
tool errinfo -c "$family" -n nobody
row "another name: only the heading" "." 1

tool syscount -c "$calls 5000"
value "getppid, 5000 times" "$(awk '$1 == "getppid" { print $2 }' "$tmp/out")" 5000 5000
value "the process" "$(awk '$1 == "calls" { print $3 }' "$tmp/out")" 5001 6000
tool procsystime -c "$calls 5000"
value "getppid, 5000 times" "$(awk '$1 == "getppid" { print $2 }' "$tmp/out")" 5000 5000
tool procsystime -c "sleep 0.2"
value "time of a sleep of 200 ms" "$(awk '$1 == "clock_nanosleep" { print $3 }' "$tmp/out")" 200000 100000000
value "CPU time of it is less" "$(awk '$1 == "clock_nanosleep" { print $4 }' "$tmp/out")" 0 199999
tool threadsnoop -c "$family"
row "processes that the shell makes" "^ *[0-9.]+ +[0-9]+ +[0-9]+ sh +process +([0-9]+) +\1$" 3
tool threadsnoop -c "${BUILD:-build}/test/provider_life"
grep ' lwp-create\|^lwp-create' "$tmp/out" | sed 's/lwp-create //' | while read -r of new; do
	grep -q " $of *$new\$" "$tmp/out" || echo "$of $new"
done >"$tmp/missing"
value "threads that it has not shown" "$(wc -l <"$tmp/missing")" 0 0
row "three of the first process" "([0-9]+) +\1 provider_life +thread +\1 +[0-9]+$" 5
run -qn 'BEGIN { printf("%s %s %s [%s] ", errno_string[2], errno_string[EAGAIN], errno_string[133], errno_string[1000]);
	printf("%s %s %s %s\n", signal_string[9], signal_string[SIGSYS], signal_string[64], signal_string[0]); exit(0); }'
is "errors and signals by name" 0 "ENOENT EAGAIN EHWPOISON [] SIGKILL SIGSYS SIGRT 0"
exit 0
