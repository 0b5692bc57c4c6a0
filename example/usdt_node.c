/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdtrace-usdt for Node, as an addon without npm; usdt_lines.js uses it. Build it with
 *	cc -shared -fPIC -o usdt_node.node usdt_node.c -I/usr/include/node \
 *	    $(pkg-config --cflags --libs libdtrace-usdt)
 *
 *	const { provider } = require('./usdt_node.node');
 *	const lines = provider('lines', { line: ['string', 'int32'] });		// loaded
 *	if (lines.line.enabled()) ...
 *	lines.line('text', 1);
 */
#include <dtrace/usdt-dynamic.h>
#include <node_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1024 };			/* bytes of a string; more is cut */

static const struct { const char *name; int type; } types[] = {
	{ "int8", DTRACE_USDT_INT8 }, { "int16", DTRACE_USDT_INT16 }, { "int32", DTRACE_USDT_INT32 },
	{ "int64", DTRACE_USDT_INT64 }, { "uint8", DTRACE_USDT_UINT8 }, { "uint16", DTRACE_USDT_UINT16 },
	{ "uint32", DTRACE_USDT_UINT32 }, { "uint64", DTRACE_USDT_UINT64 }, { "string", DTRACE_USDT_STRING },
};

static napi_value fail(napi_env env, const char *why)
{
	napi_throw_error(env, NULL, why);
	return NULL;
}

static char *text_of(napi_env env, napi_value v, char *to, size_t size)
{
	size_t len = 0;

	if (napi_get_value_string_utf8(env, v, to, size, &len) != napi_ok)
		to[0] = '\0';
	return to;
}

/* A string, or a number; BigInt has all 64 bits. */
static uint64_t value_of(napi_env env, napi_value v, char *text)
{
	napi_valuetype kind;
	int64_t n = 0;
	bool lossless;

	napi_typeof(env, v, &kind);
	if (kind == napi_string)
		return (uint64_t)(uintptr_t)text_of(env, v, text, TEXT);
	if (kind == napi_bigint)
		napi_get_value_bigint_int64(env, v, &n, &lossless);
	else
		napi_get_value_int64(env, v, &n);
	return (uint64_t)n;
}

static napi_value fire(napi_env env, napi_callback_info info)
{
	char text[DTRACE_USDT_MAXARGS][TEXT];
	uint64_t values[DTRACE_USDT_MAXARGS];
	napi_value args[DTRACE_USDT_MAXARGS];
	size_t n = DTRACE_USDT_MAXARGS;
	void *probe;

	napi_get_cb_info(env, info, &n, args, NULL, &probe);
	if (!dtrace_usdt_enabled((const dtrace_usdt_probe_t *)probe))
		return NULL;
	n = n < DTRACE_USDT_MAXARGS ? n : DTRACE_USDT_MAXARGS;
	for (size_t i = 0; i < n; i++)
		values[i] = value_of(env, args[i], text[i]);
	dtrace_usdt_fire(probe, values, (int)n);
	return NULL;
}

static napi_value enabled(napi_env env, napi_callback_info info)
{
	napi_value out;
	void *probe;

	napi_get_cb_info(env, info, NULL, NULL, NULL, &probe);
	napi_get_boolean(env, dtrace_usdt_probe_enabled(probe), &out);
	return out;
}

/* The types of one probe, from an array of names. Returns how many, -1: one is unknown. */
static int read_types(napi_env env, napi_value list, int to[DTRACE_USDT_MAXARGS + 1])
{
	uint32_t n = 0;

	napi_get_array_length(env, list, &n);
	for (uint32_t i = 0; i < n && i <= DTRACE_USDT_MAXARGS; i++) {
		char name[16];
		napi_value v;
		size_t k;

		napi_get_element(env, list, i, &v);
		text_of(env, v, name, sizeof(name));
		for (k = 0; k < sizeof(types) / sizeof(types[0]) && strcmp(types[k].name, name) != 0; k++)
			;
		if (k == sizeof(types) / sizeof(types[0]))
			return -1;
		to[i] = types[k].type;
	}
	return (int)n;
}

/* A function that fires the probe, with a function `enabled` in it. */
static int add_probe(napi_env env, dtrace_usdt_provider_t *p, napi_value decl, napi_value key, napi_value out)
{
	int list[DTRACE_USDT_MAXARGS + 1], n, err;
	napi_value value, function, ask;
	dtrace_usdt_probe_t *probe;
	char name[128];

	napi_get_property(env, decl, key, &value);
	n = read_types(env, value, list);
	if (n < 0)
		return DTRACE_USDT_ETYPE;
	err = dtrace_usdt_add(p, NULL, text_of(env, key, name, sizeof(name)), list, n, &probe);
	if (err != 0)
		return err;
	napi_create_function(env, name, NAPI_AUTO_LENGTH, fire, probe, &function);
	napi_create_function(env, "enabled", NAPI_AUTO_LENGTH, enabled, probe, &ask);
	napi_set_named_property(env, function, "enabled", ask);
	napi_set_property(env, out, key, function);
	return 0;
}

/* provider(name, { probe: [type...] }): it lives as long as the process, as functions may keep its probes. */
static napi_value make_provider(napi_env env, napi_callback_info info)
{
	napi_value args[2], out, keys, key;
	dtrace_usdt_provider_t *p;
	size_t n = 2;
	uint32_t nkeys = 0;
	char name[128];
	int err;

	if (napi_get_cb_info(env, info, &n, args, NULL, NULL) != napi_ok || n < 2 ||
	    napi_get_property_names(env, args[1], &keys) != napi_ok)
		return fail(env, "provider(name, { probe: [types] })");
	err = dtrace_usdt_open(text_of(env, args[0], name, sizeof(name)), NULL, &p);
	napi_create_object(env, &out);
	napi_get_array_length(env, keys, &nkeys);
	for (uint32_t i = 0; i < nkeys && err == 0; i++) {
		napi_get_element(env, keys, i, &key);
		err = add_probe(env, p, args[1], key, out);
	}
	if (err == 0)
		err = dtrace_usdt_load(p);
	if (err != 0) {
		dtrace_usdt_close(p);
		return fail(env, dtrace_usdt_strerror(err));
	}
	return out;
}

NAPI_MODULE_INIT()
{
	napi_value f;

	napi_create_function(env, "provider", NAPI_AUTO_LENGTH, make_provider, NULL, &f);
	napi_set_named_property(env, exports, "provider", f);
	return exports;
}
