/* SPDX-License-Identifier: BSD-2-Clause */
/* vminfo: statistics of virtual memory, just before they grow. arg0 is the increment. */

provider vminfo {
	probe as_fault(uint64_t n, uint64_t *stat, uintptr_t where);
	probe maj_fault(uint64_t n, uint64_t *stat, uintptr_t where);
	probe cow_fault(uint64_t n, uint64_t *stat, uintptr_t where);
	probe prot_fault(uint64_t n, uint64_t *stat, uintptr_t where);
	probe hat_fault(uint64_t n, uint64_t *stat, uintptr_t where);
	probe kernel_asflt(uint64_t n, uint64_t *stat, uintptr_t where);
	probe softlock(uint64_t n, uint64_t *stat, uintptr_t where);
	probe zfod(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgpgin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgpgout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe anonpgin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe anonpgout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe fspgin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe fspgout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe execpgin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe execpgout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe dfree(uint64_t n, uint64_t *stat, uintptr_t where);
	probe anonfree(uint64_t n, uint64_t *stat, uintptr_t where);
	probe fsfree(uint64_t n, uint64_t *stat, uintptr_t where);
	probe execfree(uint64_t n, uint64_t *stat, uintptr_t where);
	probe scan(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgrrun(uint64_t n, uint64_t *stat, uintptr_t where);
	probe rev(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgrec(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgfrec(uint64_t n, uint64_t *stat, uintptr_t where);
	probe swapin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgswapin(uint64_t n, uint64_t *stat, uintptr_t where);
	probe swapout(uint64_t n, uint64_t *stat, uintptr_t where);
	probe pgswapout(uint64_t n, uint64_t *stat, uintptr_t where);
};

#pragma D attributes Evolving/Evolving/ISA provider vminfo provider
#pragma D attributes Private/Private/Unknown provider vminfo module
#pragma D attributes Private/Private/Unknown provider vminfo function
#pragma D attributes Evolving/Evolving/ISA provider vminfo name
#pragma D attributes Private/Private/ISA provider vminfo args
