/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Symbol tables come in; functions, and separately data, go out, sorted by address. One name is shown for
 * an address, chosen independently of the order in the table. Data are read only on demand. All that the
 * table says is checked when it is taken: a name lies inside its strings, ends, is not too long and has
 * nothing that a terminal would obey; an address plus its size does not wrap. The rest relies on this.
 * Names point into sections, or into the text of a digest, and live as long as those.
 */
#include "file/elf_impl.h"
#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/*
 * FUNCTIONS_MAX: more is -EFBIG. COVER_STEPS and SECTIONS_SEEN bound what is done for one address or one
 * symbol, which a file of many overlapping ones could make quadratic.
 */
enum { FUNCTIONS_MAX = 1 << 23, COVER_STEPS = 64, SECTIONS_SEEN = 256 };

/* ---- taking ---- */

/*
 * One symbol table and its strings. The bytes belong to `from`; `names` stays with it after the symbols
 * were given back.
 */
struct table { struct dt_elf *from; const uint8_t *sym; const char *names; size_t n, entry, names_len; };

/*
 * A table that is damaged is -ENOENT, as if it were not there: the next source is tried. Only lack of
 * memory ends the search.
 */
static int open_table(struct dt_elf *e, uint32_t type, struct table *t)
{
	const Elf64_Shdr *sh = dt_elf_section_typed(e, type);
	const void *sym, *names;
	size_t len;
	int err;

	*t = (struct table){ .from = e, .entry = dt_elf_is_64(e) ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym) };
	if (sh == NULL || sh->sh_link == 0 || sh->sh_link >= e->nsh || sh->sh_entsize != t->entry)
		return -ENOENT;
	err = dt_elf_section_data(e, sh, &sym, &len);
	if (err == 0)
		err = dt_elf_section_data(e, &e->sh[sh->sh_link], &names, &t->names_len);
	if (err != 0)
		return err == -ENOMEM ? err : -ENOENT;
	if (sym == NULL || names == NULL)
		return -ENOENT;		/* a debug file's empty shell */
	t->sym = sym;
	t->names = names;
	t->n = len / t->entry;
	return 0;
}

/* Copied out, because a section may begin at any offset and the entry then lies unaligned. */
static Elf64_Sym read_symbol(const struct table *t, size_t i)
{
	Elf64_Sym s;
	Elf32_Sym small;

	if (t->entry == sizeof(s)) {
		memcpy(&s, t->sym + i * sizeof(s), sizeof(s));
		return s;
	}
	memcpy(&small, t->sym + i * sizeof(small), sizeof(small));
	return (Elf64_Sym){ .st_name = small.st_name, .st_info = small.st_info, .st_other = small.st_other,
		.st_shndx = small.st_shndx, .st_value = small.st_value, .st_size = small.st_size };
}

/*
 * The bytes are ours: a version ("memcpy@@GLIBC_2.14") is cut off in place. NULL: no printable name.
 * Cutting is safe though names may share their ends: only an '@' is overwritten, and no name that was taken
 * has one before its NUL.
 */
static const char *name_of(const struct table *t, uint32_t at)
{
	char *s;
	size_t len;

	if (at == 0 || at >= t->names_len)
		return NULL;
	s = (char *)(uintptr_t)t->names + at;
	len = strnlen(s, t->names_len - at);
	if (len == 0 || len > DT_ELF_NAME_MAX || s[0] == '@')
		return NULL;
	s[strcspn(s, "@")] = '\0';
	return dt_is_printable(s) ? s : NULL;
}

static bool in_code(const struct dt_elf *e, uint16_t shndx)
{
	return shndx < e->nsh && e->sh[shndx].sh_flags & SHF_EXECINSTR;
}

/*
 * Labels count as functions, since hand-written code has no types. '$' marks instruction sets; ".L" is
 * the compiler's own.
 */
static bool wanted(const struct dt_elf *e, enum dt_elf_kind kind, const Elf64_Sym *s, const char *name)
{
	if (kind == DT_ELF_DATA)	/* absolute ones are names of versions (GLIBC_2.17), not places */
		return s->st_shndx != SHN_UNDEF && s->st_shndx != SHN_ABS &&
		    (ELF64_ST_TYPE(s->st_info) == STT_OBJECT || ELF64_ST_TYPE(s->st_info) == STT_TLS);
	switch (ELF64_ST_TYPE(s->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC: return s->st_shndx != SHN_UNDEF;
	case STT_NOTYPE: return in_code(e, s->st_shndx) && name[0] != '$' && name[0] != '.';
	default: return false;
	}
}

/*
 * Functions may move while more are taken, so there may be no pointer to one before all are there. More than
 * FUNCTIONS_MAX are -EFBIG.
 */
static int add_function(struct dt_elf_names *e, const struct dt_elf_function *f)
{
	if (e->nfunc == e->capfunc) {
		size_t cap = e->capfunc != 0 ? e->capfunc * 2 : 256;
		struct dt_elf_function *more;

		if (cap > FUNCTIONS_MAX)
			return -EFBIG;
		more = realloc(e->func, cap * sizeof(*more));
		if (more == NULL)
			return -ENOMEM;
		e->func = more;
		e->capfunc = cap;
	}
	e->func[e->nfunc++] = *f;
	return 0;
}

/*
 * The offset is that in `e`, even if the symbol comes from a debug file, which has no bytes of code. TLS
 * symbols have none: their value is an offset in a thread's block.
 */
static int take_symbol(struct dt_elf *e, enum dt_elf_kind kind, const struct table *t)
{
	int err = 0;

	for (size_t i = 1; i < t->n && err == 0; i++) {
		Elf64_Sym s = read_symbol(t, i);
		const char *name = name_of(t, s.st_name);
		struct dt_elf_function f = { .name = name,
			.vaddr = s.st_value,
			.size = s.st_size,
			.offset = UINT64_MAX,
			.type = ELF64_ST_TYPE(s.st_info),
			.bind = ELF64_ST_BIND(s.st_info) };

		if (name == NULL || !wanted(t->from, kind, &s, name))
			continue;
		if (f.size > UINT64_MAX - f.vaddr)
			continue;
		if (f.type != STT_TLS)
			dt_elf_vaddr_to_offset(e, f.vaddr, &f.offset);
		err = add_function(&e->names[kind], &f);
	}
	return err;
}

/* ---- the order ---- */

static bool is_local(const struct dt_elf_function *f)
{
	return f->bind == STB_LOCAL;
}

static int cmp(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/*
 * The order of preference for one address, which is the public name: functions before labels, those with a
 * size, exported ones before local ones, few underscores, global before weak, short, alphabetical. Binding
 * alone does not tell: in libc strdup is the weak name of __strdup, and write that of __write.
 */
static int by_address(const void *a, const void *b)
{
	const struct dt_elf_function *x = a, *y = b;
	int c = cmp(x->vaddr, y->vaddr);

	if (c == 0)
		c = (x->type == STT_NOTYPE) - (y->type == STT_NOTYPE);
	if (c == 0)
		c = (x->size == 0) - (y->size == 0);
	if (c == 0)
		c = is_local(x) - is_local(y);
	if (c == 0)
		c = cmp(strspn(x->name, "_"), strspn(y->name, "_"));
	if (c == 0)
		c = (x->bind == STB_WEAK) - (y->bind == STB_WEAK);
	if (c == 0)
		c = cmp(strlen(x->name), strlen(y->name));
	if (c == 0)
		c = strcmp(x->name, y->name);
	return c != 0 ? c : cmp(x->size, y->size);
}

/*
 * Labels inside a function are places in it, and a symbol may occur in two tables. Sorting has put
 * functions before labels: a label at the very address of a function stays, as another name of it.
 */
static void thin_out(struct dt_elf_names *e)
{
	uint64_t end = 0;	/* of the functions so far */
	size_t n = 0;

	for (size_t i = 0; i < e->nfunc; i++) {
		const struct dt_elf_function *f = &e->func[i];

		if (f->type == STT_NOTYPE && f->vaddr < end && (n == 0 || e->func[n - 1].vaddr != f->vaddr))
			continue;
		if (n > 0 && e->func[n - 1].vaddr == f->vaddr && strcmp(e->func[n - 1].name, f->name) == 0)
			continue;
		if (f->type != STT_NOTYPE && f->vaddr + f->size > end)
			end = f->vaddr + f->size;
		e->func[n++] = *f;
	}
	e->nfunc = n;
}

/*
 * The latest possible end of code: that of its section, otherwise that of its segment, which may
 * contain constants after the code.
 */
static uint64_t segment_end(const struct dt_elf *e, uint64_t vaddr)
{
	for (uint32_t i = 1; i < e->nsh && i < SECTIONS_SEEN; i++)
		if (e->sh[i].sh_flags & SHF_ALLOC && !(e->sh[i].sh_flags & SHF_TLS) &&
		    vaddr >= e->sh[i].sh_addr && vaddr - e->sh[i].sh_addr < e->sh[i].sh_size &&
		    e->sh[i].sh_size <= UINT64_MAX - e->sh[i].sh_addr)
			return e->sh[i].sh_addr + e->sh[i].sh_size;
	for (uint32_t i = 0; i < e->nph; i++)
		if (e->ph[i].p_type == PT_LOAD && vaddr >= e->ph[i].p_vaddr &&
		    vaddr - e->ph[i].p_vaddr < e->ph[i].p_memsz &&
		    e->ph[i].p_memsz <= UINT64_MAX - e->ph[i].p_vaddr)
			return e->ph[i].p_vaddr + e->ph[i].p_memsz;
	return vaddr;
}

/*
 * func must be sorted by address. start[] and index[] are what covering() searches: one entry for each
 * address, so that aliases cost no steps. TLS symbols are not among them.
 */
int dt_elf_index_names(struct dt_elf_names *e)
{
	e->start = calloc(e->nfunc + 1, sizeof(*e->start));
	e->index = calloc(e->nfunc + 1, sizeof(*e->index));
	if (e->start == NULL || e->index == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < e->nfunc; i++) {
		e->func[i].alias = i > 0 && e->func[i - 1].vaddr == e->func[i].vaddr;
		/* TLS variables have no address: each thread has its own */
		if (e->func[i].alias || e->func[i].type == STT_TLS)
			continue;
		if (e->func[i].size > e->longest)
			e->longest = e->func[i].size;
		e->start[e->nstart] = e->func[i].vaddr;
		e->index[e->nstart++] = (uint32_t)i;
	}
	return 0;
}

/*
 * An unknown size reaches to the next symbol, but not beyond the section: hand-written code often tells
 * none. Aliases take the size of the one that is shown. It needs dt_elf_index_names() before it.
 */
static void find_sizes(const struct dt_elf *file, struct dt_elf_names *e)
{
	for (size_t s = 0; s < e->nstart; s++) {
		size_t end = s + 1 < e->nstart ? e->index[s + 1] : e->nfunc;
		struct dt_elf_function *first = &e->func[e->index[s]];
		uint64_t limit = segment_end(file, first->vaddr);

		if (s + 1 < e->nstart && (e->start[s + 1] < limit || limit == first->vaddr))
			limit = e->start[s + 1];
		if (first->size == 0)
			first->size = limit - first->vaddr;
		for (size_t i = e->index[s] + 1u; i < end; i++)
			if (e->func[i].size == 0)
				e->func[i].size = first->size;
		if (first->size > e->longest)
			e->longest = first->size;
	}
}

/* ---- loading ---- */

/* The symbols are given back at once, the strings are kept: names point into them. */
static int take_from(struct dt_elf *e, enum dt_elf_kind kind, struct dt_elf *from, uint32_t type)
{
	struct table t;
	int err = open_table(from, type, &t);

	if (err == 0) {
		err = take_symbol(e, kind, &t);
		dt_elf_forget(from, t.sym);
	}
	return err;
}

/*
 * The debug file stays in e->debug, which owns the names that come from it, of either kind. The second
 * source takes its place only if there was no table in it, and no name comes from it.
 */
static int take_separate(struct dt_elf *e, enum dt_elf_kind kind)
{
	int err = e->debug != NULL ? 0 : dt_elf_find_debug(e, &e->debug);	/* found for the other kind */

	if (err == 0)
		err = take_from(e, kind, e->debug, SHT_SYMTAB);
	/* .gnu_debugdata has no data */
	if (err == -ENOENT && kind == DT_ELF_CODE && e->names[DT_ELF_DATA].nfunc == 0) {
		dt_elf_close(e->debug);
		e->debug = NULL;
		err = dt_elf_find_debugdata(e, &e->debug);
		if (err == 0)
			err = take_from(e, kind, e->debug, SHT_SYMTAB);
	}
	return err;
}

static int load_names(struct dt_elf *e, enum dt_elf_kind kind)
{
	struct dt_elf_names *n = &e->names[kind];
	int err = take_from(e, kind, e, SHT_SYMTAB);

	if (err == -ENOENT) {
		err = take_separate(e, kind);
		if (err == 0 || err == -ENOENT)
			err = take_from(e, kind, e, SHT_DYNSYM);
	}
	if (err != 0 && err != -ENOENT)
		return err;
	if (n->nfunc > 0)
		qsort(n->func, n->nfunc, sizeof(*n->func), by_address);
	thin_out(n);
	err = dt_elf_index_names(n);
	if (err == 0)
		find_sizes(e, n);
	return err;
}

/*
 * Read at most once, also when it failed: a file that cannot be read is not tried for each address. -EINTR
 * is the exception.
 */
int dt_elf_load_kind(struct dt_elf *e, enum dt_elf_kind kind)
{
	struct dt_elf_names *n = &e->names[kind];

	if (!n->loaded) {
		n->loaded = true;
		n->load_err = e->reader != NULL ? dt_elf_remote_names(e, kind) : load_names(e, kind);
		if (n->load_err != 0)
			n->nfunc = n->nstart = 0;
		n->loaded = n->load_err != -EINTR;	/* the next one may have the time */
	}
	return n->load_err;
}

int dt_elf_load(struct dt_elf *e)
{
	return dt_elf_load_kind(e, DT_ELF_CODE);
}

int dt_elf_each_function(struct dt_elf *e, dt_elf_function_f *f, void *ctx)
{
	int err = dt_elf_load(e);

	for (size_t i = 0; i < e->names[DT_ELF_CODE].nfunc && err == 0; i++)
		err = f(ctx, &e->names[DT_ELF_CODE].func[i]);
	return err;
}

/*
 * It walks back no further than the longest symbol reaches, and COVER_STEPS at most: beyond that the answer
 * may be none, never a wrong one.
 */
static const struct dt_elf_function *covering(const struct dt_elf_names *e, uint64_t vaddr)
{
	size_t lo = 0, hi;

	for (hi = e->nstart; lo < hi; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (e->start[mid] <= vaddr)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* a function that begins earlier may extend beyond a smaller one */
	for (unsigned step = 0; lo > 0 && step < COVER_STEPS && vaddr - e->start[lo - 1] < e->longest;
	     step++, lo--) {
		const struct dt_elf_function *f = &e->func[e->index[lo - 1]];

		if (vaddr - f->vaddr < f->size)
			return f;
	}
	return NULL;
}

const struct dt_elf_function *dt_elf_function_at(struct dt_elf *e, uint64_t vaddr)
{
	return dt_elf_load_kind(e, DT_ELF_CODE) == 0 ? covering(&e->names[DT_ELF_CODE], vaddr) : NULL;
}

const struct dt_elf_function *dt_elf_data_at(struct dt_elf *e, uint64_t vaddr)
{
	return dt_elf_load_kind(e, DT_ELF_DATA) == 0 ? covering(&e->names[DT_ELF_DATA], vaddr) : NULL;
}

const struct dt_elf_function *dt_elf_data_named(struct dt_elf *e, const char *name, size_t len)
{
	const struct dt_elf_names *n = &e->names[DT_ELF_DATA];
	const struct dt_elf_function *found = NULL;

	if (dt_elf_load_kind(e, DT_ELF_DATA) != 0)
		return NULL;
	for (size_t i = 0; i < n->nfunc; i++) {
		if (strncmp(n->func[i].name, name, len) != 0 || n->func[i].name[len] != '\0')
			continue;
		if (found != NULL && found->vaddr != n->func[i].vaddr)
			return NULL;		/* several files of the program have one of that name */
		found = &n->func[i];
	}
	return found;
}

/* ---- one table, in its own order ---- */

static void close_table(struct table *t)
{
	dt_elf_forget(t->from, t->sym);
	dt_elf_forget(t->from, t->names);
}

int dt_elf_each_symbol(struct dt_elf *e, dt_elf_symbol_f *f, void *ctx)
{
	struct table t;
	int err = open_table(e, SHT_SYMTAB, &t);

	for (size_t i = 1; i < t.n && err == 0; i++) {
		Elf64_Sym s = read_symbol(&t, i);
		const char *name = name_of(&t, s.st_name);

		if (name != NULL)
			err = f(ctx, name, s.st_shndx == SHN_UNDEF);
	}
	close_table(&t);
	return err;
}

static int find_symbol(struct dt_elf *e, uint32_t type, const char *name, uint64_t *vaddr)
{
	struct table t;
	int err = open_table(e, type, &t);
	bool found = false;

	for (size_t i = 1; i < t.n && !found; i++) {
		Elf64_Sym s = read_symbol(&t, i);
		const char *text = name_of(&t, s.st_name);

		found = text != NULL && strcmp(text, name) == 0 && wanted(e, DT_ELF_CODE, &s, text);
		if (found)
			*vaddr = s.st_value;
	}
	close_table(&t);
	return err != 0 || found ? err : -ENOENT;
}

int dt_elf_symbol(struct dt_elf *e, const char *name, uint64_t *vaddr)
{
	int err;

	if (e->reader != NULL)
		return dt_elf_remote_symbol(e, name, vaddr);
	err = find_symbol(e, SHT_SYMTAB, name, vaddr);
	return err == -ENOENT ? find_symbol(e, SHT_DYNSYM, name, vaddr) : err;
}
