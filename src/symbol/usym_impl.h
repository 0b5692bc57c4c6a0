/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/symbol/usym*.c. */
#ifndef DT_SYMBOL_USYM_IMPL_H
#define DT_SYMBOL_USYM_IMPL_H

#include "file/elf.h"
#include "lang/lang.h"
#include "symbol/maps.h"
#include "symbol/usym.h"
#include "symbol/watch.h"

#include <limits.h>
#include <sys/types.h>
#include <time.h>

struct statx;

/* ---- files (usym_file.c) and objects (usym_object.c) ---- */

struct dt_ufile {			/* see usym_file.c for what is one and the same */
	struct dt_elf *elf;		/* NULL: not readable as one */
	uint64_t number;		/* of no other file, also later */
	uint32_t refs;			/* objects */
	bool held;			/* it is kept open */
	bool away;			/* on a file system that could be unmounted */
	uint64_t seen;			/* the last look at who maps it */
	bool trusted;			/* only root can have made it */
	dev_t dev;
	ino_t ino;
	uint64_t size;
	struct timespec mtime;
	uint8_t id[64];
	size_t idlen;
	uint64_t maplen;		/* of the vdso: how long its mapping is */
	uint64_t bytes;			/* of memory, as counted */
	uint64_t used;			/* when its names were, by dt_ufiles.uses */
	bool forgotten;			/* they were there, and are not */
	bool large;			/* they do not fit */
	struct dt_ufile *older, *newer;	/* by use, of those whose names are there */
	struct dt_ufile *next, *next_id;	/* of the buckets */
};

struct dt_uobject {			/* a file under one name */
	struct dt_ufile *file;		/* NULL: none, or it could not be opened */
	uint32_t refs;			/* mappings */
	char *path;
	char *base;			/* what is shown */
	bool anon;			/* memory without a file */
	/* the kernel's description of it */
	uint32_t major, minor;
	uint64_t inode;
	uint8_t id[20];
	uint8_t idlen;
	uint64_t seen, lowest;		/* for making a space */
	struct dt_uobject *next;	/* of the bucket */
};

enum { DT_UOBJECT_BUCKETS = 4096, DT_UROOTS_MAX = 128 };

struct dt_ujit;

struct dt_ufiles {
	struct dt_reader *reader;	/* NULL: there is no memory for one */
	struct dt_ufile *by_inode[DT_UOBJECT_BUCKETS], *by_id[DT_UOBJECT_BUCKETS];
	struct dt_uobject *bucket[DT_UOBJECT_BUCKETS];
	struct dt_ufile *vdso;
	bool vdso_tried;
	uint32_t held, away;		/* open descriptors; how many of them are away */
	dev_t rootdev;			/* of "/"; 0: not asked yet */
	uint64_t nfiles, nopened;
	uint64_t serial;		/* numbers of files and of passes over objects */
	uint64_t spent;			/* ns, on finding files */
	uint64_t bytes;			/* of memory: views, mappings, objects, files and their names */
	uint64_t uses;			/* counts them */
	uint64_t lines;			/* bytes that those of one file may have; 0: none are wanted */
	struct dt_ufile *oldest, *newest;	/* by use, of those whose names are there */
	struct dt_ujit *root[DT_UROOTS_MAX];	/* who has its root open */
	uint32_t next_root;
};

struct dt_uwant {
	uint32_t pid;
	uint64_t start, end;
	uint32_t major, minor;
	uint64_t inode;
	const uint8_t *id;
	uint8_t idlen;
	const char *path;
};

/* Finds the object, opening it if it is new, for the caller to release; NULL: out of memory. */
struct dt_uobject *dt_uobject_get(struct dt_ufiles *, const struct dt_uwant *);
void dt_uobject_release(struct dt_ufiles *, struct dt_uobject *);

/* NULL: none that can be read, and is the one. For the caller to release. */
struct dt_ufile *dt_ufile_find(struct dt_ufiles *, const struct dt_uwant *);
void dt_ufile_release(struct dt_ufiles *, struct dt_ufile *);	/* NULL is fine */
struct dt_ufile *dt_ufile_vdso(struct dt_ufiles *);
/* Reads the names of files that are away and were not seen in the pass, and closes them */
void dt_ufiles_let_go(struct dt_ufiles *, uint64_t pass);
/* 0: the link of the mapping in /proc, 1: its path in the root of the process, 2: its path here */
enum { DT_UPATH_MAX = PATH_MAX + 64 };
void dt_ufile_way(const struct dt_uwant *, int way, char path[DT_UPATH_MAX]);
bool dt_ufile_stat(int fd, const char *path, struct statx *);
void dt_ufiles_free(struct dt_ufiles *);
/* Reads its functions now; NULL: there are none. */
struct dt_elf *dt_ufile_elf(struct dt_ufiles *, struct dt_ufile *);
/* usym_names.c: counts the memory of its names, which were used */
void dt_ufile_count(struct dt_ufiles *, struct dt_ufile *);
void dt_ufile_forget(struct dt_ufiles *, struct dt_ufile *);	/* gives it back */
/* Opens a file that was closed, by the mapping; if that leads to another file, the file stays closed. */
void dt_ufile_reopen(struct dt_ufiles *, struct dt_ufile *, const struct dt_uwant *);

/* ---- what is mapped where (usym_space.c) ---- */

struct dt_umap {
	uint64_t start, end, offset;
	struct dt_uobject *object;
	uint64_t base;			/* the lowest start of the object */
};

struct dt_uspace { uint32_t refs, n; struct dt_umap *map; };

enum { DT_UMAPS_MAX = 1 << 17 };	/* of one space */

static inline size_t dt_uspace_bytes(uint32_t n)
{
	return sizeof(struct dt_uspace) + (size_t)n * sizeof(struct dt_umap);
}

/*
 * The n mappings (at most DT_UMAPS_MAX, the later hides the earlier) over `under`, or NULL. NULL: out of
 * memory.
 */
struct dt_uspace *dt_uspace_make(struct dt_ufiles *, const struct dt_uspace *under, const struct dt_umap *,
    uint32_t n);
void dt_uspace_release(struct dt_ufiles *, struct dt_uspace *);	/* NULL is fine */
/* The first mapping that ends after the address, s->n if there is none; the one around it, or NULL */
uint32_t dt_uspace_find(const struct dt_uspace *, uint64_t addr);
const struct dt_umap *dt_uspace_at(const struct dt_uspace *, uint64_t addr);

/* ---- code made at run time (usym_jit.c) ---- */

struct dt_ujit {
	uint32_t slot;			/* 1 and up: root is open, and in dt_ufiles.root[slot - 1] */
	int root;			/* its root directory, to find its file when it has ended */
	uid_t uid;
	uint32_t nspid;			/* the process id in its own namespace */
	uint64_t next;			/* ns, when the file is to be looked at again */
	bool hung;			/* its file system did not answer */
	off_t size;			/* of the file, as far as it was read */
	char last[64];			/* what was read last */
	size_t nlast;
	bool skip;			/* the file goes on in the middle of a line that is too long */
	ino_t ino;
	struct dt_perfmap map;
	char name[32];
};

void dt_ujit_learn(struct dt_ufiles *, struct dt_ujit *, uint32_t pid);
/*
 * Looks what is new in its file, at most every 200 ms unless it is the last time; false: there is more than
 * `max`
 */
bool dt_ujit_read(struct dt_reader *, struct dt_ujit *, size_t max, dt_usyms_stop_f *, void *ctx, bool last);
void dt_ujit_free(struct dt_ufiles *, struct dt_ujit *);
void dt_ujit_close(struct dt_ufiles *, struct dt_ujit *);	/* the root; what was read stays */

/* ---- processes (usym_view.c) ---- */

enum { DT_UGENERATIONS = 4, DT_UVIEW_BUCKETS = 4096 };

/*
 * CPU time that was spent on a process, or on all. It is forgotten as real time goes by; who has spent too
 * much waits.
 */
struct dt_upurse { uint64_t spent, since; };

struct dt_uview {
	uint32_t pid;
	bool dead;
	bool behind;			/* events were left out: /proc knows more */
	bool followed;			/* one of those that are traced */
	struct dt_uspace *space[DT_UGENERATIONS];	/* newest first */
	struct dt_umap *fresh;		/* what came since the newest was made */
	uint32_t nfresh, capfresh;
	uint64_t asked, cost;		/* ns, when /proc was, and how long it took */
	uint64_t born;			/* ns, of the newest space */
	struct dt_upurse purse;
	struct dt_ujit jit;
	uint64_t used;			/* by dt_ufiles.uses */
	struct dt_uview *next;		/* of the bucket */
	struct dt_uview *older, *newer;	/* by use */
};

struct dt_usyms {
	struct dt_watch *watch;
	struct dt_ufiles files;
	struct dt_langs *langs;
	bool native;			/* stacks have no frames of languages */
	struct dt_uview *bucket[DT_UVIEW_BUCKETS];
	struct dt_uview *oldest, *newest;
	uint32_t nviews;
	uint64_t lost;			/* times that events were */
	bool few;			/* only processes that are known are of interest */
	struct dt_upurse purse;
	uint64_t limit;			/* bytes */
	bool lagging;			/* some view is behind, or some process is not known yet */
	uint32_t unlearned;		/* processes from this number on were not; 0: all were */
	uint64_t caught_up;		/* ns, when those were last looked at */
	bool ended;			/* a process has, since the last look at who maps what */
	uint64_t looked;		/* ns, when that was */
	dt_usyms_event_f *listener;
	void *listener_ctx;
	dt_usyms_stop_f *stop;
	dt_usyms_note_f *note;
	void *user_ctx;			/* of these two */
	unsigned noted;			/* bits of enum dt_unote */
	uint32_t nameless[DT_URUNTIMES];	/* usym_hint.c: a process of each, 0 none */
	uint32_t last_nameless;		/* the process that was looked at last */
	uint64_t hurry;			/* ns: until then perf maps of others are read; 0: no limit */
};

enum dt_unote { DT_UNOTE_TIME, DT_UNOTE_MEMORY, DT_UNOTE_FILE, DT_UNOTE_JIT, DT_UNOTE_EVENTS, DT_UNOTE_LANG,
	DT_UNOTE_LINES };

struct dt_uview *dt_uview_find(const struct dt_usyms *, uint32_t pid);
struct dt_uview *dt_uview_get(struct dt_usyms *, uint32_t pid);	/* NULL: out of memory */
void dt_uview_use(struct dt_usyms *, struct dt_uview *);	/* it goes last */
void dt_uview_drop(struct dt_usyms *, struct dt_uview *);
/* Puts a new space in front, which the view owns */
void dt_uview_push(struct dt_usyms *, struct dt_uview *, struct dt_uspace *, uint64_t when);
/* Takes over the object */
void dt_uview_add(struct dt_usyms *, struct dt_uview *, const struct dt_umap *);
void dt_uview_settle(struct dt_usyms *, struct dt_uview *);	/* nothing is fresh any more */
/* May something be done for it now? Says so once if not. */
bool dt_uview_may(struct dt_usyms *, struct dt_uview *);
/*
 * What it takes to sort in one mapping, or to look at it: asking the clock would take longer for the few of
 * most
 */
#define DT_USORT_NS 30ull
#define DT_ULOOK_NS 100ull
void dt_uview_spend(struct dt_usyms *, struct dt_uview *, uint64_t cpu_ns);
uint64_t dt_usyms_cpu_ns(void);
void dt_usyms_say(struct dt_usyms *, enum dt_unote, uint32_t pid);	/* once */
bool dt_usyms_may_ask(struct dt_usyms *, uint32_t pid);	/* usym_place.c: /proc, now */
/* usym_place.c: reads what is new in its perf map. `last`: the process has ended */
void dt_usyms_jit(struct dt_usyms *, struct dt_uview *, bool last);
struct dt_ufile *dt_umap_file(const struct dt_usyms *, const struct dt_umap *);
/* usym_hint.c: code that it made at run time has no name; some has */
void dt_usyms_nameless(struct dt_usyms *, const struct dt_uview *);
void dt_usyms_named(struct dt_usyms *, const struct dt_uview *);
bool dt_usyms_stopped(const struct dt_usyms *);
void dt_usyms_trim(struct dt_usyms *);		/* what was used least goes, until the rest fits */

#endif
