/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Leaves callbacks by longjmp(), as the exceptions of Ruby do (L3): from a record, from an element of an
 * aggregation, from text. The handle goes on, from a frame that lies deeper on the stack and from one that
 * does not, and no record comes twice. A call inside of a callback is still refused.
 */
#include <dtrace.h>
#include <errno.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static jmp_buf out;

struct state { dtrace_hdl_t *h; int jump_at, n; int64_t sum; int nested; };

static int on_record(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	struct state *s = arg;
	int64_t v = 0;

	if (r == NULL)
		return DTRACE_CONSUME_NEXT;
	memcpy(&v, d->dtpda_data, r->dtrd_size < 8 ? r->dtrd_size : 8);
	s->sum += v;
	if (dtrace_consume(s->h, stdout, NULL, NULL, NULL) != -1 || dtrace_errno(s->h) != EBUSY)
		s->nested++;
	if (++s->n == s->jump_at)
		longjmp(out, 1);
	return DTRACE_CONSUME_NEXT;
}

static int on_element(const dtrace_aggdata_t *a, void *arg)
{
	struct state *s = arg;

	(void)a;
	if (++s->n == s->jump_at)
		longjmp(out, 1);
	return DTRACE_AGGWALK_REMOVE;
}

static int on_text(const dtrace_bufdata_t *b, void *arg)
{
	struct state *s = arg;

	(void)b;
	if (++s->n == s->jump_at)
		longjmp(out, 1);
	return DTRACE_HANDLE_OK;
}

static int print_it(const dtrace_probedata_t *d, const dtrace_recdesc_t *r, void *arg)
{
	(void)d, (void)r, (void)arg;
	return DTRACE_CONSUME_THIS;
}

/* Some way down the stack, further than any call of the library was before. */
static __attribute__((noinline)) int deeper(struct state *s, int levels)
{
	volatile char room[4096];
	int status;

	room[0] = room[4095] = (char)levels;
	if (levels > 0)
		status = deeper(s, levels - 1);
	else
		status = dtrace_consume(s->h, stdout, NULL, on_record, s);
	return room[0] == room[4095] ? status : -2;
}

static void show(struct state *s, const char *what, int status)
{
	printf("%s: %d%s%s, %d records, sum %lld%s\n", what, status, status < 0 ? " " : "",
	    status < 0 ? dtrace_errmsg(s->h, dtrace_errno(s->h)) : "", s->n, (long long)s->sum,
	    s->nested ? ", a nested call was not refused" : "");
}

static void records(struct state *s)
{
	for (s->jump_at = 3; s->jump_at <= 4; s->jump_at++) {
		usleep(5000);	/* switchrate */
		if (setjmp(out) == 0)
			printf("returned %d\n", dtrace_consume(s->h, stdout, NULL, on_record, s));
	}
	s->jump_at = -1;
	usleep(5000);	/* switchrate */
	show(s, "after two jumps", deeper(s, 8));
}

static void elements(struct state *s)
{
	s->n = 0, s->jump_at = 2;
	if (setjmp(out) == 0)
		printf("returned %d\n", dtrace_aggregate_walk(s->h, on_element, s));
	s->n = 0, s->sum = 0, s->jump_at = -1;
	show(s, "all elements but one", dtrace_aggregate_walk(s->h, on_element, s));
}

static int started(struct state *s, const char *text)
{
	dtrace_prog_t *p;

	*s = (struct state){ .h = dtrace_open(DTRACE_VERSION, 0, NULL) };
	if (s->h == NULL || dtrace_setopt(s->h, "switchrate", "1ns") != 0 ||
	    dtrace_handle_buffered(s->h, on_text, s) != 0)
		return -1;
	p = dtrace_program_strcompile(s->h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);
	return p == NULL || dtrace_program_exec(s->h, p, NULL) != 0 || dtrace_go(s->h) != 0 ? -1 : 0;
}

int main(void)
{
	struct state s;

	if (started(&s, "BEGIN { trace(1); trace(2); } BEGIN { trace(4); } BEGIN { trace(8); } "
	    "BEGIN { trace(16); @[\"a\"] = count(); @[\"b\"] = count(); @[\"c\"] = count(); } "
	    "END { trace(32); }") != 0)
		return 1;
	records(&s);
	printf("stop %d\n", dtrace_stop(s.h));
	show(&s, "at the end", dtrace_work(s.h, stdout, NULL, on_record, &s));
	elements(&s);
	dtrace_close(s.h);
	if (started(&s, "BEGIN { printf(\"a\"); } BEGIN { printf(\"b\"); } "
	    "BEGIN { printf(\"c\"); exit(0); }") != 0)
		return 1;
	s.jump_at = 1;	/* what the text belonged to is lost, what follows is not */
	if (setjmp(out) == 0)
		dtrace_work(s.h, NULL, NULL, print_it, NULL);
	show(&s, "text", dtrace_work(s.h, NULL, NULL, print_it, NULL));
	dtrace_close(s.h);
	return 0;
}
