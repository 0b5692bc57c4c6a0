/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Anonymous tracing (-A, -a): compiled programs and the options they are to run with, saved in one file and
 * claimed later, possibly after the machine has booted the same kernel again. The file is text up to the
 * first program, so that head(1) shows what it is:
 *
 *	dtrace anonymous enabling 1
 *	kernel RELEASE VERSION			from uname(2): struct offsets are those of that kernel
 *	option WORD				any number of them
 *	program BYTES script|description NAME	followed by that many bytes of DOF, then the next program
 *
 * The file runs with our rights, so it is written for the owner alone and refused when others could change
 * it. Whatever it holds is checked as hostile input: lines here, programs by dt_dof_read().
 */
#include "base/count.h"
#include "base/file.h"
#include "handle/entry.h"
#include "handle/errors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define MAGIC "dtrace anonymous enabling 1"
#define FILE_MAX (64u << 20)

/* ---- saving ---- */

/* Writes one program. Errors of writing are found later, by publish_file(). */
static int put_program(dtrace_hdl_t *h, FILE *f, const dtrace_anonprog_t *p)
{
	void *dof;
	size_t len;
	int err;

	err = dt_dof_write(p->dtap_prog->prog, &dof, &len);
	if (err != 0)
		return dt_handle_error(h, -err);
	fprintf(f, "program %zu %s %.*s\n", len, p->dtap_script ? "script" : "description",
	    (int)strcspn(p->dtap_name, "\n"), p->dtap_name);
	fwrite(dof, 1, len, f);
	free(dof);
	return 0;
}

/*
 * Whether an option is saved. Run-time options are; those of the compiler have done their work, except for
 * the few that are also looked at while tracing.
 */
static bool option_is_kept(const char *word)
{
	static const char *const compile_time[] = { "droptags", "encoding" };
	size_t len = strcspn(word, "=");

	for (size_t i = 0; i < DT_COUNT(compile_time); i++)
		if (strncmp(compile_time[i], word, len) == 0 && compile_time[i][len] == '\0')
			return true;
	for (int i = 0; i < DT_NOPTS; i++) {
		const struct dt_optrow *row = dt_options_row((enum dt_opt)i);

		if (strncmp(row->name, word, len) == 0 && row->name[len] == '\0')
			return row->cls != 'C' && i != DT_OPT_grabanon;
	}
	return false;
}

static int write_enabling(dtrace_hdl_t *h, FILE *f, const dtrace_anonprog_t *p, int n, char *const options[])
{
	struct utsname u;

	uname(&u);
	fprintf(f, MAGIC "\nkernel %s %s\n", u.release, u.version);
	for (size_t i = 0; options != NULL && options[i] != NULL; i++) {
		if (!option_is_kept(options[i]))
			continue;
		if (strchr(options[i], '\n') != NULL)
			return dt_handle_errorf(h, EDT_BADOPTVAL,
			    "an option with a line break cannot be saved");
		fprintf(f, "option %s\n", options[i]);
	}
	for (int i = 0; i < n; i++)
		if (put_program(h, f, &p[i]) != 0)
			return -1;
	return 0;
}

/*
 * The data is on the disk before the name appears: a crash leaves the old file or the new one, never a part.
 * Closes `f` in any case.
 */
static int publish_file(dtrace_hdl_t *h, FILE *f, const char *from, const char *to)
{
	bool bad = fflush(f) != 0 || ferror(f) || fsync(fileno(f)) != 0;
	int err = errno;

	if (fclose(f) != 0 && !bad) {
		bad = true;
		err = errno;
	}
	if (!bad && rename(from, to) != 0) {
		bad = true;
		err = errno;
	}
	return bad ? dt_handle_errorf(h, err, "failed to write %s: %s", to, strerror(err)) : 0;
}

/* Writes a temporary file beside `path` and renames it, so a failure leaves what was there. */
int dtrace_anon_save(dtrace_hdl_t *h, const char *path, const dtrace_anonprog_t *p, int n,
    char *const options[])
{
	char temp[4096];
	struct stat st;
	FILE *f = NULL;
	int fd = -1, rv;

	if (path == NULL || p == NULL || n <= 0)
		return dt_handle_error(h, EINVAL);
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))	/* a device would be replaced */
		return dt_handle_errorf(h, EINVAL, "%s exists and is not a regular file", path);
	if (snprintf(temp, sizeof(temp), "%s.XXXXXX", path) < (int)sizeof(temp))
		fd = mkostemp(temp, O_CLOEXEC);		/* for the owner alone */
	else
		errno = ENAMETOOLONG;
	if (fd < 0 || (f = fdopen(fd, "w")) == NULL) {
		rv = dt_handle_errorf(h, errno, "failed to write %s: %s", path, strerror(errno));
		if (fd >= 0) {
			close(fd);
			unlink(temp);
		}
		return rv;
	}
	rv = write_enabling(h, f, p, n, options);
	if (rv != 0)
		fclose(f);
	else
		rv = publish_file(h, f, temp, path);
	if (rv != 0)
		unlink(temp);
	return rv;
}

/* ---- loading ---- */

struct reader { dtrace_hdl_t *h; const char *path, *at, *end; };

/* The file is refused; `what` is the reason a user can act on. */
static int not_anonymous(struct reader *r, const char *what)
{
	return dt_handle_errorf(r->h, EINVAL, "%s is not an anonymous enabling: %s", r->path, what);
}

/*
 * Takes the next line if it begins with `word`: returns the text after the word, in the handle's arena. NULL
 * means that the line is another kind, has no end, or holds a NUL; the reader then stays where it is.
 */
static const char *take_line(struct reader *r, const char *word)
{
	const char *stop = memchr(r->at, '\n', (size_t)(r->end - r->at)), *text;
	size_t n = strlen(word);

	if (stop == NULL || (size_t)(stop - r->at) < n || memcmp(r->at, word, n) != 0 ||
	    memchr(r->at, '\0', (size_t)(stop - r->at)))
		return NULL;
	text = dt_arena_strndup(r->h->arena, r->at + n, (size_t)(stop - r->at) - n);
	r->at = stop + 1;
	return text;
}

/*
 * Refuses a file of another kernel. The version is compared too: two builds may share a release and not the
 * layout of their structs.
 */
static int check_kernel(struct reader *r, const char *saved)
{
	struct utsname u;
	char now[sizeof(u.release) + sizeof(u.version) + 1];

	uname(&u);
	snprintf(now, sizeof(now), "%s %s", u.release, u.version);
	if (strcmp(saved, now) == 0)
		return 0;
	return dt_handle_errorf(r->h, EINVAL,
	    "%s was made for another kernel (%s); make it again with dtrace -A", r->path, saved);
}

/* Sets one saved option on the handle. */
static int get_option(struct reader *r, const char *word)
{
	int err = dt_options_set_word(&r->h->options, word, 0);

	return err != 0 ? dt_handle_errorf(r->h, err, "%s: option %.64s: %s", r->path, word,
	    dt_error_text(err)) : 0;
}

/*
 * Reads the program that a "program" line announces: its length is checked against what is left of the file.
 */
static int get_program(struct reader *r, const char *text, dtrace_anonprog_t *p)
{
	char *kind;
	unsigned long len = strtoul(text, &kind, 10);

	if (len > (size_t)(r->end - r->at))
		return not_anonymous(r, "a program is cut off");
	p->dtap_script = strncmp(kind, " script ", 8) == 0;
	if (!p->dtap_script && strncmp(kind, " description ", 13) != 0)
		return not_anonymous(r, "a program is neither a script nor a description");
	p->dtap_name = kind + (p->dtap_script ? 8 : 13);
	p->dtap_prog = dt_handle_load(r->h, r->at, len);
	r->at += len;
	return p->dtap_prog != NULL ? 0 : -1;
}

/* Reads the whole file: header, options, programs, in this order. At least one program must follow. */
static int read_enabling(struct reader *r, dtrace_anonprog_t **out, int *n)
{
	DT_VEC(dtrace_anonprog_t) list = { 0 };
	dtrace_anonprog_t p;
	const char *text = take_line(r, MAGIC),
	    *kernel = text != NULL && text[0] == '\0' ? take_line(r, "kernel ") : NULL;

	if (kernel == NULL)
		return not_anonymous(r, "it does not begin like one");
	if (check_kernel(r, kernel) != 0)
		return -1;
	while ((text = take_line(r, "option ")) != NULL)
		if (get_option(r, text) != 0)
			return -1;
	dt_handle_use_options(r->h);
	while (r->at < r->end) {
		if ((text = take_line(r, "program ")) == NULL)
			return not_anonymous(r, "a program was expected");
		if (get_program(r, text, &p) != 0)
			return -1;
		dt_vec_push(r->h->arena, &list, p);
	}
	*out = list.v;
	*n = (int)list.n;
	return list.n > 0 ? 0 : not_anonymous(r, "it has no program");
}

/*
 * What runs with our rights must come from us or from root, and no other user may be able to write it. The
 * checks use the open descriptor, so the file cannot be exchanged between the check and the reading.
 */
static int open_safely(dtrace_hdl_t *h, const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return errno == ENOENT ? dt_handle_errorf(h, EDT_NOANON,
		    "%s (%s does not exist; dtrace -A writes it)",
		    dt_error_text(EDT_NOANON), path) : dt_handle_errorf(h, errno, "failed to open %s: %s",
		    path, strerror(errno));
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (st.st_uid == geteuid() || st.st_uid == 0) &&
	    (st.st_mode & 022) == 0)
		return fd;
	close(fd);
	return dt_handle_errorf(h, EACCES, "%s is refused: others can write it, or it is not yours", path);
}

/* The one place of loading that needs the handle's memory: the caller can free its buffer after a failure. */
static int try_read(struct reader *r, dtrace_anonprog_t **out, int *n)
{
	DT_PUBLIC(r->h, -1, read_enabling(r, out, n));
}

int dtrace_anon_load(dtrace_hdl_t *h, const char *path, dtrace_anonprog_t **out, int *n)
{
	struct reader r = { .h = h, .path = path };
	char *data;
	size_t len;
	int fd, err;

	if (path == NULL || out == NULL || n == NULL)
		return dt_handle_error(h, EINVAL);
	fd = open_safely(h, path);
	if (fd < 0)
		return -1;
	err = dt_file_readfd(fd, FILE_MAX, &data, &len);
	close(fd);
	if (err != 0)
		return dt_handle_errorf(h, err == -ENOMEM ? EDT_NOMEM : -err, "failed to read %s: %s", path,
		    strerror(-err));
	r.at = data;
	r.end = data + len;
	err = try_read(&r, out, n);
	free(data);
	return err;
}
