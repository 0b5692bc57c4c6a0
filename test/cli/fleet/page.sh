# SPDX-License-Identifier: BSD-2-Clause
# slow
# The live page over three hosts, in Chromium (test/web/fleet.mjs): what it shows is the sum of a known load, and of one host what
# that host has counted; a host that is killed is named with the reason. Before that, what cannot be is refused.
. test/cli/helpers.inc
. test/trigger/fleet.sh
. test/web/modules.sh
web_modules "the live page over hosts"
export BUILD="$build"
fleet_begin "the live page over hosts"
for host in web1 web2 db1; do cp "$(command -v dd)" "$tmp/$ld$host"; done

is "a process of which host" 2 "Write their names in a predicate" --web --hosts web1 -p 1
is "a history is no live page" 2 "--web does not go with --play --hosts: -O heatmap" --web --hosts web1 --play "$tmp/none"
is "a bus needs hosts" 2 "need --hosts" --web --bus "$bus"
is "hosts compile themselves" 2 "hosts compile the program themselves" --web --hosts web1 -C -n BEGIN
is "destructive actions" 2 "destructive actions are never done" --web --hosts web1 -w -n BEGIN
mkdir "$tmp/alone"
cp "$build/dtrace-web" "$tmp/alone/"
"$tmp/alone/dtrace-web" --web --hosts web1 >"$tmp/out" 2>"$tmp/err"
status=$?
is "a build without the fleet" 2 "make builds it where libnats is"

# what a page says whose hosts cannot be asked
cat >"$tmp/says.py" <<'DONE'
import sys, urllib.request
address, texts = sys.argv[1], sys.argv[2:]
at = address.replace("/?", "/events?")
with urllib.request.urlopen(at, timeout=120) as events:
    for line in events:
        texts = [t for t in texts if t not in line.decode()]
        if not texts:
            sys.exit(0)
        if b'"ended"' in line:
            sys.exit("not said: " + "; ".join(texts))
DONE
says() {	# says WHAT CONFIG HOSTS TEXT…: each of them on the page
	says_what=$1 says_config=$2
	shift 2
	: >"$tmp/url"
	ip netns exec "$fleet-bus" "$dtrace" --web --bus-config "$says_config" --hosts "$1" -n 'BEGIN { @ = count(); }' >"$tmp/url" 2>"$tmp/err" &
	says_pid=$!
	fleet_pids="$fleet_pids $says_pid"
	shift
	waits grep -q token= "$tmp/url"
	in_host bus timeout 150 python3 "$tmp/says.py" "$(cat "$tmp/url")" "$@" >"$tmp/out" 2>"$tmp/log"
	check $? "$says_what"
	kill "$says_pid"
	wait "$says_pid"
}
: >"$tmp/empty.conf"
says "without a bus" "$tmp/empty.conf" web1 'no bus is named: --bus URL' 'No host has answered as it should'
says "without hosts" "$tmp/alice.conf" nope1 'no host of that name or label has answered: is its dtraced on this bus?' '0 of 0 hosts answered'
says "without the right to ask" "$tmp/bob.conf" web1 '"state":"refused"' 'No host has answered as it should'

PATIENCE=${PATIENCE:-120000}
export PATIENCE
in_host bus node test/web/fleet.mjs "$modules" "$dtrace" "$build" "$tmp" "$fleet" "$ld" ${SHOTS:+"$SHOTS"}
