# SPDX-License-Identifier: BSD-2-Clause
# A constant expression is worth the same folded, computed at run time, and in C with uint64_t; conditions of ?: are constant too (N19).
differ=fold seeds="11 12" count=400 what="constant expressions folded, computed and in 64-bit C"
. test/tool/differ.sh
