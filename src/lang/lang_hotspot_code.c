/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compiled code: from a pc to the methods whose code it is. A heap of code is a row of segments; a map with a
 * byte for each of them leads to the blob's start. The blob of a method (nmethod) has a row of PcDesc, one
 * for each place where the JVM may look at the frame: the offset of the code, and where in the scopes the
 * inlined methods are described, innermost first.
 */
#include "lang/lang_hotspot.h"

#include <string.h>

enum { HOPS = 64, PCS_MAX = 1 << 20, SCOPE_BYTES = 15, FREE = 0xff };

static const struct dt_hs_heap *heap_of(const struct dt_hs_vm *vm, uint64_t pc)
{
	for (int i = 0; i < DT_HS_WALK_HEAPS; i++)
		if (pc >= vm->heap[i].low && pc < vm->heap[i].high)
			return &vm->heap[i];
	return NULL;
}

/* Each byte of the map says how many segments before it the blob, or the next byte to look at, is. */
static uint64_t blob_at(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t pc)
{
	const struct dt_hs_heap *h = heap_of(vm, pc);
	uint64_t segment, blob;
	uint8_t back = 0;

	if (h == NULL)
		return 0;
	segment = (pc - h->low) >> vm->segment_bits;
	for (int i = 0; i < HOPS; i++) {
		if (!dt_peek(p, h->segmap + segment, &back, 1) || back == FREE || back > segment)
			return 0;
		if (back == 0)
			break;
		segment -= back;
	}
	blob = h->low + (segment << vm->segment_bits) + vm->of[DT_HS_F_BLOCK_SIZE];
	return back == 0 && pc >= blob && pc - blob < dt_hs_get(vm, p, blob, DT_HS_F_BLOB_SIZE) ? blob : 0;
}

static bool name_of(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t blob, char *name, size_t size)
{
	uint64_t at = dt_hs_get(vm, p, blob, DT_HS_F_BLOB_NAME);

	return at != 0 && dt_peek_text(p, at, name, size);
}

static bool is_method(const char *name)
{
	return strcmp(name, "nmethod") == 0 || strcmp(name, "native nmethod") == 0;
}

bool dt_hs_stub(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t pc, char *name, size_t size)
{
	uint64_t blob = blob_at(vm, p, pc);

	return blob != 0 && name_of(vm, p, blob, name, size) && !is_method(name);
}

/* ---- what an nmethod has, and where ---- */

struct code {
	uint64_t blob, method, begin, pcs, npcs, scopes, scopes_end, metadata, metadata_end, deopt;
};

static uint64_t from_blob(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t blob, enum dt_hs_field f)
{
	return blob + (uint32_t)dt_hs_get(vm, p, blob, f);
}

/* JDK 23 and later keep what never changes in a block of its own. */
static void find_scopes(const struct dt_hs_vm *vm, struct dt_peek *p, struct code *c)
{
	uint64_t pcs_end, fixed = dt_hs_get(vm, p, c->blob, DT_HS_F_NM_IMMUTABLE);

	if (dt_hs_has(vm, DT_HS_F_NM_IMMUTABLE)) {
		c->pcs = fixed + (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_NM_PCS);
		c->scopes = fixed + (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_NM_SCOPES);
		c->scopes_end = fixed + (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_NM_IMMUTABLE_SIZE);
		pcs_end = c->scopes;
	} else {
		c->pcs = from_blob(vm, p, c->blob, DT_HS_F_NM_PCS);
		c->scopes = dt_hs_has(vm, DT_HS_F_CM_SCOPES) ? dt_hs_get(vm, p, c->blob, DT_HS_F_CM_SCOPES) :
		    from_blob(vm, p, c->blob, DT_HS_F_NM_SCOPES);
		c->scopes_end = c->pcs;
		pcs_end = from_blob(vm, p, c->blob, DT_HS_F_NM_DEPS);
	}
	c->npcs = pcs_end > c->pcs ? (pcs_end - c->pcs) / vm->of[DT_HS_F_PCDESC_SIZE] : 0;
	c->npcs = c->npcs <= PCS_MAX ? c->npcs : 0;
}

static void find_metadata(const struct dt_hs_vm *vm, struct dt_peek *p, struct code *c)
{
	uint64_t data;

	if (dt_hs_has(vm, DT_HS_F_BLOB_MUTABLE)) {
		uint64_t relocations = (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_BLOB_RELOC);

		c->metadata = dt_hs_get(vm, p, c->blob, DT_HS_F_BLOB_MUTABLE) + ((relocations + 7) & ~7ull);
	} else if (dt_hs_has(vm, DT_HS_F_NM_IMMUTABLE)) {
		data = from_blob(vm, p, c->blob, DT_HS_F_BLOB_DATA_OFF);
		c->metadata = data + (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_NM_METADATA);
	} else {
		c->metadata = from_blob(vm, p, c->blob, DT_HS_F_NM_METADATA);
	}
}

/* False: no method's code is there, or it is not the one that was seen. */
static bool open_code(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t pc, uint32_t compile_id,
    struct code *c)
{
	char name[40];
	uint64_t at;

	*c = (struct code){ .blob = blob_at(vm, p, pc) };
	if (c->blob == 0 || (uint32_t)dt_hs_get(vm, p, c->blob, DT_HS_F_NM_ID) != compile_id ||
	    !name_of(vm, p, c->blob, name, sizeof(name)) || !is_method(name))
		return false;
	c->method = dt_hs_get(vm, p, c->blob, DT_HS_F_NM_METHOD);
	at = dt_hs_get(vm, p, c->blob, DT_HS_F_BLOB_CODE);
	c->begin = vm->pointers ? at : c->blob + (uint32_t)at;
	at = dt_hs_get(vm, p, c->blob, DT_HS_F_NM_DEOPT);
	c->deopt = vm->pointers ? at : c->blob + (uint32_t)at;
	find_scopes(vm, p, c);
	find_metadata(vm, p, c);
	return c->method != 0;
}

/* ---- scopes ---- */

/* Six bits a byte after the first, in bytes whose high values (from `low` on) say that another follows. */
uint32_t dt_hs_number(bool excludes_zero, const uint8_t *bytes, size_t *at, size_t end)
{
	uint32_t sum = 0, least = excludes_zero, low = 192;

	for (unsigned i = 0; i < 5 && *at < end; i++) {
		uint32_t b = bytes[(*at)++];

		sum += (b - least) << (6 * i);
		if (b < low)
			break;
	}
	return sum;
}

/*
 * The scope at an offset, innermost first, and those it is inlined in. 0: they cannot be told, or there are
 * too many.
 */
static uint32_t read_scopes(const struct dt_hs_vm *vm, struct dt_peek *p, const struct code *c,
    uint32_t offset, struct dt_hs_place *place, uint32_t most)
{
	uint32_t n = 0, index;
	uint8_t bytes[SCOPE_BYTES];
	uint64_t size = c->scopes_end - c->scopes;
	size_t at, len;

	while (offset != 0 && n < most && c->scopes_end > c->scopes && offset < size) {
		len = size - offset < SCOPE_BYTES ? (size_t)(size - offset) : SCOPE_BYTES;
		if (!dt_peek(p, c->scopes + offset, bytes, len))
			return 0;
		at = 0;
		offset = dt_hs_number(vm->excludes_zero, bytes, &at, len);
		index = dt_hs_number(vm->excludes_zero, bytes, &at, len);
		place[n].bci = (int)dt_hs_number(vm->excludes_zero, bytes, &at, len) - 1;
		place[n].method = index != 0 ? dt_peek_word(p, c->metadata + 8 * (uint64_t)(index - 1)) : 0;
		if (place[n++].method == 0)
			return 0;
	}
	/* the outermost is the method that was compiled, or this is something else */
	return n > 0 && offset == 0 && place[n - 1].method == c->method ? n : 0;
}

/* Of PcDescs by their offsets: the first that is not below `off`. */
static bool find_desc(const struct dt_hs_vm *vm, struct dt_peek *p, const struct code *c, int off,
    uint64_t *found)
{
	uint64_t from = 0, to = c->npcs;

	while (from < to) {
		uint64_t mid = from + (to - from) / 2;
		uint64_t at = c->pcs + mid * vm->of[DT_HS_F_PCDESC_SIZE];

		if ((int)dt_hs_get(vm, p, at, DT_HS_F_PCDESC_PC) < off)
			from = mid + 1;
		else
			to = mid;
	}
	*found = from;
	return from < c->npcs;
}

static uint32_t scopes_of(const struct dt_hs_vm *vm, struct dt_peek *p, const struct code *c, uint64_t desc,
    struct dt_hs_place *place, uint32_t most)
{
	uint64_t at = c->pcs + desc * vm->of[DT_HS_F_PCDESC_SIZE];

	return read_scopes(vm, p, c, (uint32_t)dt_hs_get(vm, p, at, DT_HS_F_PCDESC_SCOPE), place, most);
}

/*
 * Between two places that the JVM tells: what both have in common, from the outermost in. Its lines are not
 * known, as instructions of one line are spread among those of others.
 */
static uint32_t common_scopes(const struct dt_hs_vm *vm, struct dt_peek *p, const struct code *c,
    uint64_t after, struct dt_hs_place *place, uint32_t most)
{
	struct dt_hs_place before[DT_HS_INLINED];
	uint32_t n = scopes_of(vm, p, c, after, place, most), k, same = 0;

	k = after > 0 ? scopes_of(vm, p, c, after - 1, before, DT_HS_INLINED) : 0;
	while (same < n && same < k && place[n - 1 - same].method == before[k - 1 - same].method &&
	    (same == 0 || place[n - same].bci == before[k - same].bci))
		same++;
	memmove(place, place + (n - same), same * sizeof(*place));
	if (same > 0)
		place[0].bci = -1;
	return same;
}

uint32_t dt_hs_inlined(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t pc, uint32_t compile_id,
    bool exact, struct dt_hs_place *place, uint32_t most)
{
	struct code c;
	uint64_t desc;
	uint32_t n = 0;

	if (most == 0 || !open_code(vm, p, pc - !exact, compile_id, &c))
		return 0;
	if (pc >= c.begin && pc != c.deopt && find_desc(vm, p, &c, (int)(pc - c.begin), &desc)) {
		uint64_t at = c.pcs + desc * vm->of[DT_HS_F_PCDESC_SIZE];
		bool here = (int)dt_hs_get(vm, p, at, DT_HS_F_PCDESC_PC) == (int)(pc - c.begin);

		n = here ? scopes_of(vm, p, &c, desc, place, most) :
		    common_scopes(vm, p, &c, desc, place, most);
	}
	if (n == 0) {
		place[0] = (struct dt_hs_place){ c.method, -1 };
		n = 1;
	}
	return n;
}
