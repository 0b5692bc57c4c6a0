# SPDX-License-Identifier: BSD-2-Clause
# Frames of Ruby in user stacks, as python.sh: those of 200 random ways through Ruby and C are what caller_locations() says.
. test/cli/helpers.inc
may_trace "frames of Ruby"
tick='`'
pid=
trap '[ -z "$pid" ] || kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT

# with_symbols RUBY: a version that is known, and whose loop has a name: Debian's has none from 3.3 on, those of RUBYS must
with_symbols() {
	"$1" --disable=gems -e 'exit RUBY_VERSION >= "2.7" && RUBY_VERSION < ARGV[0]' "$newest" 2>/dev/null
}

# same_frames WHAT RUBY OPTIONS…
same_frames() {
	what=$1
	shift
	rm -rf "$tmp/rb"
	mkdir "$tmp/rb"
	"$@" --disable=gems test/trigger/ruby_stacks.rb 200 "${SEED:-7}" "$tmp/rb" >"$tmp/log" 2>&1 &
	pid=$!
	waits test -e "$tmp/rb/waits"
	start -q -x bufsize=64m -p "$pid" -n 'BEGIN { printf("ready\n"); }
	    syscall::getpgid:entry /pid == $target && arg0 >= 5000000/ { printf("@%d\n", arg0 - 5000000); ustack(900); }
	    syscall::getpgid:entry /pid == $target && arg0 == 4999999/ { exit(0); }'
	touch "$tmp/rb/go"
	wait "$tracer"
	touch "$tmp/rb/end"
	wait "$pid"
	pid=
	# both as "NUMBER: FRAME", without native frames
	awk '/^stack / { n = $2; next } { print n ": " $0 }' "$tmp/rb/frames" >"$tmp/said"
	awk -v lost="ruby$tick?" '/^@/ { n = substr($0, 2); next } { sub(/^ */, "") }
		$0 == "" || $0 == "ready" || (/`|\+0x[0-9a-f]+$|^0x[0-9a-f]+$/ && $0 != lost) { next }
		{ print n ": " $0 }' "$tmp/out" >"$tmp/seen"
	# code of eval() and load is freed when it has run: such frames may have lost their names, no other
	[ "$(wc -l <"$tmp/said")" -gt 3000 ] && paste -d '\t' "$tmp/said" "$tmp/seen" | awk -F '\t' -v tick="$tick" '
		$1 == $2 { next }
		$1 ~ /\((\(eval\)|.*loaded.rb):/ && $2 ~ "^[0-9]*: ruby" tick "[?]$" { next }
		{ print; bad = 1 }
		END { exit bad }' >>"$tmp/log"
	check $? "$what: frames are those of caller_locations()"
}

newest=${RUBYS:+3.5} newest=${newest:-3.3}
known=
for ruby in ${RUBYS:-ruby2.7 ruby3.0 ruby3.1 ruby3.2 ruby}; do
	path=$(readlink -f "$(command -v "$ruby")" 2>/dev/null)
	{ [ -n "$path" ] && with_symbols "$path" && [ "$path" != "$known" ]; } || continue
	known=$path
	same_frames "${path##*/}" "$path"
done
if [ -z "$known" ]; then
	ok "frames of Ruby # SKIP no ruby from 2.7 to 3.2: apt-get install ruby"
	exit 0
fi

# woven: behind the native frame of the loop there are the frames that it runs
awk '/^@/ { if (plain && main) exit; text = ""; plain = main = 0 } { sub(/^ */, ""); text = text $0 "\n" }
	/^plain / { plain = 1 } /^<main> / { main = 1 } END { printf "%s", text }' "$tmp/out" >"$tmp/log"
awk -v tick="$tick" 'index($0, tick "rb_vm_exec+") { loop = NR } /^getpgid$/ { if (loop == NR - 1) first = 1 }
	/^<main> / { main = loop > 0 } END { exit !(first && main) }' "$tmp/log"
check $? "the frames of each activation of the loop stand behind it"

# threads that wait, each with its own frames
cat >"$tmp/waits.rb" <<'END'
def takes(queue); queue.pop; end
def sleeps; sleep; end
queue = Queue.new
threads = [Thread.new { takes(queue) }, Thread.new { sleeps }]
sleep 0.01 until threads.all? { |t| t.status == 'sleep' }
File.write(ARGV[0], '')
sleep
END
"$path" --disable=gems "$tmp/waits.rb" "$tmp/ready" >"$tmp/log" 2>&1 &
pid=$!
waits test -e "$tmp/ready"
run -q -p "$pid" -n 'profile:::wall-19 /pid == $target/ { @[jstack(9)] = count(); }
    profile:::wall-19 /pid == $target && n++ > 100/ { exit(0); }'
kill "$pid"
pid=
tr -s ' \n' ' ' <"$tmp/out" >"$tmp/log"
# pop is in Ruby from 3.3 on
grep -q " pop \\((<internal:[^)]*) \\)*takes ($tmp/waits.rb:1) block in <main> ($tmp/waits.rb:4) " "$tmp/log" &&
	grep -q " sleep sleeps ($tmp/waits.rb:2) block in <main> ($tmp/waits.rb:4) " "$tmp/log" &&
	grep -q " sleep <main> ($tmp/waits.rb:7) " "$tmp/log"
check $? "threads that wait have their own frames"
