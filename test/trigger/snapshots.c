/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * snapshots DTRACE SEED: writes a random D program with several aggregations that one firing adds to, and
 * with ticks that print and empty them; traces its own threads with it, beside busy loops; and checks every
 * row. Nothing in the checks depends on how fast the machine is. Prints what is wrong, and the program; the
 * status tells.
 *
 * Each writer makes calls whose argument is its number and a count, so what a row must be is known: the
 * calls of a writer since the row before, without a gap, in all aggregations. The probe stores the count in
 * one variable before it adds and in another after; the tick reads the latter before its moment and the
 * former after it. So every call that had ended by the tick is in the row, and none that began later, but
 * for the one that was under way.
 */
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WRITERS = 3, BUSY = 2, KEYS = 5 };

/* ---- the load ---- */

struct writer { pthread_t thread; unsigned index; int64_t calls; };

static volatile bool go, stop;

/* No process has such a number: the call only fires the probe. */
static void *write_calls(void *arg)
{
	struct writer *w = arg;

	while (!go && !stop)
		usleep(1000);
	while (!stop) {
		w->calls++;
		syscall(SYS_getpgid, (int)(0x40000000 | w->calls << 2 | w->index));
	}
	return NULL;
}

static void *keep_busy(void *arg)
{
	while (!stop)
		;
	return arg;
}

/* ---- the program ---- */

enum { MODE_CLEAR, MODE_TRUNC, MODE_KEEP, MODES };
enum { EXTRA_KEYED = 1, EXTRA_PLAIN = 2, EXTRA_QUANTIZE = 4, EXTRA_AVG = 8 };

struct program { char text[8192]; size_t len; unsigned mode, extra, tick_ms; bool locals, split; };

static void add(struct program *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	p->len += (size_t)vsnprintf(p->text + p->len, sizeof(p->text) - p->len, fmt, ap);
	va_end(ap);
}

static void add_shuffled(struct program *p, const char *const *from, unsigned n)
{
	const char *v[16];

	memcpy(v, from, n * sizeof(*v));
	for (unsigned i = n; i > 0; i--) {
		unsigned k = (unsigned)rand() % i;

		add(p, "%s ", v[k]);
		v[k] = v[i - 1];
		if (p->split && rand() % 4 == 0)
			add(p, "} CALL { ");
	}
}

/* The four that every program has, and the others. */
static void add_updates(struct program *p)
{
	const char *v[16];
	unsigned n = 0;

	v[n++] = "@n[IDX] = count();";
	v[n++] = "@s[IDX] = sum(SEQ);";
	v[n++] = "@lo[IDX] = min(SEQ);";
	v[n++] = "@hi[IDX] = max(SEQ);";
	if (p->extra & EXTRA_KEYED)
		v[n++] = "@k[IDX, SEQ % 5] = count();";
	if (p->extra & EXTRA_PLAIN)
		v[n++] = "@u = count();";
	if (p->extra & EXTRA_QUANTIZE)
		v[n++] = "@q[IDX] = quantize(SEQ);";
	if (p->extra & EXTRA_AVG)
		v[n++] = "@a[IDX] = avg(SEQ);";
	add_shuffled(p, v, n);
}

static void add_empty(struct program *p, const char *what)
{
	static const char *const names[] = { "@n", "@s", "@lo", "@hi", "@k", "@u", "@q", "@a" };

	for (unsigned i = 0; i < 8; i++) {
		if (i >= 4 && !(p->extra >> (i - 4) & 1))
			continue;
		add(p, "%s(%s); ", what, names[i]);
		if (p->split && rand() % 6 == 0)
			add(p, "} TICK { ");
	}
}

static void add_show(struct program *p)
{
	add(p, "printa(\"R %%d %%@d %%@d %%@d %%@d\\n\", @n, @s, @lo, @hi); ");
	if (p->split && rand() % 2)
		add(p, "} TICK { ");
	if (p->extra & EXTRA_KEYED)
		add(p, "printa(\"K %%d %%d %%@d\\n\", @k); ");
	if (p->extra & EXTRA_PLAIN)
		add(p, "printa(\"U %%@d\\n\", @u); ");
	if (p->extra & EXTRA_QUANTIZE)
		add(p, "printa(\"Q %%d %%@d\\n\", @q); ");
	if (p->extra & EXTRA_AVG)
		add(p, "printa(\"A %%d %%@d\\n\", @a); ");
}

static void add_stores(struct program *p, char name)
{
	for (int i = 0; i < WRITERS; i++)
		add(p, "if (IDX == %d) { %c%d = SEQ; } ", i, name, i);
}

static void replace(char *text, const char *from, const char *to)
{
	char out[16384];
	size_t n = 0, len = strlen(from);

	for (const char *at = text; *at != '\0' && n + strlen(to) + 1 < sizeof(out);) {
		if (strncmp(at, from, len) == 0) {
			n += (size_t)sprintf(out + n, "%s", to);
			at += len;
		} else {
			out[n++] = *at++;
		}
	}
	out[n] = '\0';
	strcpy(text, out);
}

static void make_program(struct program *p, char *text)
{
	static const unsigned ticks[] = { 10, 15, 25, 50, 100, 200, 500, 1000 };
	char tick[32];

	*p = (struct program){ .mode = (unsigned)rand() % MODES, .extra = (unsigned)rand() & 15,
		.tick_ms = ticks[(unsigned)rand() % 8], .locals = rand() & 1, .split = rand() & 1 };
	add(p, "int v0, v1, v2, w0, w1, w2; ");
	if (p->locals)
		add(p, "CALL { this->i = arg0 & 3; this->q = (arg0 & 0x3fffffff) >> 2; } ");
	add(p, "CALL { ");
	add_stores(p, 'v');
	add_updates(p);
	add(p, "} CALL { ");
	add_stores(p, 'w');
	add(p, "} TICK { printf(\"T %%d %%d %%d\\n\", w0, w1, w2); ");
	add_show(p);
	if (p->mode != MODE_KEEP)
		add_empty(p, p->mode == MODE_CLEAR ? "clear" : "trunc");
	add(p, "} TICK { printf(\"E %%d %%d %%d\\n\", v0, v1, v2); } END { ");
	add(p, "printf(\"T %%d %%d %%d\\n\", w0, w1, w2); ");
	p->split = false;
	add_show(p);
	add(p, "printf(\"E %%d %%d %%d\\n\", v0, v1, v2); }");
	snprintf(tick, sizeof(tick), "tick-%ums", p->tick_ms);
	strcpy(text, p->text);
	replace(text, "CALL", "syscall::getpgid:entry /pid == $1/");
	replace(text, "TICK", tick);
	replace(text, "IDX", p->locals ? "this->i" : "(arg0 & 3)");
	replace(text, "SEQ", p->locals ? "this->q" : "((arg0 & 0x3fffffff) >> 2)");
}

/* ---- the rows ---- */

struct row { int64_t n, sum, lo, hi, keyed, bars, avg; };

struct check {
	const struct program *p;
	struct row row[WRITERS];
	int64_t before[WRITERS], last[WRITERS];	/* last: the greatest count that an earlier row had */
	int64_t plain;
	int quantize;				/* the writer whose bars come, -1 none */
	unsigned tables, wrong;
};

static void complain(struct check *c, const char *what, int i, int64_t have, int64_t want)
{
	if (c->wrong++ < 5)
		printf("table %u, writer %d: %s is %lld, expected %lld\n", c->tables, i, what,
		    (long long)have, (long long)want);
}

static void check_writer(struct check *c, int i, int64_t after)
{
	const struct row *r = &c->row[i];
	int64_t from = c->p->mode == MODE_KEEP ? 1 : c->last[i] + 1, to = r->n > 0 ? r->hi : from - 1;

	if (r->n > 0 && r->lo != from)
		complain(c, "the first call", i, r->lo, from);
	if (r->n != to - from + 1)
		complain(c, "count()", i, r->n, to - from + 1);
	if (r->sum != (from + to) * (to - from + 1) / 2)
		complain(c, "sum()", i, r->sum, (from + to) * (to - from + 1) / 2);
	if (c->p->extra & EXTRA_KEYED && r->keyed != r->n)
		complain(c, "the sum over keys", i, r->keyed, r->n);
	if (c->p->extra & EXTRA_QUANTIZE && r->bars != r->n)
		complain(c, "the sum of quantize()", i, r->bars, r->n);
	if (c->p->extra & EXTRA_AVG && r->n > 0 && r->avg != r->sum / r->n)
		complain(c, "avg()", i, r->avg, r->sum / r->n);
	if (to < c->before[i])
		complain(c, "the last call (one that had ended)", i, to, c->before[i]);
	if (to > after + 1)
		complain(c, "the last call (one that began later)", i, to, after + 1);
	c->last[i] = to;
}

static void end_table(struct check *c, const int64_t *after)
{
	int64_t all = 0;

	for (int i = 0; i < WRITERS; i++) {
		all += c->row[i].n;
		check_writer(c, i, after[i]);
	}
	if (c->p->extra & EXTRA_PLAIN && c->plain != all)
		complain(c, "count() without a key", -1, c->plain, all);
	memset(c->row, 0, sizeof(c->row));
	c->plain = 0;
	c->quantize = -1;
	c->tables++;
}

static void read_line(struct check *c, const char *s)
{
	long long v[5] = { 0 };
	int n = sscanf(s + 1, "%lld %lld %lld %lld %lld", &v[0], &v[1], &v[2], &v[3], &v[4]);
	struct row *r = n > 0 && v[0] >= 0 && v[0] < WRITERS ? &c->row[v[0]] : NULL;
	const char *bar = strchr(s, '|');

	if (bar != NULL && c->quantize >= 0)
		c->row[c->quantize].bars += atoll(bar + 1 + strspn(bar + 1, "@ "));
	else if (s[0] == 'T' && n == 3)
		memcpy(c->before, v, sizeof(c->before));
	else if (s[0] == 'E' && n == 3)
		end_table(c, (const int64_t *)v);
	else if (s[0] == 'R' && n == 5 && r != NULL)
		*r = (struct row){ v[1], v[2], v[3], v[4], r->keyed, r->bars, r->avg };
	else if (s[0] == 'K' && n == 3 && r != NULL)
		r->keyed += v[2];
	else if (s[0] == 'U' && n == 1)
		c->plain = v[0];
	else if (s[0] == 'A' && n == 2 && r != NULL)
		r->avg = v[1];
	else if (s[0] == 'Q' && r != NULL)
		c->quantize = (int)v[0];
}

/* ---- a run ---- */

static FILE *start_dtrace(const char *dtrace, const char *text, pid_t *child)
{
	char pid[16];
	int out[2];

	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (pipe(out) != 0 || (*child = fork()) < 0)
		return NULL;
	if (*child == 0) {
		dup2(out[1], 1);
		close(out[0]);
		close(out[1]);
		execl(dtrace, dtrace, "-q", "-x", "bufsize=4m", "-n", text, "-n",
		    "tick-20ms /!ready && $1/ { ready = 1; printf(\"ready\\n\"); }", pid, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	return fdopen(out[0], "r");
}

/* Writers run for several ticks and stop; then dtrace is to end, and END shows the rest. */
static void *end_run(void *arg)
{
	struct { const struct program *p; pid_t child; struct writer *w; } *run = arg;

	go = true;
	usleep(1000 * (3 * run->p->tick_ms > 300 ? 3 * run->p->tick_ms : 300));
	stop = true;
	for (int i = 0; i < WRITERS; i++)
		pthread_join(run->w[i].thread, NULL);
	kill(run->child, SIGTERM);
	return NULL;
}

int main(int argc, char **argv)
{
	struct program p;
	struct check c = { .p = &p, .quantize = -1 };
	struct writer w[WRITERS] = { { .index = 0 }, { .index = 1 }, { .index = 2 } };
	struct { const struct program *p; pid_t child; struct writer *w; } run = { &p, 0, w };
	pthread_t busy[BUSY], ender;
	static char text[16384], line[4096];
	int status = -1;
	FILE *in;

	if (argc != 3)
		return 2;
	srand((unsigned)atoi(argv[2]));
	make_program(&p, text);
	if ((in = start_dtrace(argv[1], text, &run.child)) == NULL)
		return 2;
	for (int i = 0; i < WRITERS; i++)
		pthread_create(&w[i].thread, NULL, write_calls, &w[i]);
	for (int i = 0; i < BUSY; i++)
		pthread_create(&busy[i], NULL, keep_busy, NULL);
	while (fgets(line, sizeof(line), in) != NULL) {
		if (strcmp(line, "ready\n") == 0)
			pthread_create(&ender, NULL, end_run, &run);
		else
			read_line(&c, line);
	}
	stop = true;
	waitpid(run.child, &status, 0);
	for (int i = 0; go && i < WRITERS; i++)
		if (c.last[i] != w[i].calls)
			complain(&c, "the last call of all", i, c.last[i], w[i].calls);
	if (!go || status != 0 || c.tables < 2 || c.wrong > 0) {
		printf("seed %s: %u tables, %u faults, status %#x of: %s\n", argv[2], c.tables, c.wrong,
		    status, text);
		return 1;
	}
	printf("%u tables, %lld calls\n", c.tables, (long long)(w[0].calls + w[1].calls + w[2].calls));
	return 0;
}
