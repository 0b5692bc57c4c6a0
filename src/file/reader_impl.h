/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/file/reader*.c: what the three processes say to each other. */
#ifndef DT_FILE_READER_IMPL_H
#define DT_FILE_READER_IMPL_H

#include "file/reader.h"

#include <limits.h>
#include <sys/types.h>

/* From the tracer to the opener; with the descriptor if there is one. Texts follow, each with its NUL. */
/* the path, those of debug files, and those that debugging data are shared through: "" for none */
enum { DT_READER_TEXTS = 1 + DT_DIGEST_DEBUG + DT_DIES_SHARED };
struct dt_reader_ask { struct dt_digest_want want; uint32_t in_root, uid; };	/* as in dt_question */
enum { DT_READER_ASK_MAX = sizeof(struct dt_reader_ask) + DT_READER_TEXTS * (PATH_MAX + 128) };

/*
 * From the opener to the tracer, with the descriptor of O_PATH if the tracer had none; err 0: the worker
 * answers too
 */
struct dt_reader_opened { int32_t err; uint32_t ours; struct statx stat; };

/* From the opener to the worker: struct dt_digest_want and the descriptors. */

/* From the worker to the tracer, before that many bytes */
struct dt_reader_answer { int32_t err; uint32_t len; };

/* Time that all files share at the start; an eighth of all time is added to it. */
#define DT_READER_TIMEOUT_NS 2000000000ull

/* reader_child.c: these never return. Sockets are descriptors 3, 4 … in the order given. */
_Noreturn void dt_reader_opener(int tracer, int worker, int parent);
_Noreturn void dt_reader_worker(int opener, int tracer, int parent);
_Noreturn void dt_reader_types_worker(int opener, int tracer, int parent);	/* with libdw */
/*
 * reader_box.c: gives up every right, and memory without end; `maps`: files are mapped besides. False: this
 * cannot be done here, and the process must end.
 */
bool dt_reader_box(int parent, bool maps);

enum { DT_READER_LEFT = 32, DT_READER_DEVICES = 64 };

struct dt_reader {
	bool types;			/* the worker has libdw */
	void (*opener_main)(int, int, int), (*worker_main)(int, int, int);	/* what the children run */
	int opener, worker;		/* sockets, -1: not started */
	pid_t child[2];			/* the opener, the worker */
	pid_t left[DT_READER_LEFT];		/* killed, and perhaps not dead */
	int nleft;
	char ahead[8192];		/* of the worker's answers, read already: next … end - 1 */
	size_t next, end;
	uint64_t rows_ns;		/* for rows that come along with heads */
	size_t rows;			/* bytes of them */
	uint64_t budget, since;	/* ns that foreign files have left together; when that was counted */
	bool hurry;			/* the user waits for the end */
	int late;			/* HURRY_MANY: how many there were */
	struct { dev_t dev; uint64_t when; } dead[DT_READER_DEVICES];	/* where a question hung */
	int ndead;
	bool reported;		/* of the first loss; the others are like it */
	/* of the last loss: the child that ended or was stopped (0: none), and by what */
	pid_t lost;
	int signal, status;
	char why[160];
	bool (*stop)(void *);
	void (*note)(void *, const char *);
	void *ctx;			/* of these two */
};

/*
 * Of reader_loss.c: finds `lost`, `signal` and `status`, before we end the children ourselves. The notice of
 * a loss is given once.
 */
void dt_reader_find_lost(struct dt_reader *);
void dt_reader_tell(struct dt_reader *, const struct dt_question *, int err);
/* A question about this device hung, and not long ago. */
bool dt_reader_is_dead(struct dt_reader *, dev_t);
void dt_reader_mark_dead(struct dt_reader *, dev_t);

#endif
