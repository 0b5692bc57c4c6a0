/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdtrace: compiles D programs, traces with them, and hands out what they record. doc/API.md is its manual.
 *
 * Functions that return int return 0, or -1 with the code in dtrace_errno(); functions that return a pointer
 * return NULL likewise. A handle is used by one thread at a time; a process may have several. Strings that
 * come back belong to the handle. Names, fields and values are the historic ones; what only this library has
 * is marked (Ours).
 *
 * This is one header on purpose: consumers on every system include <dtrace.h> and nothing else, and it can be
 * copied into another tree as it is.
 *
 * How this header may change: a function, a constant or a number keeps its meaning. A struct that the library
 * hands out through a pointer may get members at its end: copy members, not the struct, and do not depend on
 * its size. A struct that the caller owns and the library fills (the last argument of a call) keeps its size
 * as long as DTRACE_VERSION, which dtrace_open() is given, stays the same. Names of the shared library carry
 * the version they came with (src/api/libdtrace.map).
 */
#ifndef _DTRACE_H
#define _DTRACE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define DTRACE_VERSION 3
extern const char *const _dtrace_version;	/* the version of D, as dtrace -V prints it */
extern int _dtrace_debug;			/* not 0: as -x debug, of every handle of the process */

typedef struct dtrace_hdl dtrace_hdl_t;
typedef struct dtrace_prog dtrace_prog_t;
typedef uint32_t dtrace_id_t;
typedef int64_t dtrace_optval_t;
#define DTRACE_CPUALL		(-1)
#define DTRACE_IDNONE		0	/* no probe, clause, aggregation has this number */
#define DTRACE_EPIDNONE		0
#define DTRACE_AGGIDNONE	0
#define DTRACE_AGGVARIDNONE	0
typedef Elf64_Sym GElf_Sym;		/* as <gelf.h> has them, which need not be there */
typedef Elf64_Addr GElf_Addr;

/* ---- handle, options, errors ---- */

#define DTRACE_O_NODEV	0x01	/* compile only: do not open the kernel side */
#define DTRACE_O_NOSYS	0x02	/* do not load kernel symbols and types */
#define DTRACE_O_LP64	0x04	/* 64-bit programs */
#define DTRACE_O_ILP32	0x08	/* 32-bit programs */
#define DTRACE_O_MASK	0x0f

/* Numbers of options; calls take their names. DOF and the C of other systems have the numbers. */
enum {
	DTRACEOPT_BUFSIZE, DTRACEOPT_BUFPOLICY, DTRACEOPT_DYNVARSIZE, DTRACEOPT_AGGSIZE, DTRACEOPT_SPECSIZE,
	DTRACEOPT_NSPEC, DTRACEOPT_STRSIZE, DTRACEOPT_CLEANRATE, DTRACEOPT_CPU, DTRACEOPT_BUFRESIZE,
	DTRACEOPT_GRABANON, DTRACEOPT_FLOWINDENT, DTRACEOPT_QUIET, DTRACEOPT_STACKFRAMES,
	DTRACEOPT_USTACKFRAMES, DTRACEOPT_AGGRATE, DTRACEOPT_SWITCHRATE, DTRACEOPT_STATUSRATE,
	DTRACEOPT_DESTRUCTIVE, DTRACEOPT_STACKINDENT, DTRACEOPT_RAWBYTES, DTRACEOPT_JSTACKFRAMES,
	DTRACEOPT_JSTACKSTRSIZE, DTRACEOPT_AGGSORTKEY, DTRACEOPT_AGGSORTREV, DTRACEOPT_AGGSORTPOS,
	DTRACEOPT_AGGSORTKEYPOS, DTRACEOPT_TEMPORAL, DTRACEOPT_AGGHIST, DTRACEOPT_AGGPACK, DTRACEOPT_AGGZOOM,
	DTRACEOPT_ZONE, DTRACEOPT_MAX
};
#define DTRACEOPT_UNSET	((dtrace_optval_t)-2)
#define DTRACEOPT_BUFPOLICY_RING	0
#define DTRACEOPT_BUFPOLICY_FILL	1
#define DTRACEOPT_BUFPOLICY_SWITCH	2
#define DTRACEOPT_BUFRESIZE_AUTO	0
#define DTRACEOPT_BUFRESIZE_MANUAL	1

/* Version is DTRACE_VERSION. NULL: the reason is in *errp, for dtrace_errmsg(NULL, err). */
dtrace_hdl_t *dtrace_open(int version, int flags, int *errp);
/*
 * For tools that look at another kernel than the running one, such as a crash dump. Not available: ENOTSUP,
 * unless vec is NULL.
 */
typedef struct dtrace_vector dtrace_vector_t;
dtrace_hdl_t *dtrace_vopen(int version, int flags, int *errp, const dtrace_vector_t *vec, void *arg);
void dtrace_close(dtrace_hdl_t *);
/* Oracle's consumers call it after the options are set. Here everything is read when it is needed. */
int dtrace_init(dtrace_hdl_t *);

/* val NULL: the option is given without a value. */
int dtrace_setopt(dtrace_hdl_t *, const char *opt, const char *val);
int dtrace_getopt(dtrace_hdl_t *, const char *opt, dtrace_optval_t *val);
/*
 * Sets each option that the environment names: prefix and the name in capitals (DTRACE_OPT_BUFSIZE=4m);
 * prefix NULL: "DTRACE_OPT_". -1 after the first that is refused; the error names it.
 */
int dtrace_setoptenv(dtrace_hdl_t *, const char *prefix);

int dtrace_errno(dtrace_hdl_t *);
const char *dtrace_errmsg(dtrace_hdl_t *, int err);
/*
 * After a compile error: the source line, a caret and a hint, ready to print. After an unknown option: what
 * may have been meant. "" if there is nothing to show. (Ours.)
 */
const char *dtrace_errexcerpt(dtrace_hdl_t *);
/*
 * From dtrace_go() on: what could not be enabled or named although the rest could, and what will take its
 * time. Lines may be added while tracing. "" if there is nothing to say. (Ours.)
 */
const char *dtrace_notice(dtrace_hdl_t *);
/*
 * The same for what only those who ask for it want to know (dtrace -v): probes that are there and never fire,
 * descriptions with a module or function of another system. From dtrace_program_exec() on. (Ours.)
 */
const char *dtrace_remarks(dtrace_hdl_t *);
/*
 * The engine that runs the trace: "kernel", "process" or "replay". Before dtrace_go() the one that options
 * and rights lead to, whatever will be enabled. (Ours.)
 */
const char *dtrace_engine(dtrace_hdl_t *);
const char *dtrace_faultstr(dtrace_hdl_t *, int fault);
const char *dtrace_subrstr(dtrace_hdl_t *, int subr);

/* Codes marked (never here) keep their names and numbers; this library never raises them. */
#define EDT_BASE 1000
enum {
	EDT_VERSION = EDT_BASE,	/* client is newer than the library */
	EDT_VERSINVAL,		/* version is not well formed */
	EDT_VERSUNDEF,		/* version is not known */
	EDT_VERSREDUCED,	/* version was set lower before */
	EDT_CTF,		/* type data cannot be used (never here) */
	EDT_COMPILER,		/* error in the program; dtrace_errmsg() has the message */
	EDT_NOTUPREG,		/* out of tuple registers (never here) */
	EDT_NOMEM,		/* out of memory */
	EDT_INT2BIG,		/* integer table is full (never here) */
	EDT_STR2BIG,		/* string table is full (never here) */
	EDT_NOMOD,		/* no such module */
	EDT_NOPROV,		/* no such provider */
	EDT_NOPROBE,		/* nothing matches */
	EDT_NOSYM,		/* no such symbol */
	EDT_NOSYMADDR,		/* no symbol at the address */
	EDT_NOTYPE,		/* no such type */
	EDT_NOVAR,		/* no such variable (never here) */
	EDT_NOAGG,		/* no such aggregation (never here) */
	EDT_BADSCOPE,		/* scope in a type name (never here) */
	EDT_BADSPEC,		/* too many parts in a description */
	EDT_BADSPCV,		/* unknown macro variable in a description */
	EDT_BADID,		/* no such probe id */
	EDT_NOTLOADED,		/* module has gone (never here) */
	EDT_NOCTF,		/* module has no types */
	EDT_DATAMODEL,		/* 32 and 64 bits do not match */
	EDT_DIFVERS,		/* DIF is newer than the machine (never here) */
	EDT_BADAGG,		/* no such aggregating action (never here) */
	EDT_FIO,		/* cannot read the input */
	EDT_DIFINVAL,		/* DIF is invalid */
	EDT_DIFSIZE,		/* DIF is too big */
	EDT_DIFFAULT,		/* DIF has a bad pointer (never here) */
	EDT_BADPROBE,		/* bad probe specification */
	EDT_BADPGLOB,		/* too many globs (never here) */
	EDT_NOSCOPE,		/* declaration scopes are empty (never here) */
	EDT_NODECL,		/* declarations are empty (never here) */
	EDT_DMISMATCH,		/* records do not match the statement */
	EDT_DOFFSET,		/* record lies outside the buffer */
	EDT_DALIGN,		/* record is not aligned (never here) */
	EDT_BADOPTNAME,		/* no such option */
	EDT_BADOPTVAL,		/* bad value for an option */
	EDT_BADOPTCTX,		/* option not for programs */
	EDT_CPPFORK,		/* preprocessor: fork */
	EDT_CPPEXEC,		/* preprocessor: exec */
	EDT_CPPENT,		/* preprocessor: not there */
	EDT_CPPERR,		/* preprocessor: failed */
	EDT_SYMOFLOW,		/* too many symbols (never here) */
	EDT_ACTIVE,		/* not while tracing */
	EDT_DESTRUCTIVE,	/* destructive action without permission */
	EDT_NOANON,		/* no anonymous state */
	EDT_ISANON,		/* anonymous state and probes together (never here) */
	EDT_ENDTOOBIG,		/* END does not fit the buffer */
	EDT_NOCONV,		/* type of a conversion is missing (never here) */
	EDT_BADCONV,		/* conversion is incomplete (never here) */
	EDT_BADERROR,		/* bad ERROR action */
	EDT_ERRABORT,		/* stopped by an error handler */
	EDT_DROPABORT,		/* stopped by a drop handler */
	EDT_DIRABORT,		/* stopped as asked */
	EDT_BADRVAL,		/* bad value from a callback */
	EDT_BADNORMAL,		/* bad normalization */
	EDT_BUFTOOSMALL,	/* enabling exceeds the buffer */
	EDT_BADTRUNC,		/* bad truncation (never here) */
	EDT_BUSY,		/* kernel debugger is active (never here) */
	EDT_ACCESS,		/* needs privileges */
	EDT_NOENT,		/* kernel side is not there */
	EDT_BRICKED,		/* system does not respond (never here) */
	EDT_HARDWIRE,		/* built-in definitions do not load (never here) */
	EDT_ELFVERSION,		/* libelf is too old (never here) */
	EDT_NOBUFFERED,		/* buffered output without handler */
	EDT_UNSTABLE,		/* probes changed while matching (never here) */
	EDT_BADSETOPT,		/* bad setopt() action (never here) */
	EDT_BADSTACKPC,		/* bad size of a stack's counter (never here) */
	EDT_BADAGGVAR,		/* bad aggregation id */
	EDT_OVERSION,		/* client is too old */
	EDT_ENABLING_ERR,	/* cannot enable a probe */
	EDT_NOPROBES,		/* no sites for the provider */
	EDT_CANTLOAD,		/* cannot load a module (never here) */
	/* of other platforms, after the common ones */
	EDT_NOREG,		/* out of registers (never here) */
	EDT_BPFINVAL,		/* BPF program is invalid */
	EDT_BPFSIZE,		/* BPF program is too big (never here) */
	EDT_BPFFAULT,		/* BPF program has a bad pointer (never here) */
	EDT_BPF,		/* BPF failed */
	EDT_DSIZE,		/* record has the wrong size (never here) */
	EDT_BADSTID,		/* no such statement (never here) */
	EDT_CORRUPT_KALLSYMS,	/* kernel symbols cannot be read */
	EDT_ELFCLASS,		/* neither 32 nor 64 bits (never here) */
	EDT_OBJIO,		/* cannot read an object */
	EDT_READMAXSTACK,	/* cannot read perf_event_max_stack (never here) */
	EDT_TRACEMEM,		/* bad tracemem() record (never here) */
	EDT_PCAP,		/* bad pcap() record (never here) */
	EDT_OPTNOTHERE,		/* an option of another platform that would do nothing (never here) */
	EDT_PRINT,		/* bad print() record (never here) */
	EDT_UNSUPPORTED,	/* ours: not in this build */
	EDT_NOSYSFS,		/* ours: sysfs is not mounted */
	EDT_MAX			/* one after the last */
};

/* ---- stability ---- */

#define DTRACE_STABILITY_INTERNAL	0
#define DTRACE_STABILITY_PRIVATE	1
#define DTRACE_STABILITY_OBSOLETE	2
#define DTRACE_STABILITY_EXTERNAL	3
#define DTRACE_STABILITY_UNSTABLE	4
#define DTRACE_STABILITY_EVOLVING	5
#define DTRACE_STABILITY_STABLE		6
#define DTRACE_STABILITY_STANDARD	7
#define DTRACE_STABILITY_MAX		7

#define DTRACE_CLASS_UNKNOWN		0
#define DTRACE_CLASS_CPU		1
#define DTRACE_CLASS_PLATFORM		2
#define DTRACE_CLASS_GROUP		3
#define DTRACE_CLASS_ISA		4
#define DTRACE_CLASS_COMMON		5
#define DTRACE_CLASS_MAX		5

typedef uint8_t dtrace_stability_t;
typedef uint8_t dtrace_class_t;

typedef struct dtrace_attribute {
	dtrace_stability_t dtat_name;
	dtrace_stability_t dtat_data;
	dtrace_class_t dtat_class;
} dtrace_attribute_t;

#define DTRACE_ATTR2STR_MAX 64
/* "Stable/Stable/Common"; NULL for a bad triple */
char *dtrace_attr2str(dtrace_attribute_t, char *buf, size_t len);
int dtrace_str2attr(const char *, dtrace_attribute_t *);
const char *dtrace_stability_name(dtrace_stability_t);			/* NULL for no such */
const char *dtrace_class_name(dtrace_class_t);

/* ---- probe descriptions ---- */

#define DTRACE_PROVNAMELEN	64
#define DTRACE_MODNAMELEN	64
#define DTRACE_FUNCNAMELEN	256	/* room for C++ names */
#define DTRACE_NAMELEN		64

typedef struct dtrace_probedesc {
	dtrace_id_t dtpd_id;		/* non-zero: by number, the rest is empty */
	char dtpd_provider[DTRACE_PROVNAMELEN];
	char dtpd_mod[DTRACE_MODNAMELEN];
	char dtpd_func[DTRACE_FUNCNAMELEN];
	char dtpd_name[DTRACE_NAMELEN];
} dtrace_probedesc_t;

/* What the last part of a description is if it has fewer than four. */
typedef enum {
	DTRACE_PROBESPEC_NONE = -1,	/* no descriptions, only ids */
	DTRACE_PROBESPEC_PROVIDER = 0,
	DTRACE_PROBESPEC_MOD,
	DTRACE_PROBESPEC_FUNC,
	DTRACE_PROBESPEC_NAME
} dtrace_probespec_t;

/*
 * A description as text to its parts, from the right. EDT_BADSPEC: it has too many parts; EDT_BADSPCV: an
 * unknown macro variable; ENAMETOOLONG: a part does not fit. xstr2desc has operands for $1 and so on.
 */
#define DTRACE_DESC2STR_MAX 1024
int dtrace_str2desc(dtrace_hdl_t *, dtrace_probespec_t, const char *, dtrace_probedesc_t *);
int dtrace_xstr2desc(dtrace_hdl_t *, dtrace_probespec_t, const char *, int argc, char *const argv[],
    dtrace_probedesc_t *);
char *dtrace_desc2str(const dtrace_probedesc_t *, char *buf, size_t len);

/* ---- programs ---- */

#define DTRACE_C_DIFV	0x0001	/* list each DIF object, on standard error or where dtrace_dump_to() says */
#define DTRACE_C_EMPTY	0x0002	/* an empty program is fine */
#define DTRACE_C_ZDEFS	0x0004	/* descriptions may match nothing */
#define DTRACE_C_EATTR	0x0008	/* enforce the minimum of -x amin; once set it always is */
#define DTRACE_C_CPP	0x0010	/* run the preprocessor first */
#define DTRACE_C_KNODEF	0x0020	/* kernel symbols may stay unresolved */
#define DTRACE_C_UNODEF	0x0040	/* user symbols may stay unresolved: D here names none */
#define DTRACE_C_PSPEC	0x0080	/* read ambiguous words as descriptions */
#define DTRACE_C_ETAGS	0x0100	/* put [D_TAG] before compile errors */
#define DTRACE_C_ARGREF	0x0200	/* arguments need not all be used */
#define DTRACE_C_DEFARG	0x0800	/* missing arguments are 0 and "" */
#define DTRACE_C_NOLIBS	0x1000	/* do not load the D libraries */
#define DTRACE_C_CTL	0x2000	/* only control lines are read (#pragma D option ...): the program is empty */
#define DTRACE_C_MASK	0x3bff

#define DTRACE_D_STRIP	0x01	/* DOF: without the sections a loader does not need */
#define DTRACE_D_PROBES	0x02	/* DOF: with the providers the program declares */
#define DTRACE_D_MASK	0x03

/* argv[0] is $0, the operands $1 and so on follow. */
dtrace_prog_t *dtrace_program_strcompile(dtrace_hdl_t *, const char *text, dtrace_probespec_t,
    unsigned int cflags, int argc, char *const argv[]);
dtrace_prog_t *dtrace_program_fcompile(dtrace_hdl_t *, FILE *, unsigned int cflags,
    int argc, char *const argv[]);

typedef struct dtrace_proginfo {
	dtrace_attribute_t dpi_descattr;	/* lowest of the probe descriptions */
	dtrace_attribute_t dpi_stmtattr;	/* lowest of the statements */
	unsigned int dpi_aggregates;
	unsigned int dpi_recgens;
	unsigned int dpi_matches;
	unsigned int dpi_speculations;
} dtrace_proginfo_t;
void dtrace_program_info(dtrace_hdl_t *, dtrace_prog_t *, dtrace_proginfo_t *);

typedef struct dtrace_ecbdesc {
	dtrace_probedesc_t dted_probe;		/* as written in the program */
} dtrace_ecbdesc_t;

typedef struct dtrace_stmtdesc {
	const dtrace_ecbdesc_t *dtsd_ecbdesc;	/* the same pointer for statements of one description */
	dtrace_attribute_t dtsd_descattr;
	dtrace_attribute_t dtsd_stmtattr;
} dtrace_stmtdesc_t;

/* In program order; the walk ends with the first value that is not 0, and returns it. */
typedef int dtrace_stmt_f(dtrace_hdl_t *, dtrace_prog_t *, dtrace_stmtdesc_t *, void *);
int dtrace_stmt_iter(dtrace_hdl_t *, dtrace_prog_t *, dtrace_stmt_f *, void *);
/* Only the compiler makes programs: the first three fail with EDT_UNSUPPORTED, the last does nothing. */
typedef struct dtrace_actdesc dtrace_actdesc_t;
dtrace_stmtdesc_t *dtrace_stmt_create(dtrace_hdl_t *, dtrace_ecbdesc_t *);
dtrace_actdesc_t *dtrace_stmt_action(dtrace_hdl_t *, dtrace_stmtdesc_t *);
int dtrace_stmt_add(dtrace_hdl_t *, dtrace_prog_t *, dtrace_stmtdesc_t *);
void dtrace_stmt_destroy(dtrace_hdl_t *, dtrace_stmtdesc_t *);

/* What all DOF begins with. */
#define DOF_ID_SIZE 16
typedef struct dof_hdr {
	uint8_t dofh_ident[DOF_ID_SIZE];	/* 0x7f D O F, data model, byte order, versions */
	uint32_t dofh_flags;
	uint32_t dofh_hdrsize;
	uint32_t dofh_secsize;
	uint32_t dofh_secnum;
	uint64_t dofh_secoff;
	uint64_t dofh_loadsz;			/* of what a loader needs */
	uint64_t dofh_filesz;			/* of all of it: how many bytes there are */
	uint64_t dofh_pad;
} dof_hdr_t;
/* A program as DOF: bytes that begin with a dof_hdr_t, which tells their number. */
void *dtrace_dof_create(dtrace_hdl_t *, dtrace_prog_t *, unsigned int dflags);
/* The same for the options that were set, and for the program that an error handler stands for. */
void *dtrace_getopt_dof(dtrace_hdl_t *);
void *dtrace_geterr_dof(dtrace_hdl_t *);
void dtrace_dof_destroy(dtrace_hdl_t *, void *);

/*
 * The providers that programs of the handle declare: as a C header (fname names its guard), and as an object
 * to be linked into a program whose objects are given. The program may be NULL; it must have no clauses.
 */
int dtrace_program_header(dtrace_hdl_t *, FILE *, const char *fname);
int dtrace_program_link(dtrace_hdl_t *, dtrace_prog_t *, unsigned int dflags, const char *file, int objc,
    char *const objv[]);

/*
 * Where compiles write what they are asked for besides the program: the listing of DTRACE_C_DIFV, the tree of
 * -x tree. NULL: nowhere. Without this call it is standard error, as in history. (Ours.)
 */
int dtrace_dump_to(dtrace_hdl_t *, FILE *);
/* The listing of dtrace -S. (Ours.) */
int dtrace_program_dump(dtrace_hdl_t *, dtrace_prog_t *, FILE *);
/*
 * A compiled program to a file, as DOF, and back: for the same kernel, of another boot too, as the addresses
 * of its symbols are looked up again. (Ours.)
 */
int dtrace_program_save(dtrace_hdl_t *, dtrace_prog_t *, FILE *);
dtrace_prog_t *dtrace_program_load(dtrace_hdl_t *, FILE *);

/*
 * Anonymous enablings: compiled programs and their options in a file, to be run later, also after a boot of
 * the same kernel. Saving: options are words as "name=value", NULL ends; only those that matter while tracing
 * are kept. The file is there whole or not at all. Programs that hold addresses of the kernel are refused,
 * because the next boot has others. Loading sets the options and gives the programs, both the handle's. A
 * file that others could have written is refused. (Ours.)
 */
typedef struct dtrace_anonprog {
	dtrace_prog_t *dtap_prog;
	int dtap_script;		/* the name is that of a script, else a description */
	const char *dtap_name;		/* one line of it is kept */
} dtrace_anonprog_t;
int dtrace_anon_save(dtrace_hdl_t *, const char *path, const dtrace_anonprog_t *, int n,
    char *const options[]);
int dtrace_anon_load(dtrace_hdl_t *, const char *path, dtrace_anonprog_t **, int *n);

/* ---- types ---- */

#define DTT_FL_USER 0x1			/* a type of a user process */
typedef struct dtrace_typeinfo {
	const char *dtt_object;		/* module, or "C" and "D" */
	const void *dtt_ctfp;		/* the library's own */
	const void *dtt_type;		/* the library's own */
	unsigned int dtt_flags;
} dtrace_typeinfo_t;
int dtrace_type_strcompile(dtrace_hdl_t *, const char *, dtrace_typeinfo_t *);
int dtrace_type_fcompile(dtrace_hdl_t *, FILE *, dtrace_typeinfo_t *);
/* The type as C writes it; "(unknown)" if dtt_type is NULL. (Ours.) */
char *dtrace_type_name(dtrace_hdl_t *, const dtrace_typeinfo_t *, char *buf, size_t len);

/* ---- objects and symbols of the kernel ---- */

/* In place of the name of an object. */
#define DTRACE_OBJ_EXEC		((const char *)0L)	/* the kernel without its modules */
#define DTRACE_OBJ_RTLD		((const char *)1L)
#define DTRACE_OBJ_CDEFS	((const char *)2L)	/* types of C */
#define DTRACE_OBJ_DDEFS	((const char *)3L)	/* types of D */
#define DTRACE_OBJ_EVERY	((const char *)-1L)
#define DTRACE_OBJ_KMODS	((const char *)-2L)	/* the kernel and all modules */
#define DTRACE_OBJ_UMODS	((const char *)-3L)	/* processes: nothing is found there */

#define DTRACE_OBJ_F_KERNEL	0x1
#define DTRACE_OBJ_F_PRIMARY	0x2			/* the kernel itself, "vmlinux" */

typedef struct dtrace_objinfo {
	const char *dto_name;
	const char *dto_file;				/* where its types are */
	int dto_id;
	unsigned int dto_flags;
	GElf_Addr dto_text_va;				/* from its first symbol to its last */
	uint64_t dto_text_size;
	GElf_Addr dto_data_va;
	uint64_t dto_data_size;
	GElf_Addr dto_bss_va;				/* 0: not distinguished from data */
	uint64_t dto_bss_size;
} dtrace_objinfo_t;
typedef int dtrace_obj_f(dtrace_hdl_t *, const dtrace_objinfo_t *, void *);
int dtrace_object_iter(dtrace_hdl_t *, dtrace_obj_f *, void *);
int dtrace_object_info(dtrace_hdl_t *, const char *object, dtrace_objinfo_t *);

typedef struct dtrace_syminfo {
	const char *dts_object;
	const char *dts_name;
	unsigned long dts_id;
} dtrace_syminfo_t;
/* sym and info may be NULL. By address and without sym only the object is asked for: dts_name is NULL. */
int dtrace_lookup_by_name(dtrace_hdl_t *, const char *object, const char *name, GElf_Sym *sym,
    dtrace_syminfo_t *info);
int dtrace_lookup_by_addr(dtrace_hdl_t *, GElf_Addr, GElf_Sym *sym, dtrace_syminfo_t *info);
int dtrace_lookup_by_type(dtrace_hdl_t *, const char *object, const char *name, dtrace_typeinfo_t *);
int dtrace_symbol_type(dtrace_hdl_t *, const GElf_Sym *, const dtrace_syminfo_t *, dtrace_typeinfo_t *);
/* Objects and symbols are read anew when they are asked for next. */
int dtrace_update(dtrace_hdl_t *);
/* Kernel modules that providers need, up to n of them in mods; returns how many there are: none here. */
int dtrace_provider_modules(dtrace_hdl_t *, const char **mods, int n);

/* ---- tracing ---- */

typedef uint32_t dtrace_epid_t;
typedef uint32_t dtrace_aggid_t;
typedef int64_t dtrace_aggvarid_t;
typedef uint16_t dtrace_actkind_t;
/* dtrd_action. All records of a statement with several values have the statement's action. */
enum {
	DTRACEACT_NONE = 0, DTRACEACT_DIFEXPR = 1, DTRACEACT_EXIT = 2, DTRACEACT_PRINTF = 3,
	DTRACEACT_PRINTA = 4, DTRACEACT_LIBACT = 5,
	DTRACEACT_TRACEMEM = 6, DTRACEACT_TRACEMEM_DYNSIZE = 7, DTRACEACT_PRINTM = 8, DTRACEACT_PRINT = 9,
	/* classes: what DTRACEACT_CLASS() gives */
	DTRACEACT_PROC = 0x100, DTRACEACT_PROC_DESTRUCTIVE = 0x200, DTRACEACT_PROC_CONTROL = 0x300,
	DTRACEACT_KERNEL = 0x400, DTRACEACT_KERNEL_DESTRUCTIVE = 0x500, DTRACEACT_SPECULATIVE = 0x600,
	DTRACEACT_USTACK = 0x101, DTRACEACT_JSTACK, DTRACEACT_USYM, DTRACEACT_UMOD, DTRACEACT_UADDR,
	DTRACEACT_STOP = 0x201, DTRACEACT_RAISE, DTRACEACT_SYSTEM, DTRACEACT_FREOPEN,
	DTRACEACT_STACK = 0x401, DTRACEACT_SYM, DTRACEACT_MOD,
	DTRACEACT_BREAKPOINT = 0x501, DTRACEACT_PANIC, DTRACEACT_CHILL,
	DTRACEACT_SPECULATE = 0x601, DTRACEACT_COMMIT, DTRACEACT_DISCARD,
	/* aggregating functions: dtrd_action of the last record of an element */
	DTRACEACT_AGGREGATION = 0x700,
	DTRACEAGG_COUNT = 0x701, DTRACEAGG_MIN, DTRACEAGG_MAX, DTRACEAGG_AVG, DTRACEAGG_SUM, DTRACEAGG_STDDEV,
	DTRACEAGG_QUANTIZE, DTRACEAGG_LQUANTIZE, DTRACEAGG_LLQUANTIZE
};
#define DTRACEACT_CLASS(action)		((action) & 0xff00)
#define DTRACEACT_ISAGG(action)		(DTRACEACT_CLASS(action) == DTRACEACT_AGGREGATION)
#define DTRACEACT_ISDESTRUCTIVE(action)	(DTRACEACT_CLASS(action) == DTRACEACT_PROC_DESTRUCTIVE || \
	DTRACEACT_CLASS(action) == DTRACEACT_KERNEL_DESTRUCTIVE)
#define DTRACEACT_ISSPECULATIVE(action)	(DTRACEACT_CLASS(action) == DTRACEACT_SPECULATIVE)
#define DTRACEACT_ISPRINTFLIKE(action)	((action) == DTRACEACT_PRINTF || (action) == DTRACEACT_PRINTA || \
	(action) == DTRACEACT_SYSTEM || (action) == DTRACEACT_FREOPEN)

/* dtrd_arg of ustack() and jstack(): frames, and bytes for their text */
#define DTRACE_USTACK_NFRAMES(x)	((uint32_t)((x) & UINT32_MAX))
#define DTRACE_USTACK_STRSIZE(x)	((uint32_t)((x) >> 32))
#define DTRACE_USTACK_ARG(frames, size)	((uint64_t)(size) << 32 | ((uint64_t)(frames) & UINT32_MAX))

/* The data of quantize(): 127 words. Bucket b begins at its value, or ends there if that is negative. */
#define DTRACE_QUANTIZE_NBUCKETS	127
#define DTRACE_QUANTIZE_ZEROBUCKET	63
#define DTRACE_QUANTIZE_BUCKETVAL(b)	((int64_t)((b) < DTRACE_QUANTIZE_ZEROBUCKET ? \
	-((int64_t)1 << (DTRACE_QUANTIZE_ZEROBUCKET - 1 - (b))) : (b) == DTRACE_QUANTIZE_ZEROBUCKET ? 0 : \
	(int64_t)1 << ((b) - DTRACE_QUANTIZE_ZEROBUCKET - 1)))

/*
 * lquantize(): a word with the parameters, then 2 + levels words: below the base, the levels, at or above the
 * top. llquantize(): a word with the parameters, then 2 n + 3 words, whose middle one counts numbers around 0
 * (doc/API.md).
 */
#define DTRACE_LQUANTIZE_STEPSHIFT	48
#define DTRACE_LQUANTIZE_STEPMASK	((uint64_t)UINT16_MAX << DTRACE_LQUANTIZE_STEPSHIFT)
#define DTRACE_LQUANTIZE_LEVELSHIFT	32
#define DTRACE_LQUANTIZE_LEVELMASK	((uint64_t)UINT16_MAX << DTRACE_LQUANTIZE_LEVELSHIFT)
#define DTRACE_LQUANTIZE_BASESHIFT	0
#define DTRACE_LQUANTIZE_BASEMASK	UINT32_MAX
#define DTRACE_LQUANTIZE_STEP(x)	((uint16_t)((x) >> DTRACE_LQUANTIZE_STEPSHIFT))
#define DTRACE_LQUANTIZE_LEVELS(x)	((uint16_t)((x) >> DTRACE_LQUANTIZE_LEVELSHIFT))
#define DTRACE_LQUANTIZE_BASE(x)	((int32_t)((x) & DTRACE_LQUANTIZE_BASEMASK))
#define DTRACE_LLQUANTIZE_FACTORSHIFT	48
#define DTRACE_LLQUANTIZE_LOWSHIFT	32
#define DTRACE_LLQUANTIZE_HIGHSHIFT	16
#define DTRACE_LLQUANTIZE_NSTEPSHIFT	0
#define DTRACE_LLQUANTIZE_FACTOR(x)	((uint16_t)((x) >> DTRACE_LLQUANTIZE_FACTORSHIFT))
#define DTRACE_LLQUANTIZE_LOW(x)	((uint16_t)((x) >> DTRACE_LLQUANTIZE_LOWSHIFT))
#define DTRACE_LLQUANTIZE_HIGH(x)	((uint16_t)((x) >> DTRACE_LLQUANTIZE_HIGHSHIFT))
#define DTRACE_LLQUANTIZE_NSTEP(x)	((uint16_t)(x))

typedef int processorid_t;

typedef struct dtrace_recdesc {
	dtrace_actkind_t dtrd_action;
	uint32_t dtrd_size;
	/* from the beginning of a firing's data, or of an element of an aggregation */
	uint32_t dtrd_offset;
	uint16_t dtrd_alignment;
	uint16_t dtrd_format;		/* not 0: the action has a format */
	uint64_t dtrd_arg;
	uint64_t dtrd_uarg;		/* the statement: the same number in all of its records */
} dtrace_recdesc_t;

typedef struct dtrace_eprobedesc {
	dtrace_epid_t dtepd_epid;
	dtrace_id_t dtepd_probeid;
	uint64_t dtepd_uarg;	/* the clause: the same number at each probe it is enabled on */
	uint32_t dtepd_size;
	int dtepd_nrecs;
	dtrace_recdesc_t dtepd_rec[1];	/* dtepd_nrecs of them, in the order of the clause */
} dtrace_eprobedesc_t;

typedef enum { DTRACEFLOW_ENTRY, DTRACEFLOW_RETURN, DTRACEFLOW_NONE } dtrace_flowkind_t;

typedef struct dtrace_probedata {
	dtrace_hdl_t *dtpda_handle;
	dtrace_eprobedesc_t *dtpda_edesc;
	dtrace_probedesc_t *dtpda_pdesc;
	processorid_t dtpda_cpu;
	char *dtpda_data;
	dtrace_flowkind_t dtpda_flow;
	const char *dtpda_prefix;
	int dtpda_indent;
	uint64_t dtpda_timestamp;		/* ns, monotonic (ours) */
} dtrace_probedata_t;

#define DTRACE_CONSUME_ERROR	(-1)
#define DTRACE_CONSUME_THIS	0
#define DTRACE_CONSUME_NEXT	1
#define DTRACE_CONSUME_ABORT	2
typedef int dtrace_consume_probe_f(const dtrace_probedata_t *, void *);
typedef int dtrace_consume_rec_f(const dtrace_probedata_t *, const dtrace_recdesc_t *, void *);

typedef enum { DTRACE_WORKSTATUS_ERROR = -1, DTRACE_WORKSTATUS_OKAY,
    DTRACE_WORKSTATUS_DONE } dtrace_workstatus_t;
#define DTRACE_STATUS_NONE	0
#define DTRACE_STATUS_OKAY	1
#define DTRACE_STATUS_EXITED	2
#define DTRACE_STATUS_FILLED	3
#define DTRACE_STATUS_STOPPED	4

/*
 * What other systems' devices answer about a buffer and about a trace. Here no call fills them: dtrace_work()
 * reads, and the drop handler gets the counts.
 */
typedef struct dtrace_bufdesc {
	uint64_t dtbd_size;
	uint32_t dtbd_cpu;
	uint32_t dtbd_errors;
	uint64_t dtbd_drops;
	char *dtbd_data;
	uint64_t dtbd_oldest;
	uint64_t dtbd_timestamp;
} dtrace_bufdesc_t;
typedef struct dtrace_status {
	uint64_t dtst_dyndrops;
	uint64_t dtst_dyndrops_rinsing;
	uint64_t dtst_dyndrops_dirty;
	uint64_t dtst_specdrops;
	uint64_t dtst_specdrops_busy;
	uint64_t dtst_specdrops_unavail;
	uint64_t dtst_errors;
	uint64_t dtst_filled;
	uint64_t dtst_stkstroverflows;
	uint64_t dtst_dblerrors;
	char dtst_killed;
	char dtst_exiting;
	char dtst_pad[6];
} dtrace_status_t;

/* Enables a program: finds its probes; they fire from dtrace_go() on. info may be NULL. */
int dtrace_program_exec(dtrace_hdl_t *, dtrace_prog_t *, dtrace_proginfo_t *);
int dtrace_go(dtrace_hdl_t *);
/*
 * Whether dtrace_go() has an engine for what is enabled and the rights of this process: 0, or -1 with the
 * error that dtrace_go() would have. Nothing is started. (Ours.)
 */
int dtrace_go_check(dtrace_hdl_t *);
int dtrace_stop(dtrace_hdl_t *);
void dtrace_sleep(dtrace_hdl_t *);
/* For signal handlers: what the library is busy with ends soon, until dtrace_stop(). (Ours.) */
void dtrace_interrupt(dtrace_hdl_t *);
int dtrace_status(dtrace_hdl_t *);
dtrace_workstatus_t dtrace_work(dtrace_hdl_t *, FILE *, dtrace_consume_probe_f *, dtrace_consume_rec_f *,
    void *);
/*
 * What -x oformat writes. Text is for people: the caller adds columns and messages. The library writes the
 * other formats completely. STRUCTURED includes errors and drops; TABLE (ours) has only values, and the
 * caller shows errors and drops. FILE (ours) is a TABLE that is one whole: it cannot be appended to a file.
 */
#define DTRACE_OFORMAT_TEXT		0
#define DTRACE_OFORMAT_STRUCTURED	1
#define DTRACE_OFORMAT_TABLE		2
#define DTRACE_OFORMAT_FILE		3
int dtrace_oformat(dtrace_hdl_t *);
/*
 * What FreeBSD's front end calls around a trace: before dtrace_go(), after it, and at the end. They are not
 * needed: a format begins with the first record and ends with dtrace_aggregate_print().
 */
int dtrace_oformat_configure(dtrace_hdl_t *);
void dtrace_oformat_setup(dtrace_hdl_t *);
void dtrace_oformat_teardown(dtrace_hdl_t *);
/*
 * Opens a file for output, at its end or empty, as freopen() in a program does. A new one is writable for its
 * owner alone; what others have put into a folder that everybody may write to is refused, and so is a link of
 * another user to what is not that user's. NULL with errno. (Ours.)
 */
FILE *dtrace_outfile(const char *path, int append);
/*
 * Recordings (ours). With -x oformat=record=FILE text that is written to what dtrace_record_file() returns is
 * recorded too on its way to `out`; it is closed before the handle, and `out` by its owner. With
 * other formats it is `out` itself; NULL: out of memory. dtrace_play() writes what a recording holds, in the
 * format of -x oformat; it needs no rights. 0, or -1 with the error set.
 */
FILE *dtrace_record_file(dtrace_hdl_t *, FILE *out);
int dtrace_play(dtrace_hdl_t *, const char *path, FILE *);
/*
 * The same of a pipe, a socket or any descriptor, up to its end; what has come is shown before more is waited
 * for. And of a recording in memory. (Ours.)
 */
int dtrace_play_fd(dtrace_hdl_t *, int fd, FILE *);
int dtrace_play_memory(dtrace_hdl_t *, const void *, size_t len, FILE *);
/*
 * Takes the place of -x oformat=record=FILE: the recording goes to a descriptor, each block as soon as it is
 * complete. `limit`: at most so many firings, and errors, a second are written (and 8 KiB of them each on
 * average); what is left out is counted in the stream. 0: no limit. The descriptor stays the caller's. Before
 * dtrace_go(). doc/RECORDING.md describes the bytes. (Ours.)
 */
int dtrace_record_fd(dtrace_hdl_t *, int fd, unsigned int limit);
/* The value given to exit(); 0 if it was not called. (Ours.) */
int dtrace_exitstatus(dtrace_hdl_t *);

/*
 * The part of dtrace_work() that hands out firings; 0 or -1. Nothing is read before -x switchrate has passed
 * since the last time.
 */
int dtrace_consume(dtrace_hdl_t *, FILE *, dtrace_consume_probe_f *, dtrace_consume_rec_f *, void *);
/*
 * The function for records of a caller that leaves all of them to the library (ours): DTRACE_CONSUME_THIS for
 * each. The library knows it and does not ask. With it, with no function for firings, and with a file, floods
 * of records are formatted by several threads (-x formatthreads); what is written is the same.
 */
int dtrace_consume_all(const dtrace_probedata_t *, const dtrace_recdesc_t *, void *);
/*
 * A descriptor for poll(2): it can be read when dtrace_work() has something to do. It belongs to the handle
 * and is valid from dtrace_go() to dtrace_close(). Use it with poll(2), select(2) or epoll(7) only.
 */
int dtrace_ctlfd(dtrace_hdl_t *);

/* ---- aggregations ---- */

typedef struct dtrace_aggdesc {
	char *dtagd_name;		/* without @; "_" of the one without name */
	dtrace_aggvarid_t dtagd_varid;	/* the aggregation: what a record of printa() holds */
	int dtagd_flags;		/* DTRACE_AGD_* */
	dtrace_aggid_t dtagd_id;
	dtrace_epid_t dtagd_epid;	/* a clause that aggregates */
	uint32_t dtagd_size;		/* of an element's data */
	int dtagd_nrecs;
	uint32_t dtagd_pad;
	dtrace_recdesc_t dtagd_rec[1];	/* dtagd_nrecs of them: the varid, the keys, the value */
} dtrace_aggdesc_t;
#define DTRACE_AGGZOOM_MAX	0.95	/* of a bar's room: how far the longest one reaches with -x aggzoom */
#define DTRACE_AGD_PRINTED	0x1	/* a printa() has shown it */

/* An element; valid during the call of the function it is given to. */
typedef struct dtrace_aggdata {
	dtrace_hdl_t *dtada_handle;
	dtrace_aggdesc_t *dtada_desc;
	dtrace_eprobedesc_t *dtada_edesc;
	dtrace_probedesc_t *dtada_pdesc;
	/* record r is at dtada_data + dtagd_rec[r].dtrd_offset, aligned as its size wants */
	char *dtada_data;
	uint64_t dtada_normal;		/* what values are divided by when they are printed; 1: nothing */
	size_t dtada_size;
	char *dtada_delta;		/* not kept, NULL */
	/* -x aggpercpu: the last record as it is on each CPU, by the CPU's number; a NULL ends. Else NULL */
	char **dtada_percpu;
	char **dtada_percpu_delta;	/* this and those below: not kept, NULL and 0 */
	int64_t dtada_total;
	uint16_t dtada_minbin;
	uint16_t dtada_maxbin;
	uint32_t dtada_flags;
} dtrace_aggdata_t;

/* dtada_flags: what of the above is kept: DTRACE_A_PERCPU with -x aggpercpu, else none */
#define DTRACE_A_PERCPU			0x0001
#define DTRACE_A_KEEPDELTA		0x0002
#define DTRACE_A_ANONYMOUS		0x0004
#define DTRACE_A_TOTAL			0x0008
#define DTRACE_A_MINMAXBIN		0x0010
#define DTRACE_A_HASNEGATIVES		0x0020
#define DTRACE_A_HASPOSITIVES		0x0040

/* What a function that is given an element says. */
#define DTRACE_AGGWALK_ERROR		(-1)
#define DTRACE_AGGWALK_NEXT		0
#define DTRACE_AGGWALK_ABORT		1	/* EDT_DIRABORT */
#define DTRACE_AGGWALK_CLEAR		2	/* the value begins anew */
/* it is divided by dtada_normal, which the function has set */
#define DTRACE_AGGWALK_NORMALIZE	3
#define DTRACE_AGGWALK_DENORMALIZE	4
#define DTRACE_AGGWALK_REMOVE		5
typedef int dtrace_aggregate_f(const dtrace_aggdata_t *, void *);
typedef int dtrace_aggregate_walk_f(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
typedef int dtrace_aggregate_walk_joined_f(const dtrace_aggdata_t **, const int, void *);

/* Takes over what was counted in the kernel; walks see only what was taken over. */
int dtrace_aggregate_snap(dtrace_hdl_t *);
/* All values begin anew; keys stay. */
void dtrace_aggregate_clear(dtrace_hdl_t *);
/* Prints those that no printa() has shown, in the order of walk; NULL: dtrace_aggregate_walk_sorted. */
int dtrace_aggregate_print(dtrace_hdl_t *, FILE *, dtrace_aggregate_walk_f *);

/*
 * Every element of every aggregation. _walk has no order; _sorted is by aggregation, then value, or as the
 * options aggsort* say. _keysorted is by aggregation, then key; _valsorted by aggregation, then value;
 * _keyvarsorted by key, then aggregation; _valvarsorted by value, key, aggregation. ...rev... is the reverse.
 */
int dtrace_aggregate_walk(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_sorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_keysorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_valsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_keyvarsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_valvarsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_keyrevsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_valrevsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_keyvarrevsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
int dtrace_aggregate_walk_valvarrevsorted(dtrace_hdl_t *, dtrace_aggregate_f *, void *);
/*
 * Aggregations joined by key, sorted as the options say. The function gets n + 1 elements: one that has the
 * key, then one for each aggregation in the order given, with value 0 if the aggregation does not have the
 * key. EDT_BADAGGVAR: there is no such aggregation.
 */
int dtrace_aggregate_walk_joined(dtrace_hdl_t *, dtrace_aggvarid_t *, int n, dtrace_aggregate_walk_joined_f *,
    void *);

/* ---- values by type (ours): what bindings need, so that no caller guesses what bytes mean ---- */

typedef enum dtrace_valkind {
	DTRACE_VAL_INT,			/* dtv_int */
	DTRACE_VAL_UINT,		/* dtv_int, as an unsigned number */
	DTRACE_VAL_STRING,		/* dtv_bytes, dtv_len: without its NUL */
	DTRACE_VAL_BYTES,		/* dtv_bytes, dtv_len: a struct, an array, memory */
	/* dtv_int: of the kernel, or of process dtv_pid if that is not 0; see dtrace_addr2str() */
	DTRACE_VAL_ADDRESS,
	DTRACE_VAL_STACK,		/* dtv_frames, dtv_nframes: addresses, as above; none of them is 0 */
	DTRACE_VAL_BUCKETS		/* a distribution: dtrace_aggdata_buckets() gives its parts */
} dtrace_valkind_t;

typedef struct dtrace_val {
	dtrace_valkind_t dtv_kind;
	pid_t dtv_pid;
	int64_t dtv_int;
	const char *dtv_bytes;		/* valid as long as the firing or element */
	size_t dtv_len;
	const uint64_t *dtv_frames;
	size_t dtv_nframes;
} dtrace_val_t;

/* A part of a distribution: how many numbers from low to high, both included, were counted. */
typedef struct dtrace_bucket {
	int64_t dtbk_low;
	int64_t dtbk_high;
	int64_t dtbk_count;
	int dtbk_has_low;		/* 0: there is no lower end */
	int dtbk_has_high;
} dtrace_bucket_t;
typedef int dtrace_bucket_f(const dtrace_bucket_t *, void *);

/*
 * Value n, from 0, of those that a firing recorded; only while a dtrace_consume_probe_f or _rec_f runs. -1:
 * there are fewer.
 */
int dtrace_probedata_value(const dtrace_probedata_t *, int n, dtrace_val_t *);
/*
 * Keys of an element, from 0, and its value: a number, divided as normalize() says, or DTRACE_VAL_BUCKETS.
 * -1: there is no such key.
 */
int dtrace_aggdata_nkeys(const dtrace_aggdata_t *);
int dtrace_aggdata_key(const dtrace_aggdata_t *, int n, dtrace_val_t *);
int dtrace_aggdata_value(const dtrace_aggdata_t *, dtrace_val_t *);
/*
 * Each part that counts something, in ascending order, until the function gives something else than 0; that
 * is returned.
 */
int dtrace_aggdata_buckets(const dtrace_aggdata_t *, dtrace_bucket_f *, void *);
/*
 * Each number that percentiles() gives, with its name ("count", "p50", ...), until the function gives
 * something else than 0; that is returned. -1: the element is of another function.
 */
typedef int dtrace_part_f(const char *name, int64_t value, void *);
int dtrace_aggdata_parts(const dtrace_aggdata_t *, dtrace_part_f *, void *);

/* The aggregating function by name, as D writes it: "count", "quantize". (Ours.) */
const char *dtrace_aggdata_function(const dtrace_aggdata_t *);
/*
 * Key n as text, addresses as names; a stack has a line for each frame, the innermost first. At most len
 * bytes with the NUL; returns the length of the whole text, or -1: there is no such key. (Ours.)
 */
int dtrace_aggdata_keystr(const dtrace_aggdata_t *, int n, char *, size_t len);

/* ---- formatted output ---- */

/*
 * A format of printf() or printa(). It belongs to the handle. NULL: the error says what is wrong with it.
 */
void *dtrace_printf_create(dtrace_hdl_t *, const char *format);
void *dtrace_printa_create(dtrace_hdl_t *, const char *format);
/* The text of a format: at most len bytes with the NUL. Returns the length of the whole text. */
size_t dtrace_printf_format(dtrace_hdl_t *, void *format, char *, size_t len);
/*
 * Print records by a format, as the actions of these names do. recs are nrecs records whose data are the len
 * bytes at buf. fprinta() prints the aggregations that the records name. fp NULL: to the buffered handler.
 * Return how many records were used, or -1.
 */
int dtrace_fprintf(dtrace_hdl_t *, FILE *, void *format, const dtrace_probedata_t *,
    const dtrace_recdesc_t *recs, unsigned int nrecs, const void *buf, size_t len);
int dtrace_fprinta(dtrace_hdl_t *, FILE *, void *format, const dtrace_probedata_t *,
    const dtrace_recdesc_t *recs, unsigned int nrecs, const void *buf, size_t len);
int dtrace_system(dtrace_hdl_t *, FILE *, void *format, const dtrace_probedata_t *,
    const dtrace_recdesc_t *recs, unsigned int nrecs, const void *buf, size_t len);
int dtrace_freopen(dtrace_hdl_t *, FILE *, void *format, const dtrace_probedata_t *,
    const dtrace_recdesc_t *recs, unsigned int nrecs, const void *buf, size_t len);
/*
 * Prints bytes as the D action print() does, by a type as C writes it. Returns how many of them the type has;
 * 0: there is no such type, or its size is not known.
 */
int dtrace_print(dtrace_hdl_t *, FILE *, const char *type, char *data, size_t len);

/* ---- handlers: one of each kind, set before dtrace_go() ---- */

#define DTRACE_HANDLE_ABORT	(-1)
#define DTRACE_HANDLE_OK	0

/* dteda_fault */
#define DTRACEFLT_UNKNOWN	0
#define DTRACEFLT_BADADDR	1
#define DTRACEFLT_BADALIGN	2
#define DTRACEFLT_ILLOP		3
#define DTRACEFLT_DIVZERO	4
#define DTRACEFLT_NOSCRATCH	5
#define DTRACEFLT_KPRIV		6
#define DTRACEFLT_UPRIV		7
#define DTRACEFLT_TUPOFLOW	8
#define DTRACEFLT_BADSTACK	9
#define DTRACEFLT_BADSIZE	10
#define DTRACEFLT_BADINDEX	11
#define DTRACEFLT_LIBRARY	1000	/* an action of the library failed: dteda_msg says which */

typedef struct dtrace_errdata {
	dtrace_hdl_t *dteda_handle;
	dtrace_eprobedesc_t *dteda_edesc;
	dtrace_probedesc_t *dteda_pdesc;
	processorid_t dteda_cpu;
	int dteda_action;
	int dteda_offset;
	int dteda_fault;
	uint64_t dteda_addr;
	const char *dteda_msg;
} dtrace_errdata_t;
typedef int dtrace_handle_err_f(const dtrace_errdata_t *, void *);
int dtrace_handle_err(dtrace_hdl_t *, dtrace_handle_err_f *, void *);

typedef enum {
	DTRACEDROP_PRINCIPAL, DTRACEDROP_AGGREGATION, DTRACEDROP_DYNAMIC, DTRACEDROP_DYNRINSE,
	DTRACEDROP_DYNDIRTY, DTRACEDROP_SPEC, DTRACEDROP_SPECBUSY, DTRACEDROP_SPECUNAVAIL,
	DTRACEDROP_STKSTROVERFLOW, DTRACEDROP_DBLERROR
} dtrace_dropkind_t;
typedef struct dtrace_dropdata {
	dtrace_hdl_t *dtdda_handle;
	processorid_t dtdda_cpu;
	dtrace_dropkind_t dtdda_kind;
	uint64_t dtdda_drops;
	uint64_t dtdda_total;
	const char *dtdda_msg;
} dtrace_dropdata_t;
typedef int dtrace_handle_drop_f(const dtrace_dropdata_t *, void *);
int dtrace_handle_drop(dtrace_hdl_t *, dtrace_handle_drop_f *, void *);

/* Text that would have gone to a file, where none was given (fp NULL). */
typedef struct dtrace_bufdata {
	dtrace_hdl_t *dtbda_handle;
	const char *dtbda_buffered;
	dtrace_probedata_t *dtbda_probe;	/* the firing; NULL: aggregations printed outside of any */
	const dtrace_recdesc_t *dtbda_recdesc;	/* the record it was made of; NULL: of no record */
	const dtrace_aggdata_t *dtbda_aggdata;	/* the element it was made of; NULL: of none */
	uint32_t dtbda_flags;
} dtrace_bufdata_t;
#define DTRACE_BUFDATA_AGGKEY		0x0001	/* a key */
#define DTRACE_BUFDATA_AGGVAL		0x0002	/* a value */
#define DTRACE_BUFDATA_AGGFORMAT	0x0004	/* made by a format, of the whole element */
#define DTRACE_BUFDATA_AGGLAST		0x0008	/* the last piece of its element */
typedef int dtrace_handle_buffered_f(const dtrace_bufdata_t *, void *);
int dtrace_handle_buffered(dtrace_hdl_t *, dtrace_handle_buffered_f *, void *);

/*
 * Text around what is shown of a firing (ours): columns before it, the end of its line. The function is
 * called in the order of firings, before the records are printed, where text goes to a file (fp). It writes
 * nothing itself: it fills dtlda_text and returns how many bytes that are, or -1 to end the trace
 * (EDT_DIRABORT). The firing's records are not given (dtpda_data is NULL). A second call replaces the
 * function; NULL removes it.
 */
#define DTRACE_LINE_MAX 2048
typedef struct dtrace_linedata {
	dtrace_hdl_t *dtlda_handle;
	const dtrace_probedata_t *dtlda_probe;
	char *dtlda_text;			/* room for text that comes first */
	size_t dtlda_size;			/* of the room: DTRACE_LINE_MAX */
	const char *dtlda_end;			/* text that comes last; NULL none. It must stay as it is */
} dtrace_linedata_t;
typedef int dtrace_handle_line_f(dtrace_linedata_t *, void *);
int dtrace_handle_line(dtrace_hdl_t *, dtrace_handle_line_f *, void *);

typedef struct dtrace_setoptdata {
	dtrace_hdl_t *dtsda_handle;
	const dtrace_probedata_t *dtsda_probe;
	const char *dtsda_option;
	dtrace_optval_t dtsda_oldval;
	dtrace_optval_t dtsda_newval;
} dtrace_setoptdata_t;
typedef int dtrace_handle_setopt_f(const dtrace_setoptdata_t *, void *);
int dtrace_handle_setopt(dtrace_hdl_t *, dtrace_handle_setopt_f *, void *);

/* ---- recordings as streams, and merging (ours) ---- */

typedef struct dtrace_host {		/* who has recorded */
	const char *dth_name, *dth_machine, *dth_release;	/* as uname(2) */
	const char *dth_boot;		/* streams of the same boot have the same clock; "" unknown */
	const char *dth_version;	/* of the library */
	uint64_t dth_monotonic;		/* ns: what times of firings count */
	uint64_t dth_wall;		/* ns since 1970, at the same moment */
	uint32_t dth_cpus;
} dtrace_host_t;

/* dts_left() */
#define DTRACE_LEFT_FIRINGS	0	/* came faster than the limit of dtrace_record_fd() */
#define DTRACE_LEFT_BLOCKS	1	/* a server between has forgotten them */
#define DTRACE_LEFT_ERRORS	2

/*
 * What a reader wants to be called for; any function may be NULL. One that returns something else than 0 ends
 * the stream: EDT_DIRABORT. dts_size is sizeof(dtrace_stream_ops_t), so that members can be added.
 */
typedef struct dtrace_stream_ops {
	size_t dts_size;
	int (*dts_host)(const dtrace_host_t *, void *);		/* before all others */
	/* dtrace_probedata_value() gives its values; dtpda_data and dtpda_edesc's records are not there */
	int (*dts_firing)(const dtrace_probedata_t *, void *);
	int (*dts_text)(const char *, size_t len, void *);
	/* an aggregation has changed: dtrace_stream_walk() gives the elements */
	int (*dts_snapshot)(int64_t varid, uint64_t time, void *);
	int (*dts_error)(const dtrace_errdata_t *, void *);
	int (*dts_drop)(const dtrace_dropdata_t *, void *);
	int (*dts_left)(int kind, uint64_t n, void *);		/* something is not in the stream */
	int (*dts_end)(int status, void *);			/* of exit() */
} dtrace_stream_ops_t;

typedef struct dtrace_stream dtrace_stream_t;
/*
 * A reader of a recording whose bytes come from anywhere, in pieces of any size: dtrace_stream_feed() calls
 * the functions for each block that is complete. The handle may be one of DTRACE_O_NODEV. -1: the error
 * says what is wrong with the stream, and only dtrace_stream_close() may follow, which frees it; closed in
 * the middle of a block it says nothing. Streams are closed before their handle.
 */
dtrace_stream_t *dtrace_stream_open(dtrace_hdl_t *, const dtrace_stream_ops_t *, void *);
int dtrace_stream_feed(dtrace_stream_t *, const void *, size_t len);
int dtrace_stream_close(dtrace_stream_t *);
/*
 * Every element of every aggregation as of the last snapshots in the stream, as dtrace_aggregate_walk() does;
 * the function can go on, abort or fail. Of dtada_desc only name and varid are there: values and keys are
 * those of dtrace_aggdata_value() and its like.
 */
int dtrace_stream_walk(dtrace_stream_t *, dtrace_aggregate_f *, void *);

/*
 * Elements of several streams and handles merged, as their aggregating functions merge those of CPUs. The
 * same aggregation has the same name, function, parameters and number of keys; the same key the same text.
 * dtrace_aggset_merge() can be given to any walk, with the set as its argument. dtrace_aggset_walk() is as
 * dtrace_stream_walk(). A set ends with its handle at the latest.
 */
typedef struct dtrace_aggset dtrace_aggset_t;
dtrace_aggset_t *dtrace_aggset_create(dtrace_hdl_t *);
int dtrace_aggset_merge(const dtrace_aggdata_t *, void *set);
int dtrace_aggset_walk(dtrace_aggset_t *, dtrace_aggregate_f *, void *);
void dtrace_aggset_destroy(dtrace_aggset_t *);

/*
 * Recordings of several hosts that ran the same programs, merged into one while they arrive: it is written to
 * `fd`, which stays the caller's, as if one machine had made it (doc/FLEET.md). The options of the handle
 * that order elements hold; with aggmerge the recording is for another merge, which cuts what trunc() cuts.
 * If aggrate is set, regular snapshots of the sources are merged as often.
 * Times of a source are those of its clock; less `offset` they are ours.
 */
typedef struct dtrace_merge dtrace_merge_t;
dtrace_merge_t *dtrace_merge_open(dtrace_hdl_t *, int fd);
/* The same of recordings that are complete, any number for each host: dtrace_stream_open(3). */
dtrace_merge_t *dtrace_merge_past(dtrace_hdl_t *, int fd);
/* Its number, from 0; -1. An empty name: it is a merge with aggmerge, whose texts name hosts. */
int dtrace_merge_add(dtrace_merge_t *, const char *name, int64_t offset);
/*
 * -1: the source is wrong and takes part no more; with EDT_DIRABORT the programs cannot be merged at all. The
 * error says why.
 */
int dtrace_merge_feed(dtrace_merge_t *, int source, const void *, size_t len);
/* The source will bring nothing older than that, by its own clock. */
void dtrace_merge_time(dtrace_merge_t *, int source, uint64_t time);
/* It is gone: nothing waits for it any more, and what it counted is left out at the end. */
void dtrace_merge_leave(dtrace_merge_t *, int source);
int dtrace_merge_ended(const dtrace_merge_t *, int source);	/* 0 no, 1 yes, 2 by exit() */
/* Firings out of order, because they came too late; printa()s that a source was missing in. */
void dtrace_merge_counts(const dtrace_merge_t *, uint64_t *late, uint64_t *missing);
int dtrace_merge_close(dtrace_merge_t *);	/* writes the end; -1: the error says why it could not */
/*
 * Plays what comes from a descriptor as dtrace_play_fd() does, but text is made anew of the firings, with
 * what dtrace_handle_line() adds.
 */
int dtrace_show_fd(dtrace_hdl_t *, int fd, FILE *);

/* ---- documents for backends (ours) ---- */

/*
 * Takes the place of -x oformat: the trace as documents for Prometheus or OpenTelemetry. name is part of the
 * names of metrics: letters and digits; host is this machine in OTLP, NULL its own name. Before dtrace_go().
 */
int dtrace_documents(dtrace_hdl_t *, const char *name, const char *host);
#define DTRACE_DOCUMENT_OPENMETRICS	0	/* families as of the last snapshot, without `# EOF` */
#define DTRACE_DOCUMENT_OTLP_METRICS	1	/* ExportMetricsServiceRequest, the same; or empty */
#define DTRACE_DOCUMENT_OTLP_TRACES	2	/* ExportTraceServiceRequest: spans since the last time */
#define DTRACE_DOCUMENT_RECORDING	3	/* of what happened since the last one; the first is empty */
#define DTRACE_DOCUMENT_OTLP_PROFILES_1_9	4	/* the same: ExportProfilesServiceRequest */
#define DTRACE_DOCUMENT_OTLP_PROFILES_1_10	5	/* of 1.8 and 1.9, and of 1.10 */
/* Writes one. What was left out of it, because too much came, is added to *left. */
int dtrace_document(dtrace_hdl_t *, int kind, FILE *, uint64_t *left);

/*
 * A text over HTTP, at / and /metrics of an address in numbers ([ADDRESS:]PORT, 127.0.0.1 if it is left
 * out, port 0 any): a child without rights answers with the text that was put last. NULL: `why` says why.
 */
typedef struct dtrace_server dtrace_server_t;
dtrace_server_t *dtrace_server_open(const char *where, const char *type, char *why, size_t len);
const char *dtrace_server_address(const dtrace_server_t *);
void dtrace_server_put(dtrace_server_t *, const void *, size_t len);
void dtrace_server_close(dtrace_server_t *);

/* ---- processes ---- */

/*
 * Processes to be traced, started or grabbed before programs are compiled: the first one is $target. All
 * calls for a process come from one thread. NULL: the error names the process and the reason.
 */
struct ps_prochandle;
/*
 * The file is found in PATH. The process is held at the place of -x evaltime until dtrace_proc_continue();
 * the last release kills it, and so does our end.
 */
struct ps_prochandle *dtrace_proc_create(dtrace_hdl_t *, const char *file, char *const argv[]);
struct ps_prochandle *dtrace_proc_grab(dtrace_hdl_t *, pid_t, int flags);
void dtrace_proc_continue(dtrace_hdl_t *, struct ps_prochandle *);
void dtrace_proc_release(dtrace_hdl_t *, struct ps_prochandle *);
pid_t dtrace_proc_getpid(dtrace_hdl_t *, struct ps_prochandle *);
/* 1 once it has ended, with the status of wait(2), which is 0 for a grabbed process. (Ours.) */
int dtrace_proc_gone(dtrace_hdl_t *, struct ps_prochandle *, int *status);
/* Called from dtrace_sleep(); msg NULL: the process has ended. */
typedef void dtrace_handle_proc_f(struct ps_prochandle *, const char *msg, void *);
int dtrace_handle_proc(dtrace_hdl_t *, dtrace_handle_proc_f *, void *);
/* How many processes -x follow counts: those of -c and -p and all their descendants that live. (Ours.) */
int dtrace_proc_followed(dtrace_hdl_t *);
/* Sets $target for programs that are compiled without a process. (Ours.) */
int dtrace_proc_target(dtrace_hdl_t *, pid_t);
/*
 * After dtrace_go(): how many processes the probes are limited to, and up to max of them in pids. 0: no
 * limit. A grabbed process limits a program that mentions neither $target nor a probe of a process; see -x
 * target. The engine process sees no others anyway: 0. (Ours.)
 */
int dtrace_proc_only(dtrace_hdl_t *, pid_t *pids, int max);

/*
 * An address as text: "module`symbol+0x10", "module`0x12" or "0x12"; in a process the base name of the file
 * stands for the module. Writes at most n bytes with the NUL and returns the length of the whole text.
 */
int dtrace_addr2str(dtrace_hdl_t *, uint64_t addr, char *, int n);
int dtrace_uaddr2str(dtrace_hdl_t *, pid_t, uint64_t addr, char *, int n);

/* ---- probes ---- */

typedef struct dtrace_probeinfo {
	dtrace_attribute_t dtp_attr;		/* of the probe */
	dtrace_attribute_t dtp_arga;		/* of its arguments */
	const dtrace_typeinfo_t *dtp_argv;
	int dtp_argc;
} dtrace_probeinfo_t;

typedef int dtrace_probe_f(dtrace_hdl_t *, const dtrace_probedesc_t *, void *);
int dtrace_probe_iter(dtrace_hdl_t *, const dtrace_probedesc_t *pattern, dtrace_probe_f *, void *);
int dtrace_id2desc(dtrace_hdl_t *, dtrace_id_t, dtrace_probedesc_t *);
/*
 * By id, or by the first match. dtp_argv is valid until the handle is closed; dtt_type is NULL if the type of
 * an argument is not known.
 */
int dtrace_probe_info(dtrace_hdl_t *, const dtrace_probedesc_t *, dtrace_probeinfo_t *);
/*
 * Why a probe, by id or by the first match, never fires although it is there; NULL: it may fire, or there is
 * no such probe. Programs that enable all probes of a provider or none need such probes. (Ours.)
 */
const char *dtrace_probe_never(dtrace_hdl_t *, const dtrace_probedesc_t *);

/* ---- what this kernel and these rights allow (ours) ---- */

/* unknown: cannot be found out with these rights */
enum { DTRACE_ABLE_UNKNOWN = -1, DTRACE_ABLE_NO, DTRACE_ABLE_YES };
typedef struct dtrace_ability {
	const char *dta_name;			/* such as "CAP_BPF", "uprobes" */
	const char *dta_gives;			/* what it is for */
	const char *dta_change;			/* what to change where it is not there; NULL: nothing */
	int dta_found;				/* DTRACE_ABLE_* */
	int dta_needed;		/* 1: without it nothing is traced; 2: only the user's own processes */
} dtrace_ability_t;
typedef int dtrace_ability_f(dtrace_hdl_t *, const dtrace_ability_t *, void *);
/*
 * Calls f with each row, found by trying, until f returns a value that is not 0, and returns that value.
 * Needs no right: a handle with DTRACE_O_NODEV will do.
 */
int dtrace_ability_iter(dtrace_hdl_t *, dtrace_ability_f *, void *);

/* ---- what can be written (ours) ---- */

/* No text is NULL; those that say nothing are "". All are valid while f runs. */
typedef struct dtrace_word {
	const char *dtw_name;			/* such as "strlen", "bufsize", "io" */
	const char *dtw_form;			/* how it is written: "size_t strlen(const char *)" */
	const char *dtw_doc;			/* what it is, in one line; if it is not here: why not */
	const char *dtw_default;		/* of an option */
	const char *dtw_range;			/* of an option: "1 to 65536" */
	/* "start", "any time", "-x only" or "never" of an option; "-w" of what needs that */
	const char *dtw_scope;
	int dtw_here;				/* 0: refused on Linux; an option: without effect */
} dtrace_word_t;
typedef int dtrace_word_f(dtrace_hdl_t *, const dtrace_word_t *, void *);
/*
 * Calls f with each row of a list: "actions", "aggregations", "conversions" (of printf), "functions",
 * "options", "providers", "variables"; until f returns a value that is not 0, and returns that value. -1 and
 * a message for another name. A handle with DTRACE_O_NODEV will do.
 */
int dtrace_word_iter(dtrace_hdl_t *, const char *list, dtrace_word_f *, void *);

typedef int dtrace_library_f(dtrace_hdl_t *, const char *path, const char *text, void *);
/*
 * The same for each D library: those of -L by their paths, those that are part of the library by their names
 * ("io.d"). They are not compiled for it.
 */
int dtrace_library_iter(dtrace_hdl_t *, dtrace_library_f *, void *);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
