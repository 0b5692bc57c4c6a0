/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The tables by which a JVM describes itself to debuggers (the serviceability agent of the JDK reads the
 * same): arrays of entries with the names of a type and a member, and the offset or address. The shape of
 * an entry is described by symbols too, so nothing of a version is built in here, except for the numbers
 * of JDK 20.
 */
#include "lang/lang_hotspot.h"

#include <errno.h>
#include <string.h>

enum { OFFSET_MAX = 1 << 16 };
enum { ENTRIES_MAX = 16384, NAME_LEN = 64, BLOCKS_MAX = 2048 };

enum { STRUCTS, STRUCT_STRIDE, STRUCT_TYPE, STRUCT_FIELD, STRUCT_KIND, STRUCT_STATIC, STRUCT_OFFSET,
	STRUCT_ADDRESS, TYPES, TYPE_STRIDE, TYPE_NAME, TYPE_SIZE, SYMBOLS };
const char *const dt_hs_symbols[] = {
	[STRUCTS] = "gHotSpotVMStructs",
	[STRUCT_STRIDE] = "gHotSpotVMStructEntryArrayStride",
	[STRUCT_TYPE] = "gHotSpotVMStructEntryTypeNameOffset",
	[STRUCT_FIELD] = "gHotSpotVMStructEntryFieldNameOffset",
	[STRUCT_KIND] = "gHotSpotVMStructEntryTypeStringOffset",
	[STRUCT_STATIC] = "gHotSpotVMStructEntryIsStaticOffset",
	[STRUCT_OFFSET] = "gHotSpotVMStructEntryOffsetOffset",
	[STRUCT_ADDRESS] = "gHotSpotVMStructEntryAddressOffset",
	[TYPES] = "gHotSpotVMTypes",
	[TYPE_STRIDE] = "gHotSpotVMTypeEntryArrayStride",
	[TYPE_NAME] = "gHotSpotVMTypeEntryTypeNameOffset",
	[TYPE_SIZE] = "gHotSpotVMTypeEntrySizeOffset",
	NULL
};
_Static_assert((int)SYMBOLS <= (int)DT_LANG_SYMBOLS, "a file has room for them");

static const struct { const char *type, *name; } fields[DT_HS_FIELDS] = {
#define FIELD(id, type, name) { type, name },
#include "lang/lang_hotspot.def"
};

uint64_t dt_hs_get(const struct dt_hs_vm *vm, struct dt_peek *p, uint64_t at, enum dt_hs_field f)
{
	uint64_t v = 0;		/* the machine is little-endian, like the process */

	if (!dt_hs_has(vm, f))
		return 0;
	at += vm->of[f];
	return dt_peek(p, at, &v, vm->width[f]) ? v : 0;
}

/* ---- the tables ---- */

/* A name of the JVM's own, "" for none. */
static void name_at(struct dt_peek *p, uint64_t at, char name[NAME_LEN])
{
	if (at == 0 || !dt_peek_text(p, at, name, NAME_LEN))
		name[0] = '\0';
}

static uint8_t width_of(const char *type)
{
	static const char *const two[] = { "u2", "int16_t", "uint16_t", "short", "jushort", "jshort" };
	static const char *const four[] = { "int", "jint", "unsigned int", "uint32_t", "u4", "AccessFlags",
		"juint", "int32_t" };
	size_t i;

	for (i = 0; i < sizeof(two) / sizeof(*two); i++)
		if (strcmp(type, two[i]) == 0)
			return 2;
	for (i = 0; i < sizeof(four) / sizeof(*four); i++)
		if (strcmp(type, four[i]) == 0)
			return 4;
	return 8;
}

/* name NULL: the entry is of a type, and has its size */
static void take(struct dt_hs_vm *vm, const char *type, const char *name, uint64_t value, uint8_t width)
{
	for (int i = 0; i < DT_HS_FIELDS; i++) {
		if (strcmp(fields[i].type, type) != 0 || (fields[i].name == NULL) != (name == NULL))
			continue;
		if (name == NULL || strcmp(fields[i].name, name) == 0) {
			vm->of[i] = value;
			vm->width[i] = width;
		}
	}
}

static void read_members(struct dt_hs_vm *vm, struct dt_peek *p, const uint64_t shape[SYMBOLS])
{
	char type[NAME_LEN], name[NAME_LEN], kind[NAME_LEN];
	uint64_t at = shape[STRUCTS];

	for (int i = 0; at != 0 && i < ENTRIES_MAX; i++, at += shape[STRUCT_STRIDE]) {
		bool is_static = dt_peek_word(p, at + shape[STRUCT_STATIC]) & 0xffffffff;

		name_at(p, dt_peek_word(p, at + shape[STRUCT_TYPE]), type);
		name_at(p, dt_peek_word(p, at + shape[STRUCT_FIELD]), name);
		name_at(p, dt_peek_word(p, at + shape[STRUCT_KIND]), kind);
		if (type[0] == '\0')
			break;
		take(vm, type, name, dt_peek_word(p, at + shape[is_static ? STRUCT_ADDRESS : STRUCT_OFFSET]),
		    width_of(kind));
	}
}

static void read_types(struct dt_hs_vm *vm, struct dt_peek *p, const uint64_t shape[SYMBOLS])
{
	uint64_t at = shape[TYPES];
	char type[NAME_LEN];

	for (int i = 0; at != 0 && i < ENTRIES_MAX; i++, at += shape[TYPE_STRIDE]) {
		name_at(p, dt_peek_word(p, at + shape[TYPE_NAME]), type);
		if (type[0] == '\0')
			break;
		take(vm, type, NULL, dt_peek_word(p, at + shape[TYPE_SIZE]), sizeof(uint64_t));
	}
}

/* What has got another name becomes one: the rest of the code knows the first alone. */
static void merge(struct dt_hs_vm *vm, enum dt_hs_field to, enum dt_hs_field from)
{
	if (!dt_hs_has(vm, to)) {
		vm->of[to] = vm->of[from];
		vm->width[to] = vm->width[from];
	}
}

/*
 * Members have offsets of a struct, which no hostile process makes larger: sums of them and an address cannot
 * be mistaken for others. Statics have addresses. Sizes of tables are divided by the size of
 * a PcDesc, which must not be 0.
 */
static bool is_complete(struct dt_hs_vm *vm)
{
	static const enum dt_hs_field needed[] = {
		DT_HS_F_HEAP_MEMORY, DT_HS_F_HEAP_SEGMAP, DT_HS_F_HEAP_SEGMENT, DT_HS_F_SPACE_LOW,
		DT_HS_F_SPACE_TOP, DT_HS_F_BLOCK_SIZE, DT_HS_F_BLOCK_LEN, DT_HS_F_BLOB_NAME,
		DT_HS_F_BLOB_SIZE, DT_HS_F_BLOB_FRAME, DT_HS_F_BLOB_COMPLETE, DT_HS_F_BLOB_CODE,
		DT_HS_F_NM_METHOD, DT_HS_F_NM_ID, DT_HS_F_NM_PCS, DT_HS_F_PCDESC_PC,
		DT_HS_F_PCDESC_SCOPE, DT_HS_F_PCDESC_SIZE, DT_HS_F_M_CONST, DT_HS_F_M_ACCESS,
		DT_HS_F_CONST_SIZE, DT_HS_F_CONST_POOL, DT_HS_F_CONST_WORDS, DT_HS_F_CONST_FLAGS,
		DT_HS_F_CONST_CODE, DT_HS_F_CONST_NAME, DT_HS_F_POOL_SIZE, DT_HS_F_POOL_HOLDER,
		DT_HS_F_POOL_LEN, DT_HS_F_KLASS_POOL, DT_HS_F_KLASS_NAME, DT_HS_F_SYMBOL_BODY
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (!dt_hs_has(vm, needed[i]))
			return false;
	for (int i = 0; i < DT_HS_FIELDS; i++)
		if (i != DT_HS_F_HEAP && i != DT_HS_F_HEAPS && i != DT_HS_F_VM_MAJOR &&
		    i != DT_HS_F_CALL_STUB &&
		    vm->of[i] != DT_HS_NONE && vm->of[i] > OFFSET_MAX)
			return false;
	return vm->of[DT_HS_F_PCDESC_SIZE] > 0;
}

static int read_tables(struct dt_hs_vm *vm, struct dt_peek *p, const uint64_t *symbol)
{
	uint64_t shape[SYMBOLS];

	for (int i = 0; i < SYMBOLS; i++)
		shape[i] = symbol[i] != 0 ? dt_peek_word(p, symbol[i]) : 0;
	read_members(vm, p, shape);
	read_types(vm, p, shape);
	vm->pointers = dt_hs_has(vm, DT_HS_F_BLOB_CODE);
	merge(vm, DT_HS_F_ARRAY_LEN, DT_HS_F_ARRAY_LEN_OLD);
	merge(vm, DT_HS_F_BLOB_CODE, DT_HS_F_BLOB_CODE_OFF);
	merge(vm, DT_HS_F_NM_METHOD, DT_HS_F_CM_METHOD);
	merge(vm, DT_HS_F_NM_DEOPT, DT_HS_F_NM_DEOPT_NEW);
	merge(vm, DT_HS_F_NM_DEOPT, DT_HS_F_NM_DEOPT_PTR);
	merge(vm, DT_HS_F_NM_DEOPT, DT_HS_F_CM_DEOPT);
	merge(vm, DT_HS_F_CONST_FLAGS, DT_HS_F_CONST_FLAGS_NEW);
	merge(vm, DT_HS_F_SYMBOL_BODY, DT_HS_F_SYMBOL_BODY_0);
	if (!is_complete(vm))
		return -ENOTSUP;
	if (!dt_hs_has(vm, DT_HS_F_HEAP))		/* JDK 8 calls its HotSpot 25 */
		vm->excludes_zero = (uint32_t)dt_peek_word(p, vm->of[DT_HS_F_VM_MAJOR]) >= 20;
	return 0;
}

/* ---- the code heaps ---- */

static void add_heap(struct dt_hs_vm *vm, struct dt_peek *p, uint64_t heap)
{
	uint64_t memory = heap + vm->of[DT_HS_F_HEAP_MEMORY], map = heap + vm->of[DT_HS_F_HEAP_SEGMAP];
	uint64_t low = dt_hs_get(vm, p, memory, DT_HS_F_SPACE_LOW);
	uint64_t top = dt_hs_get(vm, p, memory, DT_HS_F_SPACE_TOP);
	uint64_t bits = dt_hs_get(vm, p, heap, DT_HS_F_HEAP_SEGMENT);
	int i = 0;

	while (i < DT_HS_WALK_HEAPS && vm->heap[i].low != 0)
		i++;
	if (i == DT_HS_WALK_HEAPS || low == 0 || top <= low || top - low > 1ull << 32 || bits < 3 ||
	    bits > 16)
		return;
	vm->heap[i] = (struct dt_hs_heap){ low, top, dt_hs_get(vm, p, map, DT_HS_F_SPACE_LOW) };
	vm->segment_bits = (unsigned)bits;
}

static void find_heaps(struct dt_hs_vm *vm, struct dt_peek *p)
{
	uint64_t array, data, n;

	if (dt_hs_has(vm, DT_HS_F_HEAP)) {
		add_heap(vm, p, dt_peek_word(p, vm->of[DT_HS_F_HEAP]));
	} else if (dt_hs_has(vm, DT_HS_F_HEAPS) && dt_hs_has(vm, DT_HS_F_ARRAY_DATA)) {
		array = dt_peek_word(p, vm->of[DT_HS_F_HEAPS]);
		n = array != 0 ? dt_hs_get(vm, p, array, DT_HS_F_ARRAY_LEN) : 0;
		data = array != 0 ? dt_hs_get(vm, p, array, DT_HS_F_ARRAY_DATA) : 0;
		for (uint64_t i = 0; i < n && i < DT_HS_WALK_HEAPS; i++)
			add_heap(vm, p, dt_peek_word(p, data + 8 * i));
	}
}

/* The interpreter is made once, when the JVM starts. All blocks of a heap follow each other. */
static void find_interpreter(struct dt_hs_vm *vm, struct dt_peek *p, const struct dt_hs_heap *h)
{
	uint64_t at = h->low, len, blob, code;
	char name[NAME_LEN];

	for (int i = 0; i < BLOCKS_MAX && at < h->high && vm->interp == 0; i++) {
		len = dt_hs_get(vm, p, at, DT_HS_F_BLOCK_LEN);
		if (len == 0 || len > (h->high - at) >> vm->segment_bits)
			return;
		blob = at + vm->of[DT_HS_F_BLOCK_SIZE];
		at += len << vm->segment_bits;
		name_at(p, dt_hs_get(vm, p, blob, DT_HS_F_BLOB_NAME), name);
		if (strcmp(name, "Interpreter") != 0)
			continue;
		code = dt_hs_get(vm, p, blob, DT_HS_F_BLOB_CODE);
		vm->interp = vm->pointers ? code : blob + code;
		vm->interp_end = blob + dt_hs_get(vm, p, blob, DT_HS_F_BLOB_SIZE);
	}
}

int dt_hs_learn(struct dt_hs_vm *vm, struct dt_peek *p, const uint64_t symbol[DT_LANG_SYMBOLS])
{
	int err;

	*vm = (struct dt_hs_vm){ .excludes_zero = false };
	for (int i = 0; i < DT_HS_FIELDS; i++)
		vm->of[i] = DT_HS_NONE;
	err = read_tables(vm, p, symbol);
	if (err != 0 || p->left < 2)
		return err != 0 ? err : -ENOTSUP;
	vm->call_stub = dt_hs_has(vm, DT_HS_F_CALL_STUB) ? dt_peek_word(p, vm->of[DT_HS_F_CALL_STUB]) : 0;
	find_heaps(vm, p);
	/* a heap for stubs alone comes last */
	for (int i = DT_HS_WALK_HEAPS - 1; i >= 0; i--)
		if (vm->heap[i].low != 0)
			find_interpreter(vm, p, &vm->heap[i]);
	return vm->interp != 0 && vm->interp_end > vm->interp ? 0 : -EAGAIN;
}
