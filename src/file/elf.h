/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A foreign ELF file: its functions, sections, build id, and where file offsets are in memory.
 * Everything in it is treated as hostile: sizes are checked against the file before memory is
 * allocated, nothing is mapped (a file that shrinks under a mapping would kill us), and limits are
 * errors. Both word sizes, our own byte order. What types, binds and machines are called comes from <elf.h>,
 * which no other folder includes; its structs stay in this one.
 */
#ifndef DT_FILE_ELF_H
#define DT_FILE_ELF_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dt_elf;

#define DT_ELF_DEBUG_ROOT "/usr/lib/debug"

/*
 * Takes over the descriptor or the malloc'ed bytes, even if it fails. path (may be NULL) is where the
 * file was found: separate debug files are looked for beside it. 0; -ENOEXEC: not an ELF file for us;
 * -ENOMEM; or why it cannot be read.
 */
int dt_elf_open(int fd, const char *path, struct dt_elf **);
int dt_elf_memory(void *bytes, size_t len, struct dt_elf **);
/*
 * Has others open and read it (reader.h): open_as is opened, path is its name, dev
 * its device if it is known. -errno; -EINTR: to be tried
 * again.
 */
struct dt_reader;
struct statx;
int dt_elf_find(struct dt_reader *, const char *open_as, const char *path, dev_t dev, struct dt_elf **,
    struct statx *);
/* The same for a descriptor, which stays the caller's. */
int dt_elf_find_fd(struct dt_reader *, int fd, const char *path, struct dt_elf **, struct statx *);
struct dt_reader *dt_elf_reader(const struct dt_elf *);	/* NULL: we read it */
/* For hooks: /proc/self/fd leads from it to the file; it stays the file's */
int dt_elf_fd(const struct dt_elf *);
void dt_elf_close(struct dt_elf *);			/* NULL is fine */
/* Replaces DT_ELF_DEBUG_ROOT; the text must outlive the file */
void dt_elf_debug_root(struct dt_elf *, const char *dir);

/*
 * Opens regular files only, without waiting for the other end of a pipe and, unless `follow`, without
 * following a final symbolic link. fd or -errno.
 */
int dt_elf_open_regular(const char *path, bool follow);

/* The bits of an address, 32 or 64, by how the bytes begin; 0: not as an ELF file does. */
int dt_elf_bits(const void *bytes, size_t len);
bool dt_elf_is_64(const struct dt_elf *);
uint16_t dt_elf_machine(const struct dt_elf *);		/* EM_… */
uint16_t dt_elf_type(const struct dt_elf *);		/* ET_EXEC, ET_DYN … */
uint64_t dt_elf_entry(const struct dt_elf *);		/* the address of its first instruction */
const uint8_t *dt_elf_buildid(struct dt_elf *, size_t *len);	/* NULL: it has none */

/*
 * A section by name. The bytes live as long as the file; a section without any (.bss) gives NULL. 0,
 * -ENOENT, or why it cannot be read.
 */
int dt_elf_section(struct dt_elf *, const char *name, const void **data, size_t *len, uint64_t *addr);
void dt_elf_forget(struct dt_elf *, const void *data);	/* frees the bytes of a section */

/*
 * elf_walk.c: what is in a file that we read, in its own order. f ends a walk with a non-zero value, which is
 * returned.
 */
struct dt_elf_segment { uint64_t vaddr, paddr, memsz; bool load; };	/* load: PT_LOAD */
typedef int dt_elf_segment_f(void *ctx, const struct dt_elf_segment *);
int dt_elf_each_segment(const struct dt_elf *, dt_elf_segment_f *, void *ctx);
typedef int dt_elf_section_f(void *ctx, struct dt_elf *, const char *name, uint32_t index);
int dt_elf_each_section(struct dt_elf *, dt_elf_section_f *, void *ctx);	/* those with a name */
/* As dt_elf_section(), of the index that f got. */
int dt_elf_section_at(struct dt_elf *, uint32_t index, const void **data, size_t *len);
/* Its header names a table of sections that cannot be: the walks find none. */
bool dt_elf_sections_lost(const struct dt_elf *);
/*
 * elf_slots.c: words that the dynamic linker fills in; of files that others read too. False ends the walk.
 */
struct dt_elf_slot { uint64_t vaddr, addend; uint32_t type; const char *name; };	/* R_…; or NULL */
typedef bool dt_elf_slot_f(void *ctx, const struct dt_elf_slot *);
void dt_elf_each_slot(struct dt_elf *, dt_elf_slot_f *, void *ctx);

/*
 * A piece of the file as it is, until the next call. 0; -EIO: it is not all there; or why it cannot be read.
 */
int dt_elf_code(struct dt_elf *, uint64_t off, uint64_t len, const void **data);
bool dt_elf_has_section(const struct dt_elf *, const char *name);
/*
 * elf_unpack.c: unpacks a compressed section into malloc'ed bytes for the caller. -ENOENT: there is
 * none, or it is not compressed; or why not.
 */
int dt_elf_unpack(struct dt_elf *, const char *name, void **data, size_t *len);

/* Translate through PT_LOAD, code segments first. */
bool dt_elf_offset_to_vaddr(const struct dt_elf *, uint64_t off, uint64_t *vaddr);
bool dt_elf_vaddr_to_offset(const struct dt_elf *, uint64_t vaddr, uint64_t *off);
/*
 * For a piece of the file that is mapped as code: the address at which its first byte is linked. Pages
 * before the segment's own bytes count.
 */
bool dt_elf_code_vaddr(const struct dt_elf *, uint64_t off, uint64_t len, uint64_t *vaddr);
/* Does a mapping from there begin a segment of code? A process may map pieces of one again elsewhere. */
bool dt_elf_begins_code(const struct dt_elf *, uint64_t off);

struct dt_elf_function {
	const char *name;		/* lives as long as the file, without a version */
	uint64_t vaddr, size;		/* an unknown size reaches to the next function */
	uint64_t offset;		/* in the file; UINT64_MAX: not in it */
	uint8_t type;			/* STT_FUNC, STT_GNU_IFUNC; STT_NOTYPE: a label in code */
	uint8_t bind;			/* STB_… */
	/* another name of the function before it; addresses are shown by that one's name */
	bool alias;
};

/*
 * Functions by address. The first call reads them: from .symtab, otherwise from the separate debug
 * file, otherwise from .gnu_debugdata; without a .symtab of its own also from .dynsym. 0 (there may be
 * none), or why not. f ends the walk with a non-zero value, which is returned.
 */
int dt_elf_load(struct dt_elf *);
typedef int dt_elf_function_f(void *ctx, const struct dt_elf_function *);
int dt_elf_each_function(struct dt_elf *, dt_elf_function_f *f, void *ctx);
/* Never an alias; NULL: none */
const struct dt_elf_function *dt_elf_function_at(struct dt_elf *, uint64_t vaddr);
/*
 * Variables in the same way, of type STT_OBJECT, or STT_TLS, whose vaddr is an offset in a thread's
 * block. NULL: none, or several of that name.
 */
const struct dt_elf_function *dt_elf_data_at(struct dt_elf *, uint64_t vaddr);
const struct dt_elf_function *dt_elf_data_named(struct dt_elf *, const char *name, size_t len);
/*
 * All of .symtab that has a name, also what the file needs from others. 0; a non-zero value of f, which ends
 * the walk; or why the table cannot be read.
 */
typedef int dt_elf_symbol_f(void *ctx, const char *name, bool undefined);
int dt_elf_each_symbol(struct dt_elf *, dt_elf_symbol_f *, void *ctx);
/*
 * The address of one function, by the file's own tables: nothing is kept, unlike with dt_elf_load(). 0;
 * -ENOENT: none; or why not.
 */
int dt_elf_symbol(struct dt_elf *, const char *name, uint64_t *vaddr);
/* Is the address inside what is loaded, whether or not the file has bytes for it? */
bool dt_elf_has_memory(const struct dt_elf *, uint64_t vaddr);
/* Size and alignment of each thread's block; false: there is none */
bool dt_elf_tls(const struct dt_elf *, uint64_t *size, uint64_t *align);
/*
 * lines.c: source lines and inlined calls. The first call reads them, at most so many bytes, from the file's
 * DWARF or that of its debug file. 0; -ENOENT: it has none; or why not.
 */
struct dt_lines;
int dt_elf_lines(struct dt_elf *, uint64_t most, const struct dt_lines **);
/* elf_memory.c: of memory; giving back what can be read again, of a file that others read */
size_t dt_elf_bytes(const struct dt_elf *);
void dt_elf_unload(struct dt_elf *);
/* Closes the file: functions are loaded and no more sections will be read. */
void dt_elf_drop_fd(struct dt_elf *);

/* Demangles a C++ or Rust name; false: it is neither, or too long. */
bool dt_elf_demangle(const char *name, char *buf, size_t len);

#endif
