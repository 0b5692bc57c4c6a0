/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Frames of a HotSpot JVM, whose code is in heaps that no file describes. Each heap has a map with a byte
 * for each segment of it, which leads back to the start of a blob: the code of a method, of stubs, or the
 * interpreter. A blob says how large its frames are. A frame of the interpreter has the Method and the
 * bytecode's address at fixed places below the frame pointer.
 *
 * What stands for a frame: of the interpreter, the Method and its ConstMethod, and the index of the
 * bytecode; of compiled code the pc, and the number of the compilation, which is not used again.
 */
#ifndef DT_RUNTIME_LANG_HOTSPOT_H
#define DT_RUNTIME_LANG_HOTSPOT_H

/* tmp[]: a blob, bytes of its frames, where they are complete; the map of a heap */
enum { HS_BLOB, HS_FRAME, HS_COMPLETE, HS_MAP };
enum { HS_HOPS = 12, HS_FREE = 0xff, HS_FRAME_MAX = 1 << 20 };
enum { HS_STUB_FRAME = 512, HS_STUB_WORDS = 12, HS_PUSHED_WORDS = 2 };
enum { HS_BACK = 32, HS_AHEAD = 8 };	/* bytes of code around the pc */

/* Members of the blob in w->buf */
INLINE u64 hs_word(const struct dt_work_walk *w, u64 off) { return w->buf[off >> 3 & 31]; }
INLINE u64 hs_int(const struct dt_work_walk *w, u64 off) { return (u32)(hs_word(w, off) >> (off & 4) * 8); }

/* 1: the pc is in one of the heaps; tmp[HS_BLOB]: its start, tmp[HS_MAP]: that of its map. */
INLINE u64 hs_is_code(struct dt_work_walk *w, const struct dt_unwind_lang *l, u64 pc)
{
	u64 found = 0;

	UNROLL
	for (int i = 0; i < DT_HS_WALK_HEAPS; i++)
		if (pc - l->word[DT_HS_HEAP + 3 * i] < l->word[DT_HS_HEAP + 3 * i + 1]) {
			w->tmp[HS_BLOB] = l->word[DT_HS_HEAP + 3 * i];
			w->tmp[HS_MAP] = l->word[DT_HS_HEAP + 3 * i + 2];
			found = 1;
		}
	return found;
}

/* The walk goes on in the caller. 1: it ends, as what was read cannot be a frame. */
INLINE long hs_caller(struct dt_work_walk *w, u64 pc, u64 sp, u64 fp)
{
	w->ended = sp <= w->sp;
	w->pc = pc;
	w->sp = sp;
	w->fp = fp;
	w->vague = w->exact = 0;
	return (long)w->ended;
}

/*
 * A frame of the interpreter. Its caller may be compiled code, whose stack the interpreter has made
 * longer for locals: where it really ended is in the frame too. The bytecode of the innermost frame is in
 * a register.
 */
static FN long hs_interpreted(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 below, sp;

	w->ended = 1;
	if (!l)
		return 1;
	below = l->word[DT_HS_BCP] & 15;
	if (w->fp & 7 || w->fp < w->sp || read_user(r, w->buf, 8 * (below + 2), w->fp - 8 * below))
		return 1;
	if (!hs_is_code(w, l, w->buf[(below + 1) & 31]))
		return 1;
	w->code = w->buf[(below - 3) & 31];
	w->tmp[0] = user_word(r, w->code + l->word[DT_HS_CONST_METHOD]);
	w->tmp[1] = user_word(r, w->tmp[0] + l->word[DT_HS_CONST_POOL]);
	w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_HS_POOL_HOLDER]);
	w->tmp[1] = user_word(r, w->tmp[1] + l->word[DT_HS_KLASS_NAME]);
	w->key = DT_HS_KEY(w->tmp[0], w->tmp[1]);
	w->at = (w->exact ? w->bytecode : w->buf[0]) - w->tmp[0] - l->word[DT_HS_CONST_SIZE];
	if (w->at > 0xffff)
		w->at = DT_FRAME_POS_MAX;
	sp = w->buf[(below - 1) & 31];
	return hs_caller(w, w->buf[(below + 1) & 31], sp > w->fp ? sp : w->fp + 16, w->buf[below & 31]);
}

/* The first bytes of the blob of the pc, in buf. 1: none is there. */
static FN long hs_find(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 segment;
	u8 back = HS_FREE;

	if (!l)
		return 1;
	segment = (w->pc - 1 + w->exact - w->tmp[HS_BLOB]) >> (l->word[DT_HS_SEGMENT] & 31);
	for (int i = 0; i < HS_HOPS; i++) {
		if (read_user(r, &back, 1, w->tmp[HS_MAP] + segment) || back == HS_FREE)
			return 1;
		if (!back)
			break;
		segment -= back;
	}
	if (back)
		return 1;
	w->tmp[HS_BLOB] += (segment << (l->word[DT_HS_SEGMENT] & 31)) + l->word[DT_HS_BLOCK];
	return read_user(r, w->buf, DT_HS_HEAD_BYTES, w->tmp[HS_BLOB] + l->word[DT_HS_HEAD_AT]) ||
	    read_user(r, &w->buf[DT_HS_HEAD_BYTES / 8], DT_HS_TAIL_BYTES,
	    w->tmp[HS_BLOB] + l->word[DT_HS_TAIL_AT]);
}

/* A place in the blob's code: an address in older JVMs, in newer ones counted from the blob. */
INLINE u64 hs_place(const struct dt_work_walk *w, const struct dt_unwind_lang *l, u64 off)
{
	return l->word[DT_HS_POINTERS] ? hs_word(w, off) : w->tmp[HS_BLOB] + hs_int(w, off);
}

/*
 * The frame of compiled code. Where the code is not valid any more its return address was replaced: the real
 * one is in its frame.
 */
static FN long hs_compiled(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!l)
		return 1;
	w->tmp[HS_FRAME] = hs_int(w, l->word[DT_HS_FRAME_SIZE]) * 8;
	if (w->tmp[HS_FRAME] > HS_FRAME_MAX)
		w->tmp[HS_FRAME] = 0;		/* -1: it follows the frame pointer */
	w->tmp[HS_COMPLETE] = hs_place(w, l, l->word[DT_HS_CODE]) +
	    (hs_int(w, l->word[DT_HS_FRAME_COMPLETE] & ~3ull) >> (l->word[DT_HS_FRAME_COMPLETE] & 2) * 8 &
	    0xffff);
	w->code = w->pc;
	w->key = DT_HS_COMPILED | w->exact << DT_HS_EXACT_SHIFT | hs_int(w, l->word[DT_HS_ID]);
	w->at = 0;
	if (l->word[DT_HS_DEOPT] && w->pc == hs_place(w, l, l->word[DT_HS_DEOPT]))
		w->code = user_word(r, w->sp + hs_int(w, l->word[DT_HS_ORIG_PC]));
	return 0;
}

/*
 * The pair of the caller's frame pointer and the return address is where the blob says that its frames
 * end, or where fp points to. Only the stub by which C++ calls Java has a caller that is not in the
 * heaps.
 */
static FN long hs_up(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 at = w->tmp[HS_FRAME] ? w->sp + w->tmp[HS_FRAME] - 16 : w->fp;

	w->ended = 1;
	if (!l || at & 7 || at < w->sp)
		return 1;
	for (int i = 0; i <= HS_PUSHED_WORDS; i++, at += 8) {
		if (read_user(r, w->buf, 16, at))
			return 1;
		if (w->pc == l->word[DT_HS_CALL_STUB] || hs_is_code(w, l, w->buf[1]))
			return hs_caller(w, w->buf[1], at + 16, w->buf[0]);
		if (w->link || !w->tmp[HS_FRAME])
			return 1;	/* only x86-64 pushes arguments of stubs */
	}
	return 1;
}

INLINE u64 hs_byte(const struct dt_work_walk *w, u64 i) { return w->buf[i >> 3 & 31] >> (i & 7) * 8 & 0xff; }
INLINE u64 hs_half(const struct dt_work_walk *w, u64 i) { return hs_byte(w, i) | hs_byte(w, i + 1) << 8; }

/* The return address is at sp; the frame pointer is, and then the address; the frame is there */
enum { HS_AT_SP, HS_PUSHED, HS_WHOLE };

/*
 * Which part of its frame an x86-64 function has at this instruction, by those around it: before a frame is
 * complete (push %rbp; sub $n, %rsp) and where it is given up (add; pop %rbp; a poll; ret).
 */
INLINE u64 hs_state_x86(struct dt_work_walk *w, u64 incomplete)
{
	u64 at = HS_BACK, b = hs_byte(w, at), two = hs_half(w, at), state = HS_WHOLE;

	if (b == 0xc3)						/* ret */
		return HS_AT_SP;
	if (two == 0x3b49 && (hs_byte(w, at + 2) & 0x3f) == 0x27)	/* cmp poll(%r15), %rsp */
		return HS_AT_SP;
	if (two == 0x870f && (hs_half(w, at - 7) == 0x3b49 || hs_half(w, at - 4) == 0x3b49))	/* ja */
		return HS_AT_SP;
	if (b == 0x5d && !incomplete)				/* pop %rbp */
		return HS_PUSHED;
	if (b == 0x85 && hs_byte(w, at + 6) == 0xc3)		/* test %eax, poll; ret */
		return HS_AT_SP;
	if (two == 0x8541 && hs_byte(w, at + 3) == 0xc3)	/* test %eax, (%r10); ret */
		return HS_AT_SP;
	if (!incomplete)
		return state;
	state = HS_AT_SP;
	if (hs_byte(w, at - 1) == 0x55)
		state = HS_PUSHED;
	UNROLL
	for (u64 i = 4; i <= HS_BACK - 1; i++)			/* sub $n, %rsp is behind us */
		if (hs_half(w, at - i) == 0x8348 || (i >= 7 && hs_half(w, at - i) == 0x8148))
			state = hs_byte(w, at - i + 2) == 0xec ? HS_WHOLE : state;
	return state;
}

/* 1: the word at `at` is a return address of Java: call rel32 or call *%reg is before it. */
INLINE u64 hs_is_return(struct rt *r, struct dt_work_walk *w, const struct dt_unwind_lang *l, u64 at)
{
	u64 pc = user_word(r, at), code;

	if (!hs_is_code(w, l, pc))
		return 0;
	code = user_word(r, pc - 5);
	return (code & 0xff) == 0xe8 || (code >> 24 & 0xf8ff) == 0xd0ff;
}

/*
 * Stubs have no frame, but for a few words that they push, or a pair that fp points to. Returns where the
 * word before the return address is; 0: not known.
 */
static FN u64 hs_stub_x86(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);

	if (!l)
		return 0;
	for (u64 i = 0; i < HS_STUB_WORDS; i++)
		if (hs_is_return(r, w, l, w->sp + 8 * i))
			return w->sp + 8 * i - 8;
	return w->fp - w->sp <= HS_STUB_FRAME && hs_is_return(r, w, l, w->fp + 8) ? w->fp : 0;
}

/*
 * The innermost frame, which may be only half there. Its caller is Java too, or the stub by which C++ calls
 * Java: so a return address that is not in the heaps is none.
 */
static FN long hs_leaf_x86(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 state, sp = w->sp;

	w->ended = 1;
	if (!l || read_user(r, w->buf, HS_BACK + HS_AHEAD, w->pc - HS_BACK))
		return 1;
	state = hs_state_x86(w, w->pc < w->tmp[HS_COMPLETE]);
	if (!w->tmp[HS_FRAME]) {
		sp = hs_stub_x86(r);
		state = sp == w->fp ? HS_WHOLE : HS_AT_SP;
	} else if (state == HS_WHOLE) {
		sp += w->tmp[HS_FRAME] - 16;
	} else if (state == HS_AT_SP) {
		sp -= 8;
	}
	if (sp < 8 || sp & 7 || read_user(r, w->buf, 16, sp))
		return 1;
	if (!hs_is_code(w, l, w->buf[1]))
		return 1;
	return hs_caller(w, w->buf[1], sp + 16, state == HS_AT_SP ? w->fp : w->buf[0]);
}

/*
 * The same on aarch64: the return address is in the link register until the pair is stored, and again
 * after it was loaded, a few instructions before ret. Of a frame that is half there the stack pointer is
 * not known.
 */
static FN long hs_leaf_aarch64(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 sp;

	w->ended = 1;
	if (!l || w->pc < w->tmp[HS_COMPLETE] || read_user(r, w->buf, 8, w->pc))
		return 1;
	if ((u32)w->buf[0] == 0xd65f03c0)	/* ret */
		return hs_is_code(w, l, w->lr) ? hs_caller(w, w->lr, w->sp + 1, w->fp) : 1;
	sp = w->tmp[HS_FRAME] ? w->sp + w->tmp[HS_FRAME] - 16 : w->fp;
	if (sp & 7 || read_user(r, w->buf, 16, sp) || !hs_is_code(w, l, w->buf[1]))
		return 1;
	return hs_caller(w, w->buf[1], sp + 16, w->buf[0]);
}

/*
 * What kind of code the pc is in: 0 none of Java, 1 the interpreter, 2 a blob, 3 the stub by which C++
 * calls Java, which is no frame of the program
 */
static FN long hs_kind(struct rt *r)
{
	struct dt_work_walk *w = (struct dt_work_walk *)r->w;
	struct dt_unwind_lang *l = lang_record(r, w);
	u64 pc = w->pc - 1 + w->exact;

	if (!l || !hs_is_code(w, l, pc))
		return 0;
	if (pc - l->word[DT_HS_INTERP] < l->word[DT_HS_INTERP_LEN])
		return 1;
	return w->pc == l->word[DT_HS_CALL_STUB] ? 3 : 2;
}

INLINE long hotspot_step(struct rt *r, struct dt_work_walk *w)
{
	long kind = hs_kind(r), over;
	u64 hidden = kind == 3;

	if (kind == 0)
		return 1;
	if (kind == 1)
		over = hs_interpreted(r);
	else if (hs_find(r) || hs_compiled(r))
		return (long)(w->ended = 1);
	else if (!w->exact)
		over = hs_up(r);
	else
		over = w->link ? hs_leaf_aarch64(r) : hs_leaf_x86(r);
	if (hidden)
		w->code = 0;
	/* the pc itself is there already: this takes its place */
	if ((hidden || w->code) && w->jit == 1 && w->out && !w->only)
		w->out--;
	w->jit = 2;
	return over;
}

#endif
