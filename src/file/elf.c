/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Headers, segments and sections of an ELF file, read piece by piece with pread(2). Little is needed, and
 * every length is checked here against the file, instead of trusting a library to do it. Two things always
 * hold after begin_elf(): ph and sh have as many entries as nph and nsh say, and no bytes are handed out
 * that are not wholly inside the file. What entries say of offsets, addresses and links is still the file's
 * word, and is checked where it is used.
 */
#include "file/elf_impl.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Of sections that are read; a file with more is treated as one without any. Linkers make a few dozen,
 * compilers with a section for each function some ten thousand.
 */
enum { SECTIONS_MAX = 1 << 18, MAX_PAGE = 1 << 16 };

/* ---- bytes ---- */

/*
 * The one place that reads the file. The two comparisons cannot overflow; a file that shrinks while it is
 * read is an error, never a signal, as nothing of it is mapped.
 */
int dt_elf_read_at(const struct dt_elf *e, uint64_t off, void *buf, uint64_t len)
{
	uint8_t *to = buf;

	if (off > e->size || len > e->size - off)
		return -ENOEXEC;
	if (e->mem != NULL) {
		if (len > 0)
			memcpy(to, e->mem + off, len);
		return 0;
	}
	while (len > 0) {
		ssize_t n = pread(e->fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -ENOEXEC;	/* the file has become shorter */
		to += n;
		off += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

/*
 * Pieces are found by place and length: sections that claim the very same bytes share one copy, which refs
 * counts. One byte more is allocated, for the NUL.
 */
int dt_elf_read(struct dt_elf *e, uint64_t off, uint64_t len, const void **data)
{
	struct dt_elf_bytes *b;
	int err;

	for (b = e->bytes; b != NULL; b = b->next)
		if (b->off == off && b->len == len) {
			b->refs++;
			*data = b->data;
			return 0;
		}
	if (off > e->size || len > e->size - off)
		return -ENOEXEC;
	if (len > DT_ELF_SECTION_MAX)
		return -EFBIG;
	b = calloc(1, sizeof(*b));
	if (b == NULL || (b->data = malloc(len + 1)) == NULL) {
		free(b);
		return -ENOMEM;
	}
	err = dt_elf_read_at(e, off, b->data, len);
	if (err != 0) {
		free(b->data);
		free(b);
		return err;
	}
	((uint8_t *)b->data)[len] = 0;	/* so that text at the end ends */
	b->off = off;
	b->len = len;
	b->refs = 1;
	b->next = e->bytes;
	e->bytes = b;
	*data = b->data;
	return 0;
}

/*
 * Gives back one reference; the bytes go with the last one. Data that is not (or no longer) a piece of this
 * file is left alone.
 */
void dt_elf_forget(struct dt_elf *e, const void *data)
{
	for (struct dt_elf_bytes **at = &e->bytes; *at != NULL; at = &(*at)->next)
		if ((*at)->data == data) {
			struct dt_elf_bytes *b = *at;

			if (b->refs-- > 1)
				return;
			*at = b->next;
			free(b->data);
			free(b);
			return;
		}
}

/* ---- headers ---- */

static void widen_ehdr(Elf64_Ehdr *to, const Elf32_Ehdr *from)
{
	*to = (Elf64_Ehdr){ .e_type = from->e_type,
		.e_machine = from->e_machine,
		.e_version = from->e_version,
		.e_entry = from->e_entry,
		.e_phoff = from->e_phoff,
		.e_shoff = from->e_shoff,
		.e_flags = from->e_flags,
		.e_ehsize = from->e_ehsize,
		.e_phentsize = from->e_phentsize,
		.e_phnum = from->e_phnum,
		.e_shentsize = from->e_shentsize,
		.e_shnum = from->e_shnum,
		.e_shstrndx = from->e_shstrndx };
	memcpy(to->e_ident, from->e_ident, EI_NIDENT);
}

static Elf64_Phdr widen_phdr(const Elf32_Phdr *p)
{
	return (Elf64_Phdr){ .p_type = p->p_type,
		.p_flags = p->p_flags,
		.p_offset = p->p_offset,
		.p_vaddr = p->p_vaddr,
		.p_paddr = p->p_paddr,
		.p_filesz = p->p_filesz,
		.p_memsz = p->p_memsz,
		.p_align = p->p_align };
}

static Elf64_Shdr widen_shdr(const Elf32_Shdr *s)
{
	return (Elf64_Shdr){ .sh_name = s->sh_name,
		.sh_type = s->sh_type,
		.sh_flags = s->sh_flags,
		.sh_addr = s->sh_addr,
		.sh_offset = s->sh_offset,
		.sh_size = s->sh_size,
		.sh_link = s->sh_link,
		.sh_info = s->sh_info,
		.sh_addralign = s->sh_addralign,
		.sh_entsize = s->sh_entsize };
}

int dt_elf_bits(const void *bytes, size_t len)
{
	const uint8_t *ident = bytes;

	if (len < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0)
		return 0;
	return ident[EI_CLASS] == ELFCLASS64 ? 64 : ident[EI_CLASS] == ELFCLASS32 ? 32 : 0;
}

bool dt_elf_is_64(const struct dt_elf *e)
{
	return e->eh.e_ident[EI_CLASS] == ELFCLASS64;
}

/* Another byte order than ours is refused here, so that no later code has to swap bytes. */
static int read_ehdr(struct dt_elf *e)
{
	unsigned char ident[EI_NIDENT];
	Elf32_Ehdr small;
	int err = dt_elf_read_at(e, 0, ident, sizeof(ident));
	int data = BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB;

	if (err != 0)
		return err;
	if (dt_elf_bits(ident, sizeof(ident)) == 0 || ident[EI_DATA] != data ||
	    ident[EI_VERSION] != EV_CURRENT)
		return -ENOEXEC;
	if (ident[EI_CLASS] == ELFCLASS64)
		return dt_elf_read_at(e, 0, &e->eh, sizeof(e->eh));
	err = dt_elf_read_at(e, 0, &small, sizeof(small));
	if (err == 0)
		widen_ehdr(&e->eh, &small);
	return err;
}

/* table_fits() was asked for the table with i in it, hence the product does not overflow. */
static int read_shdr(const struct dt_elf *e, uint64_t i, Elf64_Shdr *sh)
{
	uint64_t at = e->eh.e_shoff + i * e->eh.e_shentsize;
	Elf32_Shdr small;
	int err;

	if (dt_elf_is_64(e))
		return dt_elf_read_at(e, at, sh, sizeof(*sh));
	err = dt_elf_read_at(e, at, &small, sizeof(small));
	if (err == 0)
		*sh = widen_shdr(&small);
	return err;
}

/*
 * Does a table of n entries lie inside the file? It divides what is left of the file, as n times entry
 * could overflow. Entries may be larger than we know them, never smaller.
 */
static bool table_fits(const struct dt_elf *e, uint64_t off, uint64_t n, uint64_t entry, uint64_t least)
{
	return entry >= least && off <= e->size && n <= (e->size - off) / entry;
}

/*
 * If there are more sections than the header can count, the first section has the number. Damaged section
 * headers are no error: the file then has segments only, as one that was stripped of them. Only memory and
 * reading can fail.
 */
static int read_sections(struct dt_elf *e)
{
	uint64_t n = e->eh.e_shnum, least = dt_elf_is_64(e) ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	uint32_t names = e->eh.e_shstrndx;
	Elf64_Shdr first;
	const void *text;
	int err = 0;

	if (e->eh.e_shoff == 0 || !table_fits(e, e->eh.e_shoff, 1, e->eh.e_shentsize, least))
		return 0;	/* nothing that runs needs them */
	if (read_shdr(e, 0, &first) != 0)
		return 0;
	if (n == 0)
		n = first.sh_size;
	if (names == SHN_XINDEX)
		names = first.sh_link;
	if (n > SECTIONS_MAX || !table_fits(e, e->eh.e_shoff, n, e->eh.e_shentsize, least))
		return 0;
	e->sh = calloc(n + 1, sizeof(*e->sh));
	if (e->sh == NULL)
		return -ENOMEM;
	if (dt_elf_is_64(e) && e->eh.e_shentsize == sizeof(*e->sh))
		err = dt_elf_read_at(e, e->eh.e_shoff, e->sh, n * sizeof(*e->sh));
	else
		for (uint64_t i = 0; i < n && err == 0; i++)
			err = read_shdr(e, i, &e->sh[i]);
	if (err != 0)
		return err;
	e->nsh = (uint32_t)n;
	if (names < n && e->sh[names].sh_type == SHT_STRTAB &&
	    dt_elf_section_data(e, &e->sh[names], &text, &e->shnames_len) == 0)
		e->shnames = text;
	return 0;
}

/*
 * Segments must be right, unlike sections: addresses are translated by them, and the kernel has mapped the
 * file by them.
 */
static int read_segments(struct dt_elf *e)
{
	uint64_t n = e->eh.e_phnum, least = dt_elf_is_64(e) ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	int err = 0;

	if (n == PN_XNUM && e->nsh > 0)
		n = e->sh[0].sh_info;
	if (e->eh.e_phoff == 0 || n == 0)
		return 0;
	if (n > DT_ELF_SEGMENTS_MAX || !table_fits(e, e->eh.e_phoff, n, e->eh.e_phentsize, least))
		return -ENOEXEC;
	e->ph = calloc(n, sizeof(*e->ph));
	if (e->ph == NULL)
		return -ENOMEM;
	if (dt_elf_is_64(e) && e->eh.e_phentsize == sizeof(*e->ph)) {
		e->nph = (uint32_t)n;
		return dt_elf_read_at(e, e->eh.e_phoff, e->ph, n * sizeof(*e->ph));
	}
	for (uint64_t i = 0; i < n && err == 0; i++) {
		uint64_t at = e->eh.e_phoff + i * e->eh.e_phentsize;
		Elf32_Phdr small;

		if (dt_elf_is_64(e)) {
			err = dt_elf_read_at(e, at, &e->ph[i], sizeof(e->ph[i]));
		} else if ((err = dt_elf_read_at(e, at, &small, sizeof(small))) == 0) {
			e->ph[i] = widen_phdr(&small);
		}
	}
	e->nph = (uint32_t)n;
	return err;
}

/* ---- opening ---- */

/*
 * Takes over e, which is closed after an error. Sections come first, as a file with very many segments
 * keeps their number in section 0.
 */
static int begin_elf(struct dt_elf *e, struct dt_elf **out)
{
	int err = read_ehdr(e);

	e->debug_root = DT_ELF_DEBUG_ROOT;
	if (err == 0)
		err = read_sections(e);
	if (err == 0)
		err = read_segments(e);
	if (err != 0) {
		dt_elf_close(e);
		return err;
	}
	*out = e;
	return 0;
}

/*
 * The file is examined before it is opened, since opening alone can have an effect on a device. O_PATH
 * finds without opening, and /proc/self/fd leads to what was found: no other process can put another file in
 * its place between the two.
 */
int dt_elf_open_regular(const char *path, bool follow)
{
	int found = open(path, O_PATH | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW)), fd = -ENOEXEC;
	char again[40];
	struct stat st;

	if (found < 0)
		return -errno;
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode)) {
		snprintf(again, sizeof(again), "/proc/self/fd/%d", found);
		fd = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
		if (fd < 0)
			fd = -errno;
	}
	close(found);
	return fd;
}

int dt_elf_open(int fd, const char *path, struct dt_elf **out)
{
	struct dt_elf *e = calloc(1, sizeof(*e));
	struct stat st;

	if (e == NULL || (path != NULL && (e->path = strdup(path)) == NULL)) {
		free(e);
		close(fd);
		return -ENOMEM;
	}
	e->fd = fd;
	e->ours = true;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		dt_elf_close(e);
		return -ENOEXEC;
	}
	e->size = (uint64_t)st.st_size;
	return begin_elf(e, out);
}

int dt_elf_memory(void *bytes, size_t len, struct dt_elf **out)
{
	struct dt_elf *e = calloc(1, sizeof(*e));

	if (e == NULL) {
		free(bytes);
		return -ENOMEM;
	}
	e->fd = -1;
	e->mem = bytes;
	e->size = len;
	return begin_elf(e, out);
}

/*
 * The size becomes 0, so that a late reader gets -ENOEXEC from the bounds check and never reads descriptor
 * -1.
 */
void dt_elf_drop_fd(struct dt_elf *e)
{
	if (e->fd >= 0 && e->names[DT_ELF_CODE].loaded) {
		close(e->fd);
		e->fd = -1;
		e->size = e->mem != NULL ? e->size : 0;	/* nothing more can be read */
	}
	if (e->debug != NULL)
		dt_elf_drop_fd(e->debug);
}

/* dt_elf_find_debug() leaves -1 for those of `given` that it has used up; the others are still ours. */
void dt_elf_close(struct dt_elf *e)
{
	if (e == NULL)
		return;
	dt_elf_close(e->debug);
	for (int i = 0; i < e->ngiven; i++)
		if (e->given[i] >= 0)
			close(e->given[i]);
	if (e->fd >= 0)
		close(e->fd);
	dt_elf_remote_end(e);
	free(e->head);
	free(e->piece.data);
	free(e->mem);
	free(e->path);
	free(e->ph);
	free(e->sh);
	dt_elf_free_names(e);
	free(e);
}

void dt_elf_debug_root(struct dt_elf *e, const char *dir)
{
	e->debug_root = dir;
}

uint16_t dt_elf_machine(const struct dt_elf *e)
{
	return e->eh.e_machine;
}

uint16_t dt_elf_type(const struct dt_elf *e)
{
	return e->eh.e_type;
}

uint64_t dt_elf_entry(const struct dt_elf *e)
{
	return e->eh.e_entry;
}

/* ---- sections ---- */

/* Compressed sections are refused here: dt_elf_unpack() is for those. */
int dt_elf_section_data(struct dt_elf *e, const Elf64_Shdr *sh, const void **data, size_t *len)
{
	*data = NULL;
	*len = 0;
	if (sh->sh_type == SHT_NOBITS)
		return 0;
	if (sh->sh_flags & SHF_COMPRESSED)
		return -ENOTSUP;
	*len = sh->sh_size;
	return dt_elf_read(e, sh->sh_offset, sh->sh_size, data);
}

/*
 * The name is compared with its NUL and only where all of it lies inside the table, as an offset may point
 * anywhere. Section 0 is not a section.
 */
const Elf64_Shdr *dt_elf_section_named(const struct dt_elf *e, const char *name)
{
	size_t len = strlen(name) + 1;

	for (uint32_t i = 1; i < e->nsh && e->shnames != NULL; i++) {
		uint64_t at = e->sh[i].sh_name;

		if (at <= e->shnames_len && e->shnames_len - at >= len &&
		    memcmp(e->shnames + at, name, len) == 0)
			return &e->sh[i];
	}
	return NULL;
}

const Elf64_Shdr *dt_elf_section_typed(const struct dt_elf *e, uint32_t type)
{
	for (uint32_t i = 1; i < e->nsh; i++)
		if (e->sh[i].sh_type == type)
			return &e->sh[i];
	return NULL;
}

int dt_elf_section(struct dt_elf *e, const char *name, const void **data, size_t *len, uint64_t *addr)
{
	const Elf64_Shdr *sh = dt_elf_section_named(e, name);

	if (e->reader != NULL)
		return dt_elf_remote_section(e, name, data, len, addr);
	if (sh == NULL)
		return -ENOENT;
	*addr = sh->sh_addr;
	return dt_elf_section_data(e, sh, data, len);
}

/* ---- segments ---- */

/*
 * Segments of a hostile file may overlap: the first one with code wins, else the first. `at - from` cannot
 * wrap after the comparison before it.
 */
static const Elf64_Phdr *load_of(const struct dt_elf *e, uint64_t at, bool by_offset)
{
	const Elf64_Phdr *found = NULL;

	for (uint32_t i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];
		uint64_t from = by_offset ? p->p_offset : p->p_vaddr;

		if (p->p_type != PT_LOAD || at < from || at - from >= p->p_filesz)
			continue;
		if (found == NULL || (p->p_flags & PF_X && !(found->p_flags & PF_X)))
			found = p;
	}
	return found;
}

bool dt_elf_offset_to_vaddr(const struct dt_elf *e, uint64_t off, uint64_t *vaddr)
{
	const Elf64_Phdr *p = load_of(e, off, true);

	if (p != NULL)
		*vaddr = p->p_vaddr + (off - p->p_offset);
	return p != NULL;
}

/*
 * The sums may wrap for a segment that no kernel would map; such a file then gets a wrong address or none,
 * which costs it its own names.
 */
bool dt_elf_code_vaddr(const struct dt_elf *e, uint64_t off, uint64_t len, uint64_t *vaddr)
{
	for (uint32_t i = 0; i < e->nph; i++) {
		const Elf64_Phdr *p = &e->ph[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || p->p_offset >= off + len ||
		    off >= p->p_offset + p->p_filesz)
			continue;
		*vaddr = p->p_vaddr + (off - p->p_offset);
		return true;
	}
	return false;
}

bool dt_elf_begins_code(const struct dt_elf *e, uint64_t off)
{
	for (uint32_t i = 0; i < e->nph; i++)
		if (e->ph[i].p_type == PT_LOAD && e->ph[i].p_flags & PF_X && off <= e->ph[i].p_offset &&
		    e->ph[i].p_offset - off < MAX_PAGE)
			return true;
	return false;
}

bool dt_elf_vaddr_to_offset(const struct dt_elf *e, uint64_t vaddr, uint64_t *off)
{
	const Elf64_Phdr *p = load_of(e, vaddr, false);

	if (p != NULL)
		*off = p->p_offset + (vaddr - p->p_vaddr);
	return p != NULL;
}

bool dt_elf_has_memory(const struct dt_elf *e, uint64_t vaddr)
{
	for (uint32_t i = 0; i < e->nph; i++)
		if (e->ph[i].p_type == PT_LOAD && vaddr >= e->ph[i].p_vaddr &&
		    vaddr - e->ph[i].p_vaddr < e->ph[i].p_memsz)
			return true;
	return false;
}

/* False also for a block that cannot be: an alignment that is no power of two, or more than 4 GiB. */
bool dt_elf_tls(const struct dt_elf *e, uint64_t *size, uint64_t *align)
{
	for (uint32_t i = 0; i < e->nph; i++)
		if (e->ph[i].p_type == PT_TLS) {
			*size = e->ph[i].p_memsz;
			*align = e->ph[i].p_align != 0 ? e->ph[i].p_align : 1;
			return (*align & (*align - 1)) == 0 && *size <= UINT32_MAX;
		}
	return false;
}
