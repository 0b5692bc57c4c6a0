# SPDX-License-Identifier: BSD-2-Clause
# slow
# bench/fleet.sh, small: simulated hosts, asked directly and through relays, are all in the answer, and each figure is one.
. test/cli/helpers.inc
build=${BUILD:-build}
may_trace "many hosts"
command -v nats-server >/dev/null || { echo "ok - many hosts # SKIP nats-server is not installed"; exit 0; }
command -v python3 >/dev/null || { echo "ok - many hosts # SKIP python3 is not installed"; exit 0; }
[ -x "$build/bench/fleetsim" ] || { echo "ok - many hosts # SKIP fleetsim is not built: libnats-dev is missing"; exit 0; }
for relays in 0 2; do
	timeout 200 bench/fleet.sh "$build" 60 3 $relays >"$tmp/out" 2>"$tmp/err"
	status=$?
	is "60 hosts and $relays relays" 0 "us of processor time of a host a second"
done
