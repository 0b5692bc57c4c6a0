/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker might answer, and what is made of it here. The first byte says how the rest is taken: as the
 * bytes of an answer; as fields, of which an answer is made that is right but for what the fields say; or as
 * an ELF file, whose digest must be accepted. What is accepted is asked about everything.
 */
#include "file/digest.h"
#include "file/lines.h"
#include "base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void ask_names(struct dt_elf *e)
{
	struct dt_elf_names *n = &e->names[DT_ELF_CODE];

	n->loaded = true;
	if (dt_elf_index_names(n) != 0)
		return;
	for (size_t i = 0; i < n->nfunc; i++) {
		const struct dt_elf_function *f;

		if (n->func[i].name[0] == '\0' || strlen(n->func[i].name) > DT_DIGEST_MAX ||
		    !dt_is_printable(n->func[i].name))
			abort();
		f = dt_elf_function_at(e, n->func[i].vaddr);
		if (f != NULL && (f->alias || n->func[i].vaddr - f->vaddr >= f->size))
			abort();
	}
}

/* Entries of debugging data: all that is used of them, as the types of a process are made of it. */
static int check_dies(const void *bytes, size_t len)
{
	void *copy = malloc(len + 1);	/* aligned, as they come */
	struct dt_dies d;
	int err;

	if (copy == NULL)
		return 0;
	memcpy(copy, bytes, len);
	err = dt_dies_check(copy, len, &d);
	for (uint32_t i = 0; err == 0 && i < d.head.n; i++) {
		const struct dt_die *r = &d.die[i];
		uint64_t sum = 0;

		for (uint32_t k = 0; k < r->n; k++)
			sum += d.die[r->first + k].type;
		if (!dt_is_printable(d.text + r->name) || (r->n > 0 && i >= d.head.nentries) ||
		    (r->n > 0 && r->first < d.head.nentries) || (sum == 1 && r->id == 0))
			abort();
	}
	if (err == 0 && (!dt_is_printable(d.text + d.head.near) || !dt_is_printable(d.text + d.head.link) ||
	    d.head.idlen > sizeof(d.head.id)))
		abort();
	free(copy);
	return err;
}

static int check_lines(const void *bytes, size_t len)
{
	void *copy = malloc(len + 1);
	struct dt_lines l;
	struct dt_line f;
	int err = -1;

	if (copy == NULL)
		return 0;
	memcpy(copy, bytes, len);
	err = dt_lines_check(copy, len, &l);
	for (uint32_t i = 0; err == 0 && i < l.head.nspans; i++)
		for (unsigned k = 0; dt_lines_at(&l, l.span[i].at, k, &f); k++)
			if (k > l.head.ncalls || (f.file != NULL && !dt_is_printable(f.file)))
				abort();
	free(copy);
	return err;
}

static int check(enum dt_digest_what what, const void *bytes, size_t len)
{
	struct dt_elf *e = calloc(1, sizeof(*e));
	struct dt_cfi c = { 0 };
	uint64_t at;
	size_t n;
	int err = -1;

	if (e == NULL)
		return 0;
	e->fd = -1;
	switch (what) {
	case DT_DIGEST_HEAD:
		err = dt_digest_head(bytes, len, e);
		if (err == 0) {
			(void)dt_elf_buildid(e, &n);
			(void)dt_elf_offset_to_vaddr(e, 0x1000, &at);
			(void)dt_elf_code_vaddr(e, 0x1000, 0x1000, &at);
		}
		break;
	case DT_DIGEST_CODE: case DT_DIGEST_DATA:
		err = dt_digest_names(bytes, len, &e->names[DT_ELF_CODE]);
		if (err == 0)
			ask_names(e);
		break;
	case DT_DIGEST_ROWS:
		c.digest = malloc(len + 1);		/* as the reader's are: aligned, and ours to free */
		if (c.digest == NULL)
			break;
		memcpy(c.digest, bytes, len);
		err = dt_digest_rows(c.digest, len, &c);
		for (size_t i = 0; err == 0 && i < c.n; i++)
			if (dt_cfi_at(&c, c.base + c.row[i].pc) != &c.row[i])
				abort();
		dt_cfi_free(&c);
		break;
	case DT_DIGEST_DIES: err = check_dies(bytes, len); break;
	case DT_DIGEST_LINES: err = check_lines(bytes, len); break;
	default: break;
	}
	dt_elf_close(e);
	return err;
}

/*
 * An answer of entries and their children (dies.h) that is right but for the bits of 12 bytes each: whose
 * text, which children, what value.
 */
static void dies_by_structure(const uint8_t *data, size_t len)
{
	static const char texts[] = "\0int\0next\0caf\xc3\xa9\0a\033[2J\0\xe2\x80\xae";
	static const uint32_t at[] = { 0, 1, 5, 10 };
	uint32_t n = (uint32_t)(len / 12), entries = n > 0 ? data[0] % (n + 1) : 0;
	size_t ntexts = len > 0 && data[len - 1] & 1 ? sizeof(texts) : 16;	/* those that are clean */
	size_t total = sizeof(struct dt_dies_head) + n * sizeof(struct dt_die) + ntexts;
	uint8_t *bytes = calloc(1, total);
	struct dt_dies_head h = { .n = n, .nentries = entries, .near = n & 1, .link = at[n % 4] };

	if (bytes == NULL)
		return;
	memcpy(bytes, &h, sizeof(h));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t f[3];
		struct dt_die r = { .id = i + 1, .type = i / 2 };

		memcpy(f, data + i * 12, sizeof(f));
		r.tag = (uint16_t)f[0];
		r.name = f[0] & 1 << 20 ? f[1] : at[f[0] >> 16 & 3];
		r.value = f[0] & 1 << 21 ? (uint64_t)f[1] << 8 : f[1] & 0xffff;
		r.first = f[0] & 1 << 22 ? f[2] : entries;
		r.n = f[0] & 1 << 23 ? f[2] >> 8 : i < entries && n > entries ? f[2] % (n - entries + 1) : 0;
		memcpy(bytes + sizeof(h) + i * sizeof(r), &r, sizeof(r));
	}
	memcpy(bytes + total - ntexts, texts, ntexts);
	(void)check(DT_DIGEST_DIES, bytes, total);
	free(bytes);
}

/* Records as the worker writes them (digest.c), of fields of 4 bytes: address, size, text, bits that lie. */
static void by_structure(const uint8_t *data, size_t len)
{
	/* four bytes each, at least: names, and what must not be part of one */
	static const char texts_of[8][8] = { "abc", "\033[2J", "\xc2\x9b" "2", "\xe2\x80\xae", "\xff\xfe" "a",
		"\xc3\xa9" "a", "ab\xc3\xa9", "" };
	struct { uint64_t vaddr, size, offset; uint32_t text; uint8_t type, bind, zero[2]; } r = { 0 };
	size_t n = len / 16, texts = 4 * n + 1;
	uint8_t *bytes = calloc(1, 8 + n * sizeof(r) + texts), *at = bytes + 8;
	uint64_t count = n;

	if (bytes == NULL)
		return;
	memcpy(bytes, &count, sizeof(count));
	for (size_t i = 0; i < n; i++, at += sizeof(r)) {
		uint32_t field[4];

		memcpy(field, data + i * 16, sizeof(field));
		r.vaddr += field[0];
		r.size = field[1];
		r.text = field[3] & 1 ? field[2] : (uint32_t)(field[2] % n * 4);
		r.vaddr = field[3] & 2 ? field[2] : r.vaddr;
		r.size = field[3] & 4 ? ~0ull - field[1] : r.size;
		r.type = (uint8_t)(field[3] >> 8);
		memcpy(at, &r, sizeof(r));
		memcpy(bytes + 8 + n * sizeof(r) + i * 4, texts_of[field[3] >> 3 & 7], 4);
	}
	(void)check(DT_DIGEST_CODE, bytes, 8 + n * sizeof(r) + texts);
	free(bytes);
}

static void of_elf(const uint8_t *data, size_t len)
{
	for (int i = 0; i <= 4; i++) {
		enum dt_digest_what what = i == 4 ? DT_DIGEST_LINES : (enum dt_digest_what)i;
		struct dt_digest_want want = { .what = what, .most = 1 << 20 };
		struct dt_digest d = { 0 };
		int fd = memfd_create("elf", MFD_CLOEXEC);

		if (fd < 0 || write(fd, data, len) != (ssize_t)len)
			abort();
		if (dt_digest_make(&d, &want, fd, NULL, 0) == 0 && check(what, d.bytes, d.len) != 0)
			abort();	/* what is made is accepted */
		free(d.bytes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len < 2)
		return 0;
	if (data[0] % 3 == 0)
		(void)check(data[0] / 3 % 6 == 4 ? DT_DIGEST_DIES : data[0] / 3 % 6 == 5 ? DT_DIGEST_LINES :
		    (enum dt_digest_what)(data[0] / 3 % 6), data + 1, len - 1);
	else if (data[0] % 3 == 1 && data[0] / 3 % 2 == 0)
		by_structure(data + 1, len - 1);
	else if (data[0] % 3 == 1)
		dies_by_structure(data + 1, len - 1);
	else
		of_elf(data + 1, len - 1);
	return 0;
}
