# SPDX-License-Identifier: BSD-2-Clause
# For scripts of test/cli/fleet: a bus with TLS and nkeys, and hosts web1, web2, db1, each a network namespace with its own
# dtraced. Sourced after helpers.inc. fleet_begin WHAT skips the script where that cannot be.
build=${BUILD:-build}
fleet=f$$
bus=tls://10.77.0.1:4222
ld=l$$			# begins the names of programs that are traced: all namespaces share one kernel

fleet_skip() { echo "ok - $1 # SKIP $2"; exit 0; }

in_host() { host_of=$1; shift; ip netns exec "$fleet-$host_of" "$@"; }

fleet_end() {
	for pid in $fleet_pids; do kill -CONT "$pid"; kill "$pid"; done 2>/dev/null
	for pid in $fleet_pids; do
		n=0
		while kill -0 "$pid" && [ $n -lt 200 ]; do sleep 0.05; n=$((n + 1)); done
		kill -9 "$pid"
	done 2>/dev/null
	for ns in bus web1 web2 db1; do ip netns del "$fleet-$ns"; done 2>/dev/null
	rm -rf "$tmp"
}

certificate() {	# a CA, and a certificate of the bus
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=ca -keyout "$tmp/ca.key" -out "$tmp/ca.pem" &&
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=bus -keyout "$tmp/bus.key" -out "$tmp/bus.csr" &&
	echo subjectAltName=IP:10.77.0.1 >"$tmp/bus.ext" &&
	openssl x509 -req -days 2 -in "$tmp/bus.csr" -CA "$tmp/ca.pem" -CAkey "$tmp/ca.key" -CAcreateserial -extfile "$tmp/bus.ext" -out "$tmp/bus.pem"
} >"$tmp/openssl" 2>&1

network() {	# a bridge in the namespace of the bus
	ip netns add "$fleet-bus" && in_host bus ip link set lo up && in_host bus ip link add br0 type bridge &&
	in_host bus ip addr add 10.77.0.1/24 dev br0 && in_host bus ip link set br0 up || return
	n=10
	for ns in web1 web2 db1; do
		n=$((n + 1))
		ip netns add "$fleet-$ns" && ip link add "v$n-$$" netns "$fleet-bus" type veth peer name eth0 netns "$fleet-$ns" &&
		in_host bus ip link set "v$n-$$" master br0 up && in_host $ns ip addr add 10.77.0.$n/24 dev eth0 &&
		in_host $ns ip link set lo up && in_host $ns ip link set eth0 up || return
	done
} 2>"$tmp/ip"

user() {	# user NAME PUBLISH SUBSCRIBE: an nkey, who may do what at the bus, and settings
	key=$(tools/nkey "$tmp/$1.seed") || return
	printf '{ nkey: %s, permissions: { publish: { allow: [%s] }, subscribe: { allow: [%s] } } }\n' "$key" "$2" "$3" >>"$tmp/users"
	printf 'bus %s\nca %s/ca.pem\nnkey %s\nseed %s/%s.seed\n' "$bus" "$tmp" "$key" "$tmp" "$1" >"$tmp/$1.conf"
}

start_bus() {
	: >>"$tmp/nats.log"
	ip netns exec "$fleet-bus" nats-server -c "$tmp/nats.conf" >>"$tmp/nats.log" 2>&1 &
	bus_pid=$!
	fleet_pids="$fleet_pids $bus_pid"
	waits grep -q 'Server is ready' "$tmp/nats.log"
}

# start_agent HOST ARGS…: when it is on the bus; its process id is in $tmp/HOST.pid
start_agent() {
	: >"$tmp/$1.log"
	start_where=$1 start_what=$1
	case " $fleet_relays " in *" $1 "*) start_where=bus ;; esac
	shift
	ip netns exec "$fleet-$start_where" "$build/dtraced" --config "$tmp/$start_what.conf" --name "$start_what" "$@" \
	    >>"$tmp/$start_what.log" 2>&1 &
	echo $! >"$tmp/$start_what.pid"
	fleet_pids="$fleet_pids $!"
	waits grep -q 'is on the bus' "$tmp/$start_what.log"
}
agent() { cat "$tmp/$1.pid"; }

fleet_begin() {
	may_trace "$1"
	for word in nats-server openssl ip python3; do
		command -v $word >/dev/null || fleet_skip "$1" "$word is not installed"
	done
	[ -x "$build/dtraced" ] || fleet_skip "$1" "dtraced is not built: libnats-dev is missing"
	fleet_pids=
	trap fleet_end EXIT
	certificate || fleet_skip "$1" "openssl makes no certificate"
	network || fleet_skip "$1" "there are no network namespaces: $(head -n 1 "$tmp/ip")"
	: >"$tmp/users"
	for who in alice bob eve; do
		user $who "\"dt.ask.$who.>\"" "\"dt.out.$who.>\"" || fleet_skip "$1" "no nkeys"
		echo "user $who" >>"$tmp/$who.conf"
	done
	for who in web1 web2 db1; do
		user $who "\"dt.out.*.*.$who\"" "\"dt.ask.*.all\", \"dt.ask.*.in.*\", \"dt.relay.*\", \"dt.ask.*.to.$who\""
		printf 'label role=%s\n%s\n' "${who%[0-9]}" "${policy:-allow alice}" >>"$tmp/$who.conf"
	done
	for who in $fleet_relays; do	# NAME, in the namespace of the bus; its configuration is $tmp/NAME.conf
		user "$who" "\"dt.out.*.*.$who\", \"dt.ask.>\", \"dt.relay.>\"" "\"dt.ask.>\", \"dt.out.>\", \"dt.relay.>\""
		echo 'allow *' >>"$tmp/$who.conf"
	done
	cat >"$tmp/nats.conf" <<-DONE
		listen: "10.77.0.1:4222"
		tls { cert_file: "$tmp/bus.pem", key_file: "$tmp/bus.key", timeout: 10 }
		accounts {
			FLEET { users: [ $(cat "$tmp/users") ] }
			SYS { users: [ { user: sys, password: "$$-none" } ] }
		}
		system_account: SYS
	DONE
	start_bus || { bad "a bus"; exit 1; }
	for who in ${fleet_agents-web1 web2 db1}; do start_agent $who || { bad "an agent"; exit 1; }; done
}

# ask USER ARGS…: dtrace of that user, to its end; $status, $tmp/out, $tmp/err
ask() {
	who=$1
	shift
	in_host bus timeout 120 "$dtrace" --bus-config "$tmp/$who.conf" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
}

# begin_ask USER HOSTS ARGS…: in the background as $asker, when `ready` was printed by that many hosts
begin_ask() {
	who=$1 wanted=$2
	shift 2
	: >"$tmp/out"
	ip netns exec "$fleet-bus" "$dtrace" --bus-config "$tmp/$who.conf" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
	asker=$!
	fleet_pids="$fleet_pids $asker"
	waits eval '[ "$(grep -c ready "$tmp/out")" -ge '"$wanted"' ]'
}

# end_ask [SIGNAL]: asks it to end; $status
end_ask() {
	[ $# -eq 0 ] || kill "-$1" "$asker"
	wait "$asker"
	status=$?
}

attached() { ! ip netns pids "$fleet-$1" | xargs -r ps -o args= -p | grep -q 'dtraced --worker'; }	# none any more
