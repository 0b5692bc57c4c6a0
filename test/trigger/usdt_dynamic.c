/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt_dynamic: makes probes at run time, as it is told on standard input, a command a line. It answers each
 * with a line: "ok", a number, or "error: " and the library's message.
 *
 *	open PROVIDER [MODULE]		add NAME FUNCTION|- [TYPE...]		load  unload  close
 *	fire NAME [VALUE|"TEXT...]	fires NAME N  (arg0 counts from 0)	enabled NAME
 *	many N	(adds p0 ...)		race MS  (fires in threads, loads and unloads)
 *	fork  (the child goes on and the parent waits for it)			filter  (refuses memfd_create)
 */
#include <dtrace/usdt-dynamic.h>

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORDS = 32, PROVIDERS = 4, THREADS = 3 };

struct named { char name[80]; dtrace_usdt_probe_t *probe; };
struct state {
	dtrace_usdt_provider_t *provider[PROVIDERS];
	int nproviders;
	struct named probes[64];
	int nprobes;
	volatile int stop;
};

static int answer(int err)
{
	if (err == 0)
		printf("ok\n");
	else
		printf("error: %s\n", dtrace_usdt_strerror(err));
	return err;
}

static int type_of(const char *name)
{
	static const struct { const char *name; int type; } types[] = {
		{ "int8", DTRACE_USDT_INT8 }, { "int16", DTRACE_USDT_INT16 },
		{ "int32", DTRACE_USDT_INT32 }, { "int64", DTRACE_USDT_INT64 },
		{ "uint8", DTRACE_USDT_UINT8 }, { "uint16", DTRACE_USDT_UINT16 },
		{ "uint32", DTRACE_USDT_UINT32 }, { "uint64", DTRACE_USDT_UINT64 },
		{ "pointer", DTRACE_USDT_POINTER }, { "string", DTRACE_USDT_STRING },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return types[i].type;
	return 3;
}

static dtrace_usdt_probe_t *find(const struct state *s, const char *name)
{
	for (int i = s->nprobes - 1; i >= 0; i--)
		if (strcmp(s->probes[i].name, name) == 0)
			return s->probes[i].probe;
	fprintf(stderr, "usdt_dynamic: no probe %s\n", name);
	exit(2);
}

/* The provider that was opened last. */
static dtrace_usdt_provider_t *last(const struct state *s)
{
	return s->provider[s->nproviders - 1];
}

static void open_provider(struct state *s, char **word, int n)
{
	if (answer(dtrace_usdt_open(word[1], n > 2 ? word[2] : NULL, &s->provider[s->nproviders])) == 0)
		s->nproviders++;
}

static void add_probe(struct state *s, char **word, int n)
{
	struct named *new = &s->probes[s->nprobes];
	int types[WORDS], ntypes = 0;

	while (3 + ntypes < n) {
		types[ntypes] = type_of(word[3 + ntypes]);
		ntypes++;
	}
	if (answer(dtrace_usdt_add(last(s), strcmp(word[2], "-") != 0 ? word[2] : NULL, word[1], types,
		ntypes, &new->probe)) == 0)
		snprintf(s->probes[s->nprobes++].name, sizeof(new->name), "%s", word[1]);
}

static void add_many(struct state *s, int n)
{
	dtrace_usdt_probe_t *probe;
	char name[32];
	int err = 0, types[] = { DTRACE_USDT_INT32 };

	for (int i = 0; i < n && err == 0; i++) {
		snprintf(name, sizeof(name), "p%d", i);
		err = dtrace_usdt_add(last(s), NULL, name, types, 1, &probe);
	}
	if (err == 0) {
		snprintf(s->probes[s->nprobes].name, sizeof(name), "%s", name);
		s->probes[s->nprobes++].probe = probe;
	}
	answer(err);
}

static void fire(struct state *s, char **word, int n)
{
	uint64_t v[WORDS];

	for (int i = 2; i < n; i++)
		v[i - 2] = word[i][0] == '"' ? (uint64_t)(uintptr_t)(word[i] + 1) :
					       strtoull(word[i], NULL, 0);
	dtrace_usdt_fire(find(s, word[1]), v, n - 2);
	answer(0);
}

static void fire_often(const struct state *s, const char *name, int n)
{
	const dtrace_usdt_probe_t *probe = find(s, name);

	for (int i = 0; i < n; i++)
		DTRACE_USDT_FIRE(probe, i, name);
	answer(0);
}

static void *fire_until(void *arg)
{
	struct state *s = arg;

	while (!s->stop)
		for (int i = 0; i < s->nprobes; i++)
			DTRACE_USDT_FIRE(s->probes[i].probe, i);
	return NULL;
}

static void race(struct state *s, int ms)
{
	pthread_t thread[THREADS];
	struct timespec now, end;
	int err = 0;

	s->stop = 0;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&thread[i], NULL, fire_until, s) != 0)
			exit(2);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000L;
	do {
		err = dtrace_usdt_unload(last(s));
		if (err == 0)
			err = dtrace_usdt_load(last(s));
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (err == 0 && (now.tv_sec < end.tv_sec ||
	    (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec)));
	s->stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	answer(err);
}

static void refuse_memfd(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_memfd_create, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		exit(2);
	answer(0);
}

static void fork_child(void)
{
	pid_t child = fork();
	int status;

	if (child != 0) {
		waitpid(child, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 3);
	}
	printf("%d\n", (int)getpid());
}

static void run(struct state *s, char **word, int n)
{
	const char *what = word[0];

	if (strcmp(what, "open") == 0 && n > 1)
		open_provider(s, word, n);
	else if (strcmp(what, "add") == 0 && n > 2)
		add_probe(s, word, n);
	else if (strcmp(what, "many") == 0 && n == 2)
		add_many(s, atoi(word[1]));
	else if (strcmp(what, "load") == 0)
		answer(dtrace_usdt_load(last(s)));
	else if (strcmp(what, "unload") == 0)
		answer(dtrace_usdt_unload(last(s)));
	else if (strcmp(what, "close") == 0)
		dtrace_usdt_close(s->provider[--s->nproviders]), answer(0);
	else if (strcmp(what, "fire") == 0 && n > 1)
		fire(s, word, n);
	else if (strcmp(what, "fires") == 0 && n == 3)
		fire_often(s, word[1], atoi(word[2]));
	else if (strcmp(what, "enabled") == 0 && n == 2)
		printf("%d\n", dtrace_usdt_probe_enabled(find(s, word[1])));
	else if (strcmp(what, "race") == 0 && n == 2)
		race(s, atoi(word[1]));
	else if (strcmp(what, "fork") == 0)
		fork_child();
	else if (strcmp(what, "filter") == 0)
		refuse_memfd();
	else
		printf("error: what is %s\n", what);
}

int main(void)
{
	static struct state s;
	char line[1024], *word[WORDS];

	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin) != NULL) {
		int n = 0;

		for (char *w = strtok(line, " \n"); w != NULL && n < WORDS; w = strtok(NULL, " \n"))
			word[n++] = w;
		if (n > 0)
			run(&s, word, n);
	}
	while (s.nproviders > 0)
		dtrace_usdt_close(s.provider[--s.nproviders]);
	return 0;
}
