# SPDX-License-Identifier: BSD-2-Clause
# Frames of JavaScript in user stacks, as python.sh: those of 300 random ways through JavaScript, builtins of V8 and C++ are what V8
# itself says, however it runs the code.
. test/cli/helpers.inc
may_trace "frames of JavaScript"
tick='`'
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT

# ways NODE WARM OPTION…: lines "NUMBER: FRAME" in $tmp/said and $tmp/seen, frames with a script only
ways() {
	node=$1 warm=$2
	shift 2
	rm -rf "$tmp/d"
	mkdir "$tmp/d"
	"$node" "$@" test/trigger/node_stacks.js 300 "${SEED:-7}" "$tmp/d" "$warm" >"$tmp/log" 2>&1 &
	pid=$!
	waits test -e "$tmp/d/waits"
	# shellcheck disable=SC2016
	start -q -x bufsize=64m -x ustackframes=1024 -p "$pid" -n 'BEGIN { printf("ready\n"); }
	    syscall::close:entry /pid == $target && arg0 == 4999998/ { jstack(9); }
	    syscall::close:entry /pid == $target && arg0 >= 5000000 && arg0 < 6000000/ { printf("@%d\n", arg0 - 5000000); ustack(1000); }
	    syscall::close:entry /pid == $target && arg0 == 4999999/ { exit(0); }'
	waits grep -q "main (.*node_stacks.js" "$tmp/out"
	touch "$tmp/d/go"
	waits ended "$tracer"
	touch "$tmp/d/end"
	wait "$pid"
	pid=
	awk '/^stack / { n = $2; next } { print n ": " $0 }' "$tmp/d/frames" >"$tmp/said"
	# without the two functions that make the call
	awk -v tick="$tick" 'BEGIN { skip = 1e9 } /^@/ { n = substr($0, 2); skip = 2; next }
	    { sub(/^ */, "") }
	    / \([^()]*\)$/ || $0 == "javascript" tick "?" { if (skip-- <= 0) print n ": " $0 }' "$tmp/out" >"$tmp/seen"
}

# same WHAT WHAT-TO-LEAVE-OUT
same() {
	sed "$2" "$tmp/said" >"$tmp/a"
	sed "$2" "$tmp/seen" >"$tmp/b"
	# what the garbage collector moved while it was read may lack its line or its name
	[ "$(wc -l <"$tmp/a")" -gt 5000 ] && paste -d '\t' "$tmp/a" "$tmp/b" | awk -F '\t' -v tick="$tick" '
		$1 == $2 { same++; next }
		{ place = $1; sub(/:[0-9]*\)$/, ")", place); number = $1; sub(/:.*/, "", number) }
		$2 == place || $2 == number ": javascript" tick "?" { less++; next }
		{ print "wrong: " $0; bad = 1 }
		END { print same + 0, less + 0; exit bad || less > same }' >"$tmp/log"
	check $? "$1"
}

known=
for node in ${NODES:-node nodejs}; do
	path=$(readlink -f "$(command -v "$node")" 2>/dev/null)
	{ [ -n "$path" ] && [ "$path" != "$known" ]; } || continue
	known=$path
	version="Node.js $("$path" -p process.versions.node 2>/dev/null)"

	maglev=--no-maglev		# later versions have this compiler too
	"$path" $maglev -e 0 >"$tmp/log" 2>&1 || maglev=--no-opt

	ways "$path" cold --no-enable-lazy-source-positions --no-sparkplug --no-opt "$maglev"
	case $("$path" -p 'parseInt(process.versions.node)') in
	18|20|22|24) same "$version: interpreted frames are those of V8, with their lines" '' ;;
	*) same "$version: interpreted frames are those of V8" 's/:[0-9]*)$/)/' ;;
	esac
	ways "$path" warm --no-opt "$maglev" --always-sparkplug
	same "$version: baseline frames are those of V8" 's/:[0-9]*)$/)/'

	# what the compiler has inlined is left out; what is there has its name and its order
	ways "$path" warm
	sed 's/:[0-9]*)$/)/' "$tmp/said" >"$tmp/a"
	grep -v "javascript$tick[?]\$" "$tmp/seen" | sed 's/:[0-9]*)$/)/' >"$tmp/b"
	awk 'NR == FNR { said[FNR] = $0; all = FNR; next }
	    { for (i++; i <= all && said[i] != $0; i++) { } if (i > all) { print "wrong: " $0; bad = 1; exit } n++ }
	    END { print n + 0, all; exit bad || n <= 3000 }' "$tmp/a" "$tmp/b" >"$tmp/log"
	check $? "$version: frames of compiled code are some of V8's, in their order"
done
[ -n "$known" ] || { ok "frames of JavaScript # SKIP no node: apt-get install nodejs"; exit 0; }

# a program with one way in, which runs until it is told to end
cat >"$tmp/chain.js" <<'END'
const fs = require('fs');
function leaf(x) {
	process.kill(process.pid, 0);
	for (let i = 0; i < 20000; i++) x += i % 7;
	return x;
}
function middle(x) { return [x, 1].map(leaf); }
class Top {
	constructor() { JSON.stringify({ a: 1 }, function replacer(k, v) { if (k) middle(1); return v; }); }
}
function turn() {
	new Top();
	if (!fs.existsSync(process.argv[2])) setImmediate(turn);
}
turn();
END
"$known" --no-opt "$maglev" "$tmp/chain.js" "$tmp/stop" >"$tmp/log" 2>&1 &
pid=$!

# The program is known some time after it is seen: what is not there yet may be there in a later trace.
again() {
	for _ in 1 2 3 4 5 6 7 8; do
		"$@" && return
	done
	return 1
}

# calls ARGS…: of a system call at the end of the way, as one line in $tmp/log
calls() {
	# shellcheck disable=SC2016
	run -q "$@" -p "$pid" -n 'syscall::kill:entry /pid == $target && n++ > 100/ { ustack(60); exit(0); }'
	tr '\n' ' ' <"$tmp/out" | tr -s ' ' >"$tmp/log"
}
has_both() {
	calls
	grep -q " leaf ([^ ]*chain.js:[23]) map middle ([^ ]*chain.js:7) replacer ([^ ]*chain.js:9) [^ ]*${tick}.* Top ([^ ]*chain.js:9) [^ ]*${tick}.*turn ([^ ]*chain.js:1[0-9]) .*${tick}" "$tmp/log"
}
again has_both
check $? "ustack() has both, in their order, and functions that V8 or C++ call"
calls -x stacklang=native
grep -q "$tick" "$tmp/log" && ! grep -q 'chain\.js' "$tmp/log"
check $? "-x stacklang=native"
has_language() {
	calls -O json
	grep -q '{"language":"javascript","address":"0x[0-9a-f]*","symbol":"leaf ([^"]*chain.js:[23])"},{"language":"javascript"' "$tmp/out"
}
again has_language
check $? "JSON says the language"

# on another CPU, at any instruction: whoever called leaf() did so by this way
whole() {
	# shellcheck disable=SC2016
	run -q -p "$pid" -n 'profile-997 /pid == $target/ { @[jstack(40)] = count(); } profile-997 /pid == $target && n++ > 300/ { exit(0); }'
	sed 's/ (.*//; s/^ *//' "$tmp/out" | awk '
		BEGIN { stack = " " }
		/^[0-9]+$/ && stack ~ / leaf / { all += $1; if (stack !~ / leaf map middle replacer Top turn processImmediate $/) {
			bad += $1; print "wrong:" stack } }
		/^[0-9]+$/ { stack = " "; next }
		NF { stack = stack $0 " " }
		END { print all + 0, bad + 0; exit !(all > 50 && bad == 0) }' >"$tmp/log"
}
again whole
check $? "samples: whole stacks of JavaScript, wherever they are taken"
touch "$tmp/stop"
wait "$pid"
pid=
