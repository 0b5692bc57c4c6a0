/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A translation from its beginning to its end: notes, then code, made again until the form of every jump is
 * settled. On one machine jumps begin long and become short, on the other they become long where they must:
 * both end, as no jump ever goes back to its first form.
 */
#include "native/code.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dt_native_fail(struct dt_native *n, int err, const char *fmt, ...)
{
	va_list ap;

	if (n->err)
		return;			/* the first one is the cause */
	n->err = err;
	va_start(ap, fmt);
	vsnprintf(n->msg, n->msglen, fmt, ap);
	va_end(ap);
}

void dt_native_unknown(struct dt_native *n, const struct bpf_insn *in)
{
	dt_native_fail(n, -ENOTSUP, "instruction %u of program %.16s (code %#x) has no translation", n->insn,
	    n->prog->name, in->code);
}

void dt_native_put(struct dt_native *n, const void *bytes, size_t len)
{
	if (n->len + len > n->cap) {
		size_t cap = n->cap * 2 + 1024;
		uint8_t *more = cap < UINT32_MAX ? realloc(n->bytes, cap) : NULL;

		if (!more) {
			dt_native_fail(n, -ENOMEM, "out of memory for the code of program %.16s",
			    n->prog->name);
			return;
		}
		n->bytes = more;
		n->cap = cap;
	}
	memcpy(n->bytes + n->len, bytes, len);
	n->len += len;
}

int64_t dt_native_jump(struct dt_native *n, uint32_t to)
{
	struct dt_note *note = &n->note[n->insn];

	note->jumps = true;
	note->from = (uint32_t)n->len;
	note->to = to;
	return (int64_t)n->note[to].at - (int64_t)n->len;
}

static void make_code(struct dt_native *n)
{
	uint32_t f = 0;

	n->len = 0;
	for (n->insn = 0; n->insn < n->prog->ninsns && !n->err; n->insn++) {
		struct dt_note *note = &n->note[n->insn];

		note->jumps = false;
		if (note->start) {
			n->in = &n->func[f];
			n->func[f++].at = (uint32_t)n->len;
			n->target->begin(n);
		}
		note->at = (uint32_t)n->len;	/* a jump to the first instruction must not begin again */
		if (note->make != DT_MAKE_NOTHING && !note->second)
			n->target->insn(n, &n->prog->insns[n->insn]);
	}
}

/* Whether a jump has got another form, so that all that follows has moved. */
static bool settle_jumps(struct dt_native *n)
{
	bool changed = false, widens = n->target->widens;

	for (uint32_t i = 0; i < n->prog->ninsns; i++) {
		struct dt_note *note = &n->note[i];
		int64_t d;

		if (!note->jumps || note->wide == widens)
			continue;
		d = (int64_t)n->note[note->to].at - note->from;
		if ((d >= -n->target->reach && d < n->target->reach) == widens)
			continue;
		note->wide = widens;
		changed = true;
	}
	return changed;
}

static void translate(struct dt_native *n)
{
	if (dt_native_analyse(n) != 0)
		return;
	for (uint32_t i = 0; i < n->prog->ninsns; i++)
		n->note[i].wide = !n->target->widens;
	do
		make_code(n);
	while (!n->err && settle_jumps(n));
	make_code(n);			/* now the places of all instructions are known beforehand */
}

int dt_native_translate(const struct dt_image_prog *prog, const struct dt_native_place *place,
    struct dt_native_code *code, char *msg, size_t len)
{
	struct dt_native n = { .prog = prog, .place = place, .msg = msg, .msglen = len };

	*code = (struct dt_native_code){ 0 };
	if (place->machine == &dt_machine_aarch64)
		n.target = &dt_target_aarch64;
	else if (place->machine == &dt_machine_x86_64)
		n.target = &dt_target_x86_64;
	else
		dt_native_fail(&n, -ENOTSUP, "programs inside of processes are not made for %s yet",
		    place->machine->name);
	n.note = calloc(prog->ninsns + 1u, sizeof(*n.note));
	n.func = calloc(prog->ninsns + 1u, sizeof(*n.func));
	if (!n.note || !n.func)
		dt_native_fail(&n, -ENOMEM, "out of memory for the notes of program %.16s", prog->name);
	if (!n.err)
		translate(&n);
	if (!n.err && n.func[0].leaf && !n.func[0].goes_on && n.func[0].depth <= DT_AGENT_LIGHT)
		code->light = n.func[0].reads_context ? DT_NATIVE_LIGHT : DT_NATIVE_BARE;
	free(n.note);
	free(n.func);
	if (n.err) {
		free(n.bytes);
		return n.err;
	}
	code->bytes = n.bytes;
	code->len = n.len;
	return 0;
}
