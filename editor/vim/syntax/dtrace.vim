" SPDX-License-Identifier: BSD-2-Clause
" D, the language of DTrace. Made by tools/editor-files: change that.
if exists('b:current_syntax')
  finish
endif
let s:cpo = &cpo
set cpo&vim
syn case match
setlocal iskeyword=@,48-57,_

syn keyword dtraceKeyword auto break case continue counter default do else extern for goto if import inline
syn keyword dtraceKeyword offsetof probe provider register return self sizeof static stringof switch this
syn keyword dtraceKeyword translator typedef while xlate
syn keyword dtraceType _Bool boolean_t char const dev_t double enum float gid_t id_t int int16_t int32_t int64_t
syn keyword dtraceType int8_t intptr_t long longlong_t pid_t restrict short signed size_t ssize_t string struct
syn keyword dtraceType u_longlong_t uchar_t uid_t uint16_t uint32_t uint64_t uint8_t uint_t uintptr_t ulong_t
syn keyword dtraceType union unsigned userland ushort_t void volatile
syn keyword dtraceFunction alloca basename bcopy cleanpath copyin copyinargv copyinstr copyinto copyout copyoutmbuf
syn keyword dtraceFunction copyoutstr d_path ddi_pathname dentry_path dirname getf getmajor getminor htonl htonll
syn keyword dtraceFunction htons index inet_ntoa inet_ntoa6 inet_ntop json link_ntop lltostr memref memstr msgdsize
syn keyword dtraceFunction msgsize mutex_owned mutex_owner mutex_type_adaptive mutex_type_spin ntohl ntohll ntohs
syn keyword dtraceFunction progenyof rand random rindex rw_iswriter rw_read_held rw_write_held speculation strchr
syn keyword dtraceFunction strip strjoin strlen strmatch strrchr strstr strtok strtoll substr sx_exclusive_held
syn keyword dtraceFunction sx_isexclusive sx_shared_held tolower toupper uuidstr
syn keyword dtraceAction breakpoint cat chill clear commit denormalize discard exit freopen ftruncate func jstack
syn keyword dtraceAction mod normalize panic pcap print printa printf printm raise setopt speculate stack stop sym
syn keyword dtraceAction system trace tracemem trunc uaddr ufunc umod ustack usym
syn keyword dtraceAggregating avg count llquantize lquantize max min percentiles quantize stddev sum
syn keyword dtraceVariable arg0 arg1 arg2 arg3 arg4 arg5 arg6 arg7 arg8 arg9 args caller cgroup cgroupid chip
syn keyword dtraceVariable container cpu curcpu curlwpsinfo curpsinfo curthread cwd epid errno errno_string execargs
syn keyword dtraceVariable execenv execname fds gid goid hostname id ipl jailname jid lgrp nspid pid ppid probefunc
syn keyword dtraceVariable probemod probename probeprov pset regs root signal_string stackdepth starttime
syn keyword dtraceVariable tcp_state_string threadname tid timestamp ucaller uid uregs ustackdepth vmregs vtimestamp
syn keyword dtraceVariable walltimestamp zonename
syn keyword dtraceOption contained agghist aggmerge aggpack aggpercpu aggrate aggsize aggsortkey aggsortkeypos aggsortpos
syn keyword dtraceOption contained aggsortrev aggzoom amin argref bpflog bpflogsize bufpolicy bufresize bufsize cgroup
syn keyword dtraceOption contained childstatus cleanrate color container core cpp cppargs cpphdrs cpppath cpu ctfpath ctypes
syn keyword dtraceOption contained debug debugassert defaultargs define demangle destructive disasm dofstashpath droptags
syn keyword dtraceOption contained dtypes dynvarsize empty encoding engine errtags evaltime exechold flowindent follow
syn keyword dtraceOption contained formatthreads grabanon hostroot incdir inlines iregs jstackframes jstackstrsize kdefs
syn keyword dtraceOption contained knodefs late layout lazyload ldpath libdir lines linkmode linknommap linktype lockmem
syn keyword dtraceOption contained maxframes mergestacks modpath namesize nolibs noresolve nspec objcopypath oformat
syn keyword dtraceOption contained pcapsize pgmax preallocate printsize procfspath pspec quiet quietresize rawbytes
syn keyword dtraceOption contained rawsyscall replay scratchsize setenv specsize stackframes stackindent stacklang
syn keyword dtraceOption contained statusrate stdc strip strsize switchrate syslibdir sysslice target temporal tree tregs
syn keyword dtraceOption contained udefs undef undumpable units unodefs unsetenv unwind unwindsize uretprobe useruid
syn keyword dtraceOption contained ustackframes verbose version walltime zdefs zone

" Words with a meaning elsewhere: members, and names behind `
syn match dtraceMember "\%(\.\|->\)\@2<=\s*\h\w*"
syn match dtraceSymbol "\h\w*`\h\w*\|`\h\w*"
syn match dtraceAggregation "@\w*"
syn match dtraceMacro "\$\%(\$\?\h\w*\|\$\?\d\+\)"
syn match dtraceNumber "\<\%(0[xX]\x\+\|\d\+\)[uUlL]*\>"
syn match dtraceProbe "^\s*\zs\%(\%([^[:space:]:;{}/"']*:\)\{1,3}[^[:space:];{}/"',]*\|BEGIN\|END\|ERROR\)\%(,\s*\%([^[:space:];{}/"',]\+\)\)*"
syn match dtraceConversion contained "%%\|%[-+ #0'@*]*\d*\%(\.\%(\d\+\|\*\)\)\?\%(hh\|h\|ll\|l\|L\|w\)\?[a-zA-Z]"
syn match dtraceEscape contained "\\\%(\o\{1,3}\|x\x\+\|.\)"
syn region dtraceString start=+"+ skip=+\\.+ end=+"+ contains=dtraceConversion,dtraceEscape,@Spell
syn region dtraceCharacter start=+'+ skip=+\\.+ end=+'+ oneline contains=dtraceEscape
syn region dtraceComment start="/\*" end="\*/" contains=@Spell,dtraceTodo
syn keyword dtraceTodo contained TODO FIXME XXX
syn match dtraceComment "\%^#!.*"
syn region dtracePragma start="^\s*#" end="$" contains=dtraceOption,dtraceComment,dtraceString keepend

hi def link dtraceKeyword Statement
hi def link dtraceType Type
hi def link dtraceFunction Function
hi def link dtraceAction Function
hi def link dtraceAggregating Function
hi def link dtraceVariable Identifier
hi def link dtraceOption Special
hi def link dtraceSymbol Identifier
hi def link dtraceAggregation PreProc
hi def link dtraceMacro PreProc
hi def link dtraceNumber Number
hi def link dtraceProbe Label
hi def link dtraceConversion SpecialChar
hi def link dtraceEscape SpecialChar
hi def link dtraceString String
hi def link dtraceCharacter Character
hi def link dtraceComment Comment
hi def link dtraceTodo Todo
hi def link dtracePragma PreProc

let b:current_syntax = 'dtrace'
let &cpo = s:cpo
unlet s:cpo
