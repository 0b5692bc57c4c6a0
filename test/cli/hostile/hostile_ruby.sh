# SPDX-License-Identifier: BSD-2-Clause
# An untrusted process that claims to be Ruby, with frames, strings and tables that are invalid or change while they are
# read: only its own names are lost.
. test/cli/helpers.inc
may_trace "invalid frames of Ruby"
. test/cli/hostile/liar.inc
use_liar ruby_liar rubyliar
right() { ! grep -q '^ *liar (liar.rb:[^7]' "$tmp/out"; }

lies honest
grep -A2 "rubyliar${tick}rb_vm_exec" "$tmp/out" | tr -s ' \n' ' ' | grep -q 'in_c liar (liar.rb:7) ' && native main
check $? "valid frames are shown"

for way in length kind control lines size ranks freed nowhere method ids version; do
	goes_on $way
done
for way in endless wild race; do
	is_limited $way
done
