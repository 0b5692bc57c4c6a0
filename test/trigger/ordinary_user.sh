# SPDX-License-Identifier: BSD-2-Clause
# For scripts of test/cli, after helpers.inc: an ordinary user without any capability. `as COMMAND…` runs one as that user, `run ARGS…` its
# dtrace, which is in $tmp beside programs of the build that are named before: ordinary_user WHAT [PROGRAM…]. Skips the script where that
# cannot be, or where every user may trace the kernel.
ordinary_user() {
	ordinary_what=$1
	shift
	chmod 755 "$tmp"
	for file in "$dtrace" "$@"; do
		cp "$file" "$tmp/" && chmod 755 "$tmp/${file##*/}"
	done
	if [ "$(id -u)" -ne 0 ]; then
		as() { "$@"; }
	elif setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$tmp/dtrace" -V >/dev/null 2>&1; then
		as() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps -all --bounding-set -all "$@"; }
	else
		ok "$ordinary_what # SKIP setpriv cannot run a program as another user here"
		exit 0
	fi
	run() {
		as timeout 240 "$tmp/dtrace" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
		status=$?
	}
	run -x engine=kernel -qn 'BEGIN { exit(0); }'
	if [ "$status" -eq 0 ]; then
		ok "$ordinary_what # SKIP every user may trace the kernel here"
		exit 0
	fi
}
# Nothing was said, but for places that cannot be patched: on x86-64 the C library has some instructions without room for a jump.
silent() { ! grep -v '^dtrace: [0-9]* of [0-9]* probes could not be enabled, e\.g\. ' "$tmp/err" | grep -q .; }
# Skips the script if the engine process cannot run here.
needs_engine_process() {
	run -qn 'BEGIN { exit(0); }'
	[ "$status" -eq 0 ] && return
	ok "$ordinary_what # SKIP $(head -n 1 "$tmp/err")"
	exit 0
}
