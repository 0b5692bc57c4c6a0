# SPDX-License-Identifier: BSD-2-Clause
# Members of psinfo_t, lwpsinfo_t and cpuinfo_t that scripts of others read (T 9, S B6, P 4.16), and constants for them.
. test/cli/helpers.inc

run -e -n 'BEGIN { trace(PR_IDLE); trace(ARPHRD_ETHER); trace(DTRACEFLT_UNKNOWN); }'
check "$status" "constants: PR_IDLE, ARPHRD_ETHER, DTRACEFLT_UNKNOWN (S C8)"
run -e -n 'typedef int t; t x; BEGIN { x = 1; trace(x); }'
check "$status" "a typedef in the text of -n (S C7)"
may_trace "members of psinfo_t"

env -i first=one second=two "$dtrace" -qc "$calls 0 three four" -n '
syscall::exit_group:entry /pid == $target/ {
	this->argv = (uint64_t *)copyin(curpsinfo->pr_argv, 8 * curpsinfo->pr_argc);
	this->envp = (uint64_t *)copyin(curpsinfo->pr_envp, 24);
	printf("argc %d\nargv %s %s\n", curpsinfo->pr_argc, copyinstr(this->argv[2]), copyinstr(this->argv[3]));
	printf("envp %s %s %d\n", copyinstr(this->envp[0]), copyinstr(this->envp[1]), (int)this->envp[2]);
	printf("lwp %d\n", curpsinfo->pr_lwp.pr_lwpid == tid);
	this->age = walltimestamp / 1000000000 - curpsinfo->pr_start.tv_sec;
	printf("age %d\n", this->age >= 0 && this->age < 600);
	printf("cpu %d\n", strlen(stringof(curcpu->cpu_info.pi_processor_type)) > 0);
}' >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
is "pr_argc" 0 "argc 4"
is "pr_argv is the vector" 0 "argv three four"
is "pr_envp is the vector" 0 "envp first=one second=two 0"
is "pr_lwp" 0 "lwp 1"
is "pr_start" 0 "age 1"
is "cpu_info" 0 "cpu 1"
# without a terminal there is none
setsid "$dtrace" -qn 'BEGIN { printf("tty %d\n", (int)curpsinfo->pr_ttydev); exit(0); }' >"$tmp/out" 2>"$tmp/err" </dev/null
status=$?
grep -qx 'tty -1' "$tmp/out"
check $? "pr_ttydev of a process without a terminal"
