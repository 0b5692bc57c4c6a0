/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of Python 3.8 to 3.14. A thread finds its PyThreadState in its own memory of pthread_setspecific(),
 * where it stays while the thread does not hold the GIL (system calls). In Python before 3.11 the loop calls
 * itself for each call of Python by Python; since then it does so only when C code is between.
 */
#ifndef DT_RUNTIME_LANG_PYTHON_H
#define DT_RUNTIME_LANG_PYTHON_H

/*
 * of keep[]: the next frame, innermost first; of 3.11, where the next activation has its frame; the segment's
 * start
 */
enum { PY_NEXT, PY_CFRAME, PY_FIRST, PY_OUT };
/* whose a frame is, from 3.11 on: shims are this or more; what is read of a code object */
enum { GENERATOR = 1, SHIM = 3, CODE_BYTES = 144 };
enum { CFRAME_PREVIOUS = 8 };		/* struct _PyCFrame: from the frame to the outer activation's */

/* The thread's innermost frame; 0: there is none, or this is not what it is said to be. */
INLINE u64 python_innermost(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	w->tmp[0] = w->robust_off ? kernel_word(r, w->task + w->robust_off) : 0;
	if (!w->tmp[0])
		return 0;
	w->tmp[1] = user_word(r, w->tmp[0] - l->word[DT_PY_SLOT]);
	if (!w->tmp[1] ||
	    user_word(r, w->tmp[1] + l->word[DT_PY_THREAD_ID]) != w->tmp[0] - l->word[DT_PY_SELF])
		return 0;
	w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_PY_FRAME]);
	w->keep[PY_CFRAME] = w->tmp[1];
	if (w->tmp[1] && l->word[DT_PY_CFRAME])
		w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_PY_CFRAME] - 1);
	return w->tmp[1];
}

/* Is it on the stack of the loop's native frame? */
INLINE u64 python_is_ours(const struct dt_work_walk *w, u64 addr) { return addr - w->low < w->high - w->low; }

/*
 * A segment begins. The loop may just have been entered, or be about to return, and run no frame: those that
 * are there belong to activations further out. In 3.11 each has a struct _PyCFrame on its stack; later ones
 * have their shim there, so it is seen at the end (python_undo()). 1: there are none.
 */
INLINE long python_begin(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	if (w->kept != DT_LANG_PYTHON) {
		w->kept = DT_LANG_PYTHON;
		w->keep[PY_NEXT] = python_innermost(r, w, l);
	}
	if (l->word[DT_PY_END] == DT_PY_END_ENTRY) {
		if (!python_is_ours(w, w->keep[PY_CFRAME]))
			return 1;
		w->tmp[0] = w->keep[PY_CFRAME] + l->word[DT_PY_CFRAME] - 1;
		w->keep[PY_NEXT] = user_word(r, w->tmp[0]);
		w->keep[PY_CFRAME] = user_word(r, w->tmp[0] + CFRAME_PREVIOUS);
	}
	w->keep[PY_FIRST] = w->keep[PY_NEXT];
	w->keep[PY_OUT] = w->out;
	return 0;
}

/* The segment was that of an activation further out. */
INLINE void python_undo(struct dt_work_walk *w)
{
	w->keep[PY_NEXT] = w->keep[PY_FIRST];
	w->out = w->keep[PY_OUT];
}

/* A word of what is in w->buf. */
INLINE u64 python_member(const struct dt_work_walk *w, u64 off) { return w->buf[off >> 3 & 31]; }

INLINE u64 python_byte(const struct dt_work_walk *w, u64 off)
{
	return python_member(w, off) >> (off & 7) * 8 & 0xff;
}

INLINE u64 python_half(const struct dt_work_walk *w, u64 off)
{
	return python_member(w, off) >> (off & 4) * 8 & 0xffffffff;
}

/* In units of the bytecode, from its start. */
INLINE u64 python_position(struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 off = l->word[DT_PY_POS], kind = l->word[DT_PY_POS_KIND];

	if (kind == DT_PY_POS_POINTER)
		return (u64)((s64)(python_member(w, off) - w->code - l->word[DT_PY_BYTECODE]) >> 1);
	return kind == DT_PY_POS_UNITS ? python_half(w, off) : python_half(w, off) >> 1;
}

/*
 * What tells this code object from one that may take its place: where its names are, and its first line. A
 * frame that is still in its prologue is none of the program yet, as Python itself says, nor is one that has
 * nothing else (what runs after __init__). A generator's is always one.
 */
INLINE void python_code(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 from = l->word[DT_PY_FIRST] & ~7ull, keys = l->word[DT_PY_KEYS] - from;

	if (read_user(r, w->buf, CODE_BYTES, w->code + from)) {
		w->code = 0;
		return;
	}
	w->tmp[2] = python_member(w, keys + 8);
	w->tmp[3] = python_member(w, keys + 16);
	w->key = python_member(w, keys) ^ (w->tmp[2] << 21 | w->tmp[2] >> 43) ^
	    (w->tmp[3] << 42 | w->tmp[3] >> 22) ^ python_half(w, l->word[DT_PY_FIRST] - from) << 32;
	if (l->word[DT_PY_POS_KIND] == DT_PY_POS_POINTER && w->tmp[0] != GENERATOR &&
	    (s64)w->at < (s64)python_half(w, l->word[DT_PY_BYTECODE] - 16 - from))
		w->code = 0;
}

static FN long python_step(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!l)
		return 1;
	if (w->fresh && python_begin(r, w, l))
		return 1;
	w->at = w->keep[PY_NEXT];
	if (!w->at || read_user(r, w->buf, ((l->word[DT_PY_SIZE] - 1) & 127) + 1, w->at))
		return 1;
	w->keep[PY_NEXT] = python_member(w, l->word[DT_PY_BACK]);
	w->tmp[0] = python_byte(w, l->word[DT_PY_OWNER]);
	w->tmp[1] = l->word[DT_PY_END] == DT_PY_END_EACH ||
	    (l->word[DT_PY_END] == DT_PY_END_ENTRY && python_byte(w, l->word[DT_PY_ENTRY]));
	if (l->word[DT_PY_END] == DT_PY_END_SHIM && w->tmp[0] >= SHIM) {
		if (!python_is_ours(w, w->at))
			python_undo(w);
		return 1;
	}
	w->code = python_member(w, l->word[DT_PY_CODE]) & ~3ull;
	w->at = python_position(w, l);
	python_code(r, w, l);
	return w->tmp[1] != 0;
}

#endif
