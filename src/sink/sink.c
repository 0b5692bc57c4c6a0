/* SPDX-License-Identifier: BSD-2-Clause */
/* The table of formats, and the life of a sink. A number that is no format means the first one, text. */
#include "sink/sink.h"

#include <stdlib.h>
#include <string.h>

static const struct dt_sink_type *const types[DT_NOFORMATS] = {
#define X(name, word, type, argument) [DT_OFORMAT_##name] = &type,
#include "sink/formats.def"
#undef X
};

static const char *const arguments[DT_NOFORMATS] = {
#define X(name, word, type, argument) [DT_OFORMAT_##name] = argument,
#include "sink/formats.def"
#undef X
};

const char *dt_sink_argument(unsigned format)
{
	return format < DT_NOFORMATS ? arguments[format] : NULL;
}

/* A type may ask for more memory than struct dt_sink, after it; all of it begins as zeros. */
struct dt_sink *dt_sink_make(const struct dt_sink_type *type, const struct dt_sink_env *env)
{
	struct dt_sink *s = calloc(1, type->size);

	if (s == NULL)
		return NULL;
	s->type = type;
	s->env = *env;
	if (type->open != NULL && type->open(s) != 0) {
		free(s);
		return NULL;
	}
	return s;
}

struct dt_sink *dt_sink_open(unsigned format, const struct dt_sink_env *env)
{
	return dt_sink_make(types[format < DT_NOFORMATS ? format : 0], env);
}

bool dt_sink_clonable(const struct dt_sink *s)
{
	return s->type->clone != NULL && (s->type->clonable == NULL || s->type->clonable(s));
}

struct dt_sink *dt_sink_clone(const struct dt_sink *s, struct dt_out *out, struct dt_statements *statements)
{
	struct dt_sink *copy = dt_sink_clonable(s) ? malloc(s->type->size) : NULL;

	if (copy == NULL)
		return NULL;
	memcpy(copy, s, s->type->size);
	copy->env.out = out;
	copy->env.statements = statements;
	if (!s->type->clone(copy)) {
		free(copy);
		return NULL;
	}
	return copy;
}

void dt_sink_close(struct dt_sink *s)
{
	if (s != NULL && s->type->close != NULL)
		s->type->close(s);
	free(s);
}

int dt_sink_oformat(unsigned format)
{
	return types[format < DT_NOFORMATS ? format : 0]->oformat;
}
