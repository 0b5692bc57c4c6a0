/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * execve(): when it returns with success, the memory that its arguments were in is gone. The name of the file
 * is kept at the entry; the words are read from the new process, which has them in a row, or, when the call
 * has failed, from where they were.
 */
#include "decode.h"

#include <string.h>

#define MAX_WORDS 8			/* of a call that failed */

/* Words, each with a NUL after it. */
struct words {
	const char *p;
	size_t at, size;		/* of what was recorded */
	bool cut;			/* there is more */
};

/* False: not found. *n is its length. */
static bool next_word(struct words *w, const char **word, size_t *n)
{
	if (w->at >= w->size)
		return false;
	*word = w->p + w->at;
	*n = strnlen(*word, w->size - w->at);
	w->at += *n + 1;
	return true;
}

static void put_word(struct text *t, const struct call *c, const struct words *w, const char *word, size_t n)
{
	put_limited(t, c, word, n, w->cut && w->at > w->size ? n + 1 : n);
}

static bool is_word(const char *word, size_t n, const char *other, size_t size)
{
	return other != NULL && strnlen(other, size) == n && memcmp(word, other, n) == 0;
}

/*
 * The words of the new process. A script has the interpreter and its option, then the script, in place of the
 * first word that was given, which was kept at the entry.
 */
static void put_words(struct text *t, const struct call *c, unsigned arg, struct words w)
{
	size_t size = 0, path_size = 0, n;
	const char *given = call_bytes(c, arg, 3 + MAX_WORDS, &size), *path, *word;
	bool script;

	path = call_bytes(c, arg - 1, 0, &path_size);
	text_char(t, '[');
	if (next_word(&w, &word, &n)) {
		script = !is_word(word, n, given, size);
		if (script)
			put_limited(t, c, given, strnlen(given, size), strnlen(given, size));
		else
			put_word(t, c, &w, word, n);
		while (script && next_word(&w, &word, &n))
			script = !is_word(word, n, path, path_size);
	}
	while (next_word(&w, &word, &n)) {
		text_put(t, ", ");
		put_word(t, c, &w, word, n);
	}
	text_put(t, w.cut ? ", ...]" : "]");
}

static void put_failed_words(struct text *t, const struct call *c, unsigned arg)
{
	text_char(t, '[');
	for (unsigned i = 0; i < MAX_WORDS; i++) {
		size_t size = 0;
		const char *s = call_bytes(c, arg, 3 + i, &size);
		size_t n = s != NULL ? strnlen(s, size) : 0;

		if (i >= (uint64_t)call_number(c, arg, 2))
			break;
		text_put(t, i > 0 ? ", " : "");
		put_limited(t, c, s, n, n);
	}
	text_put(t, call_number(c, arg, 2) > MAX_WORDS ? ", ...]" : "]");
}

static struct words words_of(const char *p, size_t have, size_t whole)
{
	return (struct words){ .p = p, .size = whole < have ? whole : have, .cut = have < whole };
}

static void put_argv(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	size_t size = 0;
	const char *p = c->a[arg] != 0 ? call_bytes(c, arg, 0, &size) : NULL;

	(void)k;
	if (p == NULL)
		text_addr(t, c->a[arg]);
	else if (call_failed(c))
		put_failed_words(t, c, arg);
	else
		put_words(t, c, arg, words_of(p, size, (size_t)call_number(c, arg, 1)));
}

/*
 * Of a call that failed, only the page that the array begins in is read: the next one may not be there.
 *
 * How many variables: in the new process the stack begins with the number of words, the words, NULL, then the
 * variables and NULL again.
 */
static int64_t count_variables(const struct call *c, unsigned arg)
{
	size_t size = 0, from = 0, i;
	const char *p = call_bytes(c, arg, 0, &size);
	uint64_t word = 0;
	int64_t have = call_number(c, arg, 1);

	if (p == NULL || have < 8)
		return -1;
	size = (size_t)have < size ? (size_t)have : size;
	if (!call_failed(c)) {
		memcpy(&word, p, sizeof(word));
		from = word < size / 8 ? (size_t)word + 2 : size;
	}
	for (i = from; (i + 1) * 8 <= size; i++) {
		memcpy(&word, p + i * 8, sizeof(word));
		if (word == 0)
			return (int64_t)(i - from);
	}
	return -1;
}

static void put_envp(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	int64_t n = c->a[arg] != 0 ? count_variables(c, arg) : -1;

	(void)k;
	text_addr(t, c->a[arg]);
	if (n >= 0)
		text_format(t, " /* %lld var%s */", (long long)n, n == 1 ? "" : "s");
}

static void put_ret(struct text *t, const struct call *c, unsigned arg, const struct kind *k)
{
	(void)arg;
	(void)k;
	text_int(t, c->ret);
}

#define MM "curthread->mm->"
#define DID "(arg0 >= 0)"
/* Pointer n of an array of strings in the process that called, which has not changed; 0 after the last. */
#define W0 "this->g = " NOT_NULL("%a") \
	" & (arg0 >> 63); this->w0 = *(int64_t *)copyin(%a, 8 & this->g) & this->g;"
#define W(n, m) "this->g = " NOT_NULL("this->w" #m) "; " \
	"this->w" #n " = *(int64_t *)copyin(%a + " #n " * 8, 8 & this->g) & this->g;"
#define ONE(n) "trace(this->w" #n " ? copyinstr(this->w" #n ") : \"\");"
#define IS(n) "(this->w" #n " != 0)"

#define TABLE "curthread->files->fdt"
#define OPEN(n) "trace((int64_t)(" DID " && " TABLE "->max_fds > " #n " * 64 ? *(" TABLE "->open_fds + " \
	#n ") : 0));"

/* The words of a call that failed. */
#define WORDS W0 W(1, 0) W(2, 1) W(3, 2) W(4, 3) W(5, 4) W(6, 5) W(7, 6) W(8, 7) \
	"trace(" IS(0) "+" IS(1) "+" IS(2) "+" IS(3) "+" IS(4) "+" IS(5) "+" IS(6) "+" IS(7) "+" IS(8) ");" \
	ONE(0) ONE(1) ONE(2) ONE(3) ONE(4) ONE(5) ONE(6) ONE(7) "trace(self->word);"
#define NONE "trace((int64_t)0);"

static const struct kind list[] = {
	{ .name = "execpath", .put = put_kind_path, .nrecs = 1, .entry =
	    "self->path = %a ? copyinstr(%a) : \"\";",
	    .fetch = "trace(self->path);" },
	{ .name = "argv", .put = put_argv, .nrecs = 4 + MAX_WORDS, .entry =
	    "self->word = %a && *(int64_t *)copyin(%a, 8) ? copyinstr(*(int64_t *)copyin(%a, 8)) : \"\";",
	    .fetch =
	    "this->n = " DID " ? " MM "arg_end - " MM "arg_start : 0;"
	    "tracemem(copyin(" MM
	    "arg_start, this->n < 2048 ? this->n : 2048), 2048); trace((int64_t)this->n);"
	    WORDS,
	    /* one that succeeded does not return there */
	    .inside = "tracemem(copyin(%a, 0), 2048); trace((int64_t)0);" WORDS },
	/* which descriptors are still open: those that close themselves are not */
	{ .name = "=exec", .put = put_ret, .fetch = OPEN(0) OPEN(1) OPEN(2) OPEN(3), .nrecs = 4,
	    .inside = NONE NONE NONE NONE },
	{ .name = "envp", .put = put_envp, .nrecs = 2, .fetch =
	    "this->e = " DID " ? uregs[R_SP] : %a; this->n = this->e ? " MM "env_end - this->e : 0;"
	    "this->n = this->n > 0 && this->n < 2048 ? this->n : this->e ? 2048 : 0;"
	    "this->l = " DID
	    " ? 2048 : 4096 - (this->e & 4095); this->n = this->n < this->l ? this->n : this->l;"
	    "tracemem(copyin(this->e, this->n), 2048); trace((int64_t)this->n);", .inside =
	    "this->l = 4096 - (%a & 4095); this->n = %a ? (this->l < 2048 ? this->l : 2048) : 0;"
	    "tracemem(copyin(%a, this->n), 2048); trace((int64_t)this->n);" },
};
KINDS(kinds_exec);
