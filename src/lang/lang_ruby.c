/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Ruby 2.7 to 3.4: where a thread keeps its execution context, and the offsets that runtime/lang_ruby.h walks
 * by, which depend on the version alone. Names are in lang_ruby_names.c.
 */
#include "lang/lang_ruby.h"

#include "base/count.h"

#include <errno.h>
#include <stdlib.h>

static const char *const files[] = { "ruby", "libruby", NULL };
static const char *const loops[] = { "rb_vm_exec", NULL };
static const char *const symbols[] = { "ruby_version", "ruby_current_vm_ptr", NULL };

/*
 * In rb_execution_context_t: the thread; in rb_thread_t: its execution context. 2.7 has the thread itself
 * among the values of pthread_setspecific(), later versions the context in a thread-local variable.
 */
static const struct layout {
	uint16_t version;
	uint8_t thread, context, word[DT_RB_WORDS];
} layouts[] = {
	{ 0x0207, 56, 32, { [DT_RB_THREAD] = 32, [DT_RB_FRAME_SIZE] = 56, [DT_RB_LINES] = 120,
	    [DT_RB_LINE_SIZE] = 8, [DT_RB_TEXT] = 16 } },
	{ 0x0300, 56, 40, { [DT_RB_FRAME_SIZE] = 56, [DT_RB_LINES] = 120, [DT_RB_LINE_SIZE] = 8,
	    [DT_RB_TEXT] = 16 } },
	{ 0x0301, 48, 40, { [DT_RB_FRAME_SIZE] = 64, [DT_RB_LINES] = 120, [DT_RB_LINE_SIZE] = 12,
	    [DT_RB_TEXT] = 16 } },
	{ 0x0302, 48, 48, { [DT_RB_FRAME_SIZE] = 64, [DT_RB_LINES] = 112, [DT_RB_LINE_SIZE] = 12,
	    [DT_RB_TEXT] = 24 } },
	{ 0x0303, 48, 48, { [DT_RB_FRAME_SIZE] = 56, [DT_RB_LINES] = 112, [DT_RB_LINE_SIZE] = 12,
	    [DT_RB_TEXT] = 24 } },
	{ 0x0304, 48, 48, { [DT_RB_FRAME_SIZE] = 56, [DT_RB_LINES] = 112, [DT_RB_LINE_SIZE] = 12,
	    [DT_RB_TEXT] = 24 } },
};

/* "3.1.2" */
static const struct layout *layout_of(const struct dt_lang_process *p)
{
	char text[8] = "", *end;
	unsigned long major;

	if (!dt_lang_read(p, p->symbol[0], text, sizeof(text) - 1))
		return NULL;
	major = strtoul(text, &end, 10);
	for (size_t i = 0; i < DT_COUNT(layouts) && *end == '.'; i++)
		if (layouts[i].version == (major << 8 | strtoul(end + 1, NULL, 10)))
			return &layouts[i];
	return NULL;
}

/* ---- threads ---- */

/* Bytes on each side of the list of robust mutexes, where thread-local variables are; of a VM stack */
enum { REACH = 16384, PIECE = 256, STACK_MAX = 1 << 30 };

/* Is there an execution context, whose frames are on its stack and whose thread has it? */
static bool is_context(const struct dt_lang_process *p, const struct layout *y, uint64_t at)
{
	uint64_t stack[3], thread, back;

	return dt_lang_read(p, at, stack, sizeof(stack)) && stack[1] < STACK_MAX / 8 &&
	    stack[2] - stack[0] < 8 * stack[1] && dt_lang_word(p, at + y->thread, &thread) &&
	    dt_lang_word(p, thread + y->context, &back) && back == at;
}

static bool is_value(const struct dt_lang_process *p, const struct layout *y, uint64_t word)
{
	if (word == 0 || word & 7 || word >> 48 != 0)
		return false;
	if (y->word[DT_RB_THREAD] != 0 && !dt_lang_word(p, word + y->word[DT_RB_THREAD], &word))
		return false;
	return is_context(p, y, word);
}

static bool find_in(const struct dt_lang_process *p, const struct layout *y, uint64_t from, uint64_t *at)
{
	uint64_t word[PIECE / 8];

	if (!dt_lang_read(p, from, word, sizeof(word)))
		return false;
	for (size_t i = 0; i < DT_COUNT(word); i++)
		if (is_value(p, y, word[i])) {
			*at = from + 8 * i;
			return true;
		}
	return false;
}

/*
 * The main thread's variable: on x86-64 thread-local variables are below the thread's descriptor, on aarch64
 * above it. The nearest one is taken, as copies further away may be on a stack. All threads have it at the
 * same distance, because a library that is loaded at the start has its place in their static blocks.
 */
static bool find_thread(const struct dt_lang_process *p, const struct layout *y, uint64_t *slot)
{
	uint64_t robust, at;

	if (!dt_lang_thread(p, 0, &robust) || robust < REACH)
		return false;
	robust &= ~7ull;
	for (uint64_t i = 0; i < REACH; i += PIECE)
		if (find_in(p, y, robust + i, &at) || find_in(p, y, robust - i - PIECE, &at)) {
			*slot = robust - at;
			return true;
		}
	return false;
}

static int learn(struct dt_lang_process *p, struct dt_unwind_lang *to)
{
	const struct layout *y = layout_of(p);
	uint64_t slot;

	if (y == NULL)
		return -ENOTSUP;
	for (size_t i = 0; i < DT_RB_WORDS; i++)
		to->word[i] = y->word[i];
	if (!find_thread(p, y, &slot))
		return -EAGAIN;
	to->word[DT_RB_SLOT] = slot;
	p->own[DT_RB_OWN_SYMBOLS] = dt_ruby_symbols(p, to, p->symbol[1]);
	return 0;
}

const struct dt_lang dt_lang_ruby = {
	.name = "ruby",
	.files = files,
	.loops = loops,
	.symbols = symbols,
	.learn = learn,
	.function = dt_ruby_function,
	.line = dt_ruby_line,
};
