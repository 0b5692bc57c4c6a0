/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a decoder sees and gives. A system call is a row of table/syscalls.def: it names a kind for each
 * argument and one for the result. A kind says which bytes of the process the D program records for it, as D
 * text, and how value and bytes become text. Decoders know nothing of lines, processes or the library.
 */
#ifndef DT_CMD_DTRUSS_DECODE_H
#define DT_CMD_DTRUSS_DECODE_H

#include "base.h"
#include "text.h"

#include <dtrace.h>
#include <sys/types.h>

#define CALL_ARGS 6

struct kind;
struct files;

/* A row of table/syscalls.def, with its kinds found; or a call without a row, shown as six numbers. */
struct row {
	char name[32];
	unsigned classes;		/* CLASS_* */
	const struct kind *ret;		/* NULL: a number */
	const struct kind *kind[CALL_ARGS];
	unsigned char lenarg[CALL_ARGS];	/* the argument that has the length of each */
	unsigned char at[CALL_ARGS];	/* the first record of an argument among those of its shape */
	unsigned char ret_at;
	unsigned char nargs, nrecs;
	unsigned char pointers;		/* bits of the arguments that are pointers; of *NAME kinds alone */
	bool here;			/* this kernel has it */
	bool wanted;			/* to be shown */
	bool enabled;			/* to be recorded: wanted, or it changes descriptors */
};

enum {
	CLASS_FILE = 1, CLASS_DESC = 2, CLASS_PROCESS = 4, CLASS_NETWORK = 8, CLASS_SIGNAL = 16,
	CLASS_MEMORY = 32, CLASS_IPC = 64, CLASS_TRACK = 128,	/* changes descriptors or directories */
	CLASS_NO_RETURN = 256,
};

/* A call that has returned, or is on its way (`inside`), or was met in the middle (`blind`: no arguments). */
struct call {
	const struct row *row;
	pid_t pid, tid;
	uint64_t begin, end;		/* ns */
	uint64_t a[CALL_ARGS];
	int64_t ret;			/* the kernel's: -errno */
	bool inside, blind;
	const char *data;		/* of the firing; NULL: no bytes were recorded */
	const dtrace_recdesc_t *recs;	/* of the shape, the common ones left out */
	struct files *files;		/* descriptors of the process; NULL: not known */
	dtrace_hdl_t *dtp;
	size_t limit;			/* -s */
	bool names;			/* -y */
};

/* A number and its name. There is no pointer in it, so that tables need no relocation. */
struct name {
	uint32_t v;
	char n[32];
};

typedef void put_f(struct text *, const struct call *, unsigned arg, const struct kind *);

struct kind {
	char name[12];
	put_f *put;
	/*
	 * D text for the return of the call: %a is the argument, %k its number, %n the argument that has
	 * the length (a digit after the kind), %z `size`, %s the limit of -s. NULL: the number is enough.
	 */
	const char *fetch;
	unsigned nrecs;			/* how many records that makes */
	unsigned size;			/* %z: of a struct that differs between machines */
	const char *entry;		/* D text for the entry: the call overwrites what it was given */
	const struct name *names;	/* for those that need a table */
	unsigned nnames;		/* without a table: a choice that the decoder explains */
	const char *type;		/* the kernel's, for those that its type data describe */
	const char *inside;		/* replaces `fetch` where the kernel cannot be read; NULL: the same */
};

/* What is known of a signal. */
struct siginfo_facts {
	int signo, code;
	int64_t pid, uid, status, utime, stime;
	uint64_t addr;
	bool whole;			/* false: its number alone is known */
};

/* NAMES(prot): "names" and "nnames" of a kind */
#define NAMES(t) .names = (t), .nnames = COUNT(t)

/* The kinds of one file, which KINDS() ends and a row of kinds.def names. */
struct kinds {
	const struct kind *v;
	size_t n;
};
#define KINDS(name) const struct kinds name = { list, COUNT(list) }
#define X(name) extern const struct kinds kinds_##name;
#include "kinds.def"
#undef X

/*
 * D text that records so many bytes at an argument, at most `cap` of them; none where the address is NULL.
 * OUT: only what a call that succeeded has written. It has no branches: the kernel's verifier would walk
 * everything after each of them twice, and the program would take ten times as long to start.
 */
#define NOT_NULL(a) "((" a " | -" a ") >> 63)"		/* all bits, or none */
#define DONE "~(arg0 >> 63)"				/* the same, when the call has succeeded */
#define AT_MOST(a, len, cap) "this->n = (" len ") - " cap "; this->n = " cap \
	" + (this->n & (this->n >> 63)); " \
	"tracemem(copyin(" a ", this->n & ~(this->n >> 63) & " NOT_NULL(a) "), " cap ");"
#define MEM(len, cap) AT_MOST("%a", len, cap)
#define IN(size) "tracemem(copyin(%a, " size " & " NOT_NULL("%a") "), " size ");"
#define OUT(size) "tracemem(copyin(%a, " size " & " NOT_NULL("%a") " & " DONE "), " size ");"
/* A number in the process; anything where the address is NULL. */
#define INT_AT(a) "*(int *)copyin(" a ", 4 & " NOT_NULL(a) ")"
#define LONG_AT(a) "*(int64_t *)copyin(" a ", 8 & " NOT_NULL(a) ")"

/* Bytes that record `sub` of an argument holds, *size of them; NULL: none were recorded. */
const void *call_bytes(const struct call *, unsigned arg, unsigned sub, size_t *size);
/* The same for a struct of that size, aligned. False: it is not there, and the address was put. */
bool call_struct(struct text *, const struct call *, unsigned arg, unsigned sub, void *out, size_t size);
/* The same; if the call writes the struct (`writes`), false also if the call failed. */
bool call_written(struct text *, const struct call *, unsigned arg, bool writes, void *out, size_t size);
/* A number that was recorded; 0: it was not. */
int64_t call_number(const struct call *, unsigned arg, unsigned sub);
#define CALL_RET CALL_ARGS		/* as an argument: the result */

static inline bool call_failed(const struct call *c) { return c->ret < 0 && c->ret >= -4095; }

/* value_names.c */
const char *name_of(const struct name *, size_t n, uint32_t v);		/* NULL: not found */
/* "A|B|0x10"; nothing set: `none`, or 0. */
void put_flags(struct text *, uint64_t, const struct name *, size_t n, const char *none);
/* One of them, or the number and what it should have been: "0x7 PROT_???", the second as a comment */
void put_name(struct text *, uint64_t, const struct name *, size_t n, const char *family);
const char *errno_name(int);		/* "ENOENT"; NULL: no such */
void put_signal(struct text *, int);	/* "SIGCHLD", "SIGRT_1" */
void put_fd(struct text *, const struct call *, int fd);
void put_dirfd(struct text *, const struct call *, int fd);
void put_sigset(struct text *, uint64_t bits);
void put_timespec(struct text *, int64_t sec, int64_t nsec, const char *fraction);
/* What remains of a time that the call was given: ", left {tv_sec=0, tv_nsec=5}"; nothing without one. */
void put_left(struct text *, const struct call *);
void put_open_flags(struct text *, uint32_t);
void put_mode(struct text *, uint32_t mode);
void put_dev(struct text *, uint64_t dev);
void put_limited(struct text *, const struct call *, const char *, size_t have, uint64_t whole);
void put_sockaddr(struct text *, const void *, size_t len);
void put_siginfo(struct text *, const struct siginfo_facts *);

/* put_f of kinds that several files share */
put_f put_kind_flags, put_kind_name, put_kind_int, put_kind_hex, put_kind_addr, put_kind_string,
    put_kind_path;

#endif
