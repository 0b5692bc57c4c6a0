# SPDX-License-Identifier: BSD-2-Clause
# For the hostile_*.sh tests: attackers that have no rights, and a tracer that has limits of its own.
. test/cli/helpers.inc
attacker=${BUILD:-build}/test/hostile_maps
attackers=

# Called when the script ends, however it does
clean_up() {
	for p in $attackers; do kill "$p"; done 2>/dev/null
	for p in $attackers; do rm -f "/tmp/perf-$p.map"; done
	rm -rf "$tmp"
}
trap clean_up EXIT
cp "$attacker" "$tmp/attacker" && chmod 755 "$tmp" "$tmp/attacker"

# attack ARGS…: as nobody, in the background as $victim, when it has said "ready"
attack() {
	: >"$tmp/said"
	chroot --userspec=65534:65534 / "$tmp/attacker" "$@" >"$tmp/said" 2>&1 &
	victim=$!
	attackers="$attackers $victim"
	waits grep -q ready "$tmp/said"
}

# peaceful: the attackers are gone
peaceful() {
	for p in $attackers; do kill "$p"; wait "$p"; rm -f "/tmp/perf-$p.map"; done 2>/dev/null
	attackers=
}

# limited ARGS…: dtrace to its end, with 3 GB of address space (a sanitizer needs more); $status, and $peak in MB
space=3000
nm "$dtrace" 2>/dev/null | grep -q __asan_init && space=0
limited() {
	timeout 240 "${BUILD:-build}/test/peak" "$tmp/peak" $space "$dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
	status=$?
	peak=$(cat "$tmp/peak")
}

# fits WHAT MEGABYTES: so much memory the last trace had at most; of no interest with a sanitizer
fits() {
	[ $space -eq 0 ] || [ "$peak" -le "$2" ]
	check $? "$1${peak:+: $peak MB}"
}
