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
	start -q -x bufsize=64m -x ustackframes=1024 -p "$pid" -n 'BEGIN { printf("ready\n"); }
	    syscall::close:entry /pid == $target && arg0 >= 5000000 && arg0 < 6000000/ { printf("@%d\n", arg0 - 5000000); ustack(1000); }
	    syscall::close:entry /pid == $target && arg0 == 4999999/ { exit(0); }'
	touch "$tmp/d/go"
	waits ended "$tracer"
	touch "$tmp/d/end"
	wait "$pid"
	pid=
	awk '/^stack / { n = $2; next } { print n ": " $0 }' "$tmp/d/frames" >"$tmp/said"
	# without the two functions that make the call
	awk -v tick="$tick" '/^@/ { n = substr($0, 2); skip = 2; next }
	    { sub(/^ */, "") }
	    / \([^()]*\)$/ || $0 == "javascript" tick "?" { if (skip-- <= 0) print n ": " $0 }' "$tmp/out" >"$tmp/seen"
}

# same WHAT WHAT-TO-LEAVE-OUT
same() {
	sed "$2" "$tmp/said" >"$tmp/a"
	sed "$2" "$tmp/seen" >"$tmp/b"
	[ "$(wc -l <"$tmp/a")" -gt 5000 ] && diff "$tmp/a" "$tmp/b" >"$tmp/log"
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

	ways "$path" cold --no-enable-lazy-source-positions --no-sparkplug --no-opt $maglev
	case $("$path" -p 'parseInt(process.versions.node)') in
	18|20|22|24) same "$version: interpreted frames are those of V8, with their lines" '' ;;
	*) same "$version: interpreted frames are those of V8" 's/:[0-9]*)$/)/' ;;
	esac
	ways "$path" warm --no-opt $maglev --always-sparkplug
	same "$version: baseline frames are those of V8" 's/:[0-9]*)$/)/'

	# what the compiler has inlined is left out; what is there has its name and its order
	ways "$path" warm
	sed 's/:[0-9]*)$/)/' "$tmp/said" >"$tmp/a"
	sed 's/:[0-9]*)$/)/' "$tmp/seen" >"$tmp/b"
	awk 'NR == FNR { said[FNR] = $0; all = FNR; next }
	    { for (i++; i <= all && said[i] != $0; i++) { } if (i > all) { print "wrong: " $0; exit 1 } n++ }
	    END { print n + 0, all; exit !(n > 5000 && i == all) }' "$tmp/a" "$tmp/b" >"$tmp/log"
	check $? "$version: frames of compiled code are some of V8's, in their order"
done
[ -n "$known" ] || { ok "frames of JavaScript # SKIP no node: apt-get install nodejs"; exit 0; }
