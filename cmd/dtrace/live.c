/* SPDX-License-Identifier: BSD-2-Clause */
/* See live.h. A picture is made as one text and written at once, over the one before. */
#include "live.h"

#include "base.h"
#include "terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_END "\033[K\r\n"

static bool locale_is_utf8(void)
{
	const char *value = getenv("LC_ALL");

	if (value == NULL || *value == '\0')
		value = getenv("LC_CTYPE");
	if (value == NULL || *value == '\0')
		value = getenv("LANG");
	return value != NULL && (strcasestr(value, "utf-8") != NULL || strcasestr(value, "utf8") != NULL);
}

bool live_begin(struct live *l, dtrace_hdl_t *dtp)
{
	dtrace_optval_t v;

	*l = (struct live){ .dtp = dtp, .began = now_ns(), .every = 1000000000 };
	if (dtrace_getopt(dtp, "aggrate", &v) == 0 && v > 0)
		l->every = (uint64_t)v;
	l->color = terminal_color(dtp, STDOUT_FILENO);
	l->utf8 = locale_is_utf8();
	return screen_open(&l->screen);
}

void live_end(struct live *l)
{
	screen_close(&l->screen);
	live_free(&l->rows);
	free(l->agg);
	l->agg = NULL;
	l->naggs = 0;
}

/* ---- keys ---- */

static void heed_key(struct live *l, int key)
{
	switch (key) {
	case 'q': case 'Q': l->quit = true; return;
	case ' ': l->paused = !l->paused; break;
	case 's': case 'S': l->order = (l->order + 1) % LIVE_ORDERS; break;
	default: return;
	}
	l->drawn = l->drawn > 0;	/* long ago: the picture is due */
}

void live_wait(struct live *l)
{
	uint64_t now = now_ns(), due = l->drawn + l->every;
	int ms = due > now ? (int)((due - now) / 1000000) + 1 : 0;
	int key = screen_wait(&l->screen, dtrace_ctlfd(l->dtp), ms);

	if (key != 0)
		heed_key(l, key);
}

/* ---- the picture ---- */

/* Text up to the edge; the terminal cuts what has other widths. */
static void put_cut(FILE *f, const char *text, int columns)
{
	for (; *text != '\0' && columns > 0; text++) {
		columns -= ((unsigned char)*text & 0xc0) != 0x80;
		putc(*text, f);
	}
	while (((unsigned char)*text & 0xc0) == 0x80)
		putc(*text++, f);
}

static void put_head(const struct live *l, FILE *f, int columns)
{
	static const char *const orders[] = { "value", "rate", "key" };
	char text[160];

	snprintf(text, sizeof(text), "dtrace %llu s, by %s%s   q: end  space: %s  s: sort",
	    (unsigned long long)((now_ns() - l->began) / 1000000000), orders[l->order],
	    l->paused ? ", PAUSED" : "", l->paused ? "go on" : "pause");
	fputs(l->color ? TERMINAL_BOLD : "", f);
	put_cut(f, text, columns);
	fputs(l->color ? TERMINAL_PLAIN : "", f);
}

/* The columns of numbers, as wide as the widest of an aggregation. */
struct widths { int value, rate; };

static int rate_text(const struct live_row *r, char *text, size_t len)
{
	return r->grows ? snprintf(text, len, "%.*f", r->rate < 10 && r->rate > 0 ? 1 : 0, r->rate) : 0;
}

static struct widths measure(const struct live *l, int64_t id)
{
	struct widths w = { (int)strlen("VALUE"), (int)strlen("/S") };

	for (size_t i = 0; i < l->rows.n; i++) {
		const struct live_row *r = &l->rows.row[i];
		int value = snprintf(NULL, 0, "%lld", (long long)r->value), rate = rate_text(r, NULL, 0);

		w.value = r->id == id && value > w.value ? value : w.value;
		w.rate = r->id == id && rate > w.rate ? rate : w.rate;
	}
	return w;
}

static void put_row(FILE *f, const struct live_row *r, struct widths w, int columns)
{
	char *text = NULL, rate[32] = "";

	(void)rate_text(r, rate, sizeof(rate));
	if (asprintf(&text, "%*lld  %*s  %s%s%s", w.value, (long long)r->value, w.rate, rate, r->key,
	    r->shape != NULL && *r->key != '\0' ? "  " : "", r->shape != NULL ? r->shape : "") >= 0) {
		put_cut(f, text, columns);
		free(text);
	}
}

/* An aggregation: its name and the first of its rows, in `room` lines. Returns how many it took. */
static int put_aggregation(const struct live *l, FILE *f, size_t agg, int room, int columns)
{
	struct widths w = measure(l, l->agg[agg].id);
	int used = 0;

	for (size_t i = 0; i < l->rows.n && used < room; i++) {
		char text[160];

		if (l->rows.row[i].id != l->agg[agg].id || l->rows.row[i].key == NULL)
			continue;
		if (used == 0) {
			snprintf(text, sizeof(text), "%*s  %*s  %s", w.value, "VALUE", w.rate, "/S",
			    l->agg[agg].name);
			fputs(l->color ? LINE_END TERMINAL_BOLD : LINE_END, f);
			put_cut(f, text, columns);
			fputs(l->color ? TERMINAL_PLAIN : "", f);
			used++;
		}
		if (used < room) {
			fputs(LINE_END, f);
			put_row(f, &l->rows.row[i], w, columns);
			used++;
		}
	}
	return used;
}

/* What the program printed, and messages, at the bottom; at most a quarter of the screen. */
static int count_tail(const char *tail)
{
	int n = tail != NULL;

	for (; tail != NULL && *tail != '\0'; tail++)
		n += *tail == '\n';
	return n;
}

static void put_tail(FILE *f, const char *tail, int columns)
{
	while (tail != NULL) {
		size_t len = strcspn(tail, "\n");
		char *line = strndup(tail, len);

		fputs(LINE_END, f);
		if (line != NULL)
			put_cut(f, line, columns);
		free(line);
		tail = tail[len] == '\n' ? tail + len + 1 : NULL;
	}
}

/* Each aggregation has an equal share of the lines that are left by those before it. */
static void put_picture(struct live *l, FILE *f)
{
	int rows, columns, left;
	char *tail;

	screen_size(&rows, &columns);
	tail = rows >= 8 ? screen_tail(&l->screen, rows / 4) : NULL;
	left = rows - 1 - count_tail(tail);
	fputs("\033[H", f);
	put_head(l, f, columns);
	for (size_t i = 0; i < l->naggs && left > 0; i++)
		left -= put_aggregation(l, f, i, left / (int)(l->naggs - i), columns);
	for (; tail != NULL && left > 0; left--)
		fputs(LINE_END, f);
	put_tail(f, tail, columns);
	fputs("\033[K\033[J", f);
	free(tail);
}

static void draw(struct live *l)
{
	char *frame = NULL;
	size_t len;
	FILE *f = open_memstream(&frame, &len);

	if (f == NULL)
		return;
	put_picture(l, f);
	if (fclose(f) == 0)
		screen_draw(frame, len);
	free(frame);
}

/* A picture that is held keeps its numbers; only its heading and its order change. */
int live_draw(struct live *l)
{
	uint64_t now = now_ns();
	struct live_rows rows;

	if (l->drawn != 0 && now < l->drawn + l->every)
		return 0;
	if (!l->paused) {
		if (dtrace_aggregate_snap(l->dtp) != 0 || live_take(l, &rows) != 0)
			return -1;
		live_rate(&rows, &l->rows, l->taken != 0 ? (double)(now - l->taken) / 1e9 : 0);
		live_free(&l->rows);
		l->rows = rows;
		l->taken = now;
	}
	live_sort(&l->rows, l->order);
	draw(l);
	l->drawn = now;
	return 0;
}
