/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Two line formats come in, mappings and functions go out. A number that does not fit or a reversed
 * range makes a line bad.
 */
#include "symbol/maps.h"
#include "base/printable.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 << 10 /* more than two lines */, TRIM_MIN = 1 << 20 };

/* ---- numbers ---- */

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/*
 * Reads digits up to the byte `end`, which is skipped too; any number of digits as long as the value fits.
 * The terminators are never a newline or NUL, so a number cannot run into the next line.
 */
static bool read_hex(const char **at, unsigned base, char end, uint64_t *value)
{
	const char *p = *at;
	uint64_t v = 0;

	for (int d; (d = digit(*p)) >= 0 && (unsigned)d < base; p++)
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	if (p == *at || *p != end)
		return false;
	*at = p + 1;
	*value = v;
	return true;
}

/* ---- maps ---- */

static bool is_octal(const char *p, size_t left)
{
	return left >= 4 && p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
	    p[3] >= '0' && p[3] <= '7';
}

/*
 * The kernel writes a newline in a name as \\012. False: the path does not fit, or has a NUL in it, which
 * would make it another path.
 */
static bool copy_path(struct dt_mapping *m, const char *p, size_t len)
{
	static const char gone[] = " (deleted)";
	size_t n = 0;

	while (len > 0) {
		bool octal = is_octal(p, len);
		char c = octal ? (char)((p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0')) : *p;

		if (n + 1 >= sizeof(m->path) || c == '\0')
			return false;
		m->path[n++] = c;
		p += octal ? 4 : 1;
		len -= octal ? 4 : 1;
	}
	m->path[n] = '\0';
	m->deleted = m->path[0] == '/' && n > sizeof(gone) - 1 &&
	    strcmp(m->path + n - (sizeof(gone) - 1), gone) == 0;
	if (m->deleted)
		m->path[n - (sizeof(gone) - 1)] = '\0';
	return true;
}

/* "55d0c8a00000-55d0c8a02000 r-xp 00001000 fd:01 1234     /usr/bin/true" */
static bool parse_mapping(const char *p, const char *end, struct dt_mapping *m)
{
	uint64_t major, minor;
	const char *prot;

	if (!read_hex(&p, 16, '-', &m->start) || !read_hex(&p, 16, ' ', &m->end) || m->start >= m->end)
		return false;
	prot = p;
	if (end - p < 5 || p[4] != ' ')
		return false;
	p += 5;
	if (!read_hex(&p, 16, ' ', &m->offset) || !read_hex(&p, 16, ':', &major) ||
	    !read_hex(&p, 16, ' ', &minor))
		return false;
	if (major > UINT32_MAX || minor > UINT32_MAX || m->offset > UINT64_MAX - (m->end - m->start))
		return false;
	m->inode = 0;
	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (__builtin_mul_overflow(m->inode, 10u, &m->inode) ||
		    __builtin_add_overflow(m->inode, (unsigned)(*p - '0'), &m->inode))
			return false;
	while (p < end && *p == ' ')
		p++;
	m->major = (uint32_t)major;
	m->minor = (uint32_t)minor;
	m->exec = prot[2] == 'x';
	return copy_path(m, p, (size_t)(end - p));
}

bool dt_maps_next(const char **text, struct dt_mapping *m)
{
	while (**text != '\0') {
		const char *line = *text, *end = strchrnul(line, '\n');

		*text = *end != '\0' ? end + 1 : end;
		if (parse_mapping(line, end, m))
			return true;
	}
	return false;
}

/* The lines of a piece, which ends with one. */
static bool each_line(const char *text, dt_maps_f *f, void *ctx, int *n)
{
	struct dt_mapping m;

	while (dt_maps_next(&text, &m)) {
		++*n;
		if (!f(ctx, &m))
			return false;
	}
	return true;
}

/* In pieces, each cut after its last line. */
static int each_piece(int fd, char *buf, dt_maps_f *f, void *ctx)
{
	size_t have = 0;
	ssize_t got;
	int n = 0;

	while ((got = read(fd, buf + have, PIECE - have)) > 0) {
		char *end, kept;
		bool more;

		have += (size_t)got;
		end = memrchr(buf, '\n', have);
		if (end == NULL)
			return n;		/* no line is that long */
		kept = *++end;
		*end = '\0';
		more = each_line(buf, f, ctx, &n);
		*end = kept;
		have -= (size_t)(end - buf);
		memmove(buf, end, have);
		if (!more)
			break;
	}
	return got < 0 && n == 0 ? -errno : n;
}

int dt_maps_each(uint32_t pid, dt_maps_f *f, void *ctx)
{
	char path[40], *buf = malloc(PIECE + 1);
	int fd, n = -ENOMEM;

	if (buf == NULL)
		return n;
	snprintf(path, sizeof(path), "/proc/%u/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	n = fd >= 0 ? each_piece(fd, buf, f, ctx) : -errno;
	if (fd >= 0)
		close(fd);
	free(buf);
	return n;
}

size_t dt_auxv_read(uint32_t pid, struct dt_auxv *v, size_t n)
{
	char path[40];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/auxv", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	got = fd >= 0 ? read(fd, v, n * sizeof(*v)) : -1;
	if (fd >= 0)
		close(fd);
	return got > 0 ? (size_t)got / sizeof(*v) : 0;
}

/* ---- perf maps ---- */

static bool parse_jit(char *line, struct dt_jit_function *f)
{
	const char *p = line;

	if (strncmp(p, "0x", 2) == 0)
		p += 2;
	if (!read_hex(&p, 16, ' ', &f->start))
		return false;
	if (strncmp(p, "0x", 2) == 0)
		p += 2;
	if (!read_hex(&p, 16, ' ', &f->size) || f->size == 0 || f->size > UINT64_MAX - f->start || *p == '\0')
		return false;
	f->name = p;
	dt_make_printable(line + (p - line));
	return true;
}

/* The later line comes first. */
static int by_start(const void *a, const void *b)
{
	const struct dt_jit_function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->order > y->order ? -1 : x->order < y->order;
}

static bool make_room(struct dt_perfmap *m)
{
	size_t cap = m->cap != 0 ? m->cap + m->cap / 2 : 64;
	struct dt_jit_function *more;

	if (m->n < m->cap)
		return true;
	more = realloc(m->func, cap * sizeof(*more));
	if (more == NULL)
		return false;
	m->bytes += (cap - m->cap) * sizeof(*more);
	m->func = more;
	m->cap = cap;
	return true;
}

struct dt_perftext { struct dt_perftext *next; char *text; };

/* A line that is bad is left out; the text stays as a whole, since good lines of it are names. */
int dt_perfmap_add(struct dt_perfmap *m, char *text)
{
	struct dt_perftext *t = malloc(sizeof(*t));

	if (t == NULL) {
		free(text);
		return -ENOMEM;
	}
	*t = (struct dt_perftext){ m->text, text };
	m->text = t;
	m->bytes += sizeof(*t) + strlen(text) + 1;
	for (char *line = text, *next; (next = strchr(line, '\n')) != NULL; line = next) {
		*next++ = '\0';
		if (!make_room(m))
			return -ENOMEM;
		m->func[m->n].order = m->n;
		if (parse_jit(line, &m->func[m->n]))
			m->n++;
	}
	return 0;
}

void dt_perfmap_sort(struct dt_perfmap *m)
{
	if (m->n > 0)
		qsort(m->func, m->n, sizeof(*m->func), by_start);
}

/* Large maps leave holes in the heap, which would add to what -x namesize allows: give their pages back. */
void dt_perfmap_free(struct dt_perfmap *m)
{
	size_t bytes = dt_perfmap_bytes(m);

	for (struct dt_perftext *t = m->text, *next; t != NULL; t = next) {
		next = t->next;
		free(t->text);
		free(t);
	}
	free(m->func);
	*m = (struct dt_perfmap){ 0 };
	if (bytes >= TRIM_MIN)
		malloc_trim(0);
}

/*
 * Discarded code stays in the file: of the functions around the address, near in the table, the one
 * reported last counts.
 */
const struct dt_jit_function *dt_perfmap_at(const struct dt_perfmap *m, uint64_t addr)
{
	const struct dt_jit_function *best = NULL;
	size_t lo = 0, hi;

	for (hi = m->n; lo < hi; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->func[mid].start <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (unsigned step = 0; lo > 0 && step < 256; step++, lo--) {
		const struct dt_jit_function *f = &m->func[lo - 1];

		if (addr - f->start < f->size && (best == NULL || f->order > best->order))
			best = f;
	}
	return best;
}
