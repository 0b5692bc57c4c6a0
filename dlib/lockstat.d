/* SPDX-License-Identifier: BSD-2-Clause */
/* lockstat: the kernel's locks. Times are in nanoseconds; a reader is 1, a writer 0. */

provider lockstat {
	probe adaptive__acquire(struct mutex *lock); /* a mutex is taken */
	probe adaptive__acquire__error(struct mutex *lock, int error); /* an attempt failed */
	probe adaptive__release(struct mutex *lock); /* a mutex is given back */
	probe adaptive__block(struct mutex *lock, uint64_t ns); /* a thread has slept for a mutex; ns is how long */
	probe adaptive__spin(struct mutex *lock, uint64_t ns); /* a thread has spun for a mutex */
	probe spin__acquire(struct spinlock *lock); /* a spinlock is taken: never fires here */
	probe spin__release(struct spinlock *lock); /* it is given back: never fires here */
	probe spin__spin(struct spinlock *lock, uint64_t ns); /* a CPU has spun for a spinlock */
	probe rw__acquire(void *lock, int reader); /* a read-write lock is taken */
	probe rw__release(void *lock, int reader); /* it is given back */
	probe rw__block(struct rw_semaphore *lock, uint64_t ns, int reader, int writer, int readers); /* a thread has slept for one */
	probe rw__spin(void *lock, uint64_t ns, int reader); /* a CPU has spun for one */
	probe rw__upgrade(struct rw_semaphore *lock); /* a reader becomes a writer: never fires here */
	probe rw__downgrade(struct rw_semaphore *lock); /* a writer becomes a reader */
	probe thread__spin(void *lock, uint64_t ns); /* a thread has spun for a thread: never fires here */
};

#pragma D attributes Evolving/Evolving/Common provider lockstat provider
#pragma D attributes Private/Private/Unknown provider lockstat module
#pragma D attributes Private/Private/Unknown provider lockstat function
#pragma D attributes Evolving/Evolving/Common provider lockstat name
#pragma D attributes Evolving/Evolving/Common provider lockstat args
