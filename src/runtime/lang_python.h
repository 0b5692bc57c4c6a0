/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of Python 3.8 to 3.14. A thread finds its PyThreadState in its own memory of pthread_setspecific(),
 * where it stays while the thread does not hold the GIL (system calls). In Python before 3.11 the loop calls
 * itself for each call of Python by Python; since then it does so only when C code is between.
 */
#ifndef DT_RUNTIME_LANG_PYTHON_H
#define DT_RUNTIME_LANG_PYTHON_H

enum { PY_NEXT };			/* of keep[]: the thread's next frame, innermost first */

/* The thread's innermost frame; 0: there is none, or this is not what it is said to be. */
INLINE u64 python_innermost(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	w->tmp[0] = w->robust_off ? kernel_word(r, w->task + w->robust_off) : 0;
	if (!w->tmp[0])
		return 0;
	w->tmp[1] = user_word(r, w->tmp[0] - l->word[DT_PY_SLOT]);
	if (!w->tmp[1] || user_word(r, w->tmp[1] + l->word[DT_PY_THREAD_ID]) != w->tmp[0] - l->word[DT_PY_SELF])
		return 0;
	w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_PY_FRAME]);
	if (w->tmp[1] && l->word[DT_PY_CFRAME])
		w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_PY_CFRAME] - 1);
	return w->tmp[1];
}

/* A word of the frame in w->buf. */
INLINE u64 python_member(const struct dt_work_walk *w, u64 off) { return w->buf[off >> 3 & 15]; }

/* In units of the bytecode, from its start. */
INLINE u64 python_position(struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 off = l->word[DT_PY_POS], pos = python_member(w, off);

	if (l->word[DT_PY_POS_KIND] == DT_PY_POS_POINTER)
		return (pos - w->code - l->word[DT_PY_BYTECODE]) >> 1;
	pos = (u32)(pos >> (off & 4) * 8);
	return l->word[DT_PY_POS_KIND] == DT_PY_POS_UNITS ? pos : pos >> 1;
}

/* What tells this code object from one that may take its place: where its names are, and its first line. */
INLINE u64 python_key(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	if (read_user(r, w->buf, 24, w->code + l->word[DT_PY_KEYS]))
		return 0;
	w->tmp[0] = w->buf[0] ^ (w->buf[1] << 21 | w->buf[1] >> 43) ^ (w->buf[2] << 42 | w->buf[2] >> 22);
	return w->tmp[0] ^ (user_word(r, w->code + l->word[DT_PY_FIRST]) & 0xffffffff) << 32;
}

static FN long python_step(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 frame, owner;

	if (!l)
		return 1;
	if (w->kept != DT_LANG_PYTHON) {
		w->kept = DT_LANG_PYTHON;
		w->keep[PY_NEXT] = python_innermost(r, w, l);
	}
	frame = w->keep[PY_NEXT];
	if (!frame || read_user(r, w->buf, ((l->word[DT_PY_SIZE] - 1) & 127) + 1, frame))
		return 1;
	w->keep[PY_NEXT] = python_member(w, l->word[DT_PY_BACK]);
	owner = python_member(w, l->word[DT_PY_OWNER]) >> (l->word[DT_PY_OWNER] & 7) * 8 & 0xff;
	if (l->word[DT_PY_END] == DT_PY_END_SHIM && owner >= 3)
		return 1;
	w->code = python_member(w, l->word[DT_PY_CODE]) & ~3ull;
	w->at = python_position(w, l);
	w->key = python_key(r, w, l);
	return l->word[DT_PY_END] == DT_PY_END_EACH || (l->word[DT_PY_END] == DT_PY_END_ENTRY && owner);
}

#endif
