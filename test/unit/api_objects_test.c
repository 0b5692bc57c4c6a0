/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libdtrace about the kernel: objects, symbols and types by name and address; options of the environment and
 * as DOF. What /proc/kallsyms and BTF do not tell here is skipped.
 */
#include "check.h"
#include "dtrace.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static dtrace_hdl_t *open_plain(void)
{
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, NULL);

	CHECK(h != NULL);
	return h;
}

/* Without rights the kernel shows zeros for addresses. */
static bool symbols_shown(dtrace_hdl_t *h)
{
	GElf_Sym sym;
	bool shown = dtrace_lookup_by_name(h, DTRACE_OBJ_EXEC, "vfs_read", &sym, NULL) == 0 &&
	    sym.st_value != 0;

	if (!shown)
		CHECK_SKIP("/proc/kallsyms shows no addresses");
	return shown;
}

static void test_symbols(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_syminfo_t info, again;
	GElf_Sym sym, other;
	char text[128];

	if (symbols_shown(h)) {
		CHECK_INT(dtrace_lookup_by_name(h, DTRACE_OBJ_EVERY, "vfs_read", &sym, &info), 0);
		CHECK_STR(info.dts_object, "vmlinux");
		CHECK_STR(info.dts_name, "vfs_read");
		CHECK(sym.st_size > 0 && ELF64_ST_TYPE(sym.st_info) == STT_FUNC &&
		    ELF64_ST_BIND(sym.st_info) == STB_GLOBAL);
		CHECK_INT(dtrace_lookup_by_addr(h, sym.st_value + 4, &other, &again), 0);
		CHECK_STR(again.dts_name, "vfs_read");
		CHECK(other.st_value == sym.st_value && other.st_size == sym.st_size &&
		    info.dts_id == again.dts_id);
		CHECK_INT(dtrace_lookup_by_addr(h, sym.st_value, NULL, &again), 0);	/* the object alone */
		CHECK_STR(again.dts_object, "vmlinux");
		CHECK(again.dts_name == NULL);
		dtrace_addr2str(h, sym.st_value, text, sizeof(text));
		CHECK_STR(text, "vmlinux`vfs_read");
		CHECK_INT(dtrace_update(h), 0);			/* names stay, symbols are read again */
		CHECK_STR(info.dts_name, "vfs_read");
		CHECK_INT(dtrace_lookup_by_name(h, "vmlinux", "vfs_read", &other, NULL), 0);
		CHECK_INT(other.st_value, sym.st_value);
	}
	dtrace_close(h);
}

static void test_no_symbols(void)
{
	static const struct { const char *object, *name; int err; } none[] = {
		{ DTRACE_OBJ_EVERY, "no_such_symbol", EDT_NOSYM },
		{ DTRACE_OBJ_KMODS, "no_such_symbol", EDT_NOSYM },
		{ "vmlinux", "", EDT_NOSYM }, { "no_such_module", "vfs_read", EDT_NOMOD },
		{ "../x", "vfs_read", EDT_NOMOD },
		{ DTRACE_OBJ_CDEFS, "vfs_read", EDT_NOSYM }, { DTRACE_OBJ_UMODS, "malloc", EDT_NOSYM },
		{ "vmlinux", NULL, EINVAL },
	};
	dtrace_hdl_t *h = open_plain();
	dtrace_syminfo_t info;
	GElf_Sym sym;

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
		CHECK_INT(dtrace_lookup_by_name(h, none[i].object, none[i].name, &sym, &info), -1);
		CHECK_INT(dtrace_errno(h), none[i].err);
	}
	CHECK_INT(dtrace_lookup_by_addr(h, 16, &sym, &info), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOSYMADDR);
	dtrace_close(h);
}

/* ---- types ---- */

static void check_type(dtrace_hdl_t *h, const char *object, const char *name, const char *want,
    const char *home)
{
	dtrace_typeinfo_t t = { 0 };
	char text[128];

	CHECK_INT(dtrace_lookup_by_type(h, object, name, &t), 0);
	CHECK_STR(dtrace_type_name(h, &t, text, sizeof(text)), want);
	CHECK_STR(t.dtt_object, home);
}

static void test_types(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_syminfo_t sym = { "vmlinux", "vfs_read", 0 };
	dtrace_typeinfo_t t;
	FILE *f = tmpfile();

	check_type(h, DTRACE_OBJ_EVERY, "int", "int", "C");
	check_type(h, DTRACE_OBJ_CDEFS, "unsigned long", "unsigned long", "C");
	check_type(h, DTRACE_OBJ_DDEFS, "string", "string", "D");
	CHECK_INT(dtrace_lookup_by_type(h, DTRACE_OBJ_DDEFS, "int", &t), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOTYPE);
	CHECK_INT(dtrace_lookup_by_type(h, DTRACE_OBJ_EVERY, "struct no_such_struct", &t), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOTYPE);
	CHECK_INT(dtrace_lookup_by_type(h, "no_such_module", "int", &t), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOMOD);
	if (dtrace_symbol_type(h, NULL, &sym, &t) == 0) {
		char text[128];

		CHECK(strstr(dtrace_type_name(h, &t, text, sizeof(text)), "struct file *") != NULL);
		check_type(h, "vmlinux", "struct task_struct", "struct task_struct", "vmlinux");
		check_type(h, DTRACE_OBJ_EVERY, "struct task_struct *", "struct task_struct *", "vmlinux");
	} else {
		CHECK_INT(dtrace_errno(h), EDT_NOCTF);
		CHECK_SKIP("this kernel has no type data");
	}
	CHECK(fputs("unsigned long *", f) >= 0 && fflush(f) == 0);
	rewind(f);
	CHECK_INT(dtrace_type_fcompile(h, f, &t), 0);
	CHECK_INT(dtrace_type_fcompile(h, NULL, &t), -1);
	fclose(f);
	dtrace_close(h);
}

/* ---- objects ---- */

struct seen { int n, primary, modules; dtrace_objinfo_t first; };

static int see(dtrace_hdl_t *h, const dtrace_objinfo_t *o, void *arg)
{
	struct seen *s = arg;
	dtrace_objinfo_t again;

	if (s->n++ == 0)
		s->first = *o;
	s->primary += (o->dto_flags & DTRACE_OBJ_F_PRIMARY) != 0;
	s->modules += !(o->dto_flags & DTRACE_OBJ_F_PRIMARY);
	CHECK(o->dto_flags & DTRACE_OBJ_F_KERNEL);
	CHECK(dtrace_object_info(h, o->dto_name, &again) == 0 && again.dto_id == o->dto_id &&
	    again.dto_text_va == o->dto_text_va);
	return 0;
}

static int stop_at_once(dtrace_hdl_t *h, const dtrace_objinfo_t *o, void *arg)
{
	(void)h, (void)o, (void)arg;
	return 42;
}

static void test_objects(void)
{
	dtrace_hdl_t *h = open_plain();
	struct seen s = { 0 };
	dtrace_objinfo_t o;
	GElf_Sym sym;

	CHECK_INT(dtrace_object_iter(h, see, &s), 0);
	CHECK_INT(s.primary, 1);
	CHECK_STR(s.first.dto_name, "vmlinux");
	CHECK_INT(dtrace_object_iter(h, stop_at_once, NULL), 42);
	CHECK_INT(dtrace_object_info(h, DTRACE_OBJ_EXEC, &o), 0);
	if (symbols_shown(h)) {
		CHECK_INT(dtrace_lookup_by_name(h, DTRACE_OBJ_EXEC, "vfs_read", &sym, NULL), 0);
		CHECK(o.dto_text_va <= sym.st_value && sym.st_value - o.dto_text_va < o.dto_text_size);
	}
	CHECK_INT(dtrace_object_info(h, "no_such_module", &o), -1);
	CHECK_INT(dtrace_errno(h), EDT_NOMOD);
	CHECK_INT(dtrace_object_info(h, DTRACE_OBJ_EVERY, &o), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	CHECK_INT(dtrace_provider_modules(h, NULL, 0), 0);
	dtrace_close(h);
}

/* ---- options, DOF, what is refused ---- */

static void test_environment(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_optval_t v;

	CHECK(setenv("MY_BUFSIZE", "64k", 1) == 0 && setenv("MY_QUIET", "", 1) == 0);
	CHECK_INT(dtrace_setoptenv(h, "MY_"), 0);
	CHECK(dtrace_getopt(h, "bufsize", &v) == 0 && v == 64 << 10);
	CHECK(dtrace_getopt(h, "quiet", &v) == 0 && v != DTRACEOPT_UNSET);
	CHECK(setenv("DTRACE_OPT_AGGSIZE", "much", 1) == 0);
	CHECK_INT(dtrace_setoptenv(h, NULL), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADOPTVAL);
	CHECK(strstr(dtrace_errmsg(h, EDT_BADOPTVAL), "DTRACE_OPT_AGGSIZE") != NULL);
	unsetenv("DTRACE_OPT_AGGSIZE");
	dtrace_close(h);
}

static int on_error(const dtrace_errdata_t *d, void *arg)
{
	(void)d, (void)arg;
	return DTRACE_HANDLE_OK;
}

/* DOF of a handle can be loaded by another: its length is in its header. */
static dtrace_prog_t *load(dtrace_hdl_t *h, const void *dof)
{
	const dof_hdr_t *hdr = dof;
	FILE *f = tmpfile();
	dtrace_prog_t *p;

	CHECK(memcmp(hdr->dofh_ident, "\177DOF", 4) == 0 && hdr->dofh_hdrsize == sizeof(*hdr) &&
	    hdr->dofh_loadsz <= hdr->dofh_filesz);
	CHECK_INT(fwrite(dof, 1, hdr->dofh_filesz, f), hdr->dofh_filesz);
	rewind(f);
	p = dtrace_program_load(h, f);
	fclose(f);
	return p;
}

static void test_dof(void)
{
	dtrace_hdl_t *h = open_plain(), *other = open_plain();
	dtrace_optval_t v;
	dtrace_proginfo_t info = { .dpi_recgens = 0 };
	dtrace_prog_t *p = NULL;
	void *dof;

	CHECK(dtrace_setopt(h, "bufsize", "64k") == 0 && dtrace_setopt(h, "bufpolicy", "ring") == 0 &&
	    dtrace_setopt(h, "quiet", NULL) == 0);
	dof = dtrace_getopt_dof(h);
	CHECK(dof != NULL && load(other, dof) != NULL);
	dtrace_dof_destroy(h, dof);
	CHECK(dtrace_getopt(other, "bufsize", &v) == 0 && v == 64 << 10);
	CHECK(dtrace_getopt(other, "bufpolicy", &v) == 0 && v == 0);
	CHECK(dtrace_getopt(other, "quiet", &v) == 0 && v != DTRACEOPT_UNSET);
	CHECK(dtrace_geterr_dof(h) == NULL && dtrace_errno(h) == EDT_BADERROR);
	CHECK_INT(dtrace_handle_err(h, on_error, NULL), 0);
	dof = dtrace_geterr_dof(h);
	CHECK(dof != NULL && (p = load(other, dof)) != NULL);
	dtrace_dof_destroy(h, dof);
	if (p != NULL)
		dtrace_program_info(other, p, &info);
	CHECK_INT(info.dpi_recgens, 5);
	dtrace_close(other);
	dtrace_close(h);
}

/* Replaces the first place in the DOF that has these bytes. */
static void *replaced(void *dof, const void *from, const void *to, size_t len)
{
	char *at = memmem(dof, ((const dof_hdr_t *)dof)->dofh_filesz, from, len);

	if (CHECK(at != NULL))
		memcpy(at, to, len);
	return dof;
}

/* Issue 11: addresses of another boot are looked up again, structs of another kernel are not believed. */
static void test_dof_of_another_kernel(void)
{
	dtrace_hdl_t *h = open_plain(), *other = open_plain();
	dtrace_prog_t *p = dtrace_program_strcompile(h, "BEGIN { trace((uintptr_t)&`vfs_read); }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL), *back;
	void *dof, *again;
	size_t len;
	struct utsname u;
	GElf_Sym sym;

	uname(&u);
	if (!CHECK(p != NULL))
		return;
	dof = dtrace_dof_create(h, p, 0);
	len = ((const dof_hdr_t *)dof)->dofh_filesz;
	if (symbols_shown(h) && dtrace_lookup_by_name(h, "vmlinux", "vfs_read", &sym, NULL) == 0) {
		uint64_t elsewhere = sym.st_value ^ 0xff0000;
		void *old = dtrace_dof_create(h, p, 0);

		back = load(other, replaced(old, &sym.st_value, &elsewhere, sizeof(elsewhere)));
		again = back != NULL ? dtrace_dof_create(other, back, 0) : NULL;
		CHECK(again != NULL && memcmp(again, dof, len) == 0);
		dtrace_dof_destroy(other, again);
		dtrace_dof_destroy(h, old);
		old = dtrace_dof_create(h, p, 0);
		CHECK(load(other, replaced(old, "`vfs_read", "`vfs_rear", 10)) == NULL);
		CHECK(strstr(dtrace_errmsg(other, dtrace_errno(other)), "the address of vmlinux`vfs_rear") !=
		    NULL);
		dtrace_dof_destroy(h, old);
	}
	CHECK(load(other, replaced(dof, u.release, "99", 2)) == NULL);
	CHECK(strstr(dtrace_errmsg(other, dtrace_errno(other)), "another kernel (99") != NULL);
	dtrace_dof_destroy(h, dof);
	dtrace_close(other);
	dtrace_close(h);
}

static void test_refused(void)
{
	dtrace_hdl_t *h = open_plain();
	int err = 0;

	CHECK(dtrace_vopen(DTRACE_VERSION, DTRACE_O_NODEV, &err, (const dtrace_vector_t *)h, NULL) == NULL);
	CHECK_INT(err, ENOTSUP);
	dtrace_close(dtrace_vopen(DTRACE_VERSION, DTRACE_O_NODEV, &err, NULL, NULL));
	CHECK_INT(err, 0);
	CHECK(dtrace_stmt_create(h, NULL) == NULL && dtrace_errno(h) == EDT_UNSUPPORTED);
	CHECK(dtrace_stmt_action(h, NULL) == NULL && dtrace_errno(h) == EDT_UNSUPPORTED);
	CHECK(dtrace_stmt_add(h, NULL, NULL) == -1 && dtrace_errno(h) == EDT_UNSUPPORTED);
	dtrace_stmt_destroy(h, NULL);
	dtrace_close(h);
}

/* What a front end needs beyond history. */
static void test_front_end(void)
{
	dtrace_hdl_t *h = open_plain();
	dtrace_anonprog_t p, *back;
	char path[] = "/tmp/api_objects_test.XXXXXX", *options[] = { "bufsize=64k", "cpp", NULL };
	dtrace_optval_t v;
	int fd = mkstemp(path), n = 0;

	CHECK_INT(dtrace_setopt(h, "bufsiz", "4m"), -1);
	CHECK(strstr(dtrace_errexcerpt(h), "bufsize") != NULL);
	CHECK_INT(dtrace_proc_followed(h), 0);
	CHECK(dtrace_proc_target(h, 0) == -1 && dtrace_proc_target(h, 123) == 0);
	p = (dtrace_anonprog_t){ dtrace_program_strcompile(h, "BEGIN { trace($target); }",
	    DTRACE_PROBESPEC_NAME, 0, 0, NULL), 0, "BEGIN" };
	CHECK(fd >= 0 && p.dtap_prog != NULL && dtrace_anon_save(h, path, &p, 1, options) == 0);
	dtrace_close(h);
	h = open_plain();
	CHECK(dtrace_anon_load(h, path, &back, &n) == 0 && n == 1);
	CHECK(n == 1 && !back->dtap_script && strcmp(back->dtap_name, "BEGIN") == 0 &&
	    back->dtap_prog != NULL);
	CHECK(dtrace_getopt(h, "bufsize", &v) == 0 && v == 64 << 10);
	/* the compiler's: done */
	CHECK(dtrace_getopt(h, "cpp", &v) == 0 && v == DTRACEOPT_UNSET);
	CHECK(dtrace_anon_load(h, "/nonexistent", &back, &n) == -1 && dtrace_errno(h) == EDT_NOANON);
	CHECK(dtrace_anon_save(h, path, NULL, 0, NULL) == -1 && dtrace_errno(h) == EINVAL);
	remove(path);
	dtrace_close(h);
}

struct abilities { int n, needed, wrong; };

static int see_ability(dtrace_hdl_t *h, const dtrace_ability_t *a, void *arg)
{
	struct abilities *s = arg;

	s->wrong += h == NULL || a->dta_name == NULL || a->dta_gives == NULL ||
	    a->dta_found < DTRACE_ABLE_UNKNOWN || a->dta_found > DTRACE_ABLE_YES ||
	    (a->dta_change == NULL) != (a->dta_found == DTRACE_ABLE_YES);
	s->needed += a->dta_needed;
	return ++s->n == 5 ? 7 : 0;
}

/* Rows come one by one, and the function ends them; no right is needed. */
static void test_abilities(void)
{
	struct abilities s = { 0 };
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	CHECK(h != NULL);
	CHECK_INT(dtrace_ability_iter(h, see_ability, &s), 7);
	CHECK_INT(s.n, 5);
	CHECK_INT(s.wrong, 0);
	CHECK(s.needed > 0);
	CHECK_INT(dtrace_ability_iter(h, see_ability, &s), 0);
	CHECK(s.n > 20);
	CHECK_INT(s.wrong, 0);
	CHECK_INT(dtrace_ability_iter(h, NULL, NULL), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	dtrace_close(h);
}

struct words { int n, wrong, strsize; };

static int see_word(dtrace_hdl_t *h, const dtrace_word_t *w, void *arg)
{
	struct words *s = arg;

	s->wrong += h == NULL || !w->dtw_name[0] || !w->dtw_form[0] || !w->dtw_doc[0] || !w->dtw_default ||
	    !w->dtw_range || !w->dtw_scope;
	s->strsize += strcmp(w->dtw_name, "strsize") == 0 && strcmp(w->dtw_default, "256") == 0 &&
	    strcmp(w->dtw_form, "strsize=SIZE") == 0 && strcmp(w->dtw_scope, "start") == 0;
	return ++s->n == 3 ? 9 : 0;
}

/* What can be written: every list has rows, each with all its texts. */
static void test_words(void)
{
	static const char *const lists[] = { "actions", "aggregations", "conversions", "functions", "options",
		"providers", "variables" };
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	CHECK(h != NULL);
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct words s = { 0 };

		CHECK_INT(dtrace_word_iter(h, lists[i], see_word, &s), 9);
		CHECK_INT(s.n, 3);
		CHECK_INT(dtrace_word_iter(h, lists[i], see_word, &s), 0);
		CHECK(s.n > 10);
		CHECK_INT(s.wrong, 0);
		CHECK_INT(s.strsize, strcmp(lists[i], "options") == 0);
	}
	CHECK_INT(dtrace_word_iter(h, "opions", see_word, NULL), -1);
	CHECK(strstr(dtrace_errmsg(h, dtrace_errno(h)), "`options`") != NULL);
	CHECK_INT(dtrace_word_iter(h, "options", NULL, NULL), -1);
	CHECK_INT(dtrace_errno(h), EINVAL);
	dtrace_close(h);
}

struct libraries { int n, wrong, io; };

static int see_library(dtrace_hdl_t *h, const char *path, const char *text, void *arg)
{
	struct libraries *l = arg;

	l->wrong += h == NULL || path[0] == '\0' || text[0] == '\0';
	l->io += strcmp(path, "io.d") == 0 && strstr(text, "translator bufinfo_t") != NULL;
	return ++l->n == 3 ? 9 : 0;
}

/* D libraries: ours by name, those of a directory by path; one that is not there is an error. */
static void test_libraries(void)
{
	int err;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	struct libraries l = { 0 };

	CHECK_INT(dtrace_library_iter(h, see_library, &l), 9);
	CHECK_INT(dtrace_library_iter(h, see_library, &l), 0);
	CHECK(l.n > 20 && l.wrong == 0 && l.io == 1);
	CHECK_INT(dtrace_library_iter(h, NULL, NULL), -1);
	dtrace_close(h);
	h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	CHECK_INT(dtrace_setopt(h, "libdir", "/nonexistent"), 0);
	CHECK_INT(dtrace_library_iter(h, see_library, &l), -1);
	CHECK(strstr(dtrace_errmsg(h, dtrace_errno(h)), "/nonexistent") != NULL);
	dtrace_close(h);
}

/* H 20; what is refused is tested with a second user, in surroundings.sh. */
static void test_outfile(void)
{
	char folder[] = "/tmp/api_objects_test.XXXXXX", path[64], text[16] = "";
	mode_t mask = umask(0);
	struct stat st;
	FILE *f;

	CHECK(mkdtemp(folder) != NULL);
	snprintf(path, sizeof(path), "%s/out", folder);
	for (int i = 0; i < 4; i++) {	/* a, ab; b; ba: append or not */
		f = dtrace_outfile(path, i != 2);
		CHECK(f != NULL && fputc(i % 2 ? 'b' : 'a', f) != EOF && fclose(f) == 0);
	}
	f = fopen(path, "r");
	CHECK(f != NULL && fgets(text, sizeof(text), f) != NULL && fstat(fileno(f), &st) == 0);
	fclose(f);
	CHECK_STR(text, "ab");
	CHECK_INT(st.st_mode & 07777, 0644);
	CHECK(dtrace_outfile(folder, 1) == NULL && errno == EISDIR);
	CHECK(dtrace_outfile("/nonexistent/x", 1) == NULL && errno == ENOENT);
	umask(mask);
	remove(path);
	remove(folder);
}

int main(void)
{
	test_abilities();
	test_words();
	test_libraries();
	test_symbols();
	test_no_symbols();
	test_types();
	test_objects();
	test_environment();
	test_dof();
	test_dof_of_another_kernel();
	test_refused();
	test_front_end();
	test_outfile();
	return check_report("api_objects");
}
