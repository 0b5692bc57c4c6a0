/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A process with known lock events, for provider_plockstat.sh. It prints how often each came, as
 * NAME COUNT, and waits until a thread really sleeps in a lock (its wchan or state tells) before that lock
 * is given back. With an argument it begins when there is a byte to read.
 */
#include "asleep.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, recursive;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static volatile int tid;

static void *mutex_waiter(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void *writer(void *arg)
{
	tid = (int)syscall(SYS_gettid);
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
	return arg;
}

static void wait_for(void *(*f)(void *), void (*give_back)(void))
{
	pthread_t t;

	tid = 0;
	if (pthread_create(&t, NULL, f, NULL) != 0)
		_exit(1);
	until_asleep(&tid);
	give_back();
	pthread_join(t, NULL);
}

static void give_mutex(void) { pthread_mutex_unlock(&mutex); }
static void give_rw(void) { pthread_rwlock_unlock(&rw); }

int main(int argc, char **argv)
{
	pthread_mutexattr_t attr;
	char go;

	(void)argv;
	if (argc > 1 && read(0, &go, 1) != 1)
		return 1;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_trylock(&mutex);		/* busy: nothing is got */
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 3; i++)
		pthread_mutex_lock(&recursive);
	for (int i = 0; i < 4; i++)
		pthread_mutex_unlock(&recursive);	/* once too often: EPERM */
	pthread_mutex_lock(&mutex);
	wait_for(mutex_waiter, give_mutex);
	pthread_rwlock_rdlock(&rw);
	wait_for(writer, give_rw);
	printf("%#lx %#lx %#lx\n", (unsigned long)&mutex, (unsigned long)&recursive, (unsigned long)&rw);
	return 0;
}
