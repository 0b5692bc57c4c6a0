/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ELF files made here, of both word sizes: which name an address has, sizes the file does not tell,
 * offsets, build id; files cut at every length and with every byte changed are read or refused. Then this
 * program itself.
 */
#include "check.h"
#include "elf_image.h"

#include "file/elf_impl.h"
#include "file/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- what it says ---- */

static const char *name_at(struct dt_elf *e, uint64_t text)
{
	const struct dt_elf_function *f = dt_elf_function_at(e, BASE + TEXT_OFF + text);

	return f != NULL ? f->name : "none";
}

struct walk { uint64_t last; int n, aliases; };

static int on_function(void *ctx, const struct dt_elf_function *f)
{
	struct walk *w = ctx;

	CHECK(f->vaddr >= w->last);
	CHECK_INT(f->offset, f->vaddr - BASE);
	CHECK(!f->alias || f->vaddr == w->last);
	w->last = f->vaddr;
	w->aliases += f->alias;
	w->n++;
	return 0;
}

static int stop(void *ctx, const struct dt_elf_function *f)
{
	(void)f;
	return ++*(int *)ctx == 2 ? 7 : 0;
}

static void test_names(void)
{
	struct dt_elf *e = NULL;
	struct walk w = { 0, 0, 0 };
	int seen = 0;

	if (!CHECK(dt_elf_memory(image64(), IMAGE, &e) == 0))
		return;
	CHECK_STR(name_at(e, 0x20), "one");
	CHECK_STR(name_at(e, 0x2f), "one");
	CHECK_STR(name_at(e, 0x28), "one");		/* a label in it is no function */
	CHECK_STR(name_at(e, 0x30), "none");
	CHECK_STR(name_at(e, 0x00), "_start");		/* a label in code */
	CHECK_STR(name_at(e, 0x1f), "_start");
	CHECK_STR(name_at(e, 0x40), "no_size");
	CHECK_STR(name_at(e, 0x5f), "no_size");		/* to the next one */
	CHECK_STR(name_at(e, 0x60), "versioned");
	CHECK_STR(name_at(e, 0x84), "chosen_later");
	CHECK_STR(name_at(e, 0xa4), "dup");		/* weak, but the public name */
	CHECK_STR(name_at(e, 0x100), "around");
	CHECK_STR(name_at(e, 0x128), "within");
	CHECK_STR(name_at(e, 0x140), "around");		/* behind the one inside it */
	CHECK_STR(name_at(e, 0x180), "none");
	CHECK_STR(name_at(e, 0x190), "none");		/* data */
	CHECK_STR(name_at(e, TEXT_LEN - 1), "last");	/* to the end of the segment */
	CHECK_STR(name_at(e, TEXT_LEN), "none");
	CHECK_STR(name_at(e, (uint64_t)-BASE), "none");
	CHECK_INT(dt_elf_each_function(e, on_function, &w), 0);
	CHECK_INT(w.n, 15);
	CHECK_INT(w.aliases, 6);
	CHECK_INT(dt_elf_each_function(e, stop, &seen), 7);
	dt_elf_close(e);
}

static void test_parts(void)
{
	struct dt_elf *e = NULL;
	const uint8_t *id;
	const void *data;
	uint64_t at = 0;
	size_t len = 0;

	if (!CHECK(dt_elf_memory(image64(), IMAGE, &e) == 0))
		return;
	CHECK(dt_elf_is_64(e));
	CHECK_INT(dt_elf_type(e), ET_EXEC);
	CHECK_INT(dt_elf_machine(e), EM_AARCH64);
	id = dt_elf_buildid(e, &len);
	CHECK(id != NULL && len == 8 && memcmp(id, "\1\2\3\4\5\6\7\10", 8) == 0);
	CHECK_INT(dt_elf_section(e, ".text", &data, &len, &at), 0);
	CHECK(len == TEXT_LEN && at == BASE + TEXT_OFF && data != NULL);
	CHECK_INT(dt_elf_section(e, ".tex", &data, &len, &at), -ENOENT);
	CHECK(dt_elf_offset_to_vaddr(e, TEXT_OFF + 5, &at) && at == BASE + TEXT_OFF + 5);
	CHECK(dt_elf_vaddr_to_offset(e, BASE + TEXT_OFF + 5, &at) && at == TEXT_OFF + 5);
	CHECK(!dt_elf_offset_to_vaddr(e, TEXT_OFF + TEXT_LEN, &at));
	CHECK(!dt_elf_vaddr_to_offset(e, 0, &at));
	dt_elf_close(e);

	if (!CHECK(dt_elf_memory(image32(), IMAGE, &e) == 0))
		return;
	CHECK(!dt_elf_is_64(e));
	const struct dt_elf_function *f = dt_elf_function_at(e, 0x1413);
	CHECK(f != NULL && strcmp(f->name, "small") == 0 && f->offset == TEXT_OFF + 0x10);
	CHECK(dt_elf_function_at(e, 0x1414) == NULL);
	dt_elf_close(e);
}

/* ---- walks ---- */

struct seen { int symbols, undefined, sections, notes, loads; uint64_t memory; };

static int see_symbol(void *ctx, const char *name, bool undefined)
{
	struct seen *s = ctx;

	s->symbols += name[0] != '\0';
	s->undefined += undefined;
	return 0;
}

static int see_section(void *ctx, struct dt_elf *e, const char *name, uint32_t index)
{
	struct seen *s = ctx;
	const void *data;
	size_t len;

	s->sections++;
	if (strcmp(name, ".note.gnu.build-id") == 0 && dt_elf_section_at(e, index, &data, &len) == 0) {
		s->notes += len == 24;
		dt_elf_forget(e, data);
	}
	return 0;
}

static int see_segment(void *ctx, const struct dt_elf_segment *g)
{
	struct seen *s = ctx;

	s->loads += g->load;
	s->memory += g->memsz;
	return 0;
}

static bool see_slot(void *ctx, const struct dt_elf_slot *slot)
{
	((struct seen *)ctx)->symbols += slot->name != NULL;
	return true;
}

static int end_at_once(void *ctx, const char *name, bool undefined)
{
	(void)ctx, (void)name, (void)undefined;
	return 5;
}

static void test_walks(void)
{
	uint8_t *b = image64();
	struct dt_elf *e = NULL;
	struct seen s = { 0 };
	const void *data;
	size_t len;

	((Elf64_Sym *)(void *)(b + 0x600))[3].st_shndx = SHN_UNDEF;
	if (!CHECK(dt_elf_memory(b, IMAGE, &e) == 0))
		return;
	CHECK_INT(dt_elf_each_symbol(e, see_symbol, &s), 0);
	CHECK_INT(s.symbols, NSYMS);
	CHECK_INT(s.undefined, 1);
	CHECK_INT(dt_elf_each_symbol(e, end_at_once, NULL), 5);
	CHECK_INT(dt_elf_each_section(e, see_section, &s), 0);
	CHECK_INT(s.sections, 5);
	CHECK_INT(s.notes, 1);
	CHECK_INT(dt_elf_each_segment(e, see_segment, &s), 0);
	CHECK_INT(s.loads, 1);
	CHECK_INT(s.memory, TEXT_LEN);
	CHECK_INT(dt_elf_section_at(e, 6, &data, &len), -ENOENT);
	CHECK(!dt_elf_sections_lost(e));
	dt_elf_close(e);
	b = image64();
	((Elf64_Ehdr *)(void *)b)->e_shnum = 1000;
	if (CHECK(dt_elf_memory(b, IMAGE, &e) == 0)) {
		CHECK(dt_elf_sections_lost(e));
		dt_elf_close(e);
	}
}

/* A function, not a variable; the version is no part of the name. */
static void test_symbol(void)
{
	struct dt_elf *e = NULL;
	uint64_t at = 0;

	if (CHECK(dt_elf_memory(image64(), IMAGE, &e) == 0)) {
		CHECK_INT(dt_elf_symbol(e, "one", &at), 0);
		CHECK_INT(at, BASE + TEXT_OFF + 0x20);
		CHECK_INT(dt_elf_symbol(e, "versioned", &at), 0);
		CHECK_INT(dt_elf_symbol(e, "last", &at), 0);
		CHECK_INT(at, BASE + TEXT_OFF + 0x1c0);
		CHECK_INT(dt_elf_symbol(e, "object", &at), -ENOENT);
		CHECK_INT(dt_elf_symbol(e, "nosuch", &at), -ENOENT);
		dt_elf_close(e);
	}
	if (CHECK(dt_elf_memory(image32(), IMAGE, &e) == 0)) {
		CHECK_INT(dt_elf_symbol(e, "small", &at), 0);
		CHECK_INT(at, 0x1410);
		dt_elf_close(e);
	}
}

int main(void);

/* The same of this program, as others read it. */
static void test_symbol_remote(void)
{
	struct dt_reader *r = dt_reader_new();
	struct dt_elf *e = NULL;
	struct statx st;
	uint64_t at = 0;
	char text[300];

	if (CHECK(dt_elf_find(r, "/proc/self/exe", "self", 0, &e, &st) == 0)) {
		CHECK_INT(dt_elf_symbol(e, "main", &at), 0);
		CHECK_INT((int64_t)(at - dt_elf_entry(e)),
		    (int64_t)((uint64_t)(uintptr_t)main - getauxval(AT_ENTRY)));
		CHECK_INT(dt_elf_symbol(e, "nosuch", &at), -ENOENT);
		memset(text, 'x', sizeof(text) - 1);
		text[sizeof(text) - 1] = '\0';
		CHECK_INT(dt_elf_symbol(e, text, &at), -ENOENT);
		dt_elf_close(e);
	}
	dt_reader_free(r);
}

/* ---- hostile ---- */

static int count(void *ctx, const struct dt_elf_function *f)
{
	*(size_t *)ctx += strlen(f->name) + f->size % 3;
	return 0;
}

/* Every question; answers are of no interest. */
static void use(uint8_t *bytes, size_t len)
{
	struct dt_elf *e;
	const void *data;
	size_t n, sum = 0;
	struct seen s = { 0 };
	uint64_t at;

	if (dt_elf_memory(bytes, len, &e) != 0)
		return;
	(void)dt_elf_each_symbol(e, see_symbol, &s);
	(void)dt_elf_each_section(e, see_section, &s);
	(void)dt_elf_each_segment(e, see_segment, &s);
	(void)dt_elf_symbol(e, "nosuch", &at);
	dt_elf_each_slot(e, see_slot, &s);
	(void)dt_elf_each_function(e, count, &sum);
	for (uint64_t a = 0; a < 16; a++)
		(void)dt_elf_function_at(e, BASE + TEXT_OFF + a * 0x20);
	(void)dt_elf_function_at(e, UINT64_MAX);
	(void)dt_elf_buildid(e, &n);
	(void)dt_elf_section(e, ".text", &data, &n, &at);
	(void)dt_elf_offset_to_vaddr(e, UINT64_MAX, &at);
	(void)dt_elf_vaddr_to_offset(e, UINT64_MAX, &at);
	dt_elf_close(e);
}

static void test_hostile(uint8_t *(*make)(void))
{
	static const uint8_t values[] = { 0, 1, 0x7f, 0xff };
	uint8_t *whole = make();
	struct dt_elf *e;

	for (size_t len = 0; len < IMAGE; len += 7) {
		uint8_t *b = malloc(len + 1);

		memcpy(b, whole, len);
		use(b, len);
	}
	for (size_t i = 0; i < IMAGE; i++)
		for (size_t v = 0; whole[i] != 0 && v < sizeof(values); v++) {
			uint8_t *b = malloc(IMAGE);

			memcpy(b, whole, IMAGE);
			b[i] = values[v];
			use(b, IMAGE);
		}
	whole[EI_DATA] = ELFDATA2MSB;
	CHECK_INT(dt_elf_memory(whole, IMAGE, &e), -ENOEXEC);
	CHECK_INT(dt_elf_memory(calloc(1, 3), 3, &e), -ENOEXEC);
	CHECK_INT(dt_elf_open_regular("/dev/null", true), -ENOEXEC);
	CHECK_INT(dt_elf_open_regular("/nowhere/at/all", true), -ENOENT);
}

/* ---- this program ---- */

static void test_self(void)
{
	int fd = dt_elf_open_regular("/proc/self/exe", true);
	struct dt_elf *e = NULL;
	size_t n = 0;

	if (!CHECK(fd >= 0) || !CHECK(dt_elf_open(fd, "/proc/self/exe", &e) == 0))
		return;
	CHECK_INT(dt_elf_each_function(e, count, &n), 0);
	CHECK(n > 1000);
	dt_elf_drop_fd(e);
	CHECK_INT(dt_elf_each_function(e, count, &n), 0);
	dt_elf_close(e);
}

static void test_demangle(void)
{
	char buf[128], small[6], *longname = malloc(5000);

	CHECK(dt_elf_demangle("_ZN3far5thing2goEi", buf, sizeof(buf)));
	CHECK_STR(buf, "far::thing::go(int)");
	CHECK(dt_elf_demangle("_RNvNtCs1234_7mycrate3foo3bar", buf, sizeof(buf)));
	CHECK_STR(buf, "mycrate::foo::bar");
	CHECK(dt_elf_demangle("_ZN4core3fmt5write17h0123456789abcdefE", buf, sizeof(buf)));
	CHECK_STR(buf, "core::fmt::write");
	CHECK(!dt_elf_demangle("main", buf, sizeof(buf)));
	CHECK(!dt_elf_demangle("_Zed", buf, sizeof(buf)));
	CHECK(!dt_elf_demangle("", buf, sizeof(buf)));
	CHECK(dt_elf_demangle("_ZN3far5thing2goEi", small, sizeof(small)));
	CHECK_STR(small, "far::");
	memset(longname, 'P', 4999);
	memcpy(longname, "_Z1f", 4);
	longname[4999] = '\0';
	CHECK(!dt_elf_demangle(longname, buf, sizeof(buf)));
	longname[1000] = '\0';
	(void)dt_elf_demangle(longname, buf, sizeof(buf));
	free(longname);
}

/* ---- compressed sections ---- */

/* "abcd" as zlib has it: a stored block, and the sum of its bytes */
static const uint8_t packed[] = { 0x78, 0x01, 0x01, 4, 0, 0xfb, 0xff, 'a', 'b', 'c', 'd', 0x03, 0xd8, 0x01,
	0x8b };

/* What unpacking a section of such a header gives; `cut` of its bytes are missing. */
static int unpacks(bool wide, uint32_t type, uint64_t size, size_t cut)
{
	uint8_t *b = wide ? image64() : image32();
	size_t head = wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr), len = 0;
	uint64_t at = 0xc00 + 1 * (wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
	struct dt_elf *e = NULL;
	void *out = NULL;
	int err;

	if (wide)
		PUT(0x1000, Elf64_Chdr, { .ch_type = type, .ch_size = size });
	else
		PUT(0x1000, Elf32_Chdr, { .ch_type = type, .ch_size = (uint32_t)size });
	memcpy(b + 0x1000 + head, packed, sizeof(packed));
	if (wide)
		PUT(at, Elf64_Shdr, { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED,
			.sh_offset = 0x1000, .sh_size = head + sizeof(packed) - cut });
	else
		PUT(at, Elf32_Shdr, { .sh_name = 1, .sh_type = SHT_PROGBITS, .sh_flags = SHF_COMPRESSED,
			.sh_offset = 0x1000, .sh_size = (uint32_t)(head + sizeof(packed) - cut) });
	if (!wide) {			/* with names of sections */
		PUT(offsetof(Elf32_Ehdr, e_shstrndx), uint16_t, 2);
		memcpy(b + 0x900, shnames, 7);
	}
	if (!CHECK(dt_elf_memory(b, IMAGE, &e) == 0))
		return 0;
	err = dt_elf_unpack(e, ".text", &out, &len);
	if (err == 0) {
		CHECK(len == 4 && memcmp(out, "abcd", 4) == 0);
		free(out);
	}
	dt_elf_close(e);
	return err;
}

static void test_unpack(void)
{
	for (int wide = 0; wide < 2; wide++) {
		size_t all = (wide ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr)) + sizeof(packed);

		CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 4, 0), 0);
		CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 3, 0), -ENOEXEC);	/* more than it says */
		CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 5, 0), -ENOEXEC);	/* less */
		CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 0, 0), -EFBIG);
		CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 0xffffffff, 0), -EFBIG);
		CHECK_INT(unpacks(wide, 2, 4, 0), -ENOTSUP);			/* zstd */
		for (size_t cut = 1; cut < all; cut++)				/* without all of its bytes */
			CHECK_INT(unpacks(wide, ELFCOMPRESS_ZLIB, 4, cut), -ENOEXEC);
	}
	CHECK_INT(unpacks(true, ELFCOMPRESS_ZLIB, UINT64_MAX, 0), -EFBIG);
}

/* ---- debug files ---- */

/* The file has no symbols of its own. */
static struct dt_elf *stripped(const char *root)
{
	uint8_t *b = image64();
	struct dt_elf *e = NULL;

	PUT(0xc00 + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type), uint32_t, SHT_PROGBITS);
	if (CHECK(dt_elf_memory(b, IMAGE, &e) == 0))
		dt_elf_debug_root(e, root);
	return e;
}

/* Puts it where it is looked for; of another build id, or without a table of symbols. */
static void put_debug(const char *path, bool other, bool empty)
{
	uint8_t *b = image64();
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	b[0x100 + sizeof(Elf64_Nhdr) + 11] ^= other;
	if (empty)
		PUT(0xc00 + 2 * sizeof(Elf64_Shdr) + offsetof(Elf64_Shdr, sh_type), uint32_t, SHT_PROGBITS);
	CHECK(fd >= 0 && write(fd, b, IMAGE) == IMAGE);
	close(fd);
	free(b);
}

/* Names of both kinds come from the debug file, whichever is asked for first, and from no other one. */
static void test_debug_file(void)
{
	char root[] = "/tmp/elf_testXXXXXX", dir[64], path[96];

	if (!CHECK(mkdtemp(root) != NULL))
		return;
	snprintf(dir, sizeof(dir), "%s/.build-id", root);
	CHECK(mkdir(dir, 0755) == 0);
	snprintf(dir, sizeof(dir), "%s/.build-id/01", root);
	CHECK(mkdir(dir, 0755) == 0);
	snprintf(path, sizeof(path), "%s/02030405060708.debug", dir);
	for (int order = 0; order < 2; order++) {
		struct dt_elf *e = stripped(root);
		const struct dt_elf_function *f;

		put_debug(path, false, false);
		for (int i = 0; i < 2; i++)
			if (i == order)
				CHECK_STR(name_at(e, 0x20), "one");
			else if (CHECK((f = dt_elf_data_at(e, BASE + TEXT_OFF + 0x190)) != NULL))
				CHECK_STR(f->name, "object");
		CHECK(dt_elf_data_at(e, BASE + TEXT_OFF + 0x1a8) == NULL);
		CHECK_STR(name_at(e, 0x20), "one");	/* asking for the others has not taken these away */
		dt_elf_close(e);
		e = stripped(root);
		put_debug(path, order == 0, order == 1);
		CHECK_STR(name_at(e, 0x20), "none");
		CHECK(dt_elf_data_at(e, BASE + TEXT_OFF + 0x190) == NULL);
		dt_elf_close(e);
	}
	unlink(path);
	rmdir(dir);
	snprintf(dir, sizeof(dir), "%s/.build-id", root);
	rmdir(dir);
	CHECK(rmdir(root) == 0);
}

/* Names that are many are not in the memory of a child. */
static void test_block(void)
{
	size_t len = 1 << 20;
	char *p = dt_elf_block(len);
	unsigned char vec[256];
	int status = 0;
	pid_t pid;

	CHECK(p != NULL);
	memset(p, 1, len);
	CHECK_INT(mincore(p, 4096, vec), 0);
	pid = fork();
	if (pid == 0)
		_exit(mincore(p, 4096, vec) == 0 ? 1 : errno == ENOMEM ? 7 : 2);
	CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
	CHECK_INT(WEXITSTATUS(status), 7);
	munmap(p, len);
}

int main(void)
{
	test_block();
	test_names();
	test_parts();
	test_walks();
	test_symbol();
	test_symbol_remote();
	test_hostile(image64);
	test_hostile(image32);
	test_self();
	test_demangle();
	test_unpack();
	test_debug_file();
	return check_report("elf");
}
