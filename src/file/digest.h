/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What is wanted of a file, and the answer as flat bytes: made where the file is read, checked where it is
 * used. Whoever made them is not trusted: all that is taken from a digest is within its bounds, in order,
 * and free of control bytes.
 */
#ifndef DT_FILE_DIGEST_H
#define DT_FILE_DIGEST_H

#include "file/dies.h"
#include "file/elf_impl.h"
#include "file/cfi.h"

#define DT_DIGEST_MAX (512u << 20)	/* bytes */
#define DT_DIGEST_MEMORY_MAX (16u << 10)	/* of DT_DIGEST_MEMORY */

enum dt_digest_what {
	DT_DIGEST_HEAD,			/* struct dt_elf_head and its segments */
	DT_DIGEST_CODE, DT_DIGEST_DATA,	/* symbols */
	DT_DIGEST_ROWS,			/* struct dt_cfi_row each: how frames are left */
	DT_DIGEST_SYMBOL,		/* the address of a function, 8 bytes */
	DT_DIGEST_SECTION,		/* its address, 8 bytes, and its bytes, if there are any */
	DT_DIGEST_BYTES,		/* those from `at` on, at most `most` */
	/* the same of a file that is no ELF file, and has no size: memory. All of them, or an error */
	DT_DIGEST_MEMORY,
	DT_DIGEST_PLAIN,		/* the same of any file: text */
	DT_DIGEST_MADE,			/* what `make` makes of a file that is no ELF file */
	DT_DIGEST_DIES,			/* of its debugging data (dies.h); only of dt_reader_types() */
	DT_DIGEST_LINES,		/* lines and inlined calls (lines.h), at most `most` bytes */
};

enum { DT_DIGEST_DEBUG = DT_ELF_DEBUG_PATHS };		/* files that may have what this one lacks */

struct dt_digest;
/* The descriptor stays the caller's. 0 or -errno. */
typedef int dt_digest_make_f(struct dt_digest *, int fd, const void *arg, size_t len);
enum { DT_DIGEST_ARG = 2560 };

struct dt_digest_want {
	enum dt_digest_what what;
	uint32_t rows;			/* of DT_DIGEST_HEAD: 1: a second answer has DT_DIGEST_ROWS */
	uint64_t at, most;
	char name[256];			/* of a section, a function or a type */
	/* of DT_DIGEST_DIES */
	enum dt_dies_ask dies;
	char letter;
	uint32_t used;			/* the descriptor with the data, if it is known */
	uint32_t ndebug;		/* how many descriptors are of debug files; shared ones follow */
	/* of DT_DIGEST_MADE: a function of ours, which the worker has too, as it began as a copy of us */
	dt_digest_make_f *make;
	uint32_t narg;
	uint64_t arg[DT_DIGEST_ARG / 8];
};

struct dt_digest { uint8_t *bytes; size_t len, cap; };
/* Appends. The bytes stay the caller's to free, also after an error: -EFBIG, -ENOMEM. */
int dt_digest_put(struct dt_digest *, const void *bytes, size_t len);
bool dt_digest_text(const char *text, size_t len);	/* do they all end, and are they clean? */

/* Takes over the descriptors, -1 where there is none: of the file, and of debug files. 0 or -errno. */
int dt_digest_make(struct dt_digest *, const struct dt_digest_want *, int fd, const int *debug, int ndebug);
/*
 * The same of DT_DIGEST_HEAD with its rows: `each` gets both answers in turn, and false ends it.
 */
typedef bool dt_digest_f(void *ctx, int err, const struct dt_digest *);
bool dt_digest_both(int fd, dt_digest_f *each, void *ctx);

/*
 * Fill in what a digest says; the bytes stay the caller's. Those of rows are malloc'ed, and must stay for as
 * long as the rows. 0, -EBADMSG, -ENOMEM.
 */
int dt_digest_head(const void *bytes, size_t len, struct dt_elf *);
int dt_digest_names(const void *bytes, size_t len, struct dt_elf_names *);
int dt_digest_rows(void *bytes, size_t len, struct dt_cfi *);

#endif
