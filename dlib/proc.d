/* SPDX-License-Identifier: BSD-2-Clause */
/* proc: lives of processes and threads. */

#pragma D depends_on library procfs.d

provider proc {
	probe create(struct task_struct *t) : (psinfo_t *t);
	probe start();
	probe exec(string path);
	probe exec__failure(int error);
	probe exec__success();
	probe exit(int reason);
	probe lwp__create(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe lwp__start();
	probe lwp__exit();
	probe signal__send(struct task_struct *t, int sig) : (lwpsinfo_t *t, psinfo_t *t, int sig);
	probe signal__discard(struct task_struct *t, int sig) : (lwpsinfo_t *t, psinfo_t *t, int sig);
	probe signal__handle(int sig, struct kernel_siginfo *info, uintptr_t handler);
	probe signal__clear(int sig, struct kernel_siginfo *info);
	probe fault(int fault, struct kernel_siginfo *info);
};

#pragma D attributes Evolving/Evolving/ISA provider proc provider
#pragma D attributes Private/Private/Unknown provider proc module
#pragma D attributes Private/Private/Unknown provider proc function
#pragma D attributes Evolving/Evolving/ISA provider proc name
#pragma D attributes Evolving/Evolving/ISA provider proc args
