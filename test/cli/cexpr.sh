# SPDX-License-Identifier: BSD-2-Clause
# D's integers are C's: random expressions and assignments over variables, in D and in C, must print the same.
differ=run seeds="1 2 3 4" count=800 what="expressions over variables as in C"
. test/tool/differ.sh
