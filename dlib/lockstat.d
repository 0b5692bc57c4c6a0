/* SPDX-License-Identifier: BSD-2-Clause */
/* lockstat: the kernel's locks. Times are in nanoseconds; a reader is 1, a writer 0. */

provider lockstat {
	probe adaptive__acquire(struct mutex *lock);
	probe adaptive__acquire__error(struct mutex *lock, int error);
	probe adaptive__release(struct mutex *lock);
	probe adaptive__block(struct mutex *lock, uint64_t ns);
	probe adaptive__spin(struct mutex *lock, uint64_t ns);
	probe spin__acquire(struct spinlock *lock);
	probe spin__release(struct spinlock *lock);
	probe spin__spin(struct spinlock *lock, uint64_t ns);
	probe rw__acquire(void *lock, int reader);
	probe rw__release(void *lock, int reader);
	probe rw__block(struct rw_semaphore *lock, uint64_t ns, int reader, int writer, int readers);
	probe rw__spin(void *lock, uint64_t ns, int reader);
	probe rw__upgrade(struct rw_semaphore *lock);
	probe rw__downgrade(struct rw_semaphore *lock);
	probe thread__spin(void *lock, uint64_t ns);
};

#pragma D attributes Evolving/Evolving/Common provider lockstat provider
#pragma D attributes Private/Private/Unknown provider lockstat module
#pragma D attributes Private/Private/Unknown provider lockstat function
#pragma D attributes Evolving/Evolving/Common provider lockstat name
#pragma D attributes Evolving/Evolving/Common provider lockstat args
