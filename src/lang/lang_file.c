/* SPDX-License-Identifier: BSD-2-Clause */
/* Which runtime a mapped file has, and reading a process that runs one. */
#include "lang/lang.h"

#include "base/count.h"
#include "file/elf.h"
#include "file/reader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS_MAX = 64, UTF8_MAX = 4 };

/* By number; a row is all that a new language needs here. */
static const struct dt_lang *const langs[DT_LANGS] = {
	[DT_LANG_PYTHON] = &dt_lang_python,
	[DT_LANG_PHP] = &dt_lang_php,
	[DT_LANG_HOTSPOT] = &dt_lang_hotspot,
	[DT_LANG_V8] = &dt_lang_v8,
	[DT_LANG_RUBY] = &dt_lang_ruby,
};

_Static_assert(DT_LANGS <= 1 << (64 - DT_FRAME_LANG_SHIFT), "a recorded frame has room for the number");

const struct dt_lang *dt_lang_of(unsigned id) { return id < DT_LANGS ? langs[id] : NULL; }

unsigned dt_lang_id(const struct dt_lang *lang)
{
	unsigned id = 0;

	while (id < DT_LANGS && langs[id] != lang)
		id++;
	return id;
}

const char *dt_lang_name(const struct dt_lang *lang) { return lang->name; }

/* ---- files ---- */

/* "name", or "name" with a part of the compiler's after it: "name.cold", "name.constprop.0" */
static bool is_named(const char *symbol, const char *name)
{
	size_t n = strlen(name);

	return strncmp(symbol, name, n) == 0 && (symbol[n] == '\0' || symbol[n] == '.');
}

static int take_function(void *ctx, const struct dt_elf_function *f)
{
	struct dt_lang_file *to = ctx;

	for (size_t i = 0; to->lang->loops[i] != NULL; i++)
		if (is_named(f->name, to->lang->loops[i]) && f->size > 0 && to->nloops < DT_LANG_RANGES)
			to->loop[to->nloops++] = (struct dt_lang_range){ f->vaddr, f->vaddr + f->size };
	return 0;
}

static const struct dt_lang *by_name(const char *base)
{
	for (size_t i = 0; i < DT_LANGS; i++)
		for (size_t k = 0; langs[i] != NULL && langs[i]->files[k] != NULL; k++)
			if (strncmp(base, langs[i]->files[k], strlen(langs[i]->files[k])) == 0)
				return langs[i];
	return NULL;
}

/* "python3.11", "libpython3.11.so.1.0" */
static uint32_t version_of(const char *base)
{
	const char *at = base + strcspn(base, "0123456789");
	char *end;
	unsigned long major = strtoul(at, &end, 10);

	return *end == '.' && major < 256 ? (uint32_t)major << 8 | (strtoul(end + 1, NULL, 10) & 0xff) : 0;
}

void dt_lang_file_look(const char *base, struct dt_elf *elf, struct dt_lang_file *to)
{
	*to = (struct dt_lang_file){ .lang = by_name(base), .version = version_of(base) };
	if (to->lang == NULL || elf == NULL || !dt_elf_is_64(elf)) {
		to->lang = NULL;
		return;
	}
	for (size_t i = 0; i < DT_LANG_SYMBOLS && to->lang->symbols[i] != NULL; i++) {
		const char *name = to->lang->symbols[i];
		const struct dt_elf_function *d = dt_elf_data_named(elf, name, strlen(name));

		to->symbol[i] = d != NULL ? d->vaddr : 0;
	}
	if (to->symbol[0] != 0)
		(void)dt_elf_each_function(elf, take_function, to);
	if (to->symbol[0] == 0 || (to->nloops == 0 && to->lang->loops[0] != NULL))
		to->lang = NULL;
}

/* ---- processes ---- */

bool dt_lang_read(const struct dt_lang_process *p, uint64_t at, void *to, size_t len)
{
	char path[32];

	if (p->reader == NULL)
		return at >> 63 == 0 && pread(p->fd, to, len, (off_t)at) == (ssize_t)len;
	snprintf(path, sizeof(path), "/proc/%u/mem", p->pid);
	return at >> 63 == 0 && dt_reader_memory(p->reader, path, at, to, len) == 0;
}

bool dt_lang_word(const struct dt_lang_process *p, uint64_t at, uint64_t *to)
{
	return dt_lang_read(p, at, to, sizeof(*to));
}

bool dt_lang_thread(const struct dt_lang_process *p, unsigned i, uint64_t *robust_list)
{
	unsigned n = 0, tid = 0;
	char path[64];
	void *head = NULL;
	size_t len;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%u/task", p->pid);
	d = i < THREADS_MAX ? opendir(path) : NULL;
	for (struct dirent *e; d != NULL && tid == 0 && (e = readdir(d)) != NULL; )
		if (e->d_name[0] != '.' && n++ == i)
			tid = (unsigned)strtoul(e->d_name, NULL, 10);
	if (d != NULL)
		closedir(d);
	if (tid == 0 || syscall(SYS_get_robust_list, (int)tid, &head, &len) != 0)
		head = NULL;
	*robust_list = (uint64_t)(uintptr_t)head;
	return tid != 0;
}

/* ---- texts ---- */

static size_t put_utf8(uint32_t c, char *to)
{
	if (c < 0x80) {
		to[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (char)(0xc0 | c >> 6);
		to[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		to[0] = (char)(0xe0 | c >> 12);
		to[1] = (char)(0x80 | (c >> 6 & 0x3f));
		to[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (c >> 18 & 7));
	to[1] = (char)(0x80 | (c >> 12 & 0x3f));
	to[2] = (char)(0x80 | (c >> 6 & 0x3f));
	to[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

void dt_lang_text(const uint8_t *from, size_t n, unsigned width, char *to, size_t room)
{
	size_t len = 0;

	for (size_t i = 0; i < n && len + UTF8_MAX < room; i++) {
		uint32_t c = 0;

		memcpy(&c, from + i * width, width);
		if (c == 0)
			c = '?';
		len += put_utf8(c, to + len);
	}
	to[len] = '\0';
}
