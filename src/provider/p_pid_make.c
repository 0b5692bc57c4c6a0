/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The probes of one module for the pid provider: functions in, hooks at places of the file out. It goes on at
 * what cannot be made, and notes why (m->why).
 */
#include "provider/p_pid.h"

#include "base/glob.h"
#include "file/insn.h"
#include "provider/provider.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- names ---- */

/* At most 15 digits, so that the number fits 64 bits in any case. */
static bool is_hex(const char *s)
{
	return s[0] != '\0' && s[strspn(s, "0123456789abcdefABCDEF")] == '\0' && strlen(s) <= 15;
}

/*
 * An empty name means everything: entry, return, and for a function named literally every instruction.
 * For all functions of a module it means entry and return; all instructions of those must be asked for
 * by a pattern.
 */
bool dt_pid_parse_name(struct dt_pid_making *m)
{
	const char *name = m->want->name;

	if (name[0] == '\0') {
		m->entry = m->ret = true;
		m->offsets = dt_part_literal(m->want->func);
	} else if (dt_part_literal(name)) {
		m->entry = strcmp(name, "entry") == 0;
		m->returned = strcmp(name, "returned") == 0;
		m->ret = m->returned || strcmp(name, "return") == 0;
		m->one_offset = !m->entry && !m->ret && is_hex(name);
		m->offset = m->one_offset ? strtoull(name, NULL, 16) : 0;
		if (!m->entry && !m->ret && !m->one_offset) {
			m->tag = D_PROC_NAME;
			m->why = dt_arena_printf(m->p->arena,
			    "%s is no probe of a function: entry, return, returned, or an offset in "
			    "hexadecimal",
			    name);
			return false;
		}
	} else {
		m->entry = dt_glob_match(name, "entry");
		m->ret = dt_glob_match(name, "return");
		m->offsets = true;
	}
	return true;
}

/* f.cold: compilers move the rarely executed part of f elsewhere. Calls enter f, not this. */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold != NULL && (cold[5] == '\0' || cold[5] == '.');
}

/*
 * memcpy is an IFUNC that resolved to __memcpy_generic: a pattern takes both for one function, with the
 * first name.
 */
static bool is_chosen(const struct dt_pid_making *m, const struct dt_elf_function *f, uint64_t offset)
{
	for (size_t i = 0; i < m->chosen.n; i++)
		if (m->chosen.v[i].offset == offset)
			return m->chosen.v[i].f != f;
	return false;
}

/* As in the file, or demangled: C++ and Rust names match in both forms and are shown demangled. */
static bool function_wanted(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown)
{
	const char *part = m->want->func;

	if (dt_part_literal(part) && part[0] != '\0')
		return strcmp(part, f->name) == 0 || strcmp(part, shown) == 0;
	if (f->alias || is_part(f->name) || is_chosen(m, f, f->offset))
		return false;
	return part[0] == '\0' || (dt_glob_match(part, f->name) || dt_glob_match(part, shown));
}

/* ---- making ---- */

struct instructions {
	struct dt_pid_making *m;
	const struct dt_elf_function *f;
	const char *shown;
};

/*
 * One instruction of a function. Only where one begins may a probe be: a trap inside of one would break
 * it.
 */
static bool each_offset(void *ctx, const struct dt_insn *in)
{
	struct instructions *is = ctx;
	struct dt_pid_making *m = is->m;
	uint64_t off = in->off;
	char name[20];

	snprintf(name, sizeof(name), "%llx", (unsigned long long)off);
	if (m->one_offset ? off == m->offset : m->want->name[0] == '\0' || dt_glob_match(m->want->name, name))
		dt_pid_add_probe(m, is->shown, is->f->name, name, DT_HOOK_UPROBE, is->f->offset + off);
	return true;
}

static void add_offsets(struct dt_pid_making *m, const struct dt_elf_function *f, const char *shown)
{
	struct instructions is = { m, f, shown };
	uint32_t before = m->made;
	int err;

	if (m->one_offset && m->offset >= f->size) {
		m->tag = D_PROC_OFF;
		m->why = dt_arena_printf(m->p->arena, "offset %llx is past the end of %s (%llx bytes)",
		    (unsigned long long)m->offset, shown, (unsigned long long)f->size);
		return;
	}
	err = dt_insn_walk(m->in->obj->elf, f->offset, f->size, each_offset,
	    &is);
	m->tag = D_PROC_ALIGN;
	if (err != 0)
		m->why = dt_arena_printf(m->p->arena, "the instructions of %s cannot be decoded: %s",
		    shown, dt_pid_reason(m, err));
	else if (m->one_offset && m->made == before)
		m->why = dt_arena_printf(m->p->arena, "no instruction of %s begins at offset %llx", shown,
		    (unsigned long long)m->offset);
}

/*
 * All probes of one function that the description means. It goes on at what cannot be made, and notes
 * why.
 */
static int probe_function(void *ctx, const struct dt_elf_function *f)
{
	struct dt_pid_making *m = ctx;
	char pretty[1024];
	const char *shown = f->name;
	uint64_t offset = f->offset;

	if (f->name[0] == '_' && dt_elf_demangle(f->name, pretty, sizeof(pretty)))
		shown = pretty;
	if (f->type == STT_NOTYPE || !function_wanted(m, f, shown))
		return 0;
	m->seen++;
	if (f->offset == UINT64_MAX || f->size == 0) {
		m->why = dt_arena_printf(m->p->arena, "%s is not in the file %s", shown, m->in->obj->name);
		return 0;
	}
	if (f->type == STT_GNU_IFUNC && (m->proc == NULL || !dt_ifunc_chosen(m->proc, m->in, f, &offset))) {
		m->why = dt_arena_printf(m->p->arena,
		    "which function is to be %s has not been chosen yet (IFUNC): with -c use -x "
		    "evaltime=main",
		    shown);
		return 0;
	}
	if (f->type == STT_GNU_IFUNC && is_chosen(m, f, offset))
		return 0;
	if (shown == pretty)
		shown = dt_arena_strdup(m->p->arena, pretty);
	if (m->entry)
		dt_pid_add_probe(m, shown, f->name, "entry", DT_HOOK_UPROBE,
		    m->go ? dt_go_entry(m->in->obj, f) : offset);
	if (m->ret)
		dt_pid_add_return(m, f, shown, offset);
	if (f->type != STT_GNU_IFUNC && (m->offsets || m->one_offset))
		add_offsets(m, f, shown);
	return 0;
}

/* "-" is no function: the offset is an address in the program. */
static void probe_address(struct dt_pid_making *m)
{
	uint64_t off;

	if (!m->one_offset) {
		m->tag = D_PROC_NAME;
		m->why = "the function - wants an address of the program as name, in hexadecimal: "
			 "pid123:a.out:-:4008f0";
		return;
	}
	if (!dt_elf_vaddr_to_offset(m->in->obj->elf, m->offset, &off)) {
		m->tag = D_PROC_OFF;
		m->why = dt_arena_printf(m->p->arena, "%s has nothing at address %llx", m->in->obj->name,
		    (unsigned long long)m->offset);
		return;
	}
	m->seen++;
	dt_pid_add_probe(m, "-", "-", m->want->name, DT_HOOK_UPROBE, off);
}

/* Which functions the IFUNCs of this module resolved to, before patterns are compared. */
static int note_chosen(void *ctx, const struct dt_elf_function *f)
{
	struct dt_pid_making *m = ctx;
	struct dt_pid_chosen c = { f, 0 };

	if (f->type != STT_GNU_IFUNC || f->offset == UINT64_MAX || !function_wanted(m, f, f->name) ||
	    !dt_ifunc_chosen(m->proc, m->in, f, &c.offset))
		return 0;
	for (size_t i = 0; i < m->chosen.n; i++)
		if (m->chosen.v[i].offset == c.offset)
			return 0;
	dt_vec_push(m->p->arena, &m->chosen, c);
	return 0;
}

/* One module: its IFUNCs first, then all of its functions. */
void dt_pid_probe_object(struct dt_pid_making *m)
{
	int err;

	m->chosen.n = 0;
	if (m->proc != NULL && !dt_part_literal(m->want->func))
		(void)dt_elf_each_function(m->in->obj->elf, note_chosen, m);
	if (strcmp(m->want->func, "-") == 0) {
		probe_address(m);
		return;
	}
	m->go = dt_object_is_go(m->in->obj);
	err = dt_elf_each_function(m->in->obj->elf, probe_function, m);
	if (err != 0)
		m->why = dt_arena_printf(m->p->arena, "the functions of %s cannot be read: %s",
		    m->in->obj->name, dt_pid_reason(m, err));
}
