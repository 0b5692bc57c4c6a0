/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The life of a provider. Loading writes its file (image.c) into memory (memfd_create), seals it and maps
 * it: its code privately, as uprobes need it, and its counters. Nothing is left on a disk.
 *
 * Other threads may fire at any time, without a lock. So memory that a probe points to stays mapped until
 * the provider is closed: unloading maps a file with the same code and without notes over it.
 */
#include "libusdt.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u		/* Linux 6.3 */
#define MFD_EXEC 16u
#endif

/* Memory for code and counters. Those of before the provider grew have no notes any more. */
struct area { unsigned char *at; struct layout layout; struct area *next; };

struct dtrace_usdt_provider {
	pthread_mutex_t lock;
	char name[MAX_PROVIDER + 1];
	char module[MAX_PROVIDER + MAX_NAME];
	struct probe **probes;
	size_t n, cap, loaded;		/* loaded: how many of them tracers see */
	struct area *area;
	int fd;				/* of the file that is mapped, -1 none */
	dev_t dev;
	ino_t ino;
};

static const volatile uint16_t never;	/* the counter of a probe that was never loaded */

/* ---- providers and probes ---- */

int dtrace_usdt_open(const char *name, const char *module, dtrace_usdt_provider_t **out)
{
	struct dtrace_usdt_provider *p;
	int err = usdt_check_provider(name);

	*out = NULL;
	if (err == 0 && module != NULL)
		err = usdt_check_module(module);
	if (err != 0)
		return err;
	p = calloc(1, sizeof(*p));
	if (p == NULL)
		return -ENOMEM;
	(void)pthread_mutex_init(&p->lock, NULL);
	p->fd = -1;
	memcpy(p->name, name, strlen(name) + 1);
	snprintf(p->module, sizeof(p->module), "%s%s", module != NULL ? module : name,
	    module != NULL ? "" : ".so");
	*out = p;
	return 0;
}

/* As notes have it: every - is __. */
static void set_name(struct probe *p, const char *name)
{
	char *to = p->name;

	for (; *name != '\0'; name++) {
		if (*name == '-')
			*to++ = '_';
		*to++ = *name == '-' ? '_' : *name;
	}
	*to = '\0';
}

static int check_new(const struct dtrace_usdt_provider *p, const struct probe *new)
{
	if (p->n == DTRACE_USDT_MAXPROBES)
		return DTRACE_USDT_EPROBES;
	for (size_t i = 0; i < p->n; i++) {
		const struct probe *old = p->probes[i];

		if (strcmp(old->name, new->name) != 0)
			continue;
		if (strcmp(old->function, new->function) == 0)
			return DTRACE_USDT_EEXIST;
		if (old->ntypes != new->ntypes || memcmp(old->type, new->type, sizeof(old->type)) != 0)
			return DTRACE_USDT_EDIFFER;
	}
	return 0;
}

static int append(struct dtrace_usdt_provider *p, struct probe *new)
{
	int err = check_new(p, new);

	if (err == 0 && p->n == p->cap) {
		size_t cap = p->cap != 0 ? 2 * p->cap : 16;
		struct probe **more = realloc(p->probes, cap * sizeof(struct probe *));

		if (more == NULL)
			return -ENOMEM;
		p->probes = more;
		p->cap = cap;
	}
	if (err == 0)
		p->probes[p->n++] = new;
	return err;
}

int dtrace_usdt_add(dtrace_usdt_provider_t *p, const char *function, const char *name, const int *types,
    int ntypes, dtrace_usdt_probe_t **out)
{
	struct probe *new;
	int err = usdt_check_name(name);

	*out = NULL;
	if (err == 0)
		err = usdt_check_types(types, ntypes);
	if (err == 0 && function != NULL)
		err = usdt_check_function(function);
	if (err != 0)
		return err;
	new = calloc(1, sizeof(*new));
	if (new == NULL)
		return -ENOMEM;
	new->shown.counter = &never;
	set_name(new, name);
	function = function != NULL ? function : new->name;
	memcpy(new->function, function, strlen(function) + 1);
	new->ntypes = ntypes;
	if (ntypes > 0)
		memcpy(new->type, types, (size_t)ntypes * sizeof(*types));
	(void)pthread_mutex_lock(&p->lock);
	err = append(p, new);
	(void)pthread_mutex_unlock(&p->lock);
	if (err != 0)
		free(new);
	else
		*out = &new->shown;
	return err;
}

/* ---- the file ---- */

/* MFD_EXEC: since Linux 6.3, which refuses files with neither flag if vm.memfd_noexec says so. */
static int open_memory(const char *name)
{
	static const unsigned flags[] = { MFD_EXEC, 0, MFD_NOEXEC_SEAL };
	int fd = -1;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && fd < 0; i++) {
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | flags[i]);
		if (fd < 0 && errno != EINVAL && errno != EACCES)
			break;
	}
	return fd;
}

static bool write_all(int fd, const struct bytes *b)
{
	size_t done = 0;

	while (done < b->len) {
		ssize_t n = write(fd, b->v + done, b->len - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	/* tracers that have it open, or were given it, see what is mapped: nobody changes it any more */
	return fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) == 0;
}

/* Returns a descriptor. n probes have notes. */
static int write_file(const struct dtrace_usdt_provider *p, size_t n, struct layout layout, int *err)
{
	const struct image m = { p->name, p->probes, n, layout };
	struct bytes b;
	int fd = -1;

	usdt_image(&m, &b);
	*err = b.failed ? -ENOMEM : DTRACE_USDT_EMEMFD;
	if (!b.failed && (fd = open_memory(p->module)) >= 0 && !write_all(fd, &b)) {
		int saved = errno;

		close(fd);
		errno = saved;
		fd = -1;
	}
	usdt_free(&b);
	return fd;
}

/* Programs close descriptors that they do not know, and the number may be another file's by now. */
static void close_file(struct dtrace_usdt_provider *p)
{
	struct stat st;

	if (p->fd >= 0 && fstat(p->fd, &st) == 0 && st.st_dev == p->dev && st.st_ino == p->ino)
		close(p->fd);
	p->fd = -1;
}

/* It stays open: tools that cannot open /proc/PID/map_files find it in /proc/PID/fd. */
static void keep_file(struct dtrace_usdt_provider *p, int fd)
{
	struct stat st;

	close_file(p);
	if (fstat(fd, &st) != 0) {
		close(fd);
		return;
	}
	p->fd = fd;
	p->dev = st.st_dev;
	p->ino = st.st_ino;
}

/* ---- memory ---- */

static bool fits(const struct area *a, struct layout layout)
{
	return a != NULL && a->layout.text_len == layout.text_len && a->layout.data_len == layout.data_len;
}

static struct area *new_area(struct layout layout)
{
	struct area *a = calloc(1, sizeof(*a));
	void *at;

	if (a == NULL)
		return NULL;
	at = mmap(NULL, layout.text_len + layout.data_len, PROT_NONE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED) {
		free(a);
		return NULL;
	}
	a->at = at;
	a->layout = layout;
	return a;
}

static void free_area(struct area *a)
{
	munmap(a->at, a->layout.text_len + a->layout.data_len);
	free(a);
}

/*
 * Each mapping replaces the one before in one step. The counters come first: a tracer looks when code is
 * mapped, and they have to be there then.
 */
static int map_file(const struct area *a, int fd)
{
	unsigned char *data = a->at + a->layout.text_len;

	if (mmap(data, a->layout.data_len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, fd,
		(off_t)a->layout.text_len) == MAP_FAILED ||
	    mmap(a->at, a->layout.text_len, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0) ==
		MAP_FAILED)
		return DTRACE_USDT_EMAP;
	return 0;
}

/* Code without notes: nobody sees it, and threads that are in it go on. */
static int map_blank(struct dtrace_usdt_provider *p, const struct area *a)
{
	int err, fd = write_file(p, 0, a->layout, &err);

	if (fd < 0)
		return err;
	err = map_file(a, fd);
	close(fd);
	return err;
}

static void set_probes(struct dtrace_usdt_provider *p, const struct area *a)
{
	for (size_t i = 0; i < p->n; i++) {
		struct probe *probe = p->probes[i];
		uintptr_t site = (uintptr_t)a->at + TEXT_AT + i * SITE_SIZE;
		const void *counter = a->at + a->layout.text_len + i * sizeof(uint16_t);

		/* in this order: who finds a counter that counts calls the site */
		__atomic_store_n(&probe->site, (site_f *)site, __ATOMIC_RELEASE);
		__atomic_store_n(&probe->shown.counter, (const volatile uint16_t *)counter, __ATOMIC_RELEASE);
	}
}

/* ---- loading ---- */

/* The old area goes blank only when the new one is there, so that an error changes nothing. */
static int load(struct dtrace_usdt_provider *p)
{
	struct layout layout = usdt_layout(p->n, (size_t)sysconf(_SC_PAGESIZE));
	struct area *a = fits(p->area, layout) ? p->area : new_area(layout);
	int err = -ENOMEM, fd = a != NULL ? write_file(p, p->n, layout, &err) : -1;

	if (fd >= 0) {
		err = map_file(a, fd);
		if (err == 0 && a != p->area && p->area != NULL)
			err = map_blank(p, p->area);
		if (err != 0)
			close(fd);
	}
	if (err != 0 && a != NULL && a != p->area)
		free_area(a);
	if (fd < 0 || err != 0)
		return err;
	if (a != p->area) {
		a->next = p->area;
		p->area = a;
	}
	set_probes(p, a);
	keep_file(p, fd);
	p->loaded = p->n;
	return 0;
}

int dtrace_usdt_load(dtrace_usdt_provider_t *p)
{
	int err = 0;

	(void)pthread_mutex_lock(&p->lock);
	if (p->n == 0)
		err = DTRACE_USDT_EEMPTY;
	else if (p->loaded < p->n)
		err = load(p);
	(void)pthread_mutex_unlock(&p->lock);
	return err;
}

int dtrace_usdt_unload(dtrace_usdt_provider_t *p)
{
	int err = 0;

	(void)pthread_mutex_lock(&p->lock);
	if (p->loaded > 0)
		err = map_blank(p, p->area);
	if (err == 0) {
		close_file(p);
		p->loaded = 0;
	}
	(void)pthread_mutex_unlock(&p->lock);
	return err;
}

void dtrace_usdt_close(dtrace_usdt_provider_t *p)
{
	if (p == NULL)
		return;
	for (struct area *a = p->area, *next; a != NULL; a = next) {
		next = a->next;
		free_area(a);
	}
	close_file(p);
	for (size_t i = 0; i < p->n; i++)
		free(p->probes[i]);
	free(p->probes);
	(void)pthread_mutex_destroy(&p->lock);
	free(p);
}
