/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cat(): what a file holds when the record is read, its name made by a format: cat("/proc/%d/status",
 * pid). The name may come from a traced process, and so may what the file holds. Only regular files are
 * opened (dt_file_peek()), as much as CAT_MAX bytes is shown, and bytes that a terminal could obey are
 * shown as \xNN. A file that is not there, as that of a process which has ended, is reported in a line of
 * its own and is no error of the trace.
 */
#include "base/file.h"
#include "builtin/act_common.h"

#include <errno.h>
#include <stdlib.h>

/* Enough for any file in /proc that people read; a firing must not print megabytes. */
enum { CAT_MAX = 65536 };

/* One file, from read_file() to close_file(), which frees it. */
struct file {
	struct dt_out name;
	char *bytes;
	size_t len;
	bool more;			/* than CAT_MAX */
	int err;			/* -errno */
};

/*
 * Makes the name with the format and reads the file. Errors are kept in f->err: they are printed, not raised.
 */
static void read_file(struct dt_statements *s, const struct dt_rec *recs, size_t n, struct file *f)
{
	*f = (struct file){ .bytes = NULL };
	dt_out_init(&f->name, NULL, s->out->opts);
	dt_statement_text(s, &f->name, recs, n);
	f->err = s->played ? -ENODATA :
	    dt_file_peek(dt_out_text(&f->name), CAT_MAX, &f->bytes, &f->len, &f->more);
}

static void close_file(struct file *f)
{
	free(f->bytes);
	dt_out_free(&f->name);
}

static const char *read_error(int err)
{
	return err == -EINVAL ? "not a regular file" : strerror(-err);
}

/* A character that is only seen and that no terminal obeys; C1 controls are two bytes in UTF-8. */
static bool is_harmless(const unsigned char *p, bool utf8)
{
	if (*p >= 0x80)
		return utf8 && !(*p == 0xc2 && p[1] < 0xa0);
	return *p == '\n' || *p == '\t' || (*p >= ' ' && *p != 0x7f);
}

/*
 * Bytes for a terminal: runs of harmless ones as they are, each of the others as \xNN. Text that is no valid
 * UTF-8 is taken as single bytes.
 */
static void put_bytes(struct dt_out *o, const char *bytes, size_t len)
{
	bool utf8 = dt_json_is_utf8(bytes, len);
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		if (is_harmless((const unsigned char *)bytes + i, utf8))
			continue;
		dt_out_put(o, bytes + from, i - from);
		if (utf8 && (unsigned char)bytes[i] == 0xc2)
			dt_out_printf(o, "\\x%02x", (unsigned char)bytes[i++]);
		dt_out_printf(o, "\\x%02x", (unsigned char)bytes[i]);
		from = i + 1;
	}
	dt_out_put(o, bytes + from, len - from);
}

/* The content, then a line that says what is missing of it. */
static void cat_text(struct dt_statements *s, const struct dt_rec *recs, size_t n)
{
	struct file f;

	read_file(s, recs, n, &f);
	if (f.err == 0)
		put_bytes(s->out, f.bytes, f.len);
	if (f.err != 0 || f.more) {
		dt_out_str(s->out, f.len > 0 && f.bytes[f.len - 1] != '\n' ? "\ncat: " : "cat: ");
		put_bytes(s->out, dt_out_text(&f.name), f.name.len);
		if (f.err != 0)
			dt_out_printf(s->out, ": %s\n", read_error(f.err));
		else
			dt_out_printf(s->out, ": only the first %d bytes are shown\n", CAT_MAX);
	}
	close_file(&f);
}

/* Either the content or the error is a member, never both. */
static void cat_json(struct dt_json_firing *j, const char *name, const struct dt_rec *recs, size_t n)
{
	struct file f;

	read_file(j->sink->statements, recs, n, &f);
	dt_act_json_format(j, name, recs, n);
	dt_json_key(j->j, f.err != 0 ? "error" : "content");
	if (f.err != 0)
		dt_json_str(j->j, read_error(f.err));
	else
		dt_json_string(j->j, f.bytes, f.len);
	if (f.more) {
		dt_json_key(j->j, "more");
		dt_json_bool(j->j, true);
	}
	dt_json_action_close(j);
	close_file(&f);
}

const struct dt_action dt_action_CAT = {
	.names = DT_ACT_NAMES(DT_ACT_NAME("cat", DT_BF_RECORDS, DT_ACT_CAT, "void(string, ...)",
	    DT_VERS(1, 14, 0), dt_act_compile_printf,
	    "prints what a file holds, whose name is made by a format")),
	.facts = DT_AF_FORMAT,
	.shape = DT_SHAPE_VALUES,
	DT_ACT_BY_TYPE,
	.text = cat_text,
	.json = cat_json,
};
