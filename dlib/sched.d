/* SPDX-License-Identifier: BSD-2-Clause */
/* sched: who runs where, and why not. */

#pragma D depends_on library procfs.d
#pragma D depends_on library cpu.d

provider sched {
	probe on__cpu(); /* a thread gets a CPU */
	probe off__cpu(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t); /* a thread is about to leave its CPU; the arguments are the next one */
	probe remain__cpu(); /* the scheduler chose the same thread again */
	probe enqueue(struct task_struct *t, int c, int front) : (lwpsinfo_t *t, psinfo_t *t, cpuinfo_t *c, int front); /* a thread is ready, and waits for a CPU */
	probe dequeue(struct task_struct *t, int c) : (lwpsinfo_t *t, psinfo_t *t, cpuinfo_t *c); /* it has waited */
	probe sleep(); /* a thread leaves its CPU to wait for something */
	probe wakeup(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t); /* a thread wakes another */
	probe preempt(); /* a thread leaves its CPU, and would go on */
	probe surrender(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t); /* a thread gives up its CPU, or the scheduler asks it to */
	probe tick(struct task_struct *t) : (lwpsinfo_t *t, psinfo_t *t); /* the clock of the scheduler */
	probe change__pri(struct task_struct *t, pri_t pri) : (lwpsinfo_t *t, psinfo_t *t, pri_t pri); /* a priority changes */
	probe lend__pri(struct task_struct *t, pri_t pri, struct task_struct *from) :
	    (lwpsinfo_t *t, psinfo_t *t, pri_t pri, lwpsinfo_t *from); /* a mutex lends the priority of who waits */
	probe load__change(int cpu, int load); /* the number of ready threads of a CPU changes */
};

#pragma D attributes Evolving/Evolving/ISA provider sched provider
#pragma D attributes Private/Private/Unknown provider sched module
#pragma D attributes Private/Private/Unknown provider sched function
#pragma D attributes Evolving/Evolving/ISA provider sched name
#pragma D attributes Evolving/Evolving/ISA provider sched args
