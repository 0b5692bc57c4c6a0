# SPDX-License-Identifier: BSD-2-Clause
# An untrusted process that claims to be Node.js, with functions, strings, scripts and tables that are invalid or change
# while they are read: only its own names are lost.
. test/cli/helpers.inc
may_trace "invalid frames of JavaScript"
. test/cli/hostile/liar.inc
use_liar v8_liar nodeliar
right() { ! grep -q '^ *liar (liar.js:[^2]' "$tmp/out"; }

lies honest
grep -A1 "nodeliar${tick}descend" "$tmp/out" | grep -q '^ *liar (liar.js:2)' && native main
check $? "valid frames are shown"

for way in cons sliced thin moved length control kind locals many varint size freed nowhere self smi constants offsets; do
	goes_on $way
done
for way in circle far wild race; do
	is_limited $way
done
