/* SPDX-License-Identifier: BSD-2-Clause */
/* vminfo: statistics of virtual memory, just before they grow. arg0 is the increment. */

provider vminfo {
	probe as_fault(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe maj_fault(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe cow_fault(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe prot_fault(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe hat_fault(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe kernel_asflt(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe softlock(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe zfod(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgpgin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgpgout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe anonpgin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe anonpgout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe fspgin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe fspgout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe execpgin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe execpgout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe dfree(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe anonfree(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe fsfree(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe execfree(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe scan(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgrrun(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe rev(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgrec(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgfrec(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe swapin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgswapin(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe swapout(uint64_t n, uint64_t *counter, uintptr_t cpu);
	probe pgswapout(uint64_t n, uint64_t *counter, uintptr_t cpu);
};

#pragma D attributes Evolving/Evolving/ISA provider vminfo provider
#pragma D attributes Private/Private/Unknown provider vminfo module
#pragma D attributes Private/Private/Unknown provider vminfo function
#pragma D attributes Evolving/Evolving/ISA provider vminfo name
#pragma D attributes Private/Private/ISA provider vminfo args
