/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soak THREADS CALLS: a short life with everything that a tracer has to learn and to forget: threads (each
 * makes exactly CALLS calls of getppid(2)), a library loaded and unloaded, code made at run time with a
 * perf map.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static __attribute__((noinline)) void inner(long n)
{
	for (long i = 0; i < n; i++)
		syscall(SYS_getppid);
}

static void *life(void *arg)
{
	inner((long)(intptr_t)arg);
	return NULL;
}

/* Executable memory that belongs to no file, and its names. */
static void make_code(char *path, size_t len)
{
	void *code = mmap(NULL, 65536, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
	    -1, 0);
	FILE *f;

	snprintf(path, len, "/tmp/perf-%d.map", (int)getpid());
	f = fopen(path, "wx");
	if (f == NULL) {
		path[0] = '\0';
		return;
	}
	for (int i = 0; code != MAP_FAILED && i < 200; i++)
		fprintf(f, "%lx %x jitted_%d\n", (unsigned long)(uintptr_t)code + (unsigned long)i * 256,
		    256, i);
	fclose(f);
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? strtol(argv[1], NULL, 10) : 1;
	long calls = argc > 2 ? strtol(argv[2], NULL, 10) : 1;
	char map[64];
	pthread_t t[64];
	void *lib;

	make_code(map, sizeof(map));
	lib = dlopen("libm.so.6", RTLD_NOW);
	for (long i = 0; i < threads && i < 64; i++)
		if (pthread_create(&t[i], NULL, life, (void *)(intptr_t)calls) != 0)
			abort();
	for (long i = 0; i < threads && i < 64; i++)
		pthread_join(t[i], NULL);
	if (lib != NULL)
		dlclose(lib);
	if (map[0] != '\0')
		unlink(map);
	return 0;
}
