/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * goid: the goroutine that a thread runs. pos is what the register of Go holds, x the address of the word
 * where Go keeps the same for a thread, 0 if the machine has none. Either leads to a struct g: that of the
 * goroutine, or that of the runtime's own stack. Its struct m, which stands for the thread, knows the
 * goroutine.
 *
 * Nothing says that the process is one of Go. So the pointers must lead back to where they came from:
 * g.m.g0.m and m.curg.m are m. The layouts are those of Go up to 1.26 (src/runtime/runtime2.go): g.m is at
 * 48, m.g0 at 0; m.curg is at 192, and since 1.25 at 184; g.goid follows a word that holds the goroutine's
 * state, a small number, at 144 or (1.23, 1.24) at 152, where the word before is a pointer.
 */
#include "runtime/rt.h"

enum { G_M = 48, M_G0 = 0, CURG = 192, CURG_1_25 = 184, STATE = 144, STATE_1_23 = 152, STATES = 0x2000 };

/* The thread's m, of any g; 0: this is not a g. */
static FN u64 thread_of(struct rt *r, u64 g)
{
	u64 m = g != 0 ? user_word(r, g + G_M) : 0, g0 = m != 0 ? user_word(r, m + M_G0) : 0;

	return g0 != 0 && user_word(r, g0 + G_M) == m ? m : 0;
}

/* The goroutine of the m, if it is kept there. */
static FN u64 goroutine_at(struct rt *r, u64 m, u64 off)
{
	u64 g = user_word(r, m + off);

	return g != 0 && user_word(r, g + G_M) == m ? g : 0;
}

static int is_state(u64 word) { return word != 0 && word < STATES; }

RT(rt_goid)
{
	CONTEXT;
	u64 m = thread_of(&r, w->pos), g;

	if (m == 0 && w->x != 0)
		m = thread_of(&r, user_word(&r, w->x));
	if (m == 0)
		return 0;
	g = goroutine_at(&r, m, CURG);
	if (g == 0)
		g = goroutine_at(&r, m, CURG_1_25);
	if (g == 0)
		return 0;
	return is_state(user_word(&r, g + STATE)) ? user_word(&r, g + STATE + 8) :
	    is_state(user_word(&r, g + STATE_1_23)) ? user_word(&r, g + STATE_1_23 + 8) : 0;
}
