# SPDX-License-Identifier: BSD-2-Clause
# An untrusted process that claims to be a JVM, with tables, code heaps, scopes, methods and names that are invalid or
# change while they are read: only its own names are lost.
. test/cli/helpers.inc
may_trace "invalid frames of Java"
. test/cli/hostile/liar.inc
use_liar hotspot_liar libjvm.so.liar
right() { ! grep Liar "$tmp/out" | grep -qvE '^ *a\.Liar\.(inner|outer|\?\[3\?r) \(Liar\.java(:[12])?\)$'; }

lies honest
tr -s ' \n' ' ' <"$tmp/out" | grep -qF " a.Liar.inner (Liar.java:2) a.Liar.outer (Liar.java:2) \
a.Liar.inner (Liar.java:1) a.Liar.outer (Liar.java:2) libjvm.so.liar${tick}main"
check $? "valid frames are shown"

# the walk reads none of what is invalid here
for way in length control nul constant pool holder lines words itself numbers descs behind metadata size large id; do
	goes_on $way
done
# it reads these
for way in blob frame odd hops free segmap bits heap heaps blocks interpreter stride strides pages offsets far \
    static nothing; do
	begins_native $way
done
for way in circle wild race; do
	is_limited $way
done
