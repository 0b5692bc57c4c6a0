# SPDX-License-Identifier: BSD-2-Clause
# Random structs, unions and bit-fields have C's sizes, offsets and bits.
differ=layout seeds="21 22" count=25 what="layout of structs and bit-fields as in C"
. test/tool/differ.sh
