/* SPDX-License-Identifier: BSD-2-Clause */
#include "sink/otlp.h"

#include "base/host.h"
#include "output/json.h"

static void put_attribute(struct dt_out *o, unsigned field, const char *key, struct dt_out *value)
{
	struct dt_out pair;

	dt_out_init(&pair, NULL, o->opts);
	dt_proto_text(&pair, OTLP_KEY, key);
	dt_proto_message(&pair, OTLP_VALUE, value);
	dt_proto_message(o, field, &pair);
	dt_out_free(&pair);
	dt_out_free(value);
}

/* Strings of protocol buffers are UTF-8. */
void dt_otlp_text(struct dt_out *o, unsigned field, const char *key, const char *text, size_t n)
{
	struct dt_out valid, value;

	dt_out_init(&valid, NULL, o->opts);
	dt_out_init(&value, NULL, o->opts);
	dt_json_valid(&valid, text, n);
	dt_proto_message(&value, OTLP_STRING, &valid);
	dt_out_free(&valid);
	put_attribute(o, field, key, &value);
}

void dt_otlp_int(struct dt_out *o, unsigned field, const char *key, int64_t n)
{
	struct dt_out value;

	dt_out_init(&value, NULL, o->opts);
	dt_proto_number(&value, OTLP_INT, (uint64_t)n);
	put_attribute(o, field, key, &value);
}

/* Unsigned numbers beyond the signed ones are text, which loses nothing. */
void dt_otlp_value(struct dt_out *o, unsigned field, const char *key, const struct dt_value *v,
    struct dt_out *one)
{
	if (v->kind == DT_V_INT && (v->is_signed || dt_value_unsigned(v) <= INT64_MAX)) {
		dt_otlp_int(o, field, key, (int64_t)(v->is_signed ? (uint64_t)dt_value_signed(v) :
		    dt_value_unsigned(v)));
		return;
	}
	dt_out_clear(one);
	dt_message_key(one, v);
	dt_otlp_text(o, field, key, dt_out_text(one), one->len);
}

static void put_resource(struct dt_out *o, const struct dt_sink_env *env)
{
	struct dt_hostinfo host;
	const char *name = env->host;
	struct dt_out resource;

	if (name == NULL || name[0] == '\0') {
		dt_hostinfo_read(&host);
		name = host.uname.nodename;
	}
	dt_out_init(&resource, NULL, o->opts);
	dt_otlp_text(&resource, OTLP_ATTRIBUTES, "service.name", "dtrace", 6);
	dt_otlp_text(&resource, OTLP_ATTRIBUTES, "host.name", name, strlen(name));
	dt_otlp_text(&resource, OTLP_ATTRIBUTES, "dtrace.program", env->program, strlen(env->program));
	dt_proto_message(o, OTLP_RESOURCE, &resource);
	dt_out_free(&resource);
}

void dt_otlp_request(struct dt_out *o, const struct dt_sink_env *env, const struct dt_out *items)
{
	struct dt_out scope, scopes, all;

	if (items->len == 0)
		return;
	dt_out_init(&scope, NULL, o->opts);
	dt_out_init(&scopes, NULL, o->opts);
	dt_out_init(&all, NULL, o->opts);
	put_resource(&all, env);
	dt_proto_text(&scope, OTLP_SCOPE_NAME, "dtrace");
	dt_proto_text(&scope, OTLP_SCOPE_VERSION, DT_VERSION);
	dt_proto_message(&scopes, OTLP_SCOPE, &scope);
	dt_out_put(&scopes, dt_out_text(items), items->len);
	dt_proto_message(&all, OTLP_SCOPES, &scopes);
	dt_proto_message(o, OTLP_ALL, &all);
	o->failed |= items->failed;
	dt_out_free(&scope);
	dt_out_free(&scopes);
	dt_out_free(&all);
}
