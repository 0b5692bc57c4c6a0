# SPDX-License-Identifier: BSD-2-Clause
# Stacks of Java: interpreted, compiled and inlined calls, and calls by native code, each frame as jstack(1) has it.
. test/cli/helpers.inc
may_trace "stacks of Java"
. test/cli/stack/java.inc
has_java
java_stacks "interpreted" "$(command -v java)" 8 100 $$ 200 -Xint
java_stacks "compiled" "$(command -v java)" 24 100 $$ 20000
