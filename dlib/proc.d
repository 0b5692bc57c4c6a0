/* SPDX-License-Identifier: BSD-2-Clause */
/* proc: lives of processes and threads. */

#pragma D depends_on library procfs.d

provider proc {
	probe create(struct task_struct *t) : (psinfo_t *t); /* a process is made; in its parent */
	probe start(); /* a process begins to run */
	probe exec(string path, string argv, string envp); /* a program is about to be executed: its arguments and environment */
	probe exec__failure(int error); /* that failed */
	probe exec__success(); /* it runs; pid is the same, execname is new */
	probe exit(int reason); /* a process ends; args[0] is CLD_EXITED, CLD_KILLED, CLD_DUMPED */
	probe lwp__create(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t); /* a thread is made */
	probe lwp__start(); /* a thread begins to run */
	probe lwp__exit(); /* a thread ends */
	probe signal__send(struct task_struct *t, int sig) : (lwpsinfo_t *t, psinfo_t *t, int sig); /* a signal is sent; args[1] is who gets it */
	probe signal__discard(struct task_struct *t, int sig) : (lwpsinfo_t *t, psinfo_t *t, int sig); /* a signal is ignored */
	probe signal__handle(int sig, struct kernel_siginfo *info, uintptr_t handler); /* a handler is about to run, or the default ends the process */
	probe signal__clear(int sig, struct kernel_siginfo *info); /* a thread that waited for a signal has it */
	probe fault(int fault, struct kernel_siginfo *info); /* the process did what is not allowed; args[0] is FLT* */
};

#pragma D attributes Evolving/Evolving/ISA provider proc provider
#pragma D attributes Private/Private/Unknown provider proc module
#pragma D attributes Private/Private/Unknown provider proc function
#pragma D attributes Evolving/Evolving/ISA provider proc name
#pragma D attributes Evolving/Evolving/ISA provider proc args
