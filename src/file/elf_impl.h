/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to src/file/elf*.c: an opened file. */
#ifndef DT_FILE_ELF_IMPL_H
#define DT_FILE_ELF_IMPL_H

#include "file/elf.h"
#include "file/lines.h"

struct dt_rows;

#define DT_ELF_SECTION_MAX (512ull << 20)	/* bytes of one section that are read */
#define DT_ELF_SEGMENTS_MAX 4096u
#define DT_ELF_NAME_MAX 4096u			/* longer function names are left out */

/* A piece of the file that was read */
struct dt_elf_bytes {
	void *data;
	uint64_t off, len;
	uint32_t refs;			/* sections of a hostile file may be the same bytes */
	char section[32];		/* of a file that is read by others: what it is, and its address */
	uint64_t addr;
	struct dt_elf_bytes *next;
};

/* What is asked most, in one piece, for files that are read by others (digest.h) */
struct dt_elf_head {
	Elf64_Ehdr eh;
	uint32_t sections;		/* bits: has it those of elf_head.c? */
	uint32_t crc;			/* of .gnu_debuglink */
	char link[256];			/* "": none */
	uint8_t id[64], idlen;
	uint8_t symtab;			/* has it one of its own? */
	uint64_t frames;		/* dt_elf_frames() */
};
/* Rows of more than that do not come along with a head; they take 50 ms. */
#define DT_ELF_FRAMES_LARGE (4u << 20)

enum { DT_ELF_DEBUG_PATHS = 4 };
enum dt_elf_kind { DT_ELF_CODE, DT_ELF_DATA, DT_ELF_KINDS };

struct dt_elf_names {			/* the symbols of one kind */
	struct dt_elf_function *func;	/* sorted by vaddr, the shown name of each address first */
	size_t nfunc, capfunc;
	char *text;			/* of a digest, after func; NULL: names are in sections */
	size_t block;			/* bytes of both, of dt_elf_block(); 0: func is of malloc() */
	uint64_t *start;		/* addresses of those that are not aliases, for searching */
	uint32_t *index;
	size_t nstart;
	uint64_t longest;		/* the largest size */
	bool loaded;
	int load_err;
};

struct dt_elf {
	int fd;				/* -1: memory, or dropped */
	uint8_t *mem;			/* NULL: read from fd */
	uint64_t size;
	char *path;			/* or NULL */
	const char *debug_root;
	Elf64_Ehdr eh;			/* also for 32-bit files, widened */
	Elf64_Phdr *ph;
	Elf64_Shdr *sh;
	uint32_t nph, nsh;
	const char *shnames;
	size_t shnames_len;
	struct dt_elf_bytes *bytes;
	struct dt_reader *reader;	/* NULL: we read it; or fd is of O_PATH, and it reads */
	struct dt_elf_head *head;	/* from the reader */
	dev_t dev;			/* for the reader; 0: not known */
	bool ours;			/* whether it may take long to read */
	struct dt_rows *rows;		/* that came along with the head, until they are asked for; or NULL */
	int given[DT_ELF_DEBUG_PATHS];	/* debug files that may be its own, in place of a search */
	int ngiven;
	bool searched;			/* those are all there are */
	struct dt_elf_bytes piece;	/* dt_elf_code() */
	uint8_t id[64];			/* the build id, once it was sought */
	size_t idlen;
	bool id_sought;
	struct dt_elf *debug;		/* the file that the names come from, if not this one */
	struct dt_elf_names names[DT_ELF_KINDS];
	struct dt_lines lines;		/* bytes NULL: none, or not asked for */
	bool has_lines;			/* they were asked for, with this result */
	int lines_err;
};

void dt_elf_free_names(struct dt_elf *);	/* and sections (elf_memory.c) */
/* Memory for the names of a digest; NULL: there is none. */
void *dt_elf_block(size_t len);

/* A piece of the file, read once. 0; -ENOEXEC: it is not all there; -EFBIG; -ENOMEM. */
int dt_elf_read(struct dt_elf *, uint64_t off, uint64_t len, const void **data);
/* The same, not kept */
int dt_elf_read_at(const struct dt_elf *, uint64_t off, void *buf, uint64_t len);
/* elf_unpack.c: a compressed section, into memory of the size that its header tells. 0 or -errno */
#define DT_ELF_ZSTD 2u			/* ELFCOMPRESS_ZSTD, which older headers lack */
/* ZSTD_decompress() */
typedef size_t dt_unzstd_f(void *to, size_t size, const void *from, size_t len);
/* zstd NULL: a section in zstd is refused (-ENOTSUP) */
int dt_elf_unpack_to(struct dt_elf *, const Elf64_Shdr *, void *to, uint64_t size, dt_unzstd_f *zstd);
int dt_elf_section_data(struct dt_elf *, const Elf64_Shdr *, const void **data, size_t *len);
const Elf64_Shdr *dt_elf_section_named(const struct dt_elf *, const char *name);
uint64_t dt_elf_frames(const struct dt_elf *);	/* bytes of .eh_frame, or of .debug_frame */
const Elf64_Shdr *dt_elf_section_typed(const struct dt_elf *, uint32_t type);

/* elf_debug.c: what .gnu_debuglink says; false: there is none. */
bool dt_elf_debug_link(struct dt_elf *, char name[256], uint32_t *crc);
void dt_elf_head(struct dt_elf *, struct dt_elf_head *);
int dt_elf_load_kind(struct dt_elf *, enum dt_elf_kind);
/* Sorted functions come in; what searching needs goes out. */
int dt_elf_index_names(struct dt_elf_names *);

/* elf_remote.c: as their namesakes, for a file with a reader. */
int dt_elf_remote_names(struct dt_elf *, enum dt_elf_kind);
/* at most that many: *len is how many there are */
int dt_elf_remote_bytes(struct dt_elf *, uint64_t off, uint64_t most, void **bytes, size_t *len);
int dt_elf_remote_symbol(struct dt_elf *, const char *name, uint64_t *vaddr);
int dt_elf_remote_lines(struct dt_elf *, uint64_t most, void **bytes, size_t *len);
struct dt_cfi;
int dt_elf_remote_rows(struct dt_elf *, struct dt_cfi *);
void dt_elf_remote_end(struct dt_elf *);		/* what was not asked for */
int dt_elf_remote_section(struct dt_elf *, const char *name, const void **data, size_t *len, uint64_t *addr);

/*
 * elf_debug.c: paths of debug files that may belong to this one, best first; their number. The texts are
 * malloc'ed.
 */
int dt_elf_debug_paths(struct dt_elf *, char *path[DT_ELF_DEBUG_PATHS]);
void dt_elf_given(struct dt_elf *, const int *fds, int n);	/* takes over the descriptors; n may be 0 */
/*
 * elf_debug.c: the file with the symbols that this one lacks, which the caller closes. 0; -ENOENT:
 * none.
 */
int dt_elf_find_debug(struct dt_elf *, struct dt_elf **);
int dt_elf_find_debugdata(struct dt_elf *, struct dt_elf **);

#endif
