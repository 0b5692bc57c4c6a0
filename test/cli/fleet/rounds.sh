# SPDX-License-Identifier: BSD-2-Clause
# slow
# Random failures, round after round: a host cut from the bus, killed, paused, late; the bus restarted; the asker killed. Each host
# does a known number of writes before, during and after. Each round ends; a host that is in the result has counted all of its
# writes since it took part, each once, and one that is not is named. FLEET_ROUNDS=100 FLEET_SEED=7 sh test/cli/fleet/rounds.sh
. test/cli/helpers.inc
. test/trigger/fleet.sh
rounds=${FLEET_ROUNDS:-3} seed=${FLEET_SEED:-$$}
fleet_begin "rounds of failures"
hosts='web1 web2 db1'
faults='cut cutlong kill pause pauselong late bus asker'
random() { seed=$(((seed * 1103515245 + 12345) % 2147483648)); random=$((seed / 65536 % $1)); }	# $random: 0 … $1 - 1
pick() { shift "$1"; picked=$1; }
port_of() { case $1 in web1) echo "v11-$$" ;; web2) echo "v12-$$" ;; db1) echo "v13-$$" ;; esac }

for host in $hosts; do cp "$(command -v dd)" "$tmp/$ld$host"; done
writes() {	# a random number of writes on each host; what there was is in $did_HOST
	for host in $hosts; do
		random 200
		eval "did_$host=$((random + 1))"
		"$tmp/$ld$host" if=/dev/zero of=/dev/null bs=3 count=$((random + 1)) status=none
	done
}
add_up() { for host in $hosts; do eval "total_$host=\$((total_$host + did_$host))"; done; }	# hosts that are there count them
readies() { [ "$(grep -c '^ready' "$tmp/out")" -ge "$1" ]; }
gone() { ! kill -0 "$asker" 2>/dev/null || [ "$(sed 's/.*) //; s/ .*//' "/proc/$asker/stat" 2>/dev/null)" = Z ]; }

# What a host may say: it has counted all since it took part, or it is named as missing.
verify() {	# verify HOST
	eval "total=\$total_$1"
	has=$(sed -n "s/^has $1 //p" "$tmp/out")
	bytes=$(sed -n "s/^sum $1 //p" "$tmp/out")
	said=$(grep -E "(^|[ ,])$1(,|:).*(counts are missing|failed|refused|it never began|it did not end|missing: no host)" "$tmp/err")
	back=$(grep "$1: it came back" "$tmp/err")
	sed -n "s/^$1 //p" "$tmp/out" | awk '$1 == 1 { n = 0 } $1 != ++n { exit 1 }' ||
		wrong="$wrong; records of $1 are lost or doubled"
	if [ -n "$has" ] && [ -n "$said" ]; then
		wrong="$wrong; $1 is in the result and said to be missing"
	elif [ -n "$has" ] && { [ "$bytes" != $((3 * has)) ] || [ "$has" -gt "$total" ]; }; then
		wrong="$wrong; $1 has counted $has and $bytes bytes of $total writes"
	elif [ -n "$has" ] && [ -z "$back" ] && [ "$has" -ne "$total" ]; then
		wrong="$wrong; $1 has counted $has of $total writes, and nobody says so"
	elif [ -z "$has" ] && [ -z "$said" ] && [ -z "$back" ]; then
		wrong="$wrong; $1 is missing, and nobody says so"
	fi
}

do_fault() {	# between the first writes and the last
	case $fault in
	cut | cutlong)
		in_host bus ip link set "$(port_of $victim)" down
		writes
		add_up
		[ $fault = cut ] && sleep 2 || sleep 10
		in_host bus ip link set "$(port_of $victim)" up ;;
	kill)
		kill -9 "$(agent $victim)"
		waits attached $victim
		writes
		add_up
		start_agent $victim ;;
	pause | pauselong)
		kill -STOP "$(agent $victim)"
		writes
		add_up
		[ $fault = pause ] && sleep 2 || sleep 8
		kill -CONT "$(agent $victim)" ;;
	late)
		start_agent $victim
		waits readies 3
		eval "total_$victim=0"
		writes
		add_up ;;
	bus)
		kill -9 "$bus_pid"
		waits ended "$bus_pid"
		writes
		add_up
		: >"$tmp/nats.log"
		start_bus ;;
	asker) kill -9 "$asker" ;;
	esac
}

round=0
while [ $round -lt "$rounds" ]; do
	round=$((round + 1)) wrong= first_seed=$seed
	random 8
	pick $((random + 1)) $faults
	fault=$picked
	random 3
	pick $((random + 1)) $hosts
	victim=$picked
	for host in $hosts; do eval "total_$host=0"; done
	takes=3
	[ $fault != late ] || { kill "$(agent $victim)"; waits ended "$(agent $victim)"; takes=2; }
	begin_ask alice $takes --hosts '*' -qn 'BEGIN { printf("ready\n"); n = 0; }
	    syscall::write:entry /execname == strjoin("'$ld'", hostname)/
	    { @n[hostname] = count(); @b[hostname] = sum(arg2); printf("%s %d\n", hostname, ++n); }
	    END { printa("has %s %@d\n", @n); printa("sum %s %@d\n", @b); }' || wrong="; it does not begin"
	writes
	add_up
	do_fault
	writes
	add_up
	if [ $fault = asker ]; then
		for host in $hosts; do waits attached $host || wrong="$wrong; $host still traces"; done
		wait "$asker" 2>/dev/null
	else
		kill -INT "$asker"
		waits gone || { wrong="$wrong; it does not end"; kill -9 "$asker"; }
		wait "$asker"
		status=$?
		for host in $hosts; do verify $host; done
		missing=$(grep -c 'result is not complete' "$tmp/err")
		[ "$status $missing" = "0 0" ] || [ "$status $missing" = "3 1" ] || wrong="$wrong; status $status"
	fi
	[ -z "$wrong" ]
	check $? "round $round: $fault $victim (seed $first_seed)${wrong:+: ${wrong#; }}"
	for host in $hosts; do waits attached $host; done
done
