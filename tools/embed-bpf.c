/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * embed-bpf FILE.o…: objects compiled for eBPF in, one C file out (stdout): the functions as arrays of
 * instructions. Calls and function addresses name their target by its number in the table. Anything else
 * that would need a linker (data, unknown relocations) is an error. A function that differs from an earlier
 * one in one constant (a limit that the verifier must see) is not stored again, and long ones are packed.
 */
#include <elf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define MAX_FUNCS 512
#define R_BPF_64_64 1
#define R_BPF_64_32 10
#define PLAIN_MAX 64		/* instructions of a function that is not packed */
#define MAX_CALLS 8		/* calls do not nest deeper, or the kernel refuses the program */

struct func { char name[64]; const struct bpf_insn *code; size_t start, n; int file; };

static struct func funcs[MAX_FUNCS];
static int nfuncs;

static void die(const char *file, const char *what)
{
	fprintf(stderr, "embed-bpf: %s: %s\n", file, what);
	exit(1);
}

static char *slurp(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	char *p = malloc(4 << 20);

	if (!f || !p)
		die(name, "cannot be read");
	*len = fread(p, 1, 4 << 20, f);
	fclose(f);
	return p;
}

static int func_at(int file, size_t insn)
{
	for (int i = 0; i < nfuncs; i++) {
		if (funcs[i].file == file && funcs[i].start == insn)
			return i;
	}
	return -1;
}

static void add_funcs(const char *name, int file, const Elf64_Sym *sym, size_t n, const char *strs, int text,
    struct bpf_insn *code)
{
	for (size_t i = 0; i < n; i++) {
		if (ELF64_ST_TYPE(sym[i].st_info) != STT_FUNC || sym[i].st_shndx != text)
			continue;
		if (nfuncs == MAX_FUNCS)
			die(name, "too many functions");
		snprintf(funcs[nfuncs].name, sizeof(funcs[0].name), "%s", strs + sym[i].st_name);
		funcs[nfuncs].code = code + sym[i].st_value / 8;
		funcs[nfuncs].start = sym[i].st_value / 8;
		funcs[nfuncs].n = sym[i].st_size / 8;
		funcs[nfuncs++].file = file;
	}
}

static void relocate(const char *name, int file, const Elf64_Rel *rel, size_t n, const Elf64_Sym *sym,
    int text, struct bpf_insn *code)
{
	for (size_t i = 0; i < n; i++) {
		const Elf64_Sym *s = &sym[ELF64_R_SYM(rel[i].r_info)];
		struct bpf_insn *in = code + rel[i].r_offset / 8;
		int target;

		if (s->st_shndx != text)
			die(name, "refers to data or to another file");
		if (ELF64_R_TYPE(rel[i].r_info) == R_BPF_64_64) {
			target = func_at(file, (s->st_value + (unsigned)in->imm) / 8);
			in->src_reg = BPF_PSEUDO_FUNC;
		} else {
			target = func_at(file, s->st_value / 8 +
			    (ELF64_ST_TYPE(s->st_info) == STT_SECTION ? (size_t)(in->imm + 1) : 0));
			in->src_reg = BPF_PSEUDO_CALL;
			in->off = 1;		/* done */
		}
		if (target < 0)
			die(name, "a relocation does not meet a function");
		in->imm = target;
	}
}

/* Calls inside a section need no relocation: the distance is there already. */
static void calls(const char *name, int file, struct bpf_insn *code, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bpf_insn *in = &code[i];

		if (in->code != (BPF_JMP | BPF_CALL) || in->src_reg != BPF_PSEUDO_CALL)
			continue;
		if (in->off) {
			in->off = 0;
			continue;
		}
		in->imm = func_at(file, (size_t)((long)i + 1 + in->imm));
		if (in->imm < 0)
			die(name, "a call does not meet a function");
	}
}

static void object(const char *name, int file)
{
	size_t len, nsym = 0, nrel = 0, ncode = 0;
	char *p = slurp(name, &len);
	Elf64_Ehdr *e = (Elf64_Ehdr *)p;
	Elf64_Shdr *sh = (Elf64_Shdr *)(p + e->e_shoff);
	const char *names = p + sh[e->e_shstrndx].sh_offset, *strs = NULL;
	const Elf64_Sym *sym = NULL;
	const Elf64_Rel *rel = NULL;
	struct bpf_insn *code = NULL;
	int text = -1;

	for (int i = 0; i < e->e_shnum; i++) {
		if (strcmp(names + sh[i].sh_name, ".text") == 0) {
			text = i;
			code = (struct bpf_insn *)(p + sh[i].sh_offset);
			ncode = sh[i].sh_size / 8;
		} else if (sh[i].sh_type == SHT_SYMTAB) {
			sym = (const Elf64_Sym *)(p + sh[i].sh_offset);
			nsym = sh[i].sh_size / sizeof(*sym);
			strs = p + sh[sh[i].sh_link].sh_offset;
		} else if (strcmp(names + sh[i].sh_name, ".rel.text") == 0) {
			rel = (const Elf64_Rel *)(p + sh[i].sh_offset);
			nrel = sh[i].sh_size / sizeof(*rel);
		} else if (strncmp(names + sh[i].sh_name, ".rodata", 7) == 0 ||
		    strncmp(names + sh[i].sh_name, ".data", 5) == 0) {
			die(name, "has data, which eBPF functions here cannot have");
		}
	}
	if (!code || !sym)
		die(name, "has no functions");
	add_funcs(name, file, sym, nsym, strs, text, code);
	relocate(name, file, rel, nrel, sym, text, code);
	calls(name, file, code, ncode);
}

/* The index of the only instruction of b whose constant differs from that of a; -1: they differ otherwise. */
static long only_constant(const struct func *a, const struct func *b)
{
	long at = -1;

	if (a->n != b->n)
		return -1;
	for (size_t i = 0; i < a->n; i++) {
		struct bpf_insn x = a->code[i], y = b->code[i];
		int call = x.code == (BPF_JMP | BPF_CALL) || x.src_reg == BPF_PSEUDO_FUNC;

		if (memcmp(&x, &y, sizeof(x)) == 0)
			continue;
		x.imm = y.imm;
		if (at >= 0 || call || memcmp(&x, &y, sizeof(x)) != 0)
			return -1;
		at = (long)i;
	}
	return at;
}

/* The first function whose code serves this one too, or itself; *at is as above. */
static int same_code(int func, long *at)
{
	*at = -1;
	for (int i = 0; i < func; i++) {
		long differs = only_constant(&funcs[i], &funcs[func]), of_that;

		if (differs >= 0 && same_code(i, &of_that) == i) {
			*at = differs;
			return i;
		}
	}
	return func;
}

/* ---- what a program has to know of a function without unpacking it ---- */

static bool is_jump(const struct bpf_insn *in)
{
	unsigned class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_JA && op != BPF_CALL && op != BPF_EXIT;
}

/* A call of a function of ours, or its address: imm is its number. */
static bool is_ref(const struct bpf_insn *in)
{
	return (in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL) ||
	    (in->code == (BPF_LD | BPF_IMM | BPF_DW) && in->src_reg == BPF_PSEUDO_FUNC);
}

/* With all that it calls, as often as it calls it: that is how the verifier walks. */
static void count(int func, int depth, unsigned long *walked, unsigned long *jumps)
{
	const struct func *f = &funcs[func];

	*walked += f->n;
	for (size_t i = 0; i < f->n; i++) {
		*jumps += is_jump(&f->code[i]);
		if (is_ref(&f->code[i]) && depth < MAX_CALLS)
			count(f->code[i].imm, depth + 1, walked, jumps);
	}
}

/* Returns how many there are. */
static int print_refs(int func)
{
	int n = 0;

	for (size_t i = 0; i < funcs[func].n; i++) {
		if (!is_ref(&funcs[func].code[i]))
			continue;
		if (n == 0)
			printf("static const uint16_t r%d[] = {", func);
		printf(" %d,", funcs[func].code[i].imm);
		n++;
	}
	if (n > 0)
		printf(" };\n");
	return n;
}

/* ---- the table ---- */

static void print_code(int func)
{
	printf("static const struct bpf_insn f%d[] = {\t/* %s */\n", func, funcs[func].name);
	for (size_t i = 0; i < funcs[func].n; i++) {
		const struct bpf_insn *in = &funcs[func].code[i];

		printf("\t{ 0x%02x, %u, %u, %d, %d },\n", in->code, in->dst_reg, in->src_reg, in->off,
		    in->imm);
	}
	printf("};\n");
}

/* Both machines that this may be built on and for have the same byte order. */
static void print_packed(int func)
{
	const struct func *f = &funcs[func];
	uLongf size = compressBound(f->n * sizeof(*f->code));
	unsigned char *to = malloc(size);

	if (!to || compress2(to, &size, (const unsigned char *)f->code, f->n * sizeof(*f->code), 9) != Z_OK)
		die(f->name, "cannot be packed");
	printf("static const unsigned char f%d[] = {\t/* %s */", func, f->name);
	for (size_t i = 0; i < size; i++)
		printf("%s%u,", i % 32 == 0 ? "\n\t" : "", to[i]);
	printf("\n};\n");
	free(to);
}

static void print_row(int func, int nrefs)
{
	const struct func *f = &funcs[func];
	unsigned long walked = 0, jumps = 0;
	bool packed = f->n > PLAIN_MAX;
	long at;
	int of = same_code(func, &at);

	count(func, 0, &walked, &jumps);
	printf("\t{ \"%s\", ", f->name);
	if (packed)
		printf("0, f%d, sizeof(f%d)", of, of);
	else
		printf("f%d, 0, 0", of);
	printf(", %zu, %ld, %d, %lu, %lu, ", f->n, at < 0 ? 0 : at, f->code[at < 0 ? 0 : at].imm, walked,
	    jumps);
	if (nrefs > 0)
		printf("r%d, %d },\n", func, nrefs);
	else
		printf("0, 0 },\n");
}

int main(int argc, char **argv)
{
	static int nrefs[MAX_FUNCS];
	long at;

	for (int i = 1; i < argc; i++)
		object(argv[i], i);
	printf("/* Generated by tools/embed-bpf: do not edit. */\n#include \"bpf/image_runtime.h\"\n");
	for (int i = 0; i < nfuncs; i++) {
		nrefs[i] = print_refs(i);
		if (same_code(i, &at) != i)
			continue;
		if (funcs[i].n > PLAIN_MAX)
			print_packed(i);
		else
			print_code(i);
	}
	printf("const struct dt_rtfunc dt_rtfuncs[] = {\n");
	for (int i = 0; i < nfuncs; i++)
		print_row(i, nrefs[i]);
	printf("\t{ 0 }\n};\n");
	return 0;
}
