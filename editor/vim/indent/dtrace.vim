" SPDX-License-Identifier: BSD-2-Clause
" Clauses are indented as C is.
if exists('b:did_indent')
  finish
endif
let b:did_indent = 1
setlocal cindent
setlocal cinoptions=:0,l1,t0,(0,L0
setlocal commentstring=/*\ %s\ */
let b:undo_indent = 'setlocal cindent< cinoptions< commentstring<'
