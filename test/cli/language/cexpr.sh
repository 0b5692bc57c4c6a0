# SPDX-License-Identifier: BSD-2-Clause
# D's integers have 64 bits (S C1): random expressions and assignments over variables of every type, in D and in C with uint64_t, must
# print the same. Constants assigned to declared variables are converted, all else is kept whole (N1).
differ=run seeds="1 2 3 4" count=800 what="expressions over variables as in 64-bit C"
. test/tool/differ.sh
