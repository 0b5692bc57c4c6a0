/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Files of processes are read by others. The tracer asks; the opener, a child with the tracer's rights,
 * opens files but reads nothing of them; the worker, a child with no rights at all, gets the descriptors,
 * reads the bytes and answers with a digest (digest.h). Both start with the first question. Either may
 * hang, die or take too long: that costs the answer, never the trace.
 */
#ifndef DT_FILE_READER_H
#define DT_FILE_READER_H

#include "file/digest.h"

#include <stdbool.h>
#include <sys/stat.h>

struct dt_reader;

struct dt_reader *dt_reader_new(void);		/* NULL: out of memory; nothing is started */
/*
 * Its worker has libdw, which answers DT_DIGEST_DIES and keeps the data open from one question to the next.
 */
struct dt_reader *dt_reader_types(void);
void dt_reader_free(struct dt_reader *);	/* NULL is fine */

/* DT_DIGEST_ROWS that came along with a head; NULL: they did not, for the reason `err` if there is one. */
struct dt_rows { void *bytes; size_t len; int err; };
/* What the opener opened. The descriptor is of O_PATH: whatever the file's server does, it can be closed. */
struct dt_opened { int fd; struct statx stat; bool ours; struct dt_rows rows; };

struct dt_question {
	struct dt_digest_want want;
	const char *shown;			/* for the notice when there is no answer */
	int fd;					/* of an earlier struct dt_opened; -1: `path` is opened */
	const char *path;
	bool in_root;				/* fd is a directory, which `path` cannot leave */
	uid_t uid;				/* … and whose file it has to be */
	const char *debug[DT_DIGEST_DEBUG];	/* debug files that may belong to it; NULL: none */
	const char *shared[DT_DIES_SHARED];	/* those that debugging data may be shared through */
	/*
	 * Owned by root or by us, and not on a file system that a user may serve: it may take long. All
	 * others share a little time.
	 */
	bool ours;
	dev_t dev;				/* where it is; 0: not known */
};

/*
 * 0: *bytes are malloc'ed, followed by a NUL; opened (may be NULL) is the caller's. Otherwise why not:
 * -EINTR: a signal came, and it would have taken longer; -ETIME, -ETIMEDOUT and -EPIPE are reported in a
 * notice, unless it is of DT_DIGEST_DIES.
 */
int dt_reader_ask(struct dt_reader *, const struct dt_question *, struct dt_opened *, void **bytes,
    size_t *len);
/*
 * Stacks will be walked: the answer to DT_DIGEST_HEAD brings rows along, which saves a question for each
 * file, until all of them together have taken so long.
 */
void dt_reader_rows(struct dt_reader *, uint64_t ns);
void dt_reader_give_back(struct dt_reader *, struct dt_rows *);	/* frees what there is */
/*
 * The trace was interrupted and the user waits for its end: files that are not ours now share 120 ms for all
 * questions to come.
 */
void dt_reader_hurry(struct dt_reader *);
/*
 * Bytes (DT_DIGEST_MEMORY_MAX at most), or 8 of them, of a file that is not ELF, such as the memory of a
 * process, whose pages may be a file that does not answer. 0 or -errno: then none of them.
 */
int dt_reader_memory(struct dt_reader *, const char *path, uint64_t at, void *to, size_t len);
/*
 * What `make` makes of such a file, in the worker: malloc'ed bytes for the caller, which is to trust none of
 * them.
 */
int dt_reader_make(struct dt_reader *, const char *path, dt_digest_make_f *make, const void *arg,
    size_t narg, void **bytes, size_t *len);
int dt_reader_word(struct dt_reader *, const char *path, uint64_t at, uint64_t *word);
/*
 * `stop` is asked whether to give up; `note` is called once with what was lost and why. The reader may
 * be NULL, and so may they.
 */
void dt_reader_set_callbacks(struct dt_reader *, bool (*stop)(void *ctx),
    void (*note)(void *ctx, const char *text), void *ctx);
/* Which process was lost last, and how, or why it did not answer; NULL: none. */
const char *dt_reader_why(const struct dt_reader *);

#endif
