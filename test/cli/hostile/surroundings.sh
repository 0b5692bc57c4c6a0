# SPDX-License-Identifier: BSD-2-Clause
# Where dtrace is started from and what it is given: descriptors that are closed, disks that are full, links that
# others have made, signals for the commands it starts, and nothing left when it is killed. (H 14 to H 20)
. test/trigger/bounded.sh
. test/cli/helpers.inc
may_trace "closed descriptors, links of others, commands"
hello='BEGIN { printf("hello\n"); exit(0); }'

# H 15: no message and no output goes into a file or an object of the kernel that got the number of a closed descriptor
"$dtrace" -qo "$tmp/o" -n 'BEGIN { trace("x"); trace(*(int *)0); } BEGIN { printf("end"); exit(0); }' 2>&- </dev/null
[ "$(tr -d '\n' <"$tmp/o")" = end ]
check $? "2>&-: no message in the file of -o"
"$dtrace" -qn "$hello" >&- 2>"$tmp/err" </dev/null
[ $? -eq 1 ] && grep -q 'failed to write output: Bad file descriptor' "$tmp/err"
check $? ">&-: there is no output, and that is said"
"$dtrace" -qn "$hello" <&- >"$tmp/out" 2>&1
grep -q hello "$tmp/out"
check $? "<&-"
"$dtrace" -qn BEGIN -c 'readlink /proc/self/fd/0 /proc/self/fd/2' >"$tmp/out" <&- 2>&-
[ "$(grep -c '^/dev/null$' "$tmp/out")" -eq 2 ]
check $? "a command of -c has them too"

# H 16: reasons
many='tick-1ms { printf("%2000s\n", "a"); } tick-1ms /i++ > 200/ { exit(0); }'
timeout 60 "$dtrace" -qn "$many" >/dev/full 2>"$tmp/err" </dev/null
grep -q 'failed to write output: No space left on device' "$tmp/err"
check $? "a full disk"
{ trap '' PIPE; timeout 60 "$dtrace" -qn "$many" 2>"$tmp/err" </dev/null; } | head -n 1 >"$tmp/out"
grep -q 'failed to write output: Broken pipe' "$tmp/err"
check $? "a reader that is gone, with SIGPIPE ignored"
timeout 60 "$dtrace" -qn "$many" 2>"$tmp/err" </dev/null | head -n 1 >"$tmp/out"
[ ! -s "$tmp/err" ]
check $? "| head is quiet"
(ulimit -f 8; timeout 60 "$dtrace" -qo "$tmp/limited" -n "$many" 2>"$tmp/err" </dev/null)	# H 20
[ $? -eq 1 ] && grep -q 'File too large' "$tmp/err"
check $? "ulimit -f is an error of writing, not the end by a signal"
if unshare -m true 2>/dev/null; then
	unshare -m sh -c "umount -l /sys && \"$dtrace\" -qn '$hello'" >"$tmp/out" 2>&1 </dev/null
	grep -q '/sys is not mounted' "$tmp/out"
	check $? "no /sys"
else
	echo "ok - no /sys # SKIP no mounts of our own here"
fi

# H 17: commands have the signals that we were given
run -wqn 'BEGIN { system("yes | head -n 1"); exit(0); }'
[ ! -s "$tmp/err" ] && grep -q '^y$' "$tmp/out"
check $? "system(): a pipe that is closed ends its writer"
printf '#!/bin/sh\ngrep "^Sig[BI]" /proc/self/status >%s\ncat\n' "$tmp/signals" >"$tmp/cpp"
chmod +x "$tmp/cpp"
"$tmp/cpp" </dev/null
mv "$tmp/signals" "$tmp/ours"
printf '%s\n' "$hello" >"$tmp/t.d"
run -q -x cpppath="$tmp/cpp" -C -s "$tmp/t.d"
same() { # signals 32 and 33 are the C library's own
	sed 's/\t00000001800/\t00000000000/' "$tmp/signals" | cmp -s - "$tmp/ours"
}
same
check $? "the preprocessor's signals are ours"
run -qn BEGIN -c "$tmp/cpp"
same
check $? "so are those of -c"
run -wqn "BEGIN { system(\"$tmp/cpp\"); exit(0); }"
same
check $? "and of system()"

# H 19: dtrace does not stop or kill itself
run -wqn 'BEGIN { stop(); raise(9); } tick-10ms { stop(); raise(19); } tick-50ms { exit(0); } END { stop(); printf("end"); }'
is "stop() and raise() leave dtrace alone" 0 "end"
run -wqn 'BEGIN { chill(200000000); chill(300000000); printf("half\n"); } BEGIN { chill(300000000); printf("more\n"); } BEGIN { exit(0); }'
is "chill(): half a second in a second" 0 "half"
! grep -q more "$tmp/out" && grep -q "illegal operation in action #1" "$tmp/err"
check $? "not more than that in sum"
run -wqn 'BEGIN { this->t = timestamp; chill(10000000); printf("%d", timestamp - this->t >= 10000000); exit(0); }'
is "timestamp is taken again after it" 0 "1"

# H 19: killed, with a command that has changed its user, for which the kernel forgets whom it was to follow
if setpriv --reuid=65534 true 2>/dev/null; then
	start -qn 'BEGIN { printf("ready\n"); } syscall::nanosleep:entry, syscall::clock_nanosleep:entry /pid == $target/ { printf("asleep %d\n", pid); }' \
	    -x switchrate=10ms -c 'setpriv --reuid=65534 sleep 1000'
	waits grep -q asleep "$tmp/out"
	kill -9 "$tracer"
	wait "$tracer" 2>/dev/null
	waits ended "$(sed -n 's/^asleep //p' "$tmp/out")"
	check $? "a command that is another user's ends with dtrace"
else
	echo "ok - a command that is another user's ends with dtrace # SKIP cannot change the user"
fi

# H 20: what others have put into a folder that everybody may write to
mkdir -m 1777 "$tmp/public"
chmod 755 "$tmp"
if chown 65534 "$tmp/public/." 2>/dev/null && chown 0 "$tmp/public"; then
	echo old >"$tmp/own"
	ln -s "$tmp/own" "$tmp/public/link"
	run -qo "$tmp/public/link" -n "$hello"
	[ $status -eq 0 ] && grep -q hello "$tmp/own"
	check $? "-o follows a link of our own"
	chown -h 65534 "$tmp/public/link"
	echo old >"$tmp/own"
	run -qo "$tmp/public/link" -n "$hello"
	is "-o does not follow a link of others" 1 "Permission denied"
	run -wqn "BEGIN { freopen(\"$tmp/public/link\"); printf(\"x\"); } BEGIN { exit(0); }"
	is "nor does freopen()" 0 "couldn't freopen()"
	[ "$(cat "$tmp/own")" = old ]
	check $? "the file is as it was"
	mkfifo "$tmp/public/fifo"
	chown 65534 "$tmp/public/fifo"
	run -qo "$tmp/public/fifo" -n "$hello"
	is "a FIFO of others" 1 "Permission denied"

	# A5: links in the middle of a path, each rule of src/base/outfile.h; precious is a file of root
	mkdir "$tmp/root" "$tmp/alice" "$tmp/alice/sub" "$tmp/alice/inner"
	chown -R 65534 "$tmp/alice"
	into() {	# into WHAT PATH ANSWER [FILE]: output goes there, or nowhere (no), as the file says
		echo precious | tee "$tmp/root/file" >"$tmp/alice/file"
		chown 65534 "$tmp/alice/file"
		rm -f "$tmp/root/new" "$tmp/alice/new"
		run -qo "$2" -n "$hello"
		if [ "$3" = no ]; then
			[ $status -eq 1 ] && grep -q 'Permission denied' "$tmp/err" && [ "$(cat "$tmp/root/file")" = precious ] && [ ! -e "$tmp/root/new" ]
		else
			[ $status -eq 0 ] && grep -q hello "$4"
		fi
		check $? "-o: $1: $3"
	}
	ln -s "$tmp/root" "$tmp/public/dir"
	into "a link of root to a folder" "$tmp/public/dir/file" yes "$tmp/root/file"
	into "a link of root to a folder, new file" "$tmp/public/dir/new" yes "$tmp/root/new"
	chown -h 65534 "$tmp/public/dir"
	into "a planted link to a folder" "$tmp/public/dir/file" no
	into "a planted link to a folder, new file" "$tmp/public/dir/new" no
	into "a planted link and .." "$tmp/public/dir/../root/file" no
	ln -s "$tmp/root" "$tmp/alice/dir"
	ln -s ../../root "$tmp/alice/sub/relative"
	ln -s "$tmp/alice/sub" "$tmp/alice/own"
	ln -s "$tmp/root/file" "$tmp/alice/link"
	ln -s "$tmp/alice/link" "$tmp/alice/second"
	ln -s file "$tmp/alice/self"
	chown -h 65534 "$tmp"/alice/* "$tmp/alice/sub/relative"
	into "a user's link to a folder of root" "$tmp/alice/dir/file" no
	into "a user's link to a folder of root, new file" "$tmp/alice/dir/new" no
	into "a user's relative link" "$tmp/alice/own/relative/file" no
	into "a user's link to a file of root" "$tmp/alice/link" no
	into "a user's link to a link" "$tmp/alice/second" no
	into "a user's link to a file of that user" "$tmp/alice/self" yes "$tmp/alice/file"
	into "a new file in a user's folder, by a link" "$tmp/alice/own/../new" yes "$tmp/alice/new"
	into "the same again, now of root" "$tmp/alice/new" yes "$tmp/alice/new"
	ln -s "$tmp/alice/self" "$tmp/root/trusted"
	into "root's link to a user's link" "$tmp/root/trusted" yes "$tmp/alice/file"
	echo precious >"$tmp/root/file"
	ln -f "$tmp/root/file" "$tmp/alice/hard"
	into "a second name for a file of root" "$tmp/alice/hard" no
	run -qo "$tmp/root/../root/./new" -n "$hello"
	[ $status -eq 0 ] && grep -q hello "$tmp/root/new"
	check $? "-o: . and .."
	ln -s "$tmp/root/loop" "$tmp/root/loop"
	run -qo "$tmp/root/loop" -n "$hello"
	is "-o: a link to itself" 1 "symbolic links"
	run -qo "$tmp/root/new/" -n "$hello"
	is "-o: a folder that is a file" 1 "ot a directory"
	program=$(realpath "$dtrace")
	(cd "$tmp/root" && "$program" -qo /proc/self/cwd/proc -n "$hello" </dev/null >"$tmp/out" 2>&1)
	grep -q hello "$tmp/root/proc"
	check $? "-o: links of /proc"
else
	echo "ok - links of others # SKIP cannot give files away"
fi
(umask 0; "$dtrace" -qo "$tmp/new" -n "$hello" </dev/null >"$tmp/out" 2>&1)
[ "$(stat -c %a "$tmp/new")" = 644 ]
check $? "nobody else may write to a new file"
(umask 0; "$dtrace" -qO "record=$tmp/recorded" -n "$hello" </dev/null >"$tmp/out" 2>&1)
[ "$(stat -c %a "$tmp/recorded")" = 600 ]
check $? "A6: nobody else may read a recording"
run -qo /dev/stdout -n "$hello"
is "/dev/stdout" 0 "hello"
