/* SPDX-License-Identifier: BSD-2-Clause */
/* plockstat: locks of user processes; the locks are user addresses. */

provider plockstat {
	probe mutex__acquire(uintptr_t lock, int recursive, int spins); /* a mutex is taken */
	probe mutex__release(uintptr_t lock, int recursive); /* it is given back */
	probe mutex__spin(uintptr_t lock); /* a thread begins to spin for a mutex */
	probe mutex__spun(uintptr_t lock, int success, int spins); /* it has spun; success says whether it has the mutex */
	probe mutex__block(uintptr_t lock); /* a thread begins to sleep for a mutex */
	probe mutex__blocked(uintptr_t lock, int success); /* it has slept */
	probe mutex__error(uintptr_t lock, int error); /* an operation on a mutex failed */
	probe rw__acquire(uintptr_t lock, int writer); /* a read-write lock is taken */
	probe rw__release(uintptr_t lock, int writer); /* it is given back */
	probe rw__block(uintptr_t lock, int writer); /* a thread begins to sleep for one */
	probe rw__blocked(uintptr_t lock, int writer, int success); /* it has slept */
	probe rw__error(uintptr_t lock, int writer, int error); /* an operation on one failed */
};

#pragma D attributes Evolving/Evolving/ISA provider plockstat provider
#pragma D attributes Private/Private/Unknown provider plockstat module
#pragma D attributes Private/Private/Unknown provider plockstat function
#pragma D attributes Evolving/Evolving/ISA provider plockstat name
#pragma D attributes Evolving/Evolving/ISA provider plockstat args
