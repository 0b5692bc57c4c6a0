/* SPDX-License-Identifier: BSD-2-Clause */
/* sysinfo: statistics of the system, just before they grow. arg0 is the increment. */

provider sysinfo {
	probe bread(uint64_t n, uint64_t *stat, uintptr_t where);
	probe bwrite(uint64_t n, uint64_t *stat, uintptr_t where);
	probe bawrite(uint64_t n, uint64_t *stat, uintptr_t where);
	probe lread(uint64_t n, uint64_t *stat, uintptr_t where);
	probe lwrite(uint64_t n, uint64_t *stat, uintptr_t where);
	probe phread(uint64_t n, uint64_t *stat, uintptr_t where);
	probe phwrite(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pswitch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe inv_swtch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe trap(uint64_t n, uint64_t *stat, uintptr_t where);
	probe intr(uint64_t n, uint64_t *stat, uintptr_t where);
	probe intrblk(uint64_t n, uint64_t *stat, uintptr_t where);
	probe intrunpin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe idlethread(uint64_t n, uint64_t *stat, uintptr_t where);
	probe syscall(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sysread(uint64_t n, uint64_t *stat, uintptr_t where);
	probe syswrite(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sysfork(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sysvfork(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sysexec(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sysspawn(uint64_t n, uint64_t *stat, uintptr_t where);
	probe readch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe writech(uint64_t n, uint64_t *stat, uintptr_t where);
	probe rcvint(uint64_t n, uint64_t *stat, uintptr_t where);
	probe xmtint(uint64_t n, uint64_t *stat, uintptr_t where);
	probe mdmint(uint64_t n, uint64_t *stat, uintptr_t where);
	probe rawch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe canch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe outch(uint64_t n, uint64_t *stat, uintptr_t where);
	probe msg(uint64_t n, uint64_t *stat, uintptr_t where);
	probe sema(uint64_t n, uint64_t *stat, uintptr_t where);
	probe namei(uint64_t n, uint64_t *stat, uintptr_t where);
	probe ufsiget(uint64_t n, uint64_t *stat, uintptr_t where);
	probe ufsdirblk(uint64_t n, uint64_t *stat, uintptr_t where);
	probe ufsipage(uint64_t n, uint64_t *stat, uintptr_t where);
	probe ufsinopage(uint64_t n, uint64_t *stat, uintptr_t where);
	probe procovf(uint64_t n, uint64_t *stat, uintptr_t where);
	probe nthreads(uint64_t n, uint64_t *stat, uintptr_t where);
	probe cpumigrate(uint64_t n, uint64_t *stat, uintptr_t where);
	probe xcalls(uint64_t n, uint64_t *stat, uintptr_t where);
	probe mutex_adenters(uint64_t n, uint64_t *stat, uintptr_t where);
	probe rw_rdfails(uint64_t n, uint64_t *stat, uintptr_t where);
	probe rw_wrfails(uint64_t n, uint64_t *stat, uintptr_t where);
	probe modload(uint64_t n, uint64_t *stat, uintptr_t where);
	probe modunload(uint64_t n, uint64_t *stat, uintptr_t where);
};

#pragma D attributes Evolving/Evolving/ISA provider sysinfo provider
#pragma D attributes Private/Private/Unknown provider sysinfo module
#pragma D attributes Private/Private/Unknown provider sysinfo function
#pragma D attributes Evolving/Evolving/ISA provider sysinfo name
#pragma D attributes Private/Private/ISA provider sysinfo args
