# SPDX-License-Identifier: BSD-2-Clause
# Frames of PHP in user stacks, as python.sh: those of 500 random ways through PHP and C are what debug_backtrace() says.
. test/cli/helpers.inc
may_trace "frames of PHP"
tick='`'
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT

# with_posix PHP: it is there, and has the calls that the program makes
with_posix() { "$1" -r 'exit(!function_exists("posix_getpgid") || PHP_ZTS);' 2>/dev/null; }

known=
for php in ${PHPS:-php7.4 php8.0 php8.1 php8.2 php8.3 php8.4 php}; do
	path=$(readlink -f "$(command -v "$php")" 2>/dev/null)
	{ [ -n "$path" ] && with_posix "$path" && [ "$path" != "$known" ]; } || continue
	known=$path
	mkdir "$tmp/${path##*/}"
	"$path" test/trigger/php_stacks.php 500 "${SEED:-7}" "$tmp/${path##*/}" >"$tmp/log" 2>&1 &
	pid=$!
	waits test -e "$tmp/${path##*/}/waits"
	start -q -x bufsize=64m -p "$pid" -n 'BEGIN { printf("ready\n"); }
	    syscall::getpgid:entry /pid == $target && arg0 >= 5000000/ { printf("@%d\n", arg0 - 5000000); ustack(900); }
	    syscall::getpgid:entry /pid == $target && arg0 == 4999999/ { exit(0); }'
	touch "$tmp/${path##*/}/go"
	wait "$tracer"
	# both as "NUMBER: FRAME", without native frames
	awk '/^stack / { n = $2; next } { print n ": " $0 }' "$tmp/${path##*/}/frames" >"$tmp/said"
	awk -v tick="$tick" '/^@/ { n = substr($0, 2); next } { sub(/^ */, "") } / \(.*\)$/ || $0 == "php" tick "?" { print n ": " $0 }' "$tmp/out" \
		>"$tmp/seen"
	touch "$tmp/${path##*/}/end"
	wait "$pid"
	pid=
	# code of eval() and include is freed when it has run: such frames may have lost their names, no other
	[ "$(wc -l <"$tmp/said")" -gt 3000 ] && paste -d '\t' "$tmp/said" "$tmp/seen" | awk -F '\t' -v tick="$tick" '
		$1 == $2 { next }
		$1 ~ /^[0-9]*: {main} \(.*(eval\(\).d code|included.php):/ && $2 ~ "^[0-9]*: php" tick "[?]$" { next }
		{ print; bad = 1 }
		END { exit bad }' >>"$tmp/log"
	check $? "${path##*/}: frames are those of debug_backtrace()"
done
[ -n "$known" ] || ok "frames of PHP # SKIP no php from 7.4 to 8.4 with the posix functions: apt-get install php-cli"
