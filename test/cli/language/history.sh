# SPDX-License-Identifier: BSD-2-Clause
# L10: descriptions with the module or function that another system has the probes of a stable provider in. They mean the
# probe of that name, and only -v says so.
. test/cli/helpers.inc
may_trace "historic descriptions"

# was DESCRIPTION PROVIDER NAME: matches exactly what PROVIDER:::NAME does
was() {
	if ! listed "$2:::$3"; then
		ok "$1 # SKIP this kernel has no $2:::$3"
		return
	fi
	"$dtrace" -ln "$2:::$3" >"$tmp/want" 2>&1
	"$dtrace" -ln "$1" >"$tmp/out" 2>"$tmp/err"
	cmp -s "$tmp/want" "$tmp/out" && ! [ -s "$tmp/err" ]
	check $? "$1 is $2:::$3"
}
was io:genunix::start io start
was io:genunix:bdev_strategy:start io start
was io:mach_kernel:buf_strategy:start io start
was sysinfo:unix:idle_enter:idlethread sysinfo idlethread
was proc::proc_exit:exit proc exit
was sched:TS:ts_tick:tick sched tick
was vminfo:genunix:as_fault:as_fault vminfo as_fault
was fsinfo:genunix:fop_read:read fsinfo read
was mib:ip::tcpActiveOpens mib tcpActiveOpens
was tcp:ip:tcp_input_data:receive tcp receive
was lockstat:genunix:mutex_enter:adaptive-block lockstat adaptive-block

run -q -x switchrate=10 -n 'proc:genunix:proc_exit:exit /pid == $target/ { printf("reason %d\n", args[0]); }' -c true
is "its arguments have types, and it fires" 0 "reason 1"
[ ! -s "$tmp/err" ]
check $? "nothing is said of it, nor of switchrate=10, without -v"
run -v -q -n 'proc:genunix:proc_exit:exit { } BEGIN { exit(0); }'
is "-v says what it means" 0 "here it means proc:::exit"
run -n 'io:no_such_module::start'
is "other modules are an error" 1 "io:::start matches everywhere"
run -n 'fbt:genunix:fop_read:entry'
is "and so are those of unstable providers" 1 "does not match any probes"
