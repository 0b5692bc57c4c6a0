# SPDX-License-Identifier: BSD-2-Clause
# A program that says it is PHP, and whose frames, functions, classes and strings lie or change while they are read: it
# costs its own names, and not the trace.
. test/cli/helpers.inc
may_trace "a program that lies about its frames of PHP"
cp "${BUILD:-build}/test/php_liar" "$tmp/php8.2"
tick='`'
pids=
trap 'touch "$tmp/stop"; for p in $pids; do kill "$p" 2>/dev/null; done; rm -rf "$tmp"' EXIT

# lies WAY: a trace of it, in $tmp/out
lies() {
	rm -f "$tmp/stop"
	"$tmp/php8.2" "$1" 1 "$tmp/stop" &
	pids=$!
	run -q -p "$pids" -n "syscall::getppid:entry /pid == \$target/ { ustack(40); n++; }
	    syscall::getppid:entry /pid == \$target && n > 50/ { exit(0); }"
	touch "$tmp/stop"
	wait "$pids" 2>/dev/null || status=99
	pids=
}

# no message but that a slow machine needs longer than names may take
quiet() { ! grep -v 'it takes too long to read' "$tmp/err" | grep -q .; }

# no frame of PHP but those that are there; a name that would reach the terminal is made harmless
right() {
	! LC_ALL=C grep -q "$(printf '\033')" "$tmp/out" &&
		! grep -F .php "$tmp/out" | grep -qvE '^ *(Liar::(lie|another|li\?\[3\?)|{main}) \(/liar\.php(:7)?\)$'
}

lies honest
tr -s ' \n' ' ' <"$tmp/out" | grep -qF "Liar::lie (/liar.php:7) {main} (/liar.php:7) " && grep -q "php8.2${tick}main" "$tmp/out"
check $? "what it says is believed where it can be"

# each stack still begins and ends with what is native
for way in hash unhashed length long kind freed control empty high class nowhere code internal function none other; do
	lies $way
	[ "$status" -eq 0 ] && quiet && right && grep -q "php8.2${tick}main" "$tmp/out"
	check $? "$way: the trace goes on, and has no name that is wrong"
done
for way in line circle endless wild race; do
	lies $way
	[ "$status" -eq 0 ] && quiet && [ "$(grep -c . "$tmp/out")" -le $((60 * 41)) ]
	check $? "$way: a stack has no more frames than it may have"
done
