/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DOF: a saved program is the same when it is read back, and no file of other bytes does harm.
 *
 *   dof_test seeds DIR     writes the saved programs of this test into DIR, for the fuzzer
 */
#include "dif_programs.h"

static void same_difo(const struct dt_difo *a, const struct dt_difo *b, struct text *ta, struct text *tb)
{
	CHECK(!a == !b);
	if (!a || !b)
		return;
	CHECK_STR(listing(a, ta), listing(b, tb));
	CHECK(a->strlen == b->strlen && memcmp(a->strs, b->strs, a->strlen) == 0);
	CHECK(a->nints == b->nints && a->destructive == b->destructive && a->nrelocs == b->nrelocs);
	CHECK(memcmp(&a->rtype, &b->rtype, sizeof(a->rtype)) == 0);
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void same_ecb(const struct dt_ecb *a, const struct dt_ecb *b, struct text *ta, struct text *tb)
{
	CHECK(same_text(a->probe.prov, b->probe.prov) && same_text(a->probe.mod, b->probe.mod));
	CHECK(same_text(a->probe.func, b->probe.func) && same_text(a->probe.name, b->probe.name));
	CHECK(a->probe.id == b->probe.id && a->nacts == b->nacts);
	CHECK(memcmp(&a->descattr, &b->descattr, 3) == 0 && memcmp(&a->stmtattr, &b->stmtattr, 3) == 0);
	same_difo(a->pred, b->pred, ta, tb);
	for (uint32_t i = 0; i < a->nacts && i < b->nacts; i++) {
		const struct dt_act *x = &a->acts[i], *y = &b->acts[i];

		CHECK(x->kind == y->kind && x->ntuple == y->ntuple && x->stmt == y->stmt);
		CHECK(x->arg == y->arg && x->in_tuple == y->in_tuple && same_text(x->fmt, y->fmt));
		same_difo(x->difo, y->difo, ta, tb);
	}
}

static void same_prog(const struct dt_prog *a, const struct dt_prog *b)
{
	struct text *ta = malloc(sizeof(*ta)), *tb = malloc(sizeof(*tb));

	CHECK(a->necbs == b->necbs && a->naggs == b->naggs && a->noptions == b->noptions);
	CHECK(a->destructive == b->destructive);
	CHECK(memcmp(&a->descattr, &b->descattr, 3) == 0 && memcmp(&a->stmtattr, &b->stmtattr, 3) == 0);
	for (uint32_t i = 0; i < a->necbs; i++)
		same_ecb(&a->ecbs[i], &b->ecbs[i], ta, tb);
	for (uint32_t i = 0; i < a->naggs; i++) {
		const struct dt_aggvar *x = &a->aggs[i], *y = &b->aggs[i];

		CHECK_STR(x->name, y->name);
		CHECK(x->id == y->id && x->kind == y->kind && x->arg == y->arg && x->nkeys == y->nkeys);
	}
	for (uint32_t i = 0; i < 2 * a->noptions; i++)
		CHECK_STR(a->options[i], b->options[i]);
	free(ta);
	free(tb);
}

static void test_dof(struct dt_arena *arena, struct dt_diag *diag)
{
	struct demo *m = make_demo(arena, diag);
	struct dt_prog *back = NULL;
	void *one = NULL, *two = NULL;
	size_t len1 = 0, len2 = 0;
	char msg[256] = "";

	CHECK(dt_prog_check(&m->p, msg, sizeof(msg)) == 0);
	CHECK_STR(msg, "");
	CHECK(dt_dof_write(&m->p, &one, &len1) == 0);
	CHECK(dt_dof_read(one, len1, &back, msg, sizeof(msg)) == 0);
	CHECK_STR(msg, "");
	if (back) {
		same_prog(&m->p, back);
		CHECK(back->ecbs[1].acts == back->ecbs[2].acts);
		CHECK(dt_dof_write(back, &two, &len2) == 0);
		CHECK(len1 == len2 && memcmp(one, two, len1) == 0);
	}
	m->act[0].kind = 0x777;
	CHECK(dt_dof_write(&m->p, &two, &len2) < 0);
	dt_prog_free(back);
	free(one);
	free(two);
}

/* Every single byte changed, and the file cut off everywhere: refused or accepted, but never a crash. */
static void test_hostile_dof(struct dt_arena *arena, struct dt_diag *diag)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0xff };
	unsigned char *file = NULL;
	struct dt_prog *p;
	size_t len = 0, refused = 0;
	char msg[256];

	CHECK(dt_dof_write(&make_demo(arena, diag)->p, (void **)&file, &len) == 0);
	for (size_t i = 0; i < len; i++) {
		unsigned char old = file[i];

		for (size_t k = 0; k < DT_COUNT(values); k++) {
			file[i] = values[k];
			if (dt_dof_read(file, len, &p, msg, sizeof(msg)) == 0)
				dt_prog_free(p);
			else
				refused++;
		}
		file[i] = old;
		CHECK(dt_dof_read(file, i, &p, msg, sizeof(msg)) < 0);
	}
	CHECK(refused > len);
	file[0] = 0;
	CHECK(dt_dof_read(file, len, &p, msg, sizeof(msg)) < 0);
	CHECK_STR(msg, "not a DOF file");
	free(file);
}

static void save(const struct dt_prog *p, const char *dir, const char *name)
{
	char path[4096];
	void *data = NULL;
	size_t len = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "wb");
	CHECK(f && dt_dof_write(p, &data, &len) == 0 && fwrite(data, 1, len, f) == len);
	if (f)
		fclose(f);
	free(data);
}

static void write_seeds(const char *dir, struct dt_arena *arena, struct dt_diag *diag)
{
	struct demo *m = make_demo(arena, diag);

	save(&m->p, dir, "everything.dof");
	m->p.noptions = 0;
	m->p.ecbs++;
	m->p.necbs = 2;
	save(&m->p, dir, "shared.dof");
	m->ecb[0].nacts = 1;
	m->p.ecbs = m->ecb;
	m->p.necbs = 1;
	m->p.naggs = 0;
	save(&m->p, dir, "store.dof");
	m->p.necbs = 0;
	save(&m->p, dir, "empty.dof");
}

int main(int argc, char **argv)
{
	struct dt_diag diag = { .arena = dt_arena_new() };

	if (setjmp(diag.env)) {
		fprintf(stderr, "dof_test: %s\n", diag.msg ? diag.msg : "out of memory");
		return 1;
	}
	if (argc == 3 && strcmp(argv[1], "seeds") == 0)
		write_seeds(argv[2], diag.arena, &diag);
	test_dof(diag.arena, &diag);
	test_hostile_dof(diag.arena, &diag);
	dt_arena_free(diag.arena);
	return check_report("dof");
}
