/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of JavaScript in V8 (Node.js). All code of V8, interpreter and builtins included, keeps frame
 * pointers and has no unwind tables: the native walk goes over it by frame pointers, and this step looks at
 * each frame that it has left (w->low). Below the frame pointer are the context and the function, or a small
 * number that says which other kind of frame this is: then the native frame stays. A frame of a function
 * takes its place.
 *
 * What stands for a function is its SharedFunctionInfo, which the garbage collector seldom moves, and the key
 * says whether it is still there. Frames of the interpreter have the bytecode and the place in it.
 */
#ifndef DT_RUNTIME_LANG_V8_H
#define DT_RUNTIME_LANG_V8_H

/* of keep[], if no other runtime uses it: maps of objects whose type is known in this stack */
enum { V8_SHARED_MAP, V8_BYTECODE_MAP };
enum { V8_TAG = 1, V8_TAG_BITS = 3, V8_TYPE_WORD = 8, V8_TYPE_SHIFT = 32 };
/* words of a frame, of which so many are read; where the SharedFunctionInfo goes, and its words */
enum { V8_FUNCTION = 3, V8_CONTEXT = 4, V8_FRAME_WORDS = 5, V8_INFO = 8, V8_INFO_WORDS = 8 };

INLINE u64 v8_is_object(u64 word) { return (word & V8_TAG_BITS) == V8_TAG; }

/* Is this map one of objects of that type? */
INLINE u64 v8_is_type(struct rt *r, struct dt_work_walk *w, u64 map, u64 type, int keep)
{
	if (w->kept == DT_LANG_V8 && map == w->keep[keep])
		return 1;
	if (!v8_is_object(map) ||
	    (user_word(r, map - V8_TAG + V8_TYPE_WORD) >> V8_TYPE_SHIFT & 0xffff) != type)
		return 0;
	if (w->kept == DT_LANG_V8)
		w->keep[keep] = map;
	return 1;
}

INLINE u64 v8_info(const struct dt_work_walk *w, u64 off)
{
	return w->buf[V8_INFO + (off >> 3 & (V8_INFO_WORDS - 1))];
}

/*
 * An interpreted frame has its bytecode and, as a small number, the place in it; one of the baseline compiler
 * has the bytecode alone.
 */
INLINE void v8_bytecode(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 i = (l->word[DT_V8_FP_BYTECODE] >> 3) + V8_FRAME_WORDS;

	w->at = 0;		/* its first line */
	w->tmp[1] = w->buf[i & 3];
	w->tmp[2] = w->buf[(i - 1) & 3];
	if (!v8_is_object(w->tmp[1]) || !v8_is_type(r, w, user_word(r, w->tmp[1] - V8_TAG),
	    l->word[DT_V8_BYTECODE_TYPE], V8_BYTECODE_MAP))
		return;
	w->more = w->tmp[1];
	if ((w->tmp[2] & 0xffffffff) == 0)
		w->at = w->tmp[2] >> 32;
}

static FN long v8_step(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!w->kept) {
		w->kept = DT_LANG_V8;
		w->keep[V8_SHARED_MAP] = w->keep[V8_BYTECODE_MAP] = 0;
	}
	if (!l || w->low & 7 || read_user(r, w->buf, 8 * V8_FRAME_WORDS, w->low - 8 * V8_FRAME_WORDS) ||
	    !v8_is_object(w->buf[V8_CONTEXT]) || !v8_is_object(w->buf[V8_FUNCTION]))
		return 1;
	w->tmp[0] = user_word(r, w->buf[V8_FUNCTION] - V8_TAG + l->word[DT_V8_SHARED]);
	if (!v8_is_object(w->tmp[0]) ||
	    read_user(r, &w->buf[V8_INFO], 8 * V8_INFO_WORDS, w->tmp[0] - V8_TAG) ||
	    !v8_is_type(r, w, w->buf[V8_INFO], l->word[DT_V8_SHARED_TYPE], V8_SHARED_MAP))
		return 1;
	w->code = w->tmp[0];
	w->key = DT_V8_KEY(v8_info(w, l->word[DT_V8_TOKEN] - DT_V8_NAME_BEFORE),
	    v8_info(w, l->word[DT_V8_TOKEN] - DT_V8_SCRIPT_BEFORE));
	v8_bytecode(r, w, l);
	if (w->out && !w->only)
		w->out--;
	return 1;
}

#endif
