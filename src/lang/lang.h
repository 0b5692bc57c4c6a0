/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runtimes of languages in processes, whose frames the walk along user stacks weaves in (runtime/lang.h). A
 * file that a process maps says which runtime it has (struct dt_lang_file); the process's memory says where
 * its walk begins (struct dt_unwind_lang), and later what its functions are called. That memory is read by
 * the reader's children (file/reader.h), and all of it is hostile: what is read costs names of its own
 * process at most.
 */
#ifndef DT_LANG_LANG_H
#define DT_LANG_LANG_H

#include "record/unwind.h"
#include "runtime/lang_words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_elf;
struct dt_lang;
struct dt_langs;
struct dt_reader;

enum { DT_LANG_SYMBOLS = 12, DT_LANG_RANGES = 16, DT_LANG_NAME = 192, DT_LANG_PATH = 256,
	DT_LANG_LINES = 16384, DT_LANG_CODE = 4, DT_LANG_OWN = 88 };

/* What a mapped file is to a runtime. lang NULL: nothing. Addresses are those of the ELF file. */
struct dt_lang_file {
	const struct dt_lang *lang;
	uint32_t version;		/* the numbers in its name: 3.9 is 0x0309; 0: none */
	uint64_t symbol[DT_LANG_SYMBOLS];	/* of lang->symbols; 0: the file has none of that name */
	struct dt_lang_range { uint64_t start, end; } loop[DT_LANG_RANGES];
	uint32_t nloops;
};

/* By the base name of the file and its symbols, which are read only if the name is one that a runtime has. */
void dt_lang_file_look(const char *base, struct dt_elf *, struct dt_lang_file *);

/* A process in which a runtime is; its symbols are addresses in the process. */
struct dt_lang_process {
	uint32_t pid;
	const struct dt_lang *lang;
	struct dt_reader *reader;	/* NULL: we are the reader's worker, and its memory is fd */
	int fd;
	uint32_t version;		/* of the file's name: 3.9 is 0x0309; 0: none there */
	uint64_t symbol[DT_LANG_SYMBOLS];
	/* from learn(), of a runtime that makes code: where that is */
	struct dt_lang_range code[DT_LANG_CODE];
	uint32_t ncode;
	uint64_t own[DT_LANG_OWN];	/* what function() has to know besides the record */
};

/* A function as the runtime knows it, and what leads from a place in its code to a line. */
struct dt_lang_function {
	char name[DT_LANG_NAME], file[DT_LANG_PATH];	/* "": not known */
	uint32_t first;			/* line; 0: no line is known */
	uint8_t *lines;			/* the runtime's own table, malloc'ed; NULL: none */
	size_t nlines;
	uint32_t format;		/* of that table */
};

/* A process that had more functions than are kept; 0: none. The later ones have no names. */
uint32_t dt_langs_full(const struct dt_langs *);

/* A frame of a stack that is no address. The texts live until the next call. */
struct dt_lang_frame {
	const char *lang;
	const char *function, *file;	/* NULL: not known */
	uint32_t line;			/* 0: not known */
};

/* One for each runtime, in a file of its own. */
struct dt_lang {
	const char *name;		/* as output has it */
	const char *const *files;	/* base names begin so; NULL ends all of these lists */
	const char *const *loops;	/* functions: frames of the language are where these are */
	const char *const *symbols;	/* the first is needed, all others may be missing */
	/*
	 * Fills in `word`. 0; -EAGAIN: the runtime is not ready yet; or why there is nothing to be had, for
	 * good.
	 */
	int (*learn)(struct dt_lang_process *, struct dt_unwind_lang *);
	/* 0, or -errno: it has no name. The caller frees `lines` in both cases. */
	int (*function)(const struct dt_lang_process *, const struct dt_unwind_lang *,
	    const struct dt_unwind_func *, struct dt_lang_function *);
	uint32_t (*line)(const struct dt_lang_function *, uint32_t pos);	/* 0: not known */
	/*
	 * NULL: a function has one frame, with its name, its file and line(). Or number i of the frames
	 * that it stands for, innermost first, as compilers inline calls; false: there are not so many.
	 * `lines` has them; check() is false if it does not, and cleans the texts, as the worker is not
	 * to be trusted.
	 */
	bool (*check)(struct dt_lang_function *);
	bool (*frame)(const struct dt_lang_function *, uint32_t pos, unsigned i, struct dt_lang_frame *);
};
extern const struct dt_lang dt_lang_python, dt_lang_php, dt_lang_hotspot, dt_lang_v8, dt_lang_ruby;
const struct dt_lang *dt_lang_of(unsigned id);	/* NULL: there is none */
unsigned dt_lang_id(const struct dt_lang *);
const char *dt_lang_name(const struct dt_lang *);

/* For those: all of the bytes, or false. */
bool dt_lang_read(const struct dt_lang_process *, uint64_t at, void *to, size_t len);
bool dt_lang_word(const struct dt_lang_process *, uint64_t at, uint64_t *to);
/*
 * Where a thread of the process keeps its list of robust mutexes, which the kernel knows: pthreads have it in
 * their own struct. False: there is no thread i any more, or it has none.
 */
bool dt_lang_thread(const struct dt_lang_process *, unsigned i, uint64_t *robust_list);
/* n characters of `width` bytes each become UTF-8, as many as fit. */
void dt_lang_text(const uint8_t *from, size_t n, unsigned width, char *to, size_t room);

/* ---- functions that were seen (langs.c) ---- */

struct dt_langs *dt_langs_new(void);		/* NULL: out of memory */
void dt_langs_free(struct dt_langs *);		/* NULL is fine */
/*
 * From now on the block of functions is looked through, until it is given up: then it is a last time. The
 * record is copied. 0 or -ENOMEM
 */
int dt_langs_watch(struct dt_langs *, const struct dt_lang_process *, const struct dt_unwind_lang *,
    const struct dt_unwind_func *block);
void dt_langs_unwatch(struct dt_langs *, const struct dt_unwind_func *block);
/* Reads names of functions that are new, for about that long; cheap when there are none. */
void dt_langs_poll(struct dt_langs *, uint64_t ns);

bool dt_lang_is_frame(uint64_t frame);
/*
 * Number i of the frames that it stands for, innermost first. False: there are not so many, or it is an
 * address.
 */
bool dt_langs_frame(struct dt_langs *, uint32_t pid, uint64_t frame, unsigned i, struct dt_lang_frame *);

#endif
