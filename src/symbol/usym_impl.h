/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/symbol/usym*.c. */
#ifndef DT_SYMBOL_USYM_IMPL_H
#define DT_SYMBOL_USYM_IMPL_H

#include "symbol/elf.h"
#include "symbol/maps.h"
#include "symbol/usym.h"
#include "symbol/watch.h"

#include <sys/types.h>

/* ---- files (usym_file.c) ---- */

struct dt_ufile {			/* a file, by build id if it has one, otherwise by device and inode */
	struct dt_elf *elf;		/* NULL: not readable as one */
	dev_t dev;
	ino_t ino;
	uint8_t id[64];
	size_t idlen;
	uint64_t maplen;		/* of the vdso: how long its mapping is */
	struct dt_ufile *next;
};

struct dt_uobject {			/* a file under one name */
	struct dt_ufile *file;		/* NULL: none, or it could not be opened */
	char *path;
	const char *base;
	bool anon;			/* memory without a file */
	/* the kernel's description of it */
	uint32_t major, minor;
	uint64_t inode;
	uint8_t id[20];
	uint8_t idlen;
	struct dt_uobject *next;	/* of the bucket */
};

enum { DT_UOBJECT_BUCKETS = 1024 };

struct dt_ufiles {
	struct dt_ufile *list;
	struct dt_uobject *bucket[DT_UOBJECT_BUCKETS];
	struct dt_ufile *vdso;
	bool vdso_tried;
	uint32_t held;			/* open descriptors */
	uint64_t nfiles, nopened;
	uint32_t nobjects;
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

/* Finds the object, opening it if it is new; NULL: out of memory, or too many. */
struct dt_uobject *dt_uobject_get(struct dt_ufiles *, const struct dt_uwant *);
void dt_ufiles_free(struct dt_ufiles *);
/* Reads its functions now; NULL: there are none. */
struct dt_elf *dt_ufile_elf(struct dt_ufiles *, struct dt_ufile *);

/* ---- code made at run time (usym_jit.c) ---- */

struct dt_ujit {
	bool known;			/* the process could be asked */
	int root;			/* its root directory, to find its file after it has ended */
	uid_t uid;
	uint32_t nspid;			/* the process id in its own namespace */
	uint64_t checked;		/* ns, when the file was last checked */
	off_t size;
	struct timespec mtime;
	ino_t ino;
	struct dt_perfmap map;
	char name[32];
};

void dt_ujit_learn(struct dt_ujit *, uint32_t pid);
const struct dt_jit_function *dt_ujit_at(struct dt_ujit *, uint64_t addr);
void dt_ujit_free(struct dt_ujit *);

#endif
