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
is "a recording needs no hosts" 2 "--play does not go with --hosts" --web --hosts web1 --play "$tmp/none"
is "a bus needs hosts" 2 "need --hosts" --web --bus "$bus"
is "hosts compile themselves" 2 "hosts compile the program themselves" --web --hosts web1 -C -n BEGIN
is "destructive actions" 2 "destructive actions are never done" --web --hosts web1 -w -n BEGIN
mkdir "$tmp/alone"
cp "$build/dtrace-web" "$tmp/alone/"
"$tmp/alone/dtrace-web" --web --hosts web1 >"$tmp/out" 2>"$tmp/err"
status=$?
is "a build without the fleet" 2 "make builds it where libnats is"

in_host bus node test/web/fleet.mjs "$modules" "$dtrace" "$build" "$tmp" "$fleet" "$ld" ${SHOTS:+"$SHOTS"}
