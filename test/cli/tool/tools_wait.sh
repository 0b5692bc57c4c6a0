# SPDX-License-Identifier: BSD-2-Clause
# pstacks, walltime, and waits of offcpu that have not ended: a program whose threads wait in known functions (test/trigger/waits.c), and
# runtimes of others, of which every thread is shown.
# slow
. test/trigger/tools.sh
may_trace "tools for threads that wait"
mkfifo "$tmp/in"
"${BUILD:-build}/test/waits" 300 400 300 0 <"$tmp/in" >"$tmp/waits" &
waits=$!
exec 3>"$tmp/in"
trap 'kill $waits $others 2>/dev/null; rm -rf "$tmp"' EXIT
waits grep -q ready "$tmp/waits"

# threads PID: those that pstacks has shown are those of /proc
threads() { sed -n "s|^$1/\\([0-9]*\\) .*|\\1|p" "$tmp/out" | sort | cmp -s - "$tmp/threads"; }
tool pstacks -p "$waits"
find "/proc/$waits/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort >"$tmp/threads"
threads "$waits"
check $? "pstacks: 1001 threads, each once"
row "300 of them are in a mutex" '`in_mutex\+' 300
row "400 read" '`in_read\+' 400
row "300 sleep" '`in_sleep\+' 300
row "all wait" "^$waits/[0-9]* S waits$" 1001
tool pstacks -p "$waits" 1
row "groups" '^[0-9]+ S$' 4
value "threads of all groups" "$(awk '/^[0-9]+ [A-Z]$/ { n += $1 } END { print n }' "$tmp/out")" 1001 1001
tool pstacks -n nobody
row "another name" "^[0-9]+/" 0

tool walltime -c "sleep 2" 5
value "milliseconds of sleep" "$(awk '/^[a-z].* waits$/ { on = $1 == "sleep" } on && / ms$/ { n += $1 } END { print n }' "$tmp/out")" 900 60000
tool walltime -c "sleep 2" -O folded
value "folded: name and state are the root" "$(grep -c '^sleep;waits;.*nanosleep_\[k\] [0-9]*$' "$tmp/out")" 1 100

if listed sched:::on-cpu; then
	# the first look at them is at the start, the next ones add up a second each; a busy machine gets there later
	for wait in 3 6 12; do
		watch offcpu "" 20 -p "$waits"
		sleep $wait
		finish
		sum=$(awk '/^[0-9]+ / { on = read = 0 } /^'"$waits"' waits/ { on = 1 } /`in_read\+/ { read = 1 }
			on && read && / us$/ { n += $1 } END { print n + 0 }' "$tmp/out")
		[ "$sum" -lt 400000000 ] || break
	done
	value "waits of 400 threads that have not ended" "$sum" 400000000 1000000000000
fi

# Every thread of runtimes: what /proc lists before and after, pstacks shows.
python='
import threading, time
for i in range(20): threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()
print("ready", flush=True)
time.sleep(1000)'
node='console.log("ready"); setTimeout(() => 0, 1e6);'
java='public class W { public static void main(String[] a) throws Exception { System.out.println("ready"); Thread.sleep(1000000); } }'
echo "$java" >"$tmp/W.java"
for runtime in python3 node java; do
	if ! command -v "$runtime" >/dev/null; then
		echo "ok - pstacks: every thread of $runtime # SKIP no $runtime"
		continue
	fi
	: >"$tmp/ready"
	case $runtime in
	python3) python3 -c "$python" ;;
	node) node -e "$node" ;;
	java) java "$tmp/W.java" ;;
	esac >"$tmp/ready" 2>&1 &
	pid=$!
	others="$others $pid"
	waits grep -q ready "$tmp/ready"
	# runtimes make threads and end them: it is tried again until the list has stayed the same
	for try in 1 2 3 4 5 6 7 8 9 10; do
		find "/proc/$pid/task" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort >"$tmp/threads"
		tool pstacks -p "$pid"
		threads "$pid" && break
	done
	threads "$pid"
	check $? "pstacks: every thread of $runtime, $(wc -l <"$tmp/threads") of them (try $try)"
	kill "$pid"
done
