/* SPDX-License-Identifier: BSD-2-Clause */
/* Programs and libraries that processes run: opened once, however many processes run them. */
#ifndef DT_PROVIDER_OBJECTS_H
#define DT_PROVIDER_OBJECTS_H

#include "file/elf.h"
#include "provider/probe.h"

/* offset: in the file; callee: an address */
struct dt_caller { const struct dt_elf_function *in; uint64_t offset, callee; bool jump; };
struct dt_callers { struct dt_caller *v; size_t n, cap; };

struct dt_object {
	const char *name;		/* "libc.so.6" */
	const char *path;		/* as the process names it; never opened by this name */
	/* For hooks: a path that leads to what was opened here, whatever is renamed */
	const char *target;
	const char *link;		/* a name that led here, NULL none */
	struct dt_elf *elf;
	dev_t dev;			/* as stat(2) has them */
	ino_t ino;
	struct dt_dwarf *dwarf;		/* dwarf.h; NULL: none, or not asked for */
	bool dwarf_asked;
	const char *dwarf_lost;		/* which process did not live to read them; NULL: none was lost */
	int dwarf_err;			/* why they are not read (dt_dwarf_why()); 0: nothing went wrong */
	bool no_sites;			/* it has no static probes */
	bool stubs_sought;
	struct dt_callers stub_calls;	/* of all stubs (callers.c) */
	struct dt_symbolic *symbolic;	/* what leads from file to file (slots.c); NULL: not read */
	uint32_t walked;		/* the last walk over all processes that visited it */
	uint32_t major, minor;
	uint64_t inode;
	struct dt_object *next;
};

struct dt_loaded {			/* in one process */
	struct dt_object *obj;
	uint64_t bias;			/* address in the process - address in the file */
	bool main;			/* the program itself: a.out */
	const char *called;		/* what the process calls the program, NULL not known */
};

struct dt_process {
	uint32_t pid;
	const char *comm;		/* NULL not known */
	DT_VEC(struct dt_loaded) list;	/* by address */
};

/* What the process runs now. NULL: *why tells why it cannot be examined. */
struct dt_process *dt_process_look(struct dt_probes *, uint32_t pid, const char **why);
/* The file of a mapping, opened once; NULL: it cannot be opened. */
struct dt_mapping;
struct dt_object *dt_object_of(struct dt_probes *, uint32_t pid, const struct dt_mapping *);
/* For a descriptor, which stays the caller's */
struct dt_object *dt_object_opened(struct dt_probes *, int fd);
/*
 * later.c: finds a library by name that the process has not loaded yet, where it would be found, and
 * appends it to the list. False: there is none.
 */
bool dt_process_later(struct dt_probes *, struct dt_process *, const char *name);
/*
 * later.c: files of that name in the directories of programs and of libraries that any process has
 * loaded; or the file of that path.
 */
void dt_objects_named(struct dt_probes *, const char *name, void (*f)(void *ctx, struct dt_object *),
    void *ctx);
void dt_each_process(void (*f)(void *ctx, uint32_t pid), void *ctx);
/*
 * Limits a hook to the process: D for hook.when. NULL: no limit, as with -x follow, where hook.root
 * does it.
 */
const char *dt_process_when(struct dt_probes *, uint32_t pid);
/*
 * Does the module part of a description mean this object: its name, its path, its name up to a dot, or
 * a.out?
 */
bool dt_loaded_named(const struct dt_loaded *, const char *part);
/*
 * ifunc.c: the file offset of the function that was chosen for an IFUNC in this process; false: none
 * was found.
 */
bool dt_ifunc_chosen(const struct dt_process *, const struct dt_loaded *, const struct dt_elf_function *,
    uint64_t *offset);
/*
 * slots.c: the word at this address that the dynamic linker fills in, if it is in the tables that calls go
 * through: the program does not change those. Without a name, `addend` is the address in the file. False:
 * none.
 */
bool dt_object_slot(struct dt_arena *, struct dt_object *, uint64_t vaddr, struct dt_elf_slot *);
/* Functions of the file that others find by this name: there may be several versions. NULL: none. */
struct dt_named { const struct dt_elf_function *f; const struct dt_named *next; };
const struct dt_named *dt_object_named(struct dt_arena *, struct dt_object *, const char *name);
/* returns.c: may exceptions be thrown through frames of the process, or are its stacks moved? */
bool dt_process_unwinds(const struct dt_process *);

enum dt_leaving { DT_LEAVE_RET, DT_LEAVE_JUMP, DT_LEAVE_SLOT, DT_LEAVE_POINTER };
struct dt_return_site {
	uint64_t offset;		/* in the file */
	uint32_t at;			/* in the function */
	const char *when;		/* D: not always; NULL: always */
	enum dt_leaving how;
	/* address in the file: of what it jumps to, or of the slot that says it */
	uint64_t to;
};
struct dt_return_sites {
	struct dt_return_site *v;
	size_t n, cap;
	/* there is also a jump of which it is not known whether it leaves the function, at this offset */
	bool unsure;
	uint32_t unsure_at;
	bool loops;			/* a jump inside of it leads to its first instruction */
};
/* The instructions that leave the function; none if it never returns. 0, or as dt_insn_walk(). */
int dt_return_sites(struct dt_arena *, const struct dt_object *, const struct dt_elf_function *,
    struct dt_return_sites *);
/* The same of code that begins where f does and has no symbol: its size is not used. */
int dt_return_sites_unnamed(struct dt_arena *, const struct dt_object *, const struct dt_elf_function *f,
    struct dt_return_sites *);

/*
 * ends.c: where a function is left for good, and its caller continues: its own returns, and those of the
 * functions that it ends by jumping to, and so on.
 */
enum dt_end_kind {
	DT_END_RET, DT_END_JUMP,	/* of the function itself */
	DT_END_ENTRY,			/* of a function that is jumped to */
	DT_END_NEXT_RET, DT_END_NEXT_JUMP,
};
struct dt_end {
	enum dt_end_kind kind;
	const struct dt_loaded *in;
	uint64_t offset;		/* in its file */
	uint32_t at;			/* RET: in the function */
	const char *when;		/* as struct dt_return_site has it */
};
struct dt_ends { struct dt_end *v; size_t n, cap; };
/*
 * False: not all of them can be found; *why says so, as "ends with a jump …". proc NULL: in any process.
 * Those of the function itself come first.
 */
bool dt_ends_find(struct dt_arena *, const struct dt_process *proc, const struct dt_loaded *,
    const struct dt_elf_function *, struct dt_ends *, const char **why);
/*
 * ends_hooks.c: appends the hooks of a probe at these ends to a list, which may have others. In them arg1 is
 * the value of the function, and arg0 means nothing.
 */
struct dt_end_hooks {
	struct dt_hook like;		/* pid, root, args, and a `when` that is for all of them */
	const char *when;		/* D: of those where the probe fires; NULL: always */
	struct dt_hook *first, *last;
};
void dt_ends_hooks(struct dt_probes *, const struct dt_ends *, struct dt_end_hooks *);
/* Both conditions, each of which may be NULL. */
const char *dt_hook_when(struct dt_arena *, const char *, const char *);

/* callers.c: calls of a stub in its own file, and jumps to it. */
bool dt_is_stub(const struct dt_elf_function *);	/* by its name; NULL is not a stub */
void dt_callers(struct dt_arena *, struct dt_object *, const struct dt_elf_function *, struct dt_callers *);

/*
 * taken.c: D that is true if the branch will be taken, from the registers before it; NULL: it cannot be
 * found out.
 */
struct dt_insn;
const char *dt_branch_taken(struct dt_arena *, uint16_t machine, const struct dt_insn *);

/* golang.c */
bool dt_object_is_go(const struct dt_object *);
/* D texts of a function's arguments at its entry */
void dt_go_arguments(struct dt_arena *, const struct dt_object *, const char *args[10]);
/* the place in the file that runs once per call */
uint64_t dt_go_entry(const struct dt_object *, const struct dt_elf_function *);

void dt_objects_close(struct dt_object *list);

#endif
