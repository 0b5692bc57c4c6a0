/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * D expressions of our own providers, compiled when a derived probe is enabled. Derived probes (src/provider)
 * are written as D texts over the arguments of the event they are made from; this is where the library
 * compiles a second time, after the user's programs.
 */
#include "handle/handle.h"

#include "handle/errors.h"
#include "syntax/parser.h"

/*
 * The texts are ours and correct, but a kernel type or member they name may be missing: that is the error a
 * user can meet. The DIFO lives in `arena`. `difo` is volatile because it is read after a longjmp().
 */
const struct dt_difo *dt_handle_expr(struct dtrace_hdl *h, struct dt_arena *arena, const char *text)
{
	struct dt_diag diag = { .arena = arena };
	struct dt_parse p = {
		.arena = arena, .diag = &diag, .context = DT_CTX_EXPR, .argref = true, .ctx = h,
		.macro = dt_handle_macro, .is_type = dt_handle_is_type,
	};
	struct dt_diag *outer = h->diag;
	const struct dt_difo *volatile difo = NULL;	/* read after the jump */
	struct dt_sema sema;
	jmp_buf *before = dt_arena_on_oom(h->arena, &diag.env);	/* which arenas of a trace follow */

	h->diag = &diag;
	if (setjmp(diag.env) == 0) {
		p.src = dt_source_new(arena, DT_SRC_BUILTIN, "probe", text, strlen(text));
		dt_sema_init(&sema, &h->compiler, arena, &diag);
		difo = dt_cg_expr(&sema.cg, dt_sema_expr_only(&sema, dt_parse(&p)->expr));
	} else if (diag.msg != NULL) {
		dt_handle_errorf(h, EDT_COMPILER, "this kernel cannot serve the probe: %s", diag.msg);
	} else {
		dt_handle_error(h, EDT_NOMEM);
	}
	dt_arena_on_oom(h->arena, before);
	h->diag = outer;
	return difo;
}
