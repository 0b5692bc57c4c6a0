/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs the D tests: test/d/<area>/NAME.d beside NAME.out, and err.D_TAG.NAME.d which must fail to
 * compile with that tag. Called through test/run. One process a test, two at a time or as many as
 * there are CPUs; what a test prints goes to files of its own, so nothing is mixed up.
 *
 * In a test's header comment:
 *   @args: WORDS         operands ($1 …)            @flags: WORDS   more dtrace flags
 *   @tool: dtrace|interp|listing                    @skip-unless: COMMAND   (of the shell; must succeed)
 *   @kernel: no, because WORDS                      not run in the kernel: what it shows cannot be there
 *
 * interp runs `difrun FILE [args]` and compares stdout, then the same once more with --dof: a program that
 * was saved and loaded must do the same; and a third time with --kernel, where eBPF may be used: the kernel
 * must do what the interpreter does. dtrace runs `dtrace -e -x errtags -s FILE` and compares stderr;
 * listing is `dtrace -S -e -s FILE`, stderr, with addresses of DIFOs hidden.
 */
#include "base/arena.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_OUTPUT (16u << 20)
#define MAX_WORDS 64
#define TIME_LIMIT "60"		/* seconds, for one test */

enum tool { TOOL_DTRACE, TOOL_INTERP, TOOL_LISTING };
enum verdict { PASS, FAIL, SKIP, NONE };

struct test {
	char *path;		/* test/d/area/NAME.d */
	char *out;		/* the expected output's path */
	const char *tag;	/* of an err. test, else NULL */
	enum tool tool;
	bool dof;		/* the second run, of the program as it comes back from DOF */
	bool kernel;		/* the third, in the kernel against the interpreter */
	char *args, *flags, *skip, *not;	/* directives, or NULL; not: why not in the kernel */
	pid_t pid;
	int slot;
};

struct run {
	struct dt_arena *arena;
	DT_VEC(struct test) tests;
	const char *build;
	char tmp[64];
	bool update;
	/* same: what the kernel showed is the .out to the letter */
	unsigned count[4], dof, kernel, same, left;
	char *norights;		/* why nothing runs in the kernel */
};

/* ---- finding tests ---- */

static bool wanted(const char *path, char *const *pattern)
{
	bool any = false;
	for (; *pattern; pattern++, any = true)
		if (strstr(path, *pattern) || fnmatch(*pattern, path, 0) == 0)
			return true;
	return !any;
}

static char *directive(struct dt_arena *a, const char *text, const char *name)
{
	const char *p = strstr(text, name);
	if (!p)
		return NULL;
	p += strlen(name);
	p += strspn(p, " \t");
	size_t n = strcspn(p, "\n");
	const char *end = memmem(p, n, "*/", 2);
	if (end)
		n = (size_t)(end - p);
	while (n && (p[n - 1] == ' ' || p[n - 1] == '\t'))
		n--;
	return dt_arena_strndup(a, p, n);
}

static const char *tag_of(struct dt_arena *a, const char *base)
{
	if (strncmp(base, "err.", 4) != 0)
		return NULL;
	return dt_arena_strndup(a, base + 4, strcspn(base + 4, "."));
}

static enum tool tool_of(const struct test *t, const char *word)
{
	if (word)
		return strcmp(word, "dtrace") == 0 ? TOOL_DTRACE : strcmp(word, "listing") == 0 ?
		    TOOL_LISTING : TOOL_INTERP;
	if (t->tag)
		return TOOL_DTRACE;
	return strstr(t->path, "/listing/") ? TOOL_LISTING : TOOL_INTERP;
}

/* Directives stand in the first comment, so only that part of the text is looked at. */
static char *header(struct dt_arena *a, const char *path)
{
	char *text;
	size_t len;
	if (dt_file_read(path, MAX_OUTPUT, &text, &len) != 0)
		return dt_arena_strdup(a, "");
	const char *open = strstr(text, "/*");
	const char *close = open ? strstr(open, "*/") : NULL;
	char *head = close ? dt_arena_strndup(a, open, (size_t)(close - open) + 2) : dt_arena_strdup(a, "");
	free(text);
	return head;
}

static void add_test(struct run *r, const char *path)
{
	struct test t = { .path = dt_arena_strdup(r->arena, path) };
	const char *base = strrchr(path, '/') + 1;
	char *head = header(r->arena, path);
	t.out = dt_arena_printf(r->arena, "%.*s.out", (int)strlen(path) - 2, path);
	t.tag = tag_of(r->arena, base);
	t.args = directive(r->arena, head, "@args:");
	t.flags = directive(r->arena, head, "@flags:");
	t.skip = directive(r->arena, head, "@skip-unless:");
	t.tool = tool_of(&t, directive(r->arena, head, "@tool:"));
	dt_vec_push(r->arena, &r->tests, t);
	if (t.tool != TOOL_INTERP || t.tag || r->update)
		return;
	t.dof = true;
	dt_vec_push(r->arena, &r->tests, t);
	t.dof = false;
	t.kernel = true;
	t.not = directive(r->arena, head, "@kernel: no, because");
	dt_vec_push(r->arena, &r->tests, t);
}

static int by_path(const void *a, const void *b)
{
	const struct test *x = a, *y = b;
	int order = strcmp(x->path, y->path);
	return order ? order : x->dof + 2 * x->kernel - (y->dof + 2 * y->kernel);
}

static void find_tests(struct run *r, char *const *pattern)
{
	char line[4096];
	FILE *f = popen("find test/d -name '*.d' -type f", "r");
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (wanted(line, pattern))
			add_test(r, line);
	}
	if (f)
		pclose(f);
	if (r->tests.n)
		qsort(r->tests.v, r->tests.n, sizeof(struct test), by_path);
}

/* ---- running one ---- */

struct words { char *v[MAX_WORDS]; int n; };

static void add_word(struct words *w, char *word)
{
	if (w->n < MAX_WORDS - 1)
		w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

/* Words at white space; quotes '…' and "…" keep it. */
static void add_words(struct dt_arena *a, struct words *w, const char *text)
{
	while (text && *(text += strspn(text, " \t"))) {
		char *word = dt_arena_alloc(a, strlen(text) + 1), *to = word, quote = 0;
		for (; *text && (quote || !strchr(" \t", *text)); text++) {
			if (quote ? *text == quote : *text == '\'' || *text == '"')
				quote = quote ? 0 : *text;
			else
				*to++ = *text;
		}
		add_word(w, word);
	}
}

static void command(struct run *r, const struct test *t, struct words *w)
{
	add_word(w, "timeout");
	add_word(w, TIME_LIMIT);
	if (t->tool == TOOL_INTERP) {
		add_word(w, dt_arena_printf(r->arena, "%s/test/difrun", r->build));
		if (t->dof)
			add_word(w, "--dof");
		if (t->kernel)
			add_word(w, "--kernel");
		add_word(w, t->path);
	} else {
		add_word(w, dt_arena_printf(r->arena, "%s/dtrace", r->build));
		add_words(r->arena, w, t->tool == TOOL_LISTING ? "-S -e" : "-e -x errtags");
		add_words(r->arena, w, t->flags);
		add_word(w, "-s");
		add_word(w, t->path);
	}
	add_words(r->arena, w, t->args);
}

static void out_path(const struct run *r, int slot, const char *what, char *buf, size_t len)
{
	snprintf(buf, len, "%s/%s.%d", r->tmp, what, slot);
}

static void start(struct run *r, struct test *t, int slot)
{
	struct words w = { .n = 0 };
	char out[128], err[128];
	command(r, t, &w);
	out_path(r, slot, "out", out, sizeof(out));
	out_path(r, slot, "err", err, sizeof(err));
	t->slot = slot;
	fflush(NULL);
	t->pid = fork();
	if (t->pid != 0)
		return;
	int o = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600),
	    e = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int in = open("/dev/null", O_RDONLY);
	dup2(in, 0);
	dup2(o, 1);
	dup2(e, 2);
	execvp(w.v[0], w.v);
	_exit(127);
}

/* ---- judging ---- */

/* DIFO 0x7f…: the address changes from run to run. In place: an address is never shorter than ADDR. */
static void hide_addresses(char *text, size_t *len)
{
	static const char mark[] = "DIFO 0x";
	char *to = text;
	for (char *p = text; *p;) {
		size_t digits = strncmp(p, mark, 7) == 0 ? strspn(p + 7, "0123456789abcdef") : 0;
		if (digits >= 4) {
			memcpy(to, "DIFO 0xADDR", 11);
			to += 11;
			p += 7 + digits;
		} else {
			*to++ = *p++;
		}
	}
	*to = '\0';
	*len = (size_t)(to - text);
}

static char *read_back(struct run *r, const struct test *t, const char *what, size_t *len)
{
	char path[128], *text;
	out_path(r, t->slot, what, path, sizeof(path));
	if (dt_file_read(path, MAX_OUTPUT, &text, len) != 0) {
		text = calloc(1, 1);
		*len = 0;
	}
	if (t->tool == TOOL_LISTING)
		hide_addresses(text, len);
	return text;
}

static void write_file(const char *path, const char *text, size_t len)
{
	FILE *f = fopen(path, "w");
	if (!f || fwrite(text, 1, len, f) != len)
		fprintf(stderr, "test/run: cannot write %s: %s\n", path, strerror(errno));
	if (f)
		fclose(f);
}

static void show_diff(struct run *r, const struct test *t, const char *got, size_t len)
{
	char path[128];
	out_path(r, t->slot, "got", path, sizeof(path));
	write_file(path, got, len);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		execlp("diff", "diff", "-u", "--label", t->out, "--label", "now", t->out, path, (char *)NULL);
		_exit(127);
	}
	waitpid(pid, NULL, 0);
}

/* The text as expected, -u writes it; false after a diff was shown. */
static bool as_expected(struct run *r, const struct test *t, const char *got, size_t len)
{
	char *want;
	size_t wantlen;
	if (r->update) {
		write_file(t->out, got, len);
		return true;
	}
	if (dt_file_read(t->out, MAX_OUTPUT, &want, &wantlen) != 0) {
		printf("FAIL %s: no %s (test/run -u makes it)\n", t->path, t->out);
		return false;
	}
	bool same = wantlen == len && memcmp(want, got, len) == 0;
	free(want);
	if (!same) {
		printf("FAIL %s%s\n", t->path, t->dof ? " through DOF" : "");
		show_diff(r, t, got, len);
	}
	return same;
}

static bool tag_found(const struct test *t, const char *err)
{
	char mark[64];
	int n = snprintf(mark, sizeof(mark), "[%s]", t->tag);
	if (memmem(err, strcspn(err, "\n"), mark, (size_t)n))
		return true;
	printf("FAIL %s: no %s in: %.*s\n", t->path, mark, (int)strcspn(err, "\n"), err);
	return false;
}

/*
 * A crash or a run out of time is a failure whatever was printed. difrun and dtrace -e may end with 0 or
 * 1.
 */
static bool ended_well(const struct test *t, int status, const char *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	int worst = t->tag ? 1 : t->tool == TOOL_INTERP ? 99 : 1;
	if ((t->tag ? code == 1 : code <= worst) && !strstr(err, "Sanitizer") &&
	    !strstr(err, "runtime error:"))
		return true;
	printf("FAIL %s: %s (status %d)\n%s", t->path, code == 124 ? "no end after " TIME_LIMIT " s" :
	    code == 127 ? "the program is not built" : "ended badly", code, err);
	return false;
}

/*
 * difrun compares; 3: not a program, 77: not here. What of the text is a real process's own differs from
 * the .out.
 */
static enum verdict judge_kernel(struct run *r, const struct test *t, int status)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	size_t len, errlen, wantlen;
	char *out = read_back(r, t, "out", &len), *err = read_back(r, t, "err", &errlen), *want;
	enum verdict v = code == 0 ? PASS : code == 3 ? NONE : code == 77 ? SKIP : FAIL;

	if (strstr(err, "Sanitizer") || strstr(err, "runtime error:"))
		v = FAIL;
	if (v == FAIL) {
		printf("FAIL %s in the kernel (status %d)\n%s%s", t->path, code, out, err);
	} else if (v == SKIP) {
		printf("skip %s in the kernel: %s", t->path, out);
	} else if (v == PASS) {
		r->kernel++;
		if (dt_file_read(t->out, MAX_OUTPUT, &want, &wantlen) == 0) {
			r->same += wantlen == len && memcmp(want, out, len) == 0;
			free(want);
		}
	}
	free(out);
	free(err);
	return v;
}

static enum verdict judge(struct run *r, const struct test *t, int status)
{
	if (t->kernel)
		return judge_kernel(r, t, status);
	size_t outlen, errlen;
	char *out = read_back(r, t, "out", &outlen), *err = read_back(r, t, "err", &errlen);
	bool interp = t->tool == TOOL_INTERP;
	bool good = ended_well(t, status, err) && (!t->tag || tag_found(t, interp ? out : err));
	/* the tag is the contract of an err. test; its full text only where somebody wrote it down */
	if (good && (!t->tag || access(t->out, F_OK) == 0))
		good = as_expected(r, t, interp ? out : err, interp ? outlen : errlen);
	free(out);
	free(err);
	return good ? PASS : FAIL;
}

static bool skipped(struct run *r, const struct test *t)
{
	if (t->kernel && r->norights)
		return true;
	if (t->kernel && t->not) {
		printf("skip %s in the kernel: %s\n", t->path, t->not);
		r->left++;
		return true;
	}
	if (!t->skip)
		return false;
	char *cmd = dt_arena_printf(r->arena, "(%s) >/dev/null 2>&1", t->skip);
	if (system(cmd) == 0)
		return false;
	printf("skip %s: %s\n", t->path, t->skip);
	return true;
}

/* ---- all of them ---- */

/* Whether the kernel can be asked at all, told once. */
static void ask_rights(struct run *r)
{
	char line[512] = "";
	FILE *f = popen(dt_arena_printf(r->arena, "%s/test/difrun --rights", r->build), "r");
	if (f && fgets(line, sizeof(line), f))
		line[strcspn(line, "\n")] = '\0';
	if (!f || pclose(f) != 0) {
		r->norights = dt_arena_strdup(r->arena, line);
		printf("skip all in the kernel: %s\n", line);
	}
}

static void reap(struct run *r, size_t started, bool *busy)
{
	int status;
	pid_t pid = wait(&status);
	for (size_t i = 0; i < started; i++) {
		struct test *t = &r->tests.v[i];
		if (t->pid != pid || pid <= 0)
			continue;
		r->count[judge(r, t, status)]++;
		r->dof += t->dof;
		t->pid = 0;
		busy[t->slot] = false;
		return;
	}
}

static void run_all(struct run *r)
{
	enum { SLOTS = 16 };
	bool busy[SLOTS] = { false };
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int slots = cpus < 1 ? 1 : cpus > SLOTS ? SLOTS : (int)cpus, running = 0;
	for (size_t i = 0; i < r->tests.n; i++) {
		struct test *t = &r->tests.v[i];
		if (skipped(r, t)) {
			r->count[SKIP]++;
			continue;
		}
		if (running == slots) {
			reap(r, i, busy);
			running--;
		}
		int slot = 0;
		while (busy[slot])
			slot++;
		busy[slot] = true;
		start(r, t, slot);
		running++;
	}
	while (running-- > 0)
		reap(r, r->tests.n, busy);
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

int main(int argc, char **argv)
{
	struct run r = { .arena = dt_arena_new(), .build = getenv("BUILD") };
	(void)argc;
	argv++;
	if (*argv && strcmp(*argv, "-u") == 0) {
		r.update = true;
		argv++;
	}
	if (!r.build)
		r.build = "build";
	snprintf(r.tmp, sizeof(r.tmp), "%s", "/tmp/dtrace-test.XXXXXX");
	if (!r.arena || !mkdtemp(r.tmp)) {
		fprintf(stderr, "test/run: cannot make %s: %s\n", r.tmp, strerror(errno));
		return 2;
	}
	find_tests(&r, argv);
	if (!r.update)
		ask_rights(&r);
	run_all(&r);
	nftw(r.tmp, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	if (r.dof)
		printf("%u of these ran a second time, through DOF\n", r.dof);
	if (r.kernel)
		printf("%u a third time, in the kernel: as in the interpreter, %u of them the .out to the "
		    "letter; %u left out by @kernel\n", r.kernel, r.same, r.left);
	printf("%u passed, %u failed, %u skipped\n", r.count[PASS], r.count[FAIL], r.count[SKIP]);
	int status = r.count[FAIL] != 0;
	dt_arena_free(r.arena);
	return status;
}
