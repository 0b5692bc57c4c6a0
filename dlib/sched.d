/* SPDX-License-Identifier: BSD-2-Clause */
/* sched: who runs where, and why not. */

#pragma D depends_on library procfs.d
#pragma D depends_on library cpu.d

provider sched {
	probe on__cpu();
	probe off__cpu(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe remain__cpu();
	probe enqueue(struct task_struct *t, int c, int front) : (lwpsinfo_t *t, psinfo_t *t, cpuinfo_t *c, int front);
	probe dequeue(struct task_struct *t, int c) : (lwpsinfo_t *t, psinfo_t *t, cpuinfo_t *c);
	probe sleep();
	probe wakeup(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe preempt();
	probe surrender(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe tick(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t);
	probe change__pri(struct task_struct *t, pri_t pri) : (lwpsinfo_t *t, psinfo_t *t, pri_t pri);
	probe lend__pri(struct task_struct *t, pri_t pri, struct task_struct *from) :
	    (lwpsinfo_t *t, psinfo_t *t, pri_t pri, lwpsinfo_t *from);
	probe load__change(int cpu, int load);
};

#pragma D attributes Evolving/Evolving/ISA provider sched provider
#pragma D attributes Private/Private/Unknown provider sched module
#pragma D attributes Private/Private/Unknown provider sched function
#pragma D attributes Evolving/Evolving/ISA provider sched name
#pragma D attributes Evolving/Evolving/ISA provider sched args
