/* SPDX-License-Identifier: BSD-2-Clause */
/* sysinfo: statistics of the system, just before they grow. arg0 is the increment. */

provider sysinfo {
	probe bread(uint64_t n, uint64_t *stat, uintptr_t where); /* a buffer is read from a device */
	probe bwrite(uint64_t n, uint64_t *stat, uintptr_t where); /* a buffer is written to a device */
	probe bawrite(uint64_t n, uint64_t *stat, uintptr_t where); /* the same, asynchronously */
	probe lread(uint64_t n, uint64_t *stat, uintptr_t where); /* a buffer is used for reading */
	probe lwrite(uint64_t n, uint64_t *stat, uintptr_t where); /* a buffer is used for writing */
	probe phread(uint64_t n, uint64_t *stat, uintptr_t where); /* a device is read without buffers */
	probe phwrite(uint64_t n, uint64_t *stat, uintptr_t where); /* a device is written without buffers */
	probe pswitch(uint64_t n, uint64_t *stat, uintptr_t where); /* a CPU goes to another thread */
	probe inv_swtch(uint64_t n, uint64_t *stat, uintptr_t where); /* a thread had to leave its CPU */
	probe trap(uint64_t n, uint64_t *stat, uintptr_t where); /* a trap */
	probe intr(uint64_t n, uint64_t *stat, uintptr_t where); /* an interrupt */
	probe intrblk(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe intrunpin(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe idlethread(uint64_t n, uint64_t *stat, uintptr_t where); /* a CPU goes idle */
	probe syscall(uint64_t n, uint64_t *stat, uintptr_t where); /* a system call */
	probe sysread(uint64_t n, uint64_t *stat, uintptr_t where); /* a call that reads */
	probe syswrite(uint64_t n, uint64_t *stat, uintptr_t where); /* a call that writes */
	probe sysfork(uint64_t n, uint64_t *stat, uintptr_t where); /* fork */
	probe sysvfork(uint64_t n, uint64_t *stat, uintptr_t where); /* vfork */
	probe sysexec(uint64_t n, uint64_t *stat, uintptr_t where); /* exec */
	probe sysspawn(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe readch(uint64_t n, uint64_t *stat, uintptr_t where); /* bytes read by system calls */
	probe writech(uint64_t n, uint64_t *stat, uintptr_t where); /* bytes written by system calls */
	probe rcvint(uint64_t n, uint64_t *stat, uintptr_t where); /* an interrupt of a serial line: received */
	probe xmtint(uint64_t n, uint64_t *stat, uintptr_t where); /* the same: sent */
	probe mdmint(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe rawch(uint64_t n, uint64_t *stat, uintptr_t where); /* characters that a terminal got */
	probe canch(uint64_t n, uint64_t *stat, uintptr_t where); /* characters of edited lines */
	probe outch(uint64_t n, uint64_t *stat, uintptr_t where); /* characters that a terminal was given */
	probe msg(uint64_t n, uint64_t *stat, uintptr_t where); /* operations on message queues */
	probe sema(uint64_t n, uint64_t *stat, uintptr_t where); /* operations on semaphores */
	probe namei(uint64_t n, uint64_t *stat, uintptr_t where); /* names of files that are looked up */
	probe ufsiget(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe ufsdirblk(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe ufsipage(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe ufsinopage(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe procovf(uint64_t n, uint64_t *stat, uintptr_t where); /* a fork that failed because a limit was reached */
	probe nthreads(uint64_t n, uint64_t *stat, uintptr_t where); /* threads that were made */
	probe cpumigrate(uint64_t n, uint64_t *stat, uintptr_t where); /* a thread moves to another CPU */
	probe xcalls(uint64_t n, uint64_t *stat, uintptr_t where); /* calls from one CPU to another */
	probe mutex_adenters(uint64_t n, uint64_t *stat, uintptr_t where); /* a thread must sleep for a mutex */
	probe rw_rdfails(uint64_t n, uint64_t *stat, uintptr_t where); /* a reader has to wait */
	probe rw_wrfails(uint64_t n, uint64_t *stat, uintptr_t where); /* a writer has to wait */
	probe modload(uint64_t n, uint64_t *stat, uintptr_t where); /* a module is loaded */
	probe modunload(uint64_t n, uint64_t *stat, uintptr_t where); /* a module is removed */
};

#pragma D attributes Evolving/Evolving/ISA provider sysinfo provider
#pragma D attributes Private/Private/Unknown provider sysinfo module
#pragma D attributes Private/Private/Unknown provider sysinfo function
#pragma D attributes Evolving/Evolving/ISA provider sysinfo name
#pragma D attributes Private/Private/ISA provider sysinfo args
