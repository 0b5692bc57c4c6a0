/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Addresses of processes to names. What is mapped where is learned while a process lives, from /proc
 * and, once watching, from the kernel's news; so processes that are gone keep their names. A file is
 * read once, however many processes map it.
 */
#ifndef DT_SYMBOL_USYM_H
#define DT_SYMBOL_USYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_elf;
struct dt_usyms;

struct dt_usyms *dt_usyms_new(void);		/* NULL: out of memory */
void dt_usyms_free(struct dt_usyms *);		/* NULL is fine */

int dt_usyms_watch(struct dt_usyms *);		/* from now on; 0 or -errno: only /proc is asked then */
void dt_usyms_poll(struct dt_usyms *);		/* takes news in: cheap, to be called often while watching */
/* reads its mappings now; a process that is gone changes nothing */
void dt_usyms_learn(struct dt_usyms *, uint32_t pid);
/* also what is needed to name code it makes later, should it end at once */
void dt_usyms_follow(struct dt_usyms *, uint32_t pid);
void dt_usyms_learn_all(struct dt_usyms *);	/* of every process, for a bounded time */

struct dt_uplace {
	const char *object;		/* base name of the file, "[vdso]", "perf-123.map" */
	const char *function;		/* of code or data; NULL: no symbol */
	uint64_t function_start;	/* both in the process */
	uint64_t object_start;
	const char *path;		/* as the process names the file */
	struct dt_elf *elf;		/* NULL: not an ELF file, or it cannot be read */
	uint64_t offset;		/* of the address in the file */
};

/* Where an address lies; false: nobody knows. The texts live until the next call. */
bool dt_usyms_lookup(struct dt_usyms *, uint32_t pid, uint64_t addr, struct dt_uplace *);

/*
 * Files mapped as code by a process now, each once, for whoever looks for functions; f ends the walk by
 * a non-zero value.
 */
typedef int dt_usyms_object_f(void *ctx, const char *path, struct dt_elf *, uint64_t start, uint64_t offset);
int dt_usyms_each_object(struct dt_usyms *, uint32_t pid, dt_usyms_object_f *, void *ctx);

/*
 * Who else wants to know: told of each process whose mappings changed, from inside the calls above; f
 * NULL: nobody.
 */
typedef void dt_usyms_news_f(void *ctx, uint32_t pid, bool ended);
void dt_usyms_listen(struct dt_usyms *, dt_usyms_news_f *, void *ctx);
/* those that are known to live */
void dt_usyms_each_process(struct dt_usyms *, dt_usyms_news_f *, void *ctx);

/*
 * What a process has mapped as code, as far as it is known, the later mapped last; -ESRCH: nothing is.
 * file: the same for the same bytes.
 */
/* of the file: as stat(2) has it */
struct dt_umapping {
	uint64_t start, end, offset;
	const void *file;
	struct dt_elf *elf;
	bool vdso;
	uint64_t dev, ino;
};
typedef int dt_usyms_mapping_f(void *ctx, const struct dt_umapping *);
int dt_usyms_each_mapping(struct dt_usyms *, uint32_t pid, dt_usyms_mapping_f *, void *ctx);

/* files read; opened: also for another name of one */
struct dt_usyms_stats { uint64_t files, opened, views; };
struct dt_usyms_stats dt_usyms_stats(const struct dt_usyms *);

#endif
