# SPDX-License-Identifier: BSD-2-Clause
# A dtrace without dtrace-fleet beside it, as a static build is: --hosts says what is missing, and how to get it.
. test/cli/helpers.inc
cp "$dtrace" "$tmp/dtrace"
for what in "-n BEGIN" "-ln BEGIN" "--play --since -1h"; do
	"$tmp/dtrace" --hosts web1 $what >"$tmp/out" 2>"$tmp/err" </dev/null
	same "--hosts $what" "$? $(grep -c 'is the command dtrace-fleet, which is not here: make builds it where libnats is (apt-get install libnats-dev), and a static build lacks it' "$tmp/err")" "1 1"
done
