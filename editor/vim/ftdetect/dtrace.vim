" SPDX-License-Identifier: BSD-2-Clause
" Scripts that begin with #!…dtrace. *.d may be the other language of that name: it is ours if a line looks like a probe.
function! s:IsDTrace()
  if getline(1) =~# '^#!.*\<dtrace\>'
    return 1
  endif
  for line in getline(1, 200)
    if line =~# '^#pragma D \|^\s*\%(BEGIN\|END\|ERROR\)\s*$\|^\s*\%(\k\|[$*?]\)*:[^:]*:[^:]*:\|^\s*\%(BEGIN\|END\|tick-\w\+\|profile-\w\+\)\%([,/ ]\|$\)'
      return 1
    endif
  endfor
  return 0
endfunction
autocmd BufNewFile,BufRead * if getline(1) =~# '^#!.*\<dtrace\>' | set filetype=dtrace | endif
autocmd BufNewFile,BufRead *.d if s:IsDTrace() | set filetype=dtrace | endif
