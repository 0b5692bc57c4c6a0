/* SPDX-License-Identifier: BSD-2-Clause */
/* vminfo: statistics of virtual memory, just before they grow. arg0 is the increment. */

provider vminfo {
	probe as_fault(uint64_t n, uint64_t *stat, uintptr_t where); /* a page fault */
	probe maj_fault(uint64_t n, uint64_t *stat, uintptr_t where); /* one that has to read a device */
	probe cow_fault(uint64_t n, uint64_t *stat, uintptr_t where); /* a page is copied because it is written */
	probe prot_fault(uint64_t n, uint64_t *stat, uintptr_t where); /* a fault that ends in SIGSEGV */
	probe hat_fault(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe kernel_asflt(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe softlock(uint64_t n, uint64_t *stat, uintptr_t where); /* a page is locked for I/O */
	probe zfod(uint64_t n, uint64_t *stat, uintptr_t where); /* a page of zeros is given out */
	probe pgin(uint64_t n, uint64_t *stat, uintptr_t where); /* requests that read pages */
	probe pgpgin(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are read */
	probe pgout(uint64_t n, uint64_t *stat, uintptr_t where); /* requests that write pages */
	probe pgpgout(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are written */
	probe anonpgin(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are read from swap */
	probe anonpgout(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are written to swap */
	probe fspgin(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are read from files */
	probe fspgout(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are written to files */
	probe execpgin(uint64_t n, uint64_t *stat, uintptr_t where); /* pages of programs that are read */
	probe execpgout(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe dfree(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are freed */
	probe anonfree(uint64_t n, uint64_t *stat, uintptr_t where); /* pages of processes that are freed */
	probe fsfree(uint64_t n, uint64_t *stat, uintptr_t where); /* pages of files that are freed */
	probe execfree(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe scan(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are looked at for reclaim */
	probe pgrrun(uint64_t n, uint64_t *stat, uintptr_t where); /* the reclaimer is started */
	probe rev(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe pgrec(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that are kept because they are used */
	probe pgfrec(uint64_t n, uint64_t *stat, uintptr_t where); /* never on Linux */
	probe swapin(uint64_t n, uint64_t *stat, uintptr_t where); /* requests that read from swap */
	probe pgswapin(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that they read */
	probe swapout(uint64_t n, uint64_t *stat, uintptr_t where); /* requests that write to swap */
	probe pgswapout(uint64_t n, uint64_t *stat, uintptr_t where); /* pages that they write */
};

#pragma D attributes Evolving/Evolving/ISA provider vminfo provider
#pragma D attributes Private/Private/Unknown provider vminfo module
#pragma D attributes Private/Private/Unknown provider vminfo function
#pragma D attributes Evolving/Evolving/ISA provider vminfo name
#pragma D attributes Private/Private/ISA provider vminfo args
