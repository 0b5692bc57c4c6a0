/* SPDX-License-Identifier: BSD-2-Clause */
/* plockstat: locks of user processes; the locks are user addresses. */

provider plockstat {
	probe mutex__acquire(uintptr_t lock, int recursive, int spins);
	probe mutex__release(uintptr_t lock, int recursive);
	probe mutex__spin(uintptr_t lock);
	probe mutex__spun(uintptr_t lock, int success, int spins);
	probe mutex__block(uintptr_t lock);
	probe mutex__blocked(uintptr_t lock, int success);
	probe mutex__error(uintptr_t lock, int error);
	probe rw__acquire(uintptr_t lock, int writer);
	probe rw__release(uintptr_t lock, int writer);
	probe rw__block(uintptr_t lock, int writer);
	probe rw__blocked(uintptr_t lock, int writer, int success);
	probe rw__error(uintptr_t lock, int writer, int error);
};

#pragma D attributes Evolving/Evolving/ISA provider plockstat provider
#pragma D attributes Private/Private/Unknown provider plockstat module
#pragma D attributes Private/Private/Unknown provider plockstat function
#pragma D attributes Evolving/Evolving/ISA provider plockstat name
#pragma D attributes Evolving/Evolving/ISA provider plockstat args
