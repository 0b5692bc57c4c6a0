# SPDX-License-Identifier: BSD-2-Clause
# Mistakes that people make in their first hour (N B12, N 3), and the word that helps each of them.
. test/cli/helpers.inc

# says WHAT TEXT ARGS…: refused, with this in the message
says() {
	what=$1 text=$2
	shift 2
	run "$@"
	is "$what" 1 "$text"
}

says "two letters turned" 'did you mean `printf`?' -e -n 'BEGIN { prinft("x"); }'
says "single quotes" "strings are written in double quotes" -e -n "BEGIN /execname == 'bash'/ { }"
says "strings that are added" "strjoin(a, b) joins strings" -e -n 'BEGIN { x = "a" + "b"; }'
says "exit without a status" "exit(0) ends with status 0" -e -n 'BEGIN { exit(); }'
says "a declaration in a clause" "this->x = 1 makes a variable of the clause" -e -n 'BEGIN { int x = 1; }'
says "a size that is none" "a size in bytes: 4096, 64k, 4m, 1g" -x bufsize=4x -n BEGIN
says "a rate that is none" "a time or a rate: 10ms, 2s, 50hz" -x switchrate=fast -n BEGIN
says "a word that is none" "ring, fill or switch" -x bufpolicy=round -n BEGIN
says "a switch that is none" "yes or no" -x quiet=maybe -n BEGIN
: >"$tmp/script.d"
# P2: what people who come from bpftrace write first
says "-e and a program" "a program is given with -n: dtrace -e -n 'BEGIN { exit(0); }'; -e only checks it" -e 'BEGIN { exit(0); }'
says "a program without -n" "a program is given with -n: dtrace -n 'BEGIN { exit(0); }'" -q 'BEGIN { exit(0); }'
says "a script that is not there, without -s" "a script is given with -s: dtrace -s nosuch.d" nosuch.d
says "a variable with a dollar" 'a variable has no $: x, or this->x for the clause alone' -e -n 'BEGIN { $x = 1; }'
says "a misspelt macro" 'did you mean `$target`?' -e -n 'BEGIN { trace($taget); }'
says "and" "D writes and as &&" -e -n 'BEGIN /pid > 1 and pid > 2/ { }'
says "or" "D writes or as ||" -e -n 'BEGIN { if (pid > 1 or pid > 2) { exit(0); } }'
says "mod" "D writes mod as %" -e -n 'BEGIN { trace(pid mod 2); }'
says "a clause as a second word" "the clause belongs into the same quotes" -e -n 'syscall::read:entry' '{ exit(0); }'
says "a predicate as a second word" "the clause belongs into the same quotes" -e -n 'BEGIN' '/pid == 1/ { exit(0); }'
# P7: a long program is not repeated before the message
says "a program of more than a line's width" "invalid probe specifier BEGIN { printf(\"%s %s %s %s\", execname, execname ...: in action list: failed to resolve nosuch" \
	-e -n 'BEGIN { printf("%s %s %s %s", execname, execname, execname, execname); trace(nosuch); }'
says "many lines" "invalid probe specifier BEGIN ...: in action list: failed to resolve nosuch" -e -n 'BEGIN
{ trace(nosuch); }'
says "a script without -s" "a script is given with -s: dtrace -s $tmp/script.d" "$tmp/script.d"

says "the load, of Solaris" "cat(\"/proc/loadavg\") prints the load" -e -n 'BEGIN { trace(`avenrun[0]); }'
says "the number of CPUs, of Solaris" "/sys/devices/system/cpu/online" -e -n 'BEGIN { trace(`ncpus_online); }'
says "the machine's name, of Solaris" "curthread->nsproxy->uts_ns->name" -e -n 'BEGIN { trace(`utsname.nodename); }'
# issue 12, historic scripts: SYMBOL and what its hint has
while read -r symbol text; do
	says "\`$symbol, of another kernel" "$text" -e -n "BEGIN { trace(\`$symbol); }"
done <<'END'
hz timestamp counts nanoseconds
time walltimestamp counts nanoseconds since 1970
hrestime walltimestamp counts nanoseconds since 1970
lbolt timestamp / 10000000
maxmem /proc/meminfo
lotsfree /proc/meminfo
kmem_flags /proc/slabinfo
ncstats /proc/sys/fs/dentry-state
nchstats /proc/sys/fs/dentry-state
practive proc:::create
hostname uts_ns->name.nodename
rootdir curthread->fs->root
panicstr in its log
END
says "free memory, with a module" "/proc/meminfo" -e -n 'BEGIN { trace(genunix`freemem); }'
may_trace "probes that are not there"
says "a probe of sched" "did you mean sched:::on-cpu?" -n 'sched:::on-cpuu { }'
says "a probe of tcp" "did you mean tcp:::connect-request?" -n 'tcp:::conect-request { }'
says "a probe of proc" "did you mean proc:::exec-success?" -n 'proc:::exec-sucess { }'
says "a system call" "did you mean open" -n 'syscall::opne:entry { }'
says "a colon that is missing" "did you mean syscall::openat:entry?" -n 'syscall:openat:entry { }'
says "a function of a process" "did you mean main?" -n 'pid$target:a.out:mian:entry { }' -c "$calls 0"
says "nobody is the target" '$target is the one of -p or -c' -n 'pid$target::main:entry { }'
says "uprobe: of another tracer" 'pid$target:MODULE:FUNCTION:entry' -n 'uprobe:/bin/bash:readline { }'
says "usdt: of another tracer" 'PROVIDER$target:MODULE::NAME' -n 'usdt:/usr/bin/python3.11:function__entry { }'
says "profile:hz:99 of another tracer" "did you mean profile-99hz?" -n 'profile:hz:99 { }'
says "interval:ms:10 of another tracer" "did you mean tick-10ms?" -n 'interval:ms:10 { }'
says "a function of a process, in no module" "did you mean main?" -n 'pid$target::mian:entry { }' -c "$calls 0"
says "destructive actions" "-w, or #pragma D option destructive, allows them" -n 'BEGIN { raise(9); }'
# L11: a reason wherever nothing matches, from -n and -l alike
while IFS='|' read -r description text; do
	says "-n $description" "$text" -n "$description { }"
	run -ln "$description"
	grep -qF -- "$text" "$tmp/err"
	check $? "-ln $description says it too"
done <<'END'
mib:::udpInDatagrams|did you mean mib:::udpHCInDatagrams?
mib:::no_such_counter|provider mib has no probe no_such_counter: dtrace -l -P mib lists what it has
tcp::entry|tcp stands for the module here
io|io is a provider
io:::strat|did you mean io:::start?
smb:::|fbt:ksmbd::
nfsv4:::op-read-start|nfsv4:::op-read-done and compound-start are there
sysevent:::post|kobject_uevent_env
mach_trap::mach_msg:entry|syscall:::
END
for what in 'mac_framework security modules' 'priv priv_check' 'dtaudit audit'; do
	if listed "${what%% *}:::"; then
		ok "${what%% *}::: # SKIP this kernel has them"
	else
		grep -qF "${what#* }" "$tmp/err" && grep -q 'way to trace its functions\|audit=1\|auditctl' "$tmp/err"
		check $? "${what%% *}::: says why there are none"
	fi
done
