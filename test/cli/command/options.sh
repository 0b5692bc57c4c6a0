# SPDX-License-Identifier: BSD-2-Clause
# P6: each option of dtrace, dtruss, lockstat and plockstat is run once, and its output read. An option that --help has and
# this table has not fails; those of the tools are in tools_options.sh. What options mean is tested elsewhere, in depth.
# slow: some 150 runs
. test/cli/helpers.inc
may_trace "options of commands"
for name in dtruss lockstat plockstat; do ln -s "$(realpath "$dtrace")" "$tmp/$name"; done
ln -s "$(realpath "$dtrace")" "$tmp/dtrace"
victim=${BUILD:-build}/test/provider_locks
tested=
# try OPTION STATUS PATTERN ARGS…: of the command $name; the pattern (ERE) is in output or messages
try() {
	option=$1 want=$2 pattern=$3
	shift 3
	tested="$tested $option"
	timeout 240 "$tmp/$name" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" -eq "$want" ] && { [ -z "$pattern" ] || cat "$tmp/out" "$tmp/err" | grep -qaE -e "$pattern"; }
	check $? "$name $option: status $status"
}
# all: what --help lists was tried
all() {
	"$tmp/$name" --help >"$tmp/help" 2>"$tmp/err"
	check $? "$name --help"
	for option in $(sed -n 's/^[[:space:]]*\(-[A-Za-z0-9]*\),* .*/\1/p; s/^[[:space:]]*-*[A-Za-z]*,* *\(--[a-z]*\).*/\1/p' "$tmp/help" | sort -u); do
		case " $tested --help " in
		*" $option "*) ;;
		*) bad "$name $option is not tested" ;;
		esac
	done
	tested=
}
refused() {	# WHAT PATTERN ARGS…: status 2 and one sentence that points at --help
	what=$1 pattern=$2
	shift 2
	timeout 240 "$tmp/$name" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	[ "$status" -eq 2 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && grep -qE -e "$pattern.*see $name --help\$" "$tmp/err"
	check $? "$name: $what is refused with one sentence"
}

name=dtrace
printf '#ifdef N\nBEGIN { printf("n %%d\\n", N); exit(0); }\n#else\nBEGIN { printf("none\\n"); exit(0); }\n#endif\n' >"$tmp/cpp.d"
printf '%s\n' 'BEGIN { printf("script %s\n", $$1); exit(0); }' >"$tmp/s.d"
printf '#include "n.h"\nBEGIN { printf("n %%d\\n", N); exit(0); }\n' >"$tmp/include.d"
echo '#define N 42' >"$tmp/n.h"
echo 'provider mine { probe go(int); };' >"$tmp/mine.d"
mkdir "$tmp/lib"
echo 'inline int OF_THE_LIBRARY = 4711;' >"$tmp/lib/mine.d"
once='BEGIN { printf("once %d\n", pid); exit(0); }'
stash="dofstashpath=$tmp/stash"
try -32 1 'data models do not match' -32 -qn "$once"
try -64 0 '^once' -64 -qn "$once"
try -A 0 'saved anonymous enabling' -x "$stash" -A -qn "$once"
try -a 0 '^once' -x "$stash" -a -q
try -b 0 '^once' -b 1m -qn "$once"
try -B 0 '"once [0-9]+\\n" probe dtrace' -B -qn "$once"
try -c 0 '^child [1-9]' -c true -qn 'BEGIN { printf("child %d\n", $target); }'
try -C 0 '^none' -C -qs "$tmp/cpp.d"
try -d 0 'ident exit' -d -en 'BEGIN { if (pid) exit(0); }'
try -D 0 '^n 7' -C -D N=7 -qs "$tmp/cpp.d"
try -U 0 '^none' -C -D N=7 -U N -qs "$tmp/cpp.d"
try -e 1 'nosuch' -en 'BEGIN { trace(nosuch); }'
try -f 0 'getppid' -lf getppid
try -F 0 'FUNCTION' -F -n 'BEGIN { exit(0); }'
try -h 0 'MINE_GO' -h -s "$tmp/mine.d" -o /dev/stdout
try -H 0 'n\.h' -C -H -I "$tmp" -qs "$tmp/include.d"
try -I 0 '^n 42' -C -I "$tmp" -qs "$tmp/include.d"
try -X 0 '^n 42' -C -X c -I "$tmp" -qs "$tmp/include.d"
try -i 0 'BEGIN' -li 1
try -l 0 'tick-' -ln 'tick-7s'
try -L 0 '^4711' -L "$tmp/lib" -qn 'BEGIN { printf("%d\n", OF_THE_LIBRARY); exit(0); }'
try -m 0 'sched_switch' -lm sdt:sched
try -n 0 '^once' -qn "$once"
try -P 0 'BEGIN' -lP dtrace
try -o 0 '^once' -o /dev/stdout -qn "$once"
try -O 0 '^{"type":"start"' -O json -n "$once"
try -p 0 "^child $$" -p $$ -qn 'BEGIN { printf("child %d\n", $target); exit(0); }'
try -q 0 '^once [0-9]+$' -qn "$once"
try -s 0 '^script word$' -qs "$tmp/s.d" word
try -S 0 'DIFO' -S -en 'BEGIN { trace(pid); }'
try -t 0 'TIME CPU' -t -n "$once"
try -v 0 'Stability' -v -n "$once"
try -V 0 'D 1\.' -V
try -w 0 'allowing destructive' -w -n 'BEGIN { system("true"); exit(0); }'
sh -c 'sleep 1; exec "$0" 5' "$(cp "$(command -v sleep)" "$tmp/awaited" && echo "$tmp/awaited")" &
try -W 0 '^child [1-9]' -W awaited -qn 'BEGIN { printf("child %d\n", $target); exit(0); }'
try -x 1 'failed to set -x nosuch' -x nosuch -n "$once"
try -Z 0 '^once' -Z -qn 'nosuch:::probe' -n "$once"
try -G 0 '' -G -s "$tmp/mine.d" -o "$tmp/mine.o"
[ -s "$tmp/mine.o" ]
check $? "dtrace -G writes an object"
try --list 0 'quantize' --list aggregations
try --tool 0 'usage: syscount' --tool dtools/syscount --help
run -O "record=$tmp/record" -qn "$once"
try --play 0 '^once' --play "$tmp/record"
printf '1 a:b:c:d 7\n' >"$tmp/events"
try --replay 0 '^once' --replay "$tmp/events" -qn "$once"
try --live 1 'draws on a terminal' --live -n "$once"
# the page is a command of its own, which is not built everywhere
if [ -x "$(dirname "$dtrace")/dtrace-web" ]; then want=2; else want=1; fi
try --web $want 'destructive|is not here' --web -w -n "$once"
# so is the language server, which ends with its input
if [ -x "$(dirname "$dtrace")/dtrace-web" ]; then try --lsp 1 '' --lsp; else try --lsp 1 'is not here' --lsp; fi
# hosts are asked by a command of its own, which may not be there (test/cli/fleet)
try --hosts 2 "does not go with --hosts" --hosts web1 -w -n "$once"
try --bus 1 'this machine alone|is not here' --bus nats://192.0.2.1:4222 --hosts web1 -n "$once"
try --bus-config 1 'No such file|is not here' --bus-config "$tmp/none" --hosts web1 -n "$once"
try --doctor 0 'BTF|btf' --doctor
all

name=dtruss
try -a 7 '^getpgid\(0\) {10}= ' -a 20 -e getpgid "$calls" 1
try -C 1 'there is no container nosuch-container' -C nosuch-container true
try --container 1 'there is no container nosuch-container' --container nosuch-container true
try -c 7 'getppid$' -c "$calls" 100
try -d 7 '^ +0\.[0-9]{6} ' -d "$calls" 1
try -r 7 '^ +0\.[0-9]{6} ' -r "$calls" 1
try -e 7 '^getpgid' -e getpgid "$calls" 1
try -f 0 '\[pid +[0-9]+\]|^[0-9]+ ' -f sh -c 'true; /bin/true; exit 0'
try -h 0 '^usage: dtruss' -h
try -k 7 '^ > .*main' -k -e getpgid "$calls" 1
try -o 7 '' -o "$tmp/lines" "$calls" 1
grep -q '^getppid' "$tmp/lines"
check $? "dtruss -o writes there"
try -q 0 '^write' -q -e write echo word
! grep -q '^+++' "$tmp/err"
check $? "dtruss -q: no end"
try -s 0 '"12"\.\.\.' -s 2 -e write echo 1234
try -t 7 '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9] getpgid' -t -e getpgid "$calls" 1
try --time 7 '^[0-2][0-9]:[0-5][0-9]:[0-6][0-9] getpgid' --time -e getpgid "$calls" 1
try -T 7 '<[0-9.]+>$' -T "$calls" 1
try -V 7 'vvvv D program' -V "$calls" 1
try -x 2 'nosuch' -x nosuch true
try -y 0 '^read\(3</etc/passwd>' -y -e read grep root /etc/passwd
try -Y 0 '^read\(3,' -Y -e read grep root /etc/passwd
cp "$calls" "$tmp/calls_by_name"
# -p, -n: a process that goes on is watched until the signal comes
goes_on() {	# OPTION VALUE
	tested="$tested $1"
	: >"$tmp/lines"
	"$tmp/dtruss" "$1" "$2" -o "$tmp/lines" >"$tmp/out" 2>"$tmp/err" &
	tracer=$!
	waits sh -c "grep -q getppid '$tmp/lines' || ! kill -0 $tracer 2>/dev/null"
	kill $tracer 2>/dev/null
	wait $tracer
	status=$?
	[ "$status" -eq 0 ] && grep -q getppid "$tmp/lines" && ! grep -q 'getuid' "$tmp/lines"
	check $? "dtruss $1 $2: status $status"
}
"$tmp/calls_by_name" 1000000000 >/dev/null &
busy=$!
goes_on -p $busy
goes_on --pid $busy
goes_on -n calls_by_name
goes_on --name calls_by_name
kill $busy
wait $busy 2>/dev/null
refused "an option that there is not" '-Q is no option' -Q
refused "a long one" '--nosuch is no option' --nosuch
refused "no process" 'usage: dtruss'
refused "two" 'usage: dtruss' -n x true
refused "a process that is no number" '-p x is no number' -p x
all

name=plockstat
try -A 0 'Mutex hold' -A "$victim"
try -C 0 'Mutex block' -C "$victim"
try -H 0 'Mutex hold' -H "$victim"
try -e 0 'no events in' -e 1 sleep 100
try -n 0 'Mutex hold' -H -n 1 "$victim"
try -s 0 'Time Distribution' -H -s 3 "$victim"
try -t 0 '^20[0-9][0-9] [A-Z]' -t "$victim"
try --time 0 '^20[0-9][0-9] [A-Z]' --time "$victim"
try -v 0 'tracing enabled for pid' -v "$victim"
try -V 0 'vvvv D program' -V "$victim"
try -x 2 'nosuch' -x nosuch "$victim"
try -h 0 '^usage: plockstat' -h
try --container 1 'there is no container nosuch-container' --container nosuch-container true
cp "$(command -v sleep)" "$tmp/plock_victim"
"$tmp/plock_victim" 1000 &
sleeper=$!
waits grep -q plock_victim /proc/$sleeper/comm
try -p 0 "no events in .* of pid $sleeper; watched: Mutex block, R/W reader block, R/W writer block" -e 1 -p $sleeper
try --pid 0 "no events in .* of pid $sleeper; " -e 1 --pid $sleeper
try --name 0 "no events in .* of pid $sleeper; " -e 1 --name plock_victim
"$tmp/plock_victim" 1000 &
second=$!
waits grep -q plock_victim /proc/$second/comm
try --name 2 "2 processes are called plock_victim" --name plock_victim
kill $sleeper $second
wait 2>/dev/null
refused "an option that there is not" '-Q is no option' -Q
refused "a name that nobody has" 'no process is called nosuchname' --name nosuchname
refused "no process" 'usage: plockstat'
all

name=lockstat
never="-d 3600000000000"
# shellcheck disable=SC2086
{
try -C 0 'no events in .*; watched: .*Adaptive mutex block' -C $never sleep 0.1
if listed 'lockstat:::adaptive-acquire'; then want=0; else want=1; fi
try -H $want 'no events|cannot be watched' -H $never sleep 0.1
try -e 0 'no events in .*; watched: R/W writer block$' -e 4 $never sleep 0.1
try -d 0 'no events in' -d 3600000000000 sleep 0.1
try -l 0 'no events in' -l 0x10,8 sleep 0.1
try -T 0 'no events in' -T $never sleep 0.1
try --pid 0 'no events in .* of pid 1; ' --pid 1 $never sleep 0.1
try --name 0 'no events in .* of processes called nobody; ' --name nobody sleep 0.1
try -V 0 'execname == "q\\042; 1"' -V --name 'q"; 1' sleep 0.1
}
try -I 0 'Profiling interrupt: [0-9]+ events' -I -i 997 "$calls" 500000
try -i 0 'profile-997' -V -I -i 997 sleep 0.1
try -b 0 'Count indv cuml rcnt CPU' -I -b "$calls" 500000
try -t 0 'events in' -I -i 997 -t "$calls" 500000
try -h 0 'events in' -I -i 997 -h "$calls" 500000
try -s 0 'events in' -I -i 997 -s 3 "$calls" 500000
try -n 0 'events in' -I -i 997 -n 10000 "$calls" 500000
try -f 2 'has no such symbol' -f nosuch_function_here sleep 0.1
try -c 0 'events in' -I -i 997 -c "$calls" 500000
try -k 0 'events in' -I -i 997 -k "$calls" 500000
try -g 0 'genr' -I -i 997 -g "$calls" 500000
try -w 0 'Hottest Caller' -I -i 997 -w "$calls" 500000
try -W 0 'Hottest CPU' -I -i 997 -W "$calls" 500000
try -R 0 'ops/s' -I -i 997 -R "$calls" 500000
try -p 0 '^56	' -I -i 997 -p "$calls" 500000
try -P 0 'events in' -I -i 997 -P "$calls" 500000
try -D 0 'events in' -I -i 997 -D 1 "$calls" 500000
try --time 0 '^20[0-9][0-9] [A-Z]' -I --time "$calls" 500000
try -o 0 '' -I -i 997 -o "$tmp/lines" "$calls" 500000
grep -q 'events in' "$tmp/lines"
check $? "lockstat -o writes there"
try -A 0 'events in|no events' -A sleep 0.1
try -E 1 'no event that was asked for can be watched here|cannot be watched' -E sleep 0.1
try -x 2 'nosuch' -x nosuch sleep 0.1
try --container 1 'there is no container nosuch-container' --container nosuch-container true
refused "an option that there is not" '-Q is no option' -Q
refused "no command" 'usage: lockstat'
all
