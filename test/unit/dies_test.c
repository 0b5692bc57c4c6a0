/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What a worker may answer about debugging data (issue 11): counts, ranges, sizes and names that are not as
 * promised are refused. And what is made of a real file, this one, is accepted, with or without data in it.
 */
#include "check.h"

#include "file/dies_impl.h"

#include <dwarf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the format ---- */

/* struct item { int price; } */
struct answer {
	struct dt_dies_head head;
	struct dt_die die[3];
	char text[16];
};

static const struct answer good = { .head = { .n = 3, .nentries = 2 },
	.die = { { .id = 0x40, .value = 8, .name = 5, .first = 2, .n = 1, .tag = DW_TAG_structure_type },
		{ .id = 0x80, .value = 4, .name = 1, .first = 3, .tag = DW_TAG_base_type,
			.detail = DW_ATE_signed },
		{ .type = 0x80, .value = 32, .name = 10, .tag = DW_TAG_member } },
	.text = "\0int\0item\0price" };

static int take(const struct answer *a, size_t len)
{
	struct dt_dies d;
	int err = dt_dies_check(a, len, &d);

	if (err == 0 && len == sizeof(good) && d.head.n == 3)
		CHECK_STR(d.text + d.die[d.die[0].first].name, "price");
	return err;
}

#define REFUSED(change) do { \
	struct answer a = good; \
	a.change; \
	CHECK_INT(take(&a, sizeof(a)), -EBADMSG); \
} while (0)

static void test_format(void)
{
	CHECK_INT(take(&good, sizeof(good)), 0);
	CHECK_INT(take(&good, sizeof(good) - 1), -EBADMSG);		/* a text that does not end */
	CHECK_INT(take(&good, sizeof(good.head) - 1), -EBADMSG);
	CHECK_INT(take(&good, sizeof(good.head)), -EBADMSG);
	CHECK_INT(take(&good, sizeof(good) - sizeof(good.text)), -EBADMSG);
	REFUSED(head.n = 4);
	REFUSED(head.n = UINT32_MAX);
	REFUSED(head.nentries = 4);
	REFUSED(head.nentries = 3);		/* a child has no id */
	REFUSED(head.near = 2);			/* the middle of a text */
	REFUSED(head.link = sizeof(good.text));
	REFUSED(head.idlen = 65);
	REFUSED(die[0].id = 0);
	REFUSED(die[0].id = DT_DIE_LOST);
	REFUSED(die[0].first = 1);		/* an entry is nobody's child */
	REFUSED(die[0].first = 4);
	REFUSED(die[0].n = 2);
	REFUSED(die[0].n = UINT32_MAX);
	REFUSED(die[0].value = 1ull << 31);	/* larger than any struct */
	REFUSED(die[2].n = 1);			/* children of children */
	REFUSED(die[2].name = 11);
	REFUSED(die[2].name = UINT32_MAX);
	REFUSED(text[6] = '\033');
	REFUSED(text[6] = '\n');
	REFUSED(text[0] = 'a');
}

/* ---- a real file ---- */

struct unit_item { int price; struct unit_item *next; };

static int make(struct dt_dw *w, enum dt_dies_ask ask, uint64_t at, const char *name, struct dt_digest *d)
{
	struct dt_digest_want want = { .what = DT_DIGEST_DIES, .dies = ask, .at = at, .letter = 's' };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	*d = (struct dt_digest){ 0 };
	if (name != NULL)
		strcpy(want.name, name);
	return dt_dies_make(w, d, &want, &fd, 1);
}

static void look_inside(struct dt_dw *w)
{
	struct dt_digest d;
	struct dt_dies dies;
	uint64_t id = 0;

	CHECK_INT(make(w, DT_DIES_NAMED, 0, "unit_item", &d), 0);
	CHECK_INT(dt_dies_check(d.bytes, d.len, &dies), 0);
	CHECK(dies.head.nentries >= 3 && dies.die[0].tag == DW_TAG_structure_type);
	if (dies.head.nentries > 0 && dies.die[0].n == 2) {
		const struct dt_die *next = &dies.die[dies.die[0].first + 1];

		CHECK_STR(dies.text + next->name, "next");
		CHECK_INT((long)next->value, (long)(8 * offsetof(struct unit_item, next)));
		id = next->type;
	}
	free(d.bytes);
	CHECK_INT(make(w, DT_DIES_ENTRY, id, NULL, &d), 0);
	CHECK_INT(dt_dies_check(d.bytes, d.len, &dies), 0);
	CHECK(dies.head.nentries > 0 && dies.die[0].id == id && dies.die[0].tag == DW_TAG_pointer_type);
	free(d.bytes);
	CHECK_INT(make(w, DT_DIES_NAMED, 0, "unit_iten", &d), 0);
	CHECK_INT(dt_dies_check(d.bytes, d.len, &dies), 0);
	CHECK_INT(dies.head.nentries, 0);
	CHECK_STR(dies.text + dies.head.near, "unit_item");
	free(d.bytes);
}

static void test_file(void)
{
	struct unit_item item = { 1, NULL };
	struct dt_dw *w;
	struct dt_digest d;
	int err;

	CHECK_INT(make(NULL, DT_DIES_OPEN, 0, NULL, &d), -ELIBACC);
	w = dt_dw_load();
	if (w == NULL) {
		CHECK_SKIP("libdw is not installed");
		return;
	}
	CHECK_INT(item.price, 1);
	err = make(w, DT_DIES_OPEN, 0, NULL, &d);
	free(d.bytes);
	if (err == 0)
		look_inside(w);
	else
		CHECK_INT(err, -ENOENT);	/* it was built without -g */
	for (int i = 0; i < DT_DW_FILES; i++)
		dt_dw_close(w, &w->file[i]);
	free(w);
}

int main(void)
{
	test_format();
	test_file();
	return check_report("dies");
}
