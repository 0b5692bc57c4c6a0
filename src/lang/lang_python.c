/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Python 3.8 to 3.14: where the state of a thread is, and the offsets that runtime/lang_python.h walks by.
 * From 3.13 on the runtime describes itself (_Py_DebugOffsets), before that the version says it. Names are in
 * lang_python_names.c.
 */
#include "lang/lang_python.h"

#include "base/count.h"

#include <errno.h>
#include <string.h>

static const char *const files[] = { "python3", "libpython3", NULL };
static const char *const loops[] = { "_PyEval_EvalFrameDefault", NULL };
static const char *const symbols[] = { "_PyRuntime", "Py_Version", "PyCode_Type", "PyUnicode_Type",
	"PyBytes_Type", NULL };

/* ---- versions that do not describe themselves ---- */

/* heads: the first interpreter in _PyRuntime; the first thread in that; the next thread, and its number */
static const struct layout {
	uint32_t minor, interpreters, threads, next;
	uint64_t word[DT_PY_WORDS];
} layouts[] = {
	{ 8, 32, 8, 8, {
	    [DT_PY_THREAD_ID] = 176, [DT_PY_FRAME] = 24, [DT_PY_SIZE] = 112, [DT_PY_CODE] = 32,
	    [DT_PY_BACK] = 24, [DT_PY_POS] = 104, [DT_PY_OWNER] = 104, [DT_PY_POS_KIND] = DT_PY_POS_BYTES,
	    [DT_PY_END] = DT_PY_END_EACH, [DT_PY_KEYS] = 104, [DT_PY_FIRST] = 40, [DT_PY_FILE] = 104,
	    [DT_PY_NAME] = 112, [DT_PY_LINES] = 120, [DT_PY_TEXT] = 48, [DT_PY_FORMAT] = DT_PY_LNOTAB } },
	{ 9, 32, 8, 8, {
	    [DT_PY_THREAD_ID] = 176, [DT_PY_FRAME] = 24, [DT_PY_SIZE] = 112, [DT_PY_CODE] = 32,
	    [DT_PY_BACK] = 24, [DT_PY_POS] = 104, [DT_PY_OWNER] = 104, [DT_PY_POS_KIND] = DT_PY_POS_BYTES,
	    [DT_PY_END] = DT_PY_END_EACH, [DT_PY_KEYS] = 104, [DT_PY_FIRST] = 40, [DT_PY_FILE] = 104,
	    [DT_PY_NAME] = 112, [DT_PY_LINES] = 120, [DT_PY_TEXT] = 48, [DT_PY_FORMAT] = DT_PY_LNOTAB } },
	{ 10, 32, 8, 8, {
	    [DT_PY_THREAD_ID] = 176, [DT_PY_FRAME] = 24, [DT_PY_SIZE] = 104, [DT_PY_CODE] = 32,
	    [DT_PY_BACK] = 24, [DT_PY_POS] = 96, [DT_PY_OWNER] = 96, [DT_PY_POS_KIND] = DT_PY_POS_UNITS,
	    [DT_PY_END] = DT_PY_END_EACH, [DT_PY_KEYS] = 104, [DT_PY_FIRST] = 40, [DT_PY_FILE] = 104,
	    [DT_PY_NAME] = 112, [DT_PY_LINES] = 120, [DT_PY_TEXT] = 48,
	    [DT_PY_FORMAT] = DT_PY_LINETABLE } },
	{ 11, 40, 16, 8, {
	    [DT_PY_THREAD_ID] = 152, [DT_PY_FRAME] = 56, [DT_PY_CFRAME] = 8 + 1, [DT_PY_SIZE] = 72,
	    [DT_PY_CODE] = 32, [DT_PY_BACK] = 48, [DT_PY_POS] = 56, [DT_PY_OWNER] = 69,
	    [DT_PY_ENTRY] = 68,
	    [DT_PY_POS_KIND] = DT_PY_POS_POINTER, [DT_PY_END] = DT_PY_END_ENTRY, [DT_PY_BYTECODE] = 184,
	    [DT_PY_KEYS] = 112, [DT_PY_FIRST] = 72, [DT_PY_FILE] = 112, [DT_PY_NAME] = 120,
	    [DT_PY_QUALNAME] = 128, [DT_PY_LINES] = 136, [DT_PY_TEXT] = 48,
	    [DT_PY_FORMAT] = DT_PY_LOCATIONS } },
	{ 12, 40, 72, 8, {
	    [DT_PY_THREAD_ID] = 136, [DT_PY_FRAME] = 56, [DT_PY_CFRAME] = 0 + 1, [DT_PY_SIZE] = 72,
	    [DT_PY_CODE] = 0, [DT_PY_BACK] = 8, [DT_PY_POS] = 56, [DT_PY_OWNER] = 70,
	    [DT_PY_POS_KIND] = DT_PY_POS_POINTER, [DT_PY_END] = DT_PY_END_SHIM, [DT_PY_BYTECODE] = 192,
	    [DT_PY_KEYS] = 112, [DT_PY_FIRST] = 68, [DT_PY_FILE] = 112, [DT_PY_NAME] = 120,
	    [DT_PY_QUALNAME] = 128, [DT_PY_LINES] = 136, [DT_PY_TEXT] = 40,
	    [DT_PY_FORMAT] = DT_PY_LOCATIONS } },
};

/* ---- those that do ---- */

/*
 * _Py_DebugOffsets: numbers of 64 bits by their place in it. Where the groups are depends on the version;
 * inside of them only members at the end are added.
 */
enum { TABLE_WORDS = 128, COOKIE = 0, VERSION = 1, FREE_THREADED = 2, INTERPRETERS = 5 };
static const struct { uint32_t minor, interpreter, thread, frame, code, unicode; } tables[] = {
	{ 13, 48 / 8, 152 / 8, 224 / 8, 272 / 8, 536 / 8 },
	{ 14, 48 / 8, 176 / 8, 248 / 8, 312 / 8, 616 / 8 },
};

static bool fits(uint64_t off, uint64_t size) { return off < size; }

/* Offsets are those of a hostile process: they are used as such, but what indexes a buffer has to fit. */
static int from_table(const struct dt_lang_process *p, uint32_t minor, struct layout *to)
{
	uint64_t t[TABLE_WORDS], *w = to->word;
	size_t i = 0;

	while (i < DT_COUNT(tables) && tables[i].minor != minor)
		i++;
	if (i == DT_COUNT(tables) || !dt_lang_read(p, p->symbol[DT_PY_RUNTIME], t, sizeof(t)))
		return -ENOTSUP;
	if (memcmp(&t[COOKIE], "xdebugpy", 8) != 0 || t[VERSION] >> 16 != (0x300 | minor))
		return -EAGAIN;		/* not filled in yet */
	if (t[FREE_THREADED] != 0)
		return -ENOTSUP;
	to->interpreters = (uint32_t)t[INTERPRETERS];
	to->threads = (uint32_t)t[tables[i].interpreter + 3];
	to->next = (uint32_t)t[tables[i].thread + 2];
	w[DT_PY_FRAME] = t[tables[i].thread + 4];
	w[DT_PY_THREAD_ID] = t[tables[i].thread + 5];
	w[DT_PY_BACK] = t[tables[i].frame + 1];
	w[DT_PY_CODE] = t[tables[i].frame + 2];
	w[DT_PY_POS] = t[tables[i].frame + 3];
	w[DT_PY_OWNER] = t[tables[i].frame + 5];
	w[DT_PY_SIZE] = 128;
	w[DT_PY_POS_KIND] = DT_PY_POS_POINTER;
	w[DT_PY_END] = DT_PY_END_SHIM;
	w[DT_PY_FILE] = t[tables[i].code + 1];
	w[DT_PY_NAME] = t[tables[i].code + 2];
	w[DT_PY_QUALNAME] = t[tables[i].code + 3];
	w[DT_PY_LINES] = t[tables[i].code + 4];
	w[DT_PY_FIRST] = t[tables[i].code + 5];
	w[DT_PY_BYTECODE] = t[tables[i].code + 9];
	w[DT_PY_KEYS] = w[DT_PY_FILE];
	w[DT_PY_TEXT] = t[tables[i].unicode + 3];
	w[DT_PY_FORMAT] = DT_PY_LOCATIONS;
	if (!fits(w[DT_PY_BACK], 121) || !fits(w[DT_PY_CODE], 121) || !fits(w[DT_PY_POS], 121) ||
	    !fits(w[DT_PY_OWNER], 121))
		return -ENOTSUP;
	w[DT_PY_SIZE] = 0;
	for (int k = DT_PY_CODE; k <= DT_PY_OWNER; k++)
		if (w[k] / 8 * 8 + 8 > w[DT_PY_SIZE])
			w[DT_PY_SIZE] = w[k] / 8 * 8 + 8;
	return 0;
}

/* From 3.11 on it is in Py_Version, before that in the name of the file. */
static uint32_t minor_of(const struct dt_lang_process *p)
{
	uint32_t version;

	if (p->symbol[DT_PY_VERSION] == 0)
		return p->version >> 8 == 3 ? p->version & 0xff : 0;
	return dt_lang_read(p, p->symbol[DT_PY_VERSION], &version, sizeof(version)) && version >> 24 == 3 ?
	    version >> 16 & 0xff : 0;
}

static int layout_of(const struct dt_lang_process *p, struct layout *to)
{
	uint32_t minor = minor_of(p);

	for (size_t i = 0; i < DT_COUNT(layouts); i++)
		if (layouts[i].minor == minor) {
			*to = layouts[i];
			return 0;
		}
	*to = (struct layout){ .minor = minor };
	return minor == 0 ? -ENOTSUP : from_table(p, minor, to);
}

/* ---- threads ---- */

/* THREAD_BYTES: of glibc's struct pthread, whose list of robust mutexes is in the first half */
enum { STATES = 32, THREADS = 32, THREAD_BYTES = 2304, PIECE = 256, SEQ_MAX = 1 << 20 };

struct search { const struct dt_lang_process *p; const struct layout *layout; uint64_t self, slot; };

/*
 * Where the thread `self` keeps its state: among the values of pthread_setspecific(), each of which comes
 * after a small number, its sequence.
 */
static bool find_slot(struct search *s, uint64_t robust, uint64_t thread, uint64_t state)
{
	uint64_t word[PIECE / 8], before = 0;

	for (uint64_t at = thread; at < thread + THREAD_BYTES; at += PIECE) {
		if (!dt_lang_read(s->p, at, word, sizeof(word)))
			return false;
		for (size_t i = 0; i < PIECE / 8; i++) {
			if (word[i] == state && before > 0 && before < SEQ_MAX) {
				s->self = robust - thread;
				s->slot = robust - (at + 8 * i);
				return true;
			}
			before = word[i];
		}
	}
	return false;
}

/* The thread of the kernel that this state says it is of. */
static bool match_thread(struct search *s, const uint64_t *robust, unsigned n, uint64_t state)
{
	uint64_t thread;

	if (!dt_lang_word(s->p, state + s->layout->word[DT_PY_THREAD_ID], &thread))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (robust[i] > thread && robust[i] - thread < THREAD_BYTES)
			return find_slot(s, robust[i], thread, state);
	return false;
}

static bool find_thread(struct search *s)
{
	uint64_t robust[THREADS], state = 0;
	unsigned n = 0;

	for (unsigned i = 0; i < THREADS && dt_lang_thread(s->p, i, &robust[n]); i++)
		n += robust[n] != 0;
	if (!dt_lang_word(s->p, s->p->symbol[DT_PY_RUNTIME] + s->layout->interpreters, &state) ||
	    state == 0 || !dt_lang_word(s->p, state + s->layout->threads, &state))
		return false;
	for (unsigned i = 0; i < STATES && state != 0; i++) {
		if (match_thread(s, robust, n, state))
			return true;
		if (!dt_lang_word(s->p, state + s->layout->next, &state))
			return false;
	}
	return false;
}

static int learn(struct dt_lang_process *p, struct dt_unwind_lang *to)
{
	struct layout layout;
	struct search s = { .p = p, .layout = &layout };
	int err = layout_of(p, &layout);

	if (err == 0 && !find_thread(&s))
		err = -EAGAIN;
	if (err != 0)
		return err;
	memcpy(to->word, layout.word, sizeof(layout.word));
	to->word[DT_PY_SELF] = s.self;
	to->word[DT_PY_SLOT] = s.slot;
	to->word[DT_PY_CODE_TYPE] = p->symbol[DT_PY_CODE_SYMBOL];
	to->word[DT_PY_STR_TYPE] = p->symbol[DT_PY_STR_SYMBOL];
	to->word[DT_PY_BYTES_TYPE] = p->symbol[DT_PY_BYTES_SYMBOL];
	return 0;
}

const struct dt_lang dt_lang_python = {
	.name = "python",
	.files = files,
	.loops = loops,
	.symbols = symbols,
	.learn = learn,
	.function = dt_python_function,
	.line = dt_python_line,
};
