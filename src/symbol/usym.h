/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Turns addresses in processes into names. Mappings are learned while a process lives, from /proc and,
 * once watching, from kernel events; so processes that have ended keep their names. A file is read
 * once, however many processes map it.
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

/*
 * Memory for everything that is known of processes and files; what was used least is forgotten. 0: no limit
 */
void dt_usyms_limit(struct dt_usyms *, uint64_t bytes);
/*
 * `stop` is asked during long work whether to give up, `note` is called, at most once, with what was
 * left out and why.
 */
typedef bool dt_usyms_stop_f(void *ctx);
typedef void dt_usyms_note_f(void *ctx, const char *text);
void dt_usyms_heed(struct dt_usyms *, dt_usyms_stop_f *, dt_usyms_note_f *, void *ctx);
/*
 * The trace was interrupted: files and perf maps of other users have a tenth of a second for all that is
 * still to be named. NULL is fine.
 */
void dt_usyms_hurry(struct dt_usyms *);

/*
 * Starts watching; `few`: only processes that were followed or learned, and what they fork, are of
 * interest. 0, or -errno: only /proc is used
 */
int dt_usyms_watch(struct dt_usyms *, bool few);
void dt_usyms_poll(struct dt_usyms *);		/* takes new events; cheap, call it often while watching */
/* Reads the mappings of a process now; does nothing if it has ended */
void dt_usyms_learn(struct dt_usyms *, uint32_t pid);
/*
 * Learns those again that mapped more than could be followed, and those that dt_usyms_learn_all() had no time
 * for, now and then; cheap when there are none.
 */
void dt_usyms_catch_up(struct dt_usyms *);
/* Also prepares for naming code that it generates later, in case it ends soon */
void dt_usyms_follow(struct dt_usyms *, uint32_t pid);
void dt_usyms_learn_all(struct dt_usyms *);	/* for every process, within a bounded time */

struct dt_uplace {
	const char *object;		/* base name of the file, "[vdso]", "perf-123.map" */
	const char *function;		/* of code or data; NULL: no symbol */
	uint64_t function_start;	/* both in the process */
	uint64_t object_start;
	const char *path;		/* as the process names the file */
	struct dt_elf *elf;		/* NULL: not an ELF file, or it cannot be read */
	uint64_t offset;		/* of the address in the file */
	/*
	 * The address as the ELF file numbers it, which is the same in every process; the offset in a file
	 * that is not ELF or cannot be read.
	 */
	uint64_t vaddr;
	bool in_file;			/* vaddr is valid: it is not memory without a file, nor [heap] */
};

/* Where an address lies; false: unknown. The texts live until the next call. */
bool dt_usyms_lookup(struct dt_usyms *, uint32_t pid, uint64_t addr, struct dt_uplace *);

/*
 * dt_usyms_lines() before the first lookup: source lines and inlined calls will be asked for.
 * dt_usyms_line() gives the i-th frame of code at a place, innermost first (file/lines.h); false: there are
 * no more.
 */
struct dt_line;
void dt_usyms_lines(struct dt_usyms *);
bool dt_usyms_line(struct dt_usyms *, uint32_t pid, const struct dt_uplace *, unsigned i, struct dt_line *);

/* Calls f for each file that a process maps as code now; f ends the walk with a non-zero value. */
typedef int dt_usyms_object_f(void *ctx, const char *path, struct dt_elf *, uint64_t start, uint64_t offset);
int dt_usyms_each_object(struct dt_usyms *, uint32_t pid, dt_usyms_object_f *, void *ctx);

/*
 * Registers a listener that is called for each process whose mappings changed, from inside the calls
 * above; f NULL removes it.
 */
typedef void dt_usyms_event_f(void *ctx, uint32_t pid, bool ended);
void dt_usyms_listen(struct dt_usyms *, dt_usyms_event_f *, void *ctx);
/* Calls f for the processes that are known to live */
void dt_usyms_each_process(struct dt_usyms *, dt_usyms_event_f *, void *ctx);

/*
 * Calls f for what a process maps as code, as far as known, by address, none over another; -ESRCH: nothing is
 * known. `file` is the same number for the same bytes, and never that of others; 0: none.
 */
/* dev and ino of the file are as in stat(2) */
struct dt_umapping {
	uint64_t start, end, offset;
	uint64_t file;
	struct dt_elf *elf;
	bool vdso;
	uint64_t dev, ino;
	const char *base;		/* of its name */
};
typedef int dt_usyms_mapping_f(void *ctx, const struct dt_umapping *);
int dt_usyms_each_mapping(struct dt_usyms *, uint32_t pid, dt_usyms_mapping_f *, void *ctx);

/*
 * Runtimes whose compiled code could not be named. dt_usyms_hint() says how that is changed for the one
 * numbered i, below DT_URUNTIMES; false: there was none such.
 */
enum { DT_URUNTIME_JAVA, DT_URUNTIME_NODE, DT_URUNTIME_LIBNODE, DT_URUNTIME_NET, DT_URUNTIMES };
bool dt_usyms_hint(const struct dt_usyms *, unsigned i, char *text, size_t len);

/* Functions of languages that stacks have (lang/lang.h). */
struct dt_langs *dt_usyms_langs(struct dt_usyms *);
void dt_usyms_native(struct dt_usyms *, bool);	/* true: stacks to come have no frames of languages */

/* files read; opened also counts other names of the same file */
struct dt_usyms_stats { uint64_t files, opened, views, bytes, lost; };	/* the last: times that events were */
struct dt_usyms_stats dt_usyms_stats(const struct dt_usyms *);

#endif
