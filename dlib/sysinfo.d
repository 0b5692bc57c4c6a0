/* SPDX-License-Identifier: BSD-2-Clause */
/* sysinfo: statistics of the system, just before they grow. arg0 is the increment. */

provider sysinfo {
	probe bread(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe bwrite(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe bawrite(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe lread(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe lwrite(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe phread(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe phwrite(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pswitch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe inv_swtch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe trap(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe intr(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe intrblk(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe intrunpin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe idlethread(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe syscall(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sysread(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe syswrite(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sysfork(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sysvfork(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sysexec(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sysspawn(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe readch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe writech(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe rcvint(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe xmtint(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe mdmint(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe rawch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe canch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe outch(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe msg(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe sema(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe namei(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe ufsiget(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe ufsdirblk(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe ufsipage(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe ufsinopage(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe procovf(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe nthreads(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe cpumigrate(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe xcalls(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe mutex_adenters(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe rw_rdfails(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe rw_wrfails(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe modload(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe modunload(uint64_t n, uint64_t *counter, uintptr_t cpu);
};

#pragma D attributes Evolving/Evolving/ISA provider sysinfo provider
#pragma D attributes Private/Private/Unknown provider sysinfo module
#pragma D attributes Private/Private/Unknown provider sysinfo function
#pragma D attributes Evolving/Evolving/ISA provider sysinfo name
#pragma D attributes Private/Private/ISA provider sysinfo args
