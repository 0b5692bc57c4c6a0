/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of Ruby 2.7 to 3.4. A thread (and in it, a fiber) has a stack of the VM, on which control frames lie
 * side by side, the innermost lowest. Methods in C have frames too, which are shown by their names; blocks in
 * C have some that are not. A flag says which frame entered an activation of the loop.
 */
#ifndef DT_RUNTIME_LANG_RUBY_H
#define DT_RUNTIME_LANG_RUBY_H

/* of keep[]: the next frame, innermost first; where they end; the last file, and its key */
enum { RB_NEXT, RB_END, RB_FILE, RB_FILE_KEY };
/* words of rb_control_frame_t; of the environment of a frame, whose end is read behind it */
enum { RB_PC = 0, RB_ISEQ = 2, RB_EP = 4, RB_CFP_SIZE = 40, RB_METHOD = 5, RB_FLAGS = 7 };
/* of the body of an instruction sequence; behind it in buf, strings */
enum { RB_CODE = 1, RB_BODY_SIZE = 96, RB_TEXT = 16 };
#define RB_MAGIC 0x7fff0001u
enum { RB_CFUNC = 0x55550001, RB_DUMMY = 0x79990001, RB_FINISH = 0x20 };
/* method entries: flags, whose bits 12 to 15 say what it is; the definition; its name */
enum { RB_SVAR = 2, RB_MENT = 6, RB_DEF = 2, RB_MENT_SIZE = 24, RB_ORIGINAL_ID = 32 };

INLINE void ruby_begin(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	w->kept = DT_LANG_RUBY;
	w->keep[RB_NEXT] = w->keep[RB_END] = w->keep[RB_FILE] = w->keep[RB_FILE_KEY] = 0;
	w->tmp[0] = w->robust_off ? kernel_word(r, w->task + w->robust_off) : 0;
	if (!w->tmp[0])
		return;
	w->tmp[0] = user_word(r, w->tmp[0] - l->word[DT_RB_SLOT]);
	if (w->tmp[0] && l->word[DT_RB_THREAD])
		w->tmp[0] = user_word(r, w->tmp[0] + l->word[DT_RB_THREAD]);
	if (!w->tmp[0] || read_user(r, w->buf, 24, w->tmp[0]))
		return;
	w->keep[RB_END] = w->buf[0] + 8 * w->buf[1];
	w->keep[RB_NEXT] = w->buf[2];
}

/* A method in C: the ID of its name, which no other will ever have. */
INLINE void ruby_method(struct rt *r, struct dt_work_walk *w)
{
	UNROLL
	for (int i = 0; i < 2; i++) {
		w->tmp[1] = w->buf[RB_METHOD];
		if (read_user(r, w->buf, RB_MENT_SIZE, w->tmp[1]))
			return;
		w->buf[RB_METHOD] = w->buf[1];
		if ((w->buf[0] >> 12 & 15) != RB_SVAR)
			break;
	}
	if ((w->buf[0] >> 12 & 15) != RB_MENT)
		return;
	w->code = user_word(r, w->buf[RB_DEF] + RB_ORIGINAL_ID) << 1 | 1;
	w->key = DT_RB_METHOD_IN_C;
	w->at = DT_FRAME_POS_MAX;
}

/*
 * The sequence's body is in buf. Sequences that are garbage may lose their strings first, which others take
 * the place of: so what they say is a part of the key. Of an array of two paths the first is meant. Most
 * frames have the file of the one before.
 */
INLINE u64 ruby_strings(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	u64 same = w->buf[DT_RB_PATH] == w->keep[RB_FILE], h = same ? w->keep[RB_FILE_KEY] : 0, n;

	w->keep[RB_FILE] = w->buf[DT_RB_PATH];
	for (int i = same ? 2 : 0; i < 3; i++) {
		if (i == 1 && w->tmp[3] != DT_RB_ARRAY)
			continue;
		if (i == 2)
			w->keep[RB_FILE_KEY] = h;
		w->tmp[2] = w->buf[i == 0 ? DT_RB_PATH : i == 1 ? RB_TEXT + 2 : DT_RB_LABEL];
		w->buf[RB_TEXT] = 0;
		read_user(r, &w->buf[RB_TEXT], 32, w->tmp[2]);
		w->tmp[3] = w->buf[RB_TEXT] & DT_RB_TYPE;
		if (w->tmp[3] != DT_RB_STRING)
			continue;
		n = w->buf[RB_TEXT + 2];
		if (w->buf[RB_TEXT] & DT_RB_ELSEWHERE)
			w->tmp[2] = w->buf[RB_TEXT + 3];
		else {
			w->tmp[2] += l->word[DT_RB_TEXT];
			if (l->word[DT_RB_TEXT] == DT_RB_TEXT_OLD)
				n = w->buf[RB_TEXT] >> DT_RB_LENGTH_SHIFT & DT_RB_LENGTH_MASK;
		}
		h = DT_RB_MIX(h, n);
		if (n > DT_RB_TEXT_MAX) {
			w->tmp[2] += n - DT_RB_TEXT_MAX;
			n = DT_RB_TEXT_MAX;
		}
		if (n == 0)
			continue;
		w->buf[RB_TEXT + ((n - 1) >> 3 & 15)] = 0;
		if (read_user(r, &w->buf[RB_TEXT], n, w->tmp[2]))
			continue;
		for (u64 k = 0; k < (n + 7) >> 3; k++)
			h = DT_RB_MIX(h, w->buf[RB_TEXT + (k & 15)]);
	}
	return h;
}

/* The pc is that of the next instruction. */
INLINE void ruby_sequence(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l)
{
	w->at = w->buf[RB_PC];
	w->code = w->buf[RB_ISEQ];
	w->tmp[1] = user_word(r, w->code + DT_RB_BODY);
	if (read_user(r, w->buf, RB_BODY_SIZE, w->tmp[1])) {
		w->code = 0;
		return;
	}
	w->at = (w->at - w->buf[RB_CODE]) >> 3;
	w->at -= w->at != 0;
	w->key = ruby_strings(r, w, l);
	w->key = DT_RB_KEY(w->key, w->tmp[1], w->buf[DT_RB_FIRST]);
}

static FN long ruby_step(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!l)
		return 1;
	if (w->kept != DT_LANG_RUBY)
		ruby_begin(r, w, l);
	if (w->keep[RB_NEXT] >= w->keep[RB_END] || read_user(r, w->buf, RB_CFP_SIZE, w->keep[RB_NEXT]))
		return 1;
	w->keep[RB_NEXT] += l->word[DT_RB_FRAME_SIZE];
	if (read_user(r, &w->buf[RB_METHOD], 24, w->buf[RB_EP] - 16))
		return 1;
	w->tmp[0] = w->buf[RB_FLAGS];
	if ((w->tmp[0] & RB_MAGIC) == RB_CFUNC)
		ruby_method(r, w);
	else if (w->buf[RB_PC] && w->buf[RB_ISEQ])
		ruby_sequence(r, w, l);
	return (w->tmp[0] & RB_MAGIC) != RB_DUMMY && w->tmp[0] & RB_FINISH;
}

#endif
