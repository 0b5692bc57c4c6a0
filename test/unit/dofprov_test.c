/* SPDX-License-Identifier: BSD-2-Clause */
/* Providers through DOF and back, several in one section, and every byte of it damaged in turn. */
#include "base/arena.h"
#include "check.h"
#include "dif/dof_provider.h"
#include "dtrace.h"

#include <errno.h>
#include <stdlib.h>

static const char *const in[] = { "req_t *", "int" }, *const out[] = { "int", "reqinfo_t *" };
static const uint8_t map[] = { 1, 0 };
static const struct dt_dofprobe probes[] = {
	{ "query-start", "", 2, 2, in, out, map }, { "idle", "", 0, 0, NULL, NULL, NULL } };
static const struct dt_dofprov providers[] = {
	{ "mydb", { { 5, 5, 5 }, { 1, 1, 0 }, { 1, 1, 0 }, { 5, 5, 5 }, { 5, 5, 4 } }, probes, 2 },
	{ "other", { { 0 } }, probes + 1, 1 } };

static void check_mydb(const struct dt_dofprov *p)
{
	CHECK_STR(p->name, "mydb");
	CHECK(p->attrs[0].name == 5 && p->attrs[1].data == 1 && p->attrs[4].cls == 4);
	CHECK_INT(p->nprobes, 2);
	CHECK_STR(p->probes[0].name, "query-start");
	CHECK_INT(p->probes[0].nout, 2);
	CHECK_STR(p->probes[0].in[0], "req_t *");
	CHECK_STR(p->probes[0].out[1], "reqinfo_t *");
	CHECK(p->probes[0].map[0] == 1 && p->probes[0].map[1] == 0);
	CHECK_STR(p->probes[1].name, "idle");
	CHECK_INT(p->probes[1].nin, 0);
}

/* The linker puts the sections of several objects behind each other, with zeros between. */
static void test_section(const void *dof, size_t len)
{
	struct dt_arena *arena = dt_arena_new();
	unsigned char *two = calloc(1, 2 * len + 16);
	struct dt_dofprov *p;
	uint32_t n;

	memcpy(two, dof, len);
	memcpy(two + len + 16, dof, len);
	CHECK_INT(dt_dofprov_read(arena, two, 2 * len + 16, &p, &n), 0);
	CHECK_INT(n, 4);
	check_mydb(&p[0]);
	check_mydb(&p[2]);
	CHECK_STR(p[3].name, "other");
	CHECK_INT(dt_dofprov_read(arena, two, 2 * len + 15, &p, &n), -EINVAL);	/* the second is cut */
	CHECK_INT(n, 2);
	/* others write DOF of any length, and the next one is aligned all the same */
	memset(two + len, 0, 16);
	memcpy(two + len, dof, len);
	((dof_hdr_t *)two)->dofh_filesz -= 3;
	CHECK_INT(dt_dofprov_read(arena, two, 2 * len, &p, &n), 0);
	CHECK_INT(n, 4);
	CHECK_INT(dt_dofprov_read(arena, two, 0, &p, &n), 0);
	CHECK_INT(n, 0);
	free(two);
	dt_arena_free(arena);
}

static void test_damage(const unsigned char *dof, size_t len)
{
	unsigned char *copy = malloc(len);

	for (size_t i = 0; i < len; i++) {
		struct dt_arena *arena = dt_arena_new();
		struct dt_dofprov *p;
		uint32_t n;

		memcpy(copy, dof, len);
		copy[i] ^= 0xff;
		(void)dt_dofprov_read(arena, copy, len, &p, &n);	/* the sanitizers judge */
		CHECK(n <= 2);
		dt_arena_free(arena);
	}
	free(copy);
}

int main(void)
{
	void *dof;
	size_t len;

	if (CHECK_INT(dt_dofprov_write(providers, 2, &dof, &len), 0)) {
		CHECK(len % 8 == 0);
		test_section(dof, len);
		test_damage(dof, len);
		free(dof);
	}
	return check_report("dofprov");
}
