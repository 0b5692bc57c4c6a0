# SPDX-License-Identifier: BSD-2-Clause
# The script that reads this first runs with limits of its own (issue 11): each of its processes has 3 GB of address space, and
# none of them, dtrace and its readers among them, may ever have had more memory than the budget of names (256 MB) and 32 MB,
# which are for all else.
if [ -z "$BOUNDED" ]; then
	export BOUNDED=1
	within=3000 peaks=$(mktemp) || exit 2
	nm "${DTRACE:-${BUILD:-build}/dtrace}" 2>/dev/null | grep -q __asan_init && within=0
	"${BUILD:-build}/test/peak" "$peaks" $within sh "$0" "$@"
	status=$? peak=$(cat "$peaks")
	rm -f "$peaks"
	if [ $within -eq 0 ]; then
		echo "ok - memory of all processes # SKIP a sanitizer needs more"
	elif [ "${peak:-999999}" -le 288 ]; then
		echo "ok - no process had more than 288 MB: $peak MB"
	else
		echo "not ok - a process had $peak MB, and 288 were its limit"
	fi
	exit $status
fi
