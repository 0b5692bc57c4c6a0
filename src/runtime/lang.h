/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of languages in a walk along a user stack (rt_unwind.c). Where the rule of a native frame says that
 * its code is the loop of an interpreter, or its mapping that a runtime has made it, the walk goes on along
 * the frames that the runtime keeps, until the one that entered this activation of the loop; then along
 * native ones again. One file a language, lang_NAME.h, which has one function
 *
 *	static FN long NAME_step(struct rt *r)
 *
 * that makes one step: it leaves w->code, w->key, w->more and w->at as a frame (code 0: this step has none),
 * and returns 1 if the segment ends with it. All it reads is hostile. Its frame on the stack has 32 bytes,
 * like the one of on_vma() in whose place it is, and it calls nothing that has one: what it keeps is in
 * struct dt_work_walk.
 */
#ifndef DT_RUNTIME_LANG_H
#define DT_RUNTIME_LANG_H

#include "record/unwind.h"
#include "runtime/lang_words.h"
#include "runtime/rt.h"

/* Steps of a stack beyond those that give frames and end segments; places where a function may be. */
enum { IDLE_MAX = 256, PROBES = 8 };

/* Elements of lists are in chunks; a record is aligned to its size, so it does not leave its chunk. */
INLINE struct dt_unwind_map *list_element(struct rt *r, u64 number, u64 align)
{
	struct dt_unwind_map *chunk = chunk_at(r, r->b, number >> DT_UNWIND_MAP_BITS);

	return chunk ? &chunk[DT_UNWIND_IN_CHUNK(number, DT_UNWIND_MAP_BITS) & ~(align - 1)] : 0;
}

/*
 * The runtime of the frames in hand, which find_record() has found; NULL: the list has changed meanwhile.
 */
INLINE struct dt_unwind_lang *lang_record(struct rt *r, struct dt_work_walk *w)
{
	struct dt_unwind_lang *l = (struct dt_unwind_lang *)list_element(r, w->record, DT_UNWIND_LANG_MAPS);

	return l && l->lang == w->lang ? l : 0;
}

/* The process's runtime of that language. 1: it has none. */
static FN long find_record(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;

	UNROLL
	for (u64 i = 0; i < DT_UNWIND_LANGS; i++) {
		w->record = w->langs + i * DT_UNWIND_LANG_MAPS;
		if (i < w->nlangs && lang_record(r, w))
			return 0;
	}
	return 1;
}

INLINE u64 func_hash(const struct dt_work_walk *w)
{
	u64 h = (w->code ^ (w->key << 17 | w->key >> 47)) * 0x9e3779b97f4a7c15ull;

	h = (h ^ h >> 31 ^ w->more) * 0x94d049bb133111ebull;

	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
	return (h ^ h >> 32) | 1;
}

/*
 * The number of the function code and key in the runtime's block, which it is entered into when it is new. 0:
 * there is no room. Whoever takes a free place has written its tag; the rest is there soon after.
 */
INLINE u64 func_number(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 tag = func_hash(w), mask = (u64)l->nfuncs - 1, at = tag >> 8 & mask;
	u64 first = l->funcs;
	struct dt_unwind_map *chunk = chunk_at(r, r->b, first >> DT_UNWIND_MAP_BITS);

	if (!chunk)
		return 0;
	UNROLL
	for (u64 i = 0; i < PROBES; i++) {
		u64 n = (at + i) & mask;
		struct dt_unwind_func *f = (struct dt_unwind_func *)
		    &chunk[DT_UNWIND_IN_CHUNK(first + n, DT_UNWIND_MAP_BITS)];

		if (n == 0)
			continue;	/* the head */
		if (f->tag == tag)
			return n;
		if (f->tag == 0 && __sync_val_compare_and_swap(&f->tag, 0, tag) == 0) {
			f->key = w->key;
			f->more = w->more;
			__sync_val_compare_and_swap(&f->code, 0, w->code);	/* after these */
			__sync_fetch_and_add(&chunk[DT_UNWIND_IN_CHUNK(first, DT_UNWIND_MAP_BITS)].start, 1);
			return n;
		}
	}
	return 0;
}

/* The word of the frame that a step has left. */
static FN u64 frame_word(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 at = w->at < DT_FRAME_POS_MAX ? w->at : DT_FRAME_POS_MAX, n;

	if (!l || !l->nfuncs)
		return 0;
	n = func_number(r, w, l) & 0x3fff;
	return w->lang << DT_FRAME_LANG_SHIFT | n << DT_FRAME_FUNC_SHIFT | at |
	    (u64)(l->serial & (DT_FRAME_SERIALS - 1)) << DT_FRAME_SERIAL_SHIFT;
}

#include "runtime/lang_php.h"
#include "runtime/lang_python.h"
#include "runtime/lang_ruby.h"
#include "runtime/lang_hotspot.h"
#include "runtime/lang_v8.h"

/* 1: the segment is over. */
INLINE long lang_step(struct rt *r, struct dt_work_walk *w)
{
	w->code = w->more = 0;
	if (++w->idle > IDLE_MAX + 2 * w->out)
		return 1;
	switch (w->lang) {
	case DT_LANG_PYTHON: return python_step(r);
	case DT_LANG_PHP: return php_step(r);
	case DT_LANG_RUBY: return ruby_step(r);
	case DT_LANG_HOTSPOT: return hotspot_step(r, w);
	case DT_LANG_V8: return v8_step(r);
	}
	return 1;
}

#endif
