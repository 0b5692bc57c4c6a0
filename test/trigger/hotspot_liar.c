/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * An untrusted process that claims to be a JVM: a small model of one, with code heaps that contain code which
 * really runs and makes system calls. WAY selects what is invalid: the tables, the heaps, the descriptions of
 * code, methods or names. hotspot_liar WAY CALLS STOP: makes CALLS system calls every few milliseconds until
 * the file STOP exists.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SEGMENT_BITS = 7, SEGMENTS = 8, BLOCK = SEGMENTS << SEGMENT_BITS, BLOCKS = 3, HEAP = BLOCKS * BLOCK };
enum { INTERPRETER, STUB, COMPILED };	/* the blocks */
enum { CODE = 256, SCOPES = 512, PCS = 640, DATA = 768 };	/* in a blob */
enum { BCI = 5, COMPILE_ID = 7, FRAME_WORDS = 4, CODE_BYTES = 16, HAS_LINES = 1, CONSTANTS = 4 };

/* ---- code: one frame of each kind; its argument points to a struct call ---- */

/* hidden: GNU ld for aarch64 gives all labels of a section that are not global the same entry of the GOT */
#define LABEL extern const char __attribute__((visibility("hidden")))
LABEL interpreted[], interpreted_end[], stub[], stub_back[], stub_end[], compiled[], compiled_back[],
    compiled_end[];
#if defined(__x86_64__)
__asm__(".text\n"
	"interpreted: push %rbp\nmov %rsp, %rbp\nlea 16(%rbp), %rax\n"
	"push %rax\npush $0\npush 0(%rdi)\n"
	"push $0\npush $0\npush $0\npush 8(%rdi)\npush 8(%rdi)\n"
	"mov 16(%rdi), %rax\nadd $24, %rdi\ncall *%rax\n"
	"leave\nret\ninterpreted_end:\n"
	"stub: push %rbp\nmov %rsp, %rbp\nmov 16(%rdi), %rax\nadd $24, %rdi\ncall *%rax\n"
	"stub_back: leave\nret\nstub_end:\n"
	"compiled: push %rbp\nmov %rsp, %rbp\nsub $16, %rsp\nmov 16(%rdi), %rax\nadd $24, %rdi\ncall *%rax\n"
	"compiled_back: leave\nret\ncompiled_end:\n");
#elif defined(__aarch64__)
__asm__(".text\n"
	"interpreted: stp x29, x30, [sp, #-16]!\nmov x29, sp\nadd x9, x29, #16\nldp x10, x11, [x0]\n"
	"ldr x12, [x0, #16]\nsub sp, sp, #80\nstur x9, [x29, #-8]\nstur xzr, [x29, #-16]\n"
	"stur x10, [x29, #-24]\nstur x11, [x29, #-72]\nadd x0, x0, #24\nblr x12\n"
	"mov sp, x29\nldp x29, x30, [sp], #16\nret\ninterpreted_end:\n"
	"stub: stp x29, x30, [sp, #-16]!\nmov x29, sp\nldr x12, [x0, #16]\nadd x0, x0, #24\nblr x12\n"
	"stub_back: ldp x29, x30, [sp], #16\nret\nstub_end:\n"
	"compiled: sub sp, sp, #32\nstp x29, x30, [sp, #16]\nadd x29, sp, #16\nldr x12, [x0, #16]\n"
	"add x0, x0, #24\nblr x12\n"
	"compiled_back: ldp x29, x30, [sp, #16]\nadd sp, sp, #32\nret\ncompiled_end:\n");
#endif

struct call { uint64_t method, bytecode, next; };	/* next: the function to call with the next one */

/* ---- the model: the parts of a JVM's own description that dtrace reads ---- */

struct space { uint64_t low, high; };
struct heap { struct space memory, segmap; uint32_t segment_bits; };
struct block { uint64_t length, used; };
struct blob {
	uint64_t name;
	uint32_t size, frame_size, complete, none;
	uint64_t code, method;
	uint32_t id, pcs, dependencies, scopes, metadata;
};
struct desc { uint32_t pc, scope; };
struct const_method {
	uint64_t constants;
	uint32_t words, flags;
	uint16_t code_size, name;
};
struct method { uint64_t constant; uint32_t access; };
struct pool { uint64_t holder; uint32_t length; uint16_t file; };
struct klass { uint64_t name, constants; };
struct symbol { uint16_t length; char body[62]; };

static struct heap heap, other_heap;
static struct { uint64_t data; uint32_t n; } heaps;
static uint64_t heap_at[2], heaps_at, call_stub;
static unsigned char segmap[BLOCKS * SEGMENTS];
static unsigned char *code;			/* memory of the code heap */
static struct method outer, inner;
static struct { struct const_method is; unsigned char code[CODE_BYTES], lines[CODE_BYTES]; } outer_code,
    inner_code;
static struct { struct pool is; uint64_t constant[CONSTANTS]; } pool;
static struct klass klass;
static struct symbol class_name, outer_name, inner_name, file_name;

struct member { const char *type, *name, *kind; uint32_t is_static; uint64_t offset; void *address; };
struct type { const char *name; uint64_t size; };

#define MEMBER(type, name, kind, of, member) { type, name, kind, 0, offsetof(of, member), NULL }
#define STATIC(type, name, at) { type, name, "address", 1, 0, at }
static struct member members[] = {
	STATIC("CodeCache", "_heaps", &heaps_at),
	STATIC("StubRoutines", "_call_stub_return_address", &call_stub),
	{ "GrowableArray<int>", "_data", "address", 0, 0, NULL },
	{ "GrowableArrayBase", "_len", "int", 0, sizeof(uint64_t), NULL },
	MEMBER("CodeHeap", "_memory", "VirtualSpace", struct heap, memory),
	MEMBER("CodeHeap", "_segmap", "VirtualSpace", struct heap, segmap),
	MEMBER("CodeHeap", "_log2_segment_size", "int", struct heap, segment_bits),
	MEMBER("VirtualSpace", "_low", "char*", struct space, low),
	MEMBER("VirtualSpace", "_high_boundary", "char*", struct space, high),
	MEMBER("HeapBlock::Header", "_length", "size_t", struct block, length),
	MEMBER("CodeBlob", "_name", "const char*", struct blob, name),
	MEMBER("CodeBlob", "_size", "int", struct blob, size),
	MEMBER("CodeBlob", "_frame_size", "int", struct blob, frame_size),
	MEMBER("CodeBlob", "_frame_complete_offset", "int", struct blob, complete),
	MEMBER("CodeBlob", "_code_begin", "address", struct blob, code),
	MEMBER("nmethod", "_method", "Method*", struct blob, method),
	MEMBER("nmethod", "_compile_id", "int", struct blob, id),
	MEMBER("nmethod", "_scopes_pcs_offset", "int", struct blob, pcs),
	MEMBER("nmethod", "_dependencies_offset", "int", struct blob, dependencies),
	MEMBER("nmethod", "_scopes_data_offset", "int", struct blob, scopes),
	MEMBER("nmethod", "_metadata_offset", "int", struct blob, metadata),
	MEMBER("PcDesc", "_pc_offset", "int", struct desc, pc),
	MEMBER("PcDesc", "_scope_decode_offset", "int", struct desc, scope),
	MEMBER("Method", "_constMethod", "ConstMethod*", struct method, constant),
	MEMBER("Method", "_access_flags", "AccessFlags", struct method, access),
	MEMBER("ConstMethod", "_constants", "ConstantPool*", struct const_method, constants),
	MEMBER("ConstMethod", "_constMethod_size", "int", struct const_method, words),
	MEMBER("ConstMethod", "_flags", "u4", struct const_method, flags),
	MEMBER("ConstMethod", "_code_size", "u2", struct const_method, code_size),
	MEMBER("ConstMethod", "_name_index", "u2", struct const_method, name),
	MEMBER("ConstantPool", "_pool_holder", "InstanceKlass*", struct pool, holder),
	MEMBER("ConstantPool", "_length", "int", struct pool, length),
	MEMBER("ConstantPool", "_source_file_name_index", "u2", struct pool, file),
	MEMBER("InstanceKlass", "_constants", "ConstantPool*", struct klass, constants),
	MEMBER("Klass", "_name", "Symbol*", struct klass, name),
	MEMBER("Symbol", "_length", "u2", struct symbol, length),
	MEMBER("Symbol", "_body", "jbyte", struct symbol, body),
	{ NULL, NULL, NULL, 0, 0, NULL },
};
static struct type types[] = {
	{ "HeapBlock", sizeof(struct block) },
	{ "PcDesc", sizeof(struct desc) },
	{ "ConstMethod", sizeof(struct const_method) },
	{ "ConstantPool", sizeof(pool.is) },
	{ NULL, 0 },
};

/* read by other processes only: the linker must keep it */
#define EXPORT __attribute__((used, retain))
EXPORT struct member *gHotSpotVMStructs = members;
EXPORT uint64_t gHotSpotVMStructEntryArrayStride = sizeof(struct member);
EXPORT uint64_t gHotSpotVMStructEntryTypeNameOffset = offsetof(struct member, type);
EXPORT uint64_t gHotSpotVMStructEntryFieldNameOffset = offsetof(struct member, name);
EXPORT uint64_t gHotSpotVMStructEntryTypeStringOffset = offsetof(struct member, kind);
EXPORT uint64_t gHotSpotVMStructEntryIsStaticOffset = offsetof(struct member, is_static);
EXPORT uint64_t gHotSpotVMStructEntryOffsetOffset = offsetof(struct member, offset);
EXPORT uint64_t gHotSpotVMStructEntryAddressOffset = offsetof(struct member, address);
EXPORT struct type *gHotSpotVMTypes = types;
EXPORT uint64_t gHotSpotVMTypeEntryArrayStride = sizeof(struct type);
EXPORT uint64_t gHotSpotVMTypeEntryTypeNameOffset = offsetof(struct type, name);
EXPORT uint64_t gHotSpotVMTypeEntrySizeOffset = offsetof(struct type, size);

static const char *way;
static uint64_t seed = 88172645463325252u;
static int calls;

static uint64_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static int is(const char *word) { return strcmp(way, word) == 0; }
static uint64_t at(const void *o) { return (uint64_t)(uintptr_t)o; }

static struct block *block(unsigned i) { return (struct block *)(code + i * BLOCK); }
static struct blob *blob(unsigned i) { return (struct blob *)(block(i) + 1); }
static unsigned char *in_blob(unsigned i, unsigned off) { return (unsigned char *)blob(i) + off; }

/* ---- valid data ---- */

static void make_symbol(struct symbol *s, const char *text)
{
	s->length = (uint16_t)strlen(text);
	memcpy(s->body, text, strlen(text));
}

static void make_blob(unsigned i, const char *name)
{
	struct blob *b = blob(i);

	*block(i) = (struct block){ SEGMENTS, 1 };
	*b = (struct blob){ .name = at(name), .size = BLOCK - sizeof(struct block), .frame_size = UINT32_MAX,
		.code = at(in_blob(i, CODE)) };
	for (unsigned s = 0; s < SEGMENTS; s++)
		segmap[i * SEGMENTS + s] = (unsigned char)s;
}

/* inner() is inlined in outer(): two scopes at the only call. */
static void make_compiled(void)
{
	static const unsigned char scopes[] = { 0, 4, 2, BCI + 1, 0, 1, BCI + 1 };
	struct desc *desc = (struct desc *)in_blob(COMPILED, PCS);
	uint64_t *data = (uint64_t *)in_blob(COMPILED, DATA);
	struct blob *b = blob(COMPILED);

	make_blob(COMPILED, "nmethod");
	b->frame_size = FRAME_WORDS;
	b->method = at(&outer);
	b->id = COMPILE_ID;
	b->scopes = SCOPES;
	b->pcs = PCS;
	b->dependencies = PCS + 3 * sizeof(struct desc);
	b->metadata = DATA;
	memcpy(in_blob(COMPILED, SCOPES), scopes, sizeof(scopes));
	desc[0] = (struct desc){ UINT32_MAX, 0 };
	desc[1] = (struct desc){ (uint32_t)(compiled_back - compiled), 1 };
	desc[2] = (struct desc){ BLOCK, 0 };
	data[0] = at(&outer);
	data[1] = at(&inner);
}

/* Line 1, and line 2 from bytecode 4 on. */
static void make_method(struct method *m, struct const_method *c, unsigned char *lines, uint16_t name)
{
	m->constant = at(c);
	*c = (struct const_method){ at(&pool), sizeof(outer_code) / 8, HAS_LINES, CODE_BYTES, name };
	lines[0] = 0 << 3 | 1;
	lines[1] = 4 << 3 | 1;
	lines[2] = 0;
}

static void make(void)
{
	heap.memory = (struct space){ at(code), at(code) + HEAP };
	heap.segmap = (struct space){ at(segmap), at(segmap) + sizeof(segmap) };
	heap.segment_bits = SEGMENT_BITS;
	heap_at[0] = at(&heap);
	heap_at[1] = at(&other_heap);
	heaps.data = at(heap_at);
	heaps.n = 2;
	heaps_at = at(&heaps);
	make_blob(INTERPRETER, "Interpreter");
	make_blob(STUB, "StubRoutines (1)");
	call_stub = at(in_blob(STUB, CODE)) + (uint64_t)(stub_back - stub);
	make_compiled();
	make_symbol(&class_name, "a/Liar");
	make_symbol(&outer_name, "outer");
	make_symbol(&inner_name, "inner");
	make_symbol(&file_name, "Liar.java");
	pool.is = (struct pool){ at(&klass), CONSTANTS, 3 };
	pool.constant[1] = at(&outer_name);
	pool.constant[2] = at(&inner_name);
	pool.constant[3] = at(&file_name);
	klass = (struct klass){ at(&class_name), at(&pool) };
	make_method(&outer, &outer_code.is, outer_code.lines, 1);
	make_method(&inner, &inner_code.is, inner_code.lines, 2);
}

static void put_code(unsigned i, const char *from, const char *end)
{
	memcpy(in_blob(i, CODE), from, (size_t)(end - from));
	__builtin___clear_cache((char *)in_blob(i, CODE), (char *)in_blob(i, CODE) + (end - from));
}

/* ---- invalid data ---- */

static void set(const char *type, const char *name, uint64_t value)
{
	for (struct member *m = members; m->type != NULL; m++)
		if (strcmp(m->type, type) == 0 && strcmp(m->name, name) == 0) {
			m->offset = value;
			m->address = (void *)(uintptr_t)value;
		}
}

/* Names and lines, which the walk does not read. */
static void lie_names(void)
{
	if (is("length"))
		inner_name.length = 0xffff;
	if (is("control"))
		memcpy(inner_name.body, "\033[3\n", 4);
	if (is("nul"))
		inner_name.body[2] = '\0';
	if (is("constant"))
		inner_code.is.name = outer_code.is.name = 0xffff;
	if (is("pool"))
		pool.is.length = UINT32_MAX, inner_code.is.name = outer_code.is.name = 0xfff0;
	if (is("holder"))
		klass.constants = at(&klass);
	if (is("lines"))
		memset(inner_code.lines, 0xff, CODE_BYTES), memset(outer_code.lines, 0xff, CODE_BYTES);
	if (is("words"))
		inner_code.is.words = outer_code.is.words = UINT32_MAX, inner_code.lines[0] = 0xff;
}

/* Scopes of compiled code. */
static void lie_scopes(void)
{
	struct blob *b = blob(COMPILED);

	if (is("itself"))
		in_blob(COMPILED, SCOPES)[1] = 1;
	if (is("numbers"))
		memset(in_blob(COMPILED, SCOPES), 0xff, PCS - SCOPES);
	if (is("descs"))
		b->dependencies = INT32_MAX;
	if (is("behind"))
		b->pcs = b->scopes = b->metadata = UINT32_MAX;
	if (is("metadata"))
		((uint64_t *)in_blob(COMPILED, DATA))[1] = 4096;
	if (is("size"))
		types[1].size = 0;
	if (is("large"))
		types[1].size = 1 << 16;
	if (is("blob"))
		b->size = UINT32_MAX, b->name = at("not a method of any kind, and with a name that is long");
}

/* What the walk reads. */
static void lie_frames(void)
{
	if (is("frame"))
		blob(COMPILED)->frame_size = 1 << 16;
	if (is("odd"))
		blob(COMPILED)->frame_size = 1;
	if (is("hops"))
		memset(segmap, 1, sizeof(segmap));
	if (is("free"))
		memset(segmap, 0xff, sizeof(segmap));
	if (is("segmap"))
		heap.segmap.low = 4096;
	if (is("bits"))
		heap.segment_bits = 16;
	if (is("heap"))
		other_heap.memory = (struct space){ at(puts) & ~0xfffffull, at(puts) + (1u << 30) };
	if (is("heaps"))
		heaps.n = UINT32_MAX, heaps.data = at(heap_at) - 4096;
	if (is("blocks"))
		block(INTERPRETER)->length = UINT64_MAX;
	if (is("interpreter"))
		blob(INTERPRETER)->size = INT32_MAX;
}

/* The JVM's description of itself. */
static void lie_tables(void)
{
	if (is("stride"))
		gHotSpotVMStructEntryArrayStride = gHotSpotVMTypeEntryArrayStride = 0;
	if (is("strides"))
		gHotSpotVMStructEntryArrayStride = gHotSpotVMTypeEntryArrayStride = 1ull << 63;
	if (is("pages"))
		gHotSpotVMStructEntryArrayStride = 4096;
	if (is("offsets"))
		set("CodeBlob", "_name", UINT64_MAX - 7), set("Method", "_constMethod", UINT64_MAX - 7);
	if (is("far"))
		set("nmethod", "_compile_id", 1 << 16), set("CodeBlob", "_code_begin", 1 << 16);
	if (is("static"))
		set("CodeCache", "_heaps", 4096);
	if (is("nothing"))
		gHotSpotVMStructs = NULL;
}

/* Change data between the walk and the lookup of names. */
static void lie_again(void)
{
	uint64_t *const all[] = { (uint64_t *)&outer, (uint64_t *)&inner, (uint64_t *)&outer_code,
		(uint64_t *)&inner_code, (uint64_t *)&pool, (uint64_t *)&klass, (uint64_t *)blob(COMPILED),
		(uint64_t *)in_blob(COMPILED, SCOPES), (uint64_t *)in_blob(COMPILED, PCS),
		(uint64_t *)in_blob(COMPILED, DATA), (uint64_t *)&class_name, (uint64_t *)segmap };
	const unsigned n = sizeof(all) / sizeof(all[0]);
	uint64_t *one = all[any() % n];

	if (is("id"))
		blob(COMPILED)->id++;
	if (is("wild") || is("race"))
		one[any() % 2] = any() % 2 ? any() : at(all[any() % n]);
}

/* During the call the frame is its own caller. */
static void call_in_circles(uint64_t *frame)
{
	uint64_t before = frame[0];

	frame[0] = at(frame);
	(void)getppid();
	frame[0] = before;
}

static void descend(void)
{
	for (int i = 0; i < calls; i++) {
		lie_again();
		if (is("circle"))
			call_in_circles(*(uint64_t **)__builtin_frame_address(0));
		else
			(void)getppid();
	}
}

static void *change(void *unused)
{
	for (;;) {
		for (int i = 0; i < 3; i++)
			lie_again();
		make();
		usleep(any() % 100);
	}
	return unused;
}

/* Native code calls two interpreted methods, then a compiled one, then native code. */
static void call(void)
{
	const struct call calls_of[] = {
		{ 0, 0, at(in_blob(INTERPRETER, CODE)) },
		{ at(&outer), at(outer_code.code) + BCI, at(in_blob(INTERPRETER, CODE)) },
		{ at(&inner), at(inner_code.code), at(in_blob(COMPILED, CODE)) },
		{ 0, 0, at(descend) },
	};
	void (*begin)(const struct call *) = (void (*)(const struct call *))(uintptr_t)in_blob(STUB, CODE);

	begin(calls_of);
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 4) {
		fprintf(stderr, "usage: hotspot_liar WAY CALLS STOP\n");
		return 2;
	}
	way = argv[1];
	calls = atoi(argv[2]);
	code = mmap(NULL, HEAP, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (code == MAP_FAILED)
		return 2;
	make();
	put_code(INTERPRETER, interpreted, interpreted_end);
	put_code(STUB, stub, stub_end);
	put_code(COMPILED, compiled, compiled_end);
	lie_names();
	lie_scopes();
	lie_frames();
	lie_tables();
	if (is("race") && pthread_create(&thread, NULL, change, NULL) != 0)
		return 2;
	while (access(argv[3], F_OK) != 0) {
		call();
		usleep(2000);
	}
	return 0;
}
