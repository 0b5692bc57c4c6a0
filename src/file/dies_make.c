/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Debugging data as flat records (dies.h): runs in the worker, over data that an enemy may have made. An
 * entry comes in; it and what it leads to go out, breadth first, so that an ordinary D program needs few
 * questions. Nothing calls itself here, and every list has an end, whatever the data say.
 */
#include "file/dies_impl.h"
#include "base/printable.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { ENTRIES_MAX = 256, SLOTS = 4 * ENTRIES_MAX, WALK_MAX = 1 << 20 };

struct making {
	struct dt_dw *w;
	struct dt_dw_file *f;
	struct dt_die die[ENTRIES_MAX];
	Dwarf_Die at[ENTRIES_MAX];
	uint32_t n;
	uint16_t slot[SLOTS];		/* by id: index + 1; 0: free */
	struct dt_digest children, text;
	uint32_t nchildren;
	int err;			/* of the first thing that went wrong */
};

/* ---- pieces ---- */

/* A place in the data that tells the shared file, and the section of types that old data have, apart. */
static uint64_t id_of(struct making *m, Dwarf_Die *die)
{
	Dwarf_Off off = m->w->c.dieoffset(die);
	Dwarf_Half version = 5;
	uint8_t kind = 0;
	uint64_t types;

	if (off == (Dwarf_Off)-1 || off >= UINT64_MAX >> 3)
		return DT_DIE_LOST;
	(void)m->w->c.cu_info(die->cu, &version, &kind, NULL, NULL, NULL, NULL, NULL);
	types = version < 5 && kind == DW_UT_type;
	return off << 2 | types << 1 | (m->f->alt != NULL && m->w->c.cu_getdwarf(die->cu) == m->f->alt);
}

static bool find_id(struct dt_dw *w, struct dt_dw_file *f, uint64_t id, Dwarf_Die *out)
{
	Dwarf *dw = id & 1 ? f->alt : f->dw;

	return dw != NULL && (id & 2 ? w->c.offdie_types : w->c.offdie)(dw, id >> 2, out) != NULL;
}

/* Where it is among the texts; 0: there is none, or too long a one. */
static uint32_t put_text(struct making *m, const char *name)
{
	size_t at = m->text.len, len = name != NULL ? strnlen(name, DT_ELF_NAME_MAX) : 0;

	if (len == 0 || len == DT_ELF_NAME_MAX || m->err != 0)
		return 0;
	m->err = dt_digest_put(&m->text, name, len + 1);
	if (m->err != 0)
		return 0;
	(void)dt_make_printable((char *)m->text.bytes + at);
	return (uint32_t)at;
}

static bool number(struct making *m, Dwarf_Die *die, unsigned name, uint64_t *v)
{
	Dwarf_Attribute a;
	Dwarf_Word w;

	if (m->w->c.attr(die, name, &a) == NULL || m->w->c.formudata(&a, &w) != 0)
		return false;
	*v = w;
	return true;
}

static uint64_t bytes_of(struct making *m, Dwarf_Die *die)
{
	int size = m->w->c.bytesize(die);

	return size > 0 ? (uint64_t)size : 0;
}

/* It will be in the answer, unless there is no more room. */
static void add(struct making *m, uint64_t id, const Dwarf_Die *die)
{
	uint32_t slot = (uint32_t)((id * 0x9e3779b97f4a7c15ull) >> 32) % SLOTS;

	while (m->slot[slot] != 0 && m->die[m->slot[slot] - 1].id != id)
		slot = (slot + 1) % SLOTS;
	if (m->slot[slot] != 0 || m->n == ENTRIES_MAX)
		return;
	m->die[m->n].id = id;
	m->at[m->n] = *die;
	m->slot[slot] = (uint16_t)++m->n;
}

/* Where DW_AT_type leads. */
static uint64_t type_of(struct making *m, Dwarf_Die *die)
{
	Dwarf_Attribute a;
	Dwarf_Die to;
	uint64_t id;

	if (m->w->c.attr(die, DW_AT_type, &a) == NULL)
		return 0;
	if (m->w->c.formref(&a, &to) == NULL)
		return DT_DIE_LOST;
	id = id_of(m, &to);
	if (id != DT_DIE_LOST)
		add(m, id, &to);
	return id;
}

/* ---- children ---- */

/* False: D cannot use this type. */
typedef bool child_f(struct making *, Dwarf_Die *, struct dt_die *);

/* A number, or (before DWARF 4) what to do with the address of the struct: add to it, if that is all. */
static bool distance(struct making *m, Dwarf_Attribute *a, uint64_t *at)
{
	Dwarf_Block b;

	if (m->w->c.formudata(a, at) == 0)
		return *at <= UINT32_MAX;
	if (m->w->c.formblock(a, &b) != 0 || b.length < 2 || b.length > 6 || b.data[0] != DW_OP_plus_uconst)
		return false;
	*at = 0;
	for (Dwarf_Word i = 1; i < b.length; i++) {
		*at |= (uint64_t)(b.data[i] & 0x7f) << 7 * (i - 1);
		if ((b.data[i] & 0x80) == 0)
			return i == b.length - 1;
	}
	return false;
}

/*
 * The bit where a member begins; without a place of its own it begins where the struct does. A bit-field is
 * counted from there, or (before DWARF 4, and by clang) back from the last bit of the integer it is in.
 * False: it has no fixed place.
 */
static bool place(struct making *m, Dwarf_Die *die, uint64_t bits, uint64_t *bit)
{
	uint64_t at = 0, in = 0, back, bytes;
	Dwarf_Attribute a;

	if (m->w->c.attr(die, DW_AT_data_member_location, &a) != NULL && !distance(m, &a, &at))
		return false;
	if (!number(m, die, DW_AT_data_bit_offset, &in) && number(m, die, DW_AT_bit_offset, &back)) {
		if (!number(m, die, DW_AT_byte_size, &bytes) || bytes > 16)
			return false;
		in = 8 * bytes - back - bits;	/* `back` is negative where it goes on after the integer */
	}
	*bit = 8 * at + in;
	return in <= UINT32_MAX;
}

static bool member(struct making *m, Dwarf_Die *die, struct dt_die *r)
{
	uint64_t bits = 0;

	if (r->tag != DW_TAG_member && r->tag != DW_TAG_inheritance)
		return false;
	if (number(m, die, DW_AT_bit_size, &bits) && bits > 64)
		return false;
	r->detail = (uint8_t)bits;
	r->type = type_of(m, die);
	return place(m, die, bits, &r->value);
}

static bool enumerator(struct making *m, Dwarf_Die *die, struct dt_die *r)
{
	Dwarf_Attribute a;
	Dwarf_Sword v;

	if (r->tag != DW_TAG_enumerator || m->w->c.attr(die, DW_AT_const_value, &a) == NULL ||
	    m->w->c.formsdata(&a, &v) != 0)
		return false;
	r->value = (uint64_t)v;
	return true;
}

static bool parameter(struct making *m, Dwarf_Die *die, struct dt_die *r)
{
	uint64_t result = 0;

	if (r->tag != DW_TAG_formal_parameter ||
	    /* Go: this is a result */
	    (number(m, die, DW_AT_variable_parameter, &result) && result != 0))
		return false;
	r->type = type_of(m, die);
	return true;
}

static void children(struct making *m, uint32_t of, child_f *each, uint32_t most)
{
	uint32_t walked = 0;
	Dwarf_Die at;

	m->die[of].first = m->nchildren;
	if (m->w->c.child(&m->at[of], &at) != 0)
		return;
	do {
		struct dt_die r = { .tag = (uint16_t)m->w->c.tag(&at) };

		if (!each(m, &at, &r))
			continue;
		r.name = put_text(m, m->w->c.diename(&at));
		if (m->err == 0)
			m->err = dt_digest_put(&m->children, &r, sizeof(r));
		m->nchildren++;
		m->die[of].n++;
	} while (m->err == 0 && m->die[of].n < most && ++walked < WALK_MAX &&
	    m->w->c.siblingof(&at, &at) == 0);
}

/* ---- entries ---- */

/* All dimensions together; what is too large is no array. */
static void array(struct making *m, uint32_t i)
{
	uint64_t n = 1, dim;
	uint32_t walked = 0;
	Dwarf_Die sub;

	m->die[i].type = DT_DIE_LOST;
	if (m->w->c.child(&m->at[i], &sub) != 0)
		return;
	do {
		if (m->w->c.tag(&sub) != DW_TAG_subrange_type)
			continue;
		if (number(m, &sub, DW_AT_upper_bound, &dim))
			dim++;
		else if (!number(m, &sub, DW_AT_count, &dim))
			dim = 0;
		if (dim > UINT32_MAX || __builtin_mul_overflow(n, dim, &n) || n > UINT32_MAX)
			return;
	} while (++walked < WALK_MAX && m->w->c.siblingof(&sub, &sub) == 0);
	m->die[i].value = n;
	m->die[i].type = type_of(m, &m->at[i]);
}

static void fill(struct making *m, uint32_t i)
{
	Dwarf_Die *at = &m->at[i];
	struct dt_die *r = &m->die[i];
	uint64_t encoding = 0;

	r->tag = (uint16_t)m->w->c.tag(at);
	r->name = put_text(m, m->w->c.diename(at));
	switch (r->tag) {
	case DW_TAG_base_type:
		r->value = number(m, at, DW_AT_encoding, &encoding) ? bytes_of(m, at) : 0;
		r->detail = (uint8_t)encoding;
		break;
	case DW_TAG_structure_type: case DW_TAG_class_type: case DW_TAG_union_type:
		r->value = bytes_of(m, at);
		children(m, i, member, DT_DIES_CHILDREN);
		break;
	case DW_TAG_enumeration_type:
		r->value = bytes_of(m, at);
		children(m, i, enumerator, DT_DIES_CHILDREN);
		break;
	case DW_TAG_array_type: array(m, i); break;
	case DW_TAG_subprogram:
		r->type = type_of(m, at);
		children(m, i, parameter, DT_DIES_PARAMS);
		break;
	default: r->type = type_of(m, at); break;
	}
}

/* The last entries are given up if they would make the answer too large: they can be asked for. */
static void fill_all(struct making *m)
{
	for (uint32_t i = 0; i < m->n && m->err == 0; i++) {
		size_t children = m->children.len, text = m->text.len;
		uint32_t n = m->nchildren;

		fill(m, i);
		if (i == 0 || m->children.len + m->text.len + sizeof(m->die) < DT_DIES_MAX)
			continue;
		m->children.len = children;
		m->text.len = text;
		m->nchildren = n;
		m->n = i;
	}
}

/* ---- the answer ---- */

static int put_answer(struct making *m, struct dt_digest *d, struct dt_dies_head *h)
{
	int err = m->err;

	h->nentries = m->n;
	h->n = m->n + m->nchildren;
	for (uint32_t i = 0; i < m->n; i++)
		m->die[i].first += m->n;
	if (err == 0)
		err = dt_digest_put(d, h, sizeof(*h));
	if (err == 0)
		err = dt_digest_put(d, m->die, m->n * sizeof(*m->die));
	if (err == 0)
		err = dt_digest_put(d, m->children.bytes, m->children.len);
	return err != 0 ? err : dt_digest_put(d, m->text.bytes, m->text.len);
}

static bool find(struct making *m, const struct dt_digest_want *want, struct dt_dies_head *h, Dwarf_Die *die)
{
	switch (want->dies) {
	case DT_DIES_OPEN:
		h->link = put_text(m, m->f->link);
		h->used = m->f->used;
		h->idlen = m->f->idlen;
		memcpy(h->id, m->f->id, sizeof(h->id));
		return false;
	case DT_DIES_FUNCTION: return dt_dw_function(m->w, m->f, want->at, die);
	case DT_DIES_ENTRY: return find_id(m->w, m->f, want->at, die);
	case DT_DIES_NAMED:
		if (dt_dw_named(m->w, m->f, want->letter, want->name, die))
			return true;
		h->near = put_text(m, dt_dw_near(m->f, want->letter, want->name));
		h->cut = dt_dw_cut(m->f);
		return false;
	default: return false;
	}
}

/* The names of a file may need more memory than there is: it is closed then. */
static int make(struct making *m, struct dt_digest *d, const struct dt_digest_want *want)
{
	struct dt_dies_head h = { 0 };
	jmp_buf lack;
	Dwarf_Die die;
	uint64_t id;

	if (setjmp(lack) != 0) {
		dt_dw_close(m->w, m->f);
		return -ENOMEM;
	}
	dt_arena_on_oom(m->f->arena, &lack);
	m->err = dt_digest_put(&m->text, "", 1);
	if (find(m, want, &h, &die)) {
		id = want->dies == DT_DIES_ENTRY ? want->at : id_of(m, &die);
		if (id != DT_DIE_LOST)
			add(m, id, &die);
		fill_all(m);
	}
	return put_answer(m, d, &h);
}

int dt_dies_make(struct dt_dw *dw, struct dt_digest *d, const struct dt_digest_want *want, const int *fds,
    int nfds)
{
	struct making *m = dw != NULL ? calloc(1, sizeof(*m)) : NULL;
	int err;

	if (m == NULL) {
		for (int i = 0; i < nfds; i++)
			close(fds[i]);
		return dw != NULL ? -ENOMEM : -ELIBACC;
	}
	m->w = dw;
	err = dt_dw_open(dw, want, fds, nfds, &m->f);
	if (err == 0)
		err = make(m, d, want);
	free(m->children.bytes);
	free(m->text.bytes);
	free(m);
	return err;
}
