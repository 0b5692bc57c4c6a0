/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values by type, probes by number and pattern, processes, headers and objects of providers: the public
 * header alone, with real traces.
 */
#include "check.h"
#include "dtrace.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static dtrace_hdl_t *opened(void)
{
	int err = 0;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, 0, &err);

	CHECK(h != NULL);
	return h;
}

static bool enable(dtrace_hdl_t *h, const char *text)
{
	dtrace_prog_t *p = dtrace_program_strcompile(h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL);

	if (CHECK(p != NULL && dtrace_program_exec(h, p, NULL) == 0 && dtrace_go(h) == 0))
		return true;
	fprintf(stderr, "%s: %s\n", text, dtrace_errmsg(h, dtrace_errno(h)));
	return false;
}

/* Runs a program, which must say exit(), to its end. */
static void run(dtrace_hdl_t *h, const char *text, dtrace_consume_probe_f *pf, void *arg)
{
	dtrace_workstatus_t status = DTRACE_WORKSTATUS_OKAY;
	FILE *null = fopen("/dev/null", "w");

	dtrace_setopt(h, "quiet", NULL);
	if (enable(h, text)) {
		while (status == DTRACE_WORKSTATUS_OKAY) {
			dtrace_sleep(h);
			status = dtrace_work(h, null, pf, NULL, arg);
		}
		CHECK_INT(status, DTRACE_WORKSTATUS_DONE);
	}
	fclose(null);
}

/* ---- firings ---- */

struct seen { int n; dtrace_val_t v[8]; char text[32]; };

static int on_probe(const dtrace_probedata_t *d, void *arg)
{
	struct seen *s = arg;

	if (s->n > 0)
		return DTRACE_CONSUME_THIS;
	while (s->n < 8 && dtrace_probedata_value(d, s->n, &s->v[s->n]) == 0)
		s->n++;
	for (int i = 0; i < s->n; i++)
		if (s->v[i].dtv_kind == DTRACE_VAL_STRING)
			snprintf(s->text, sizeof(s->text), "%.*s", (int)s->v[i].dtv_len, s->v[i].dtv_bytes);
	for (int i = 0; i < s->n; i++)
		for (size_t k = 0; s->v[i].dtv_kind == DTRACE_VAL_STACK && k < s->v[i].dtv_nframes; k++)
			CHECK(s->v[i].dtv_frames[k] != 0);
	CHECK_INT(dtrace_probedata_value(d, -1, &s->v[7]), -1);
	return DTRACE_CONSUME_THIS;
}

static void test_firing(void)
{
	dtrace_hdl_t *h = opened();
	struct seen s = { 0 };

	run(h,
	    "BEGIN { x = 1; @a = count(); } BEGIN { if (x) { trace((char)-3); } else { trace(99); } "
	    "printf(\"%s %u\", \"hello\", (uint64_t)-1); "
	    "stack(100); sym((uintptr_t)curthread); clear(@a); tracemem(curthread, 8); exit(0); }", on_probe,
	    &s);
	if (CHECK_INT(s.n, 6)) {
		CHECK(s.v[0].dtv_kind == DTRACE_VAL_INT && s.v[0].dtv_int == -3);
		CHECK(s.v[1].dtv_kind == DTRACE_VAL_STRING && s.v[1].dtv_len == 5);
		CHECK_STR(s.text, "hello");
		CHECK(s.v[2].dtv_kind == DTRACE_VAL_UINT && (uint64_t)s.v[2].dtv_int == UINT64_MAX);
		CHECK(s.v[3].dtv_kind == DTRACE_VAL_STACK && s.v[3].dtv_pid == 0 && s.v[3].dtv_nframes < 100);
		CHECK(s.v[4].dtv_kind == DTRACE_VAL_ADDRESS && s.v[4].dtv_pid == 0 && s.v[4].dtv_int != 0);
		CHECK(s.v[5].dtv_kind == DTRACE_VAL_BYTES && s.v[5].dtv_len == 8);
	}
	dtrace_close(h);
}

/* ---- elements ---- */

static int on_bucket(const dtrace_bucket_t *b, void *arg)
{
	int *n = arg;

	CHECK(b->dtbk_count == 1 && b->dtbk_has_low && b->dtbk_has_high && b->dtbk_low == 4 &&
	    b->dtbk_high == 7);
	++*n;
	return 5;		/* no more */
}

static int on_part(const char *name, int64_t value, void *arg)
{
	int *n = arg;

	CHECK_STR(name, *n == 0 ? "count" : "avg");
	CHECK_INT(value, *n == 0 ? 2 : 151);
	return ++*n == 2 ? 5 : 0;
}

static int on_element(const dtrace_aggdata_t *d, void *arg)
{
	const char *name = d->dtada_desc->dtagd_name;
	dtrace_val_t v;
	int n = 0;

	++*(int *)arg;
	CHECK_INT(dtrace_aggdata_value(d, &v), 0);
	if (name[0] == 'q') {
		CHECK_INT(v.dtv_kind, DTRACE_VAL_BUCKETS);
		CHECK_INT(dtrace_aggdata_buckets(d, on_bucket, &n), 5);
		CHECK_INT(n, 1);
		return DTRACE_AGGWALK_NEXT;
	}
	if (name[0] == 'p') {
		CHECK_INT(dtrace_aggdata_parts(d, on_part, &n), 5);
		CHECK_INT(n, 2);
		return DTRACE_AGGWALK_NEXT;
	}
	CHECK(v.dtv_kind == DTRACE_VAL_INT && v.dtv_int == -20);
	CHECK_INT(dtrace_aggdata_buckets(d, on_bucket, &n), -1);
	CHECK_INT(dtrace_aggdata_parts(d, on_part, &n), -1);
	CHECK_INT(dtrace_aggdata_nkeys(d), 2);
	CHECK(dtrace_aggdata_key(d, 0, &v) == 0 && v.dtv_kind == DTRACE_VAL_STRING && v.dtv_len == 3);
	CHECK(dtrace_aggdata_key(d, 1, &v) == 0 && v.dtv_kind == DTRACE_VAL_UINT && v.dtv_int == 7);
	CHECK_INT(dtrace_aggdata_key(d, 2, &v), -1);
	CHECK_INT(dtrace_aggdata_key(d, -1, &v), -1);
	return DTRACE_AGGWALK_NEXT;
}

static void test_elements(void)
{
	dtrace_hdl_t *h = opened();
	int n = 0;

	run(h, "BEGIN { @s[\"key\", (uint8_t)7] = sum(-40); @q = quantize(5); normalize(@s, 2); "
	    "@p = percentiles(2); @p = percentiles(300); exit(0); }", NULL, NULL);
	CHECK_INT(dtrace_aggregate_snap(h), 0);
	CHECK_INT(dtrace_aggregate_walk(h, on_element, &n), 0);
	CHECK_INT(n, 3);
	dtrace_close(h);
}

/* ---- probes ---- */

static int on_desc(dtrace_hdl_t *h, const dtrace_probedesc_t *p, void *arg)
{
	dtrace_probedesc_t same;

	CHECK(dtrace_id2desc(h, p->dtpd_id, &same) == 0 && same.dtpd_id == p->dtpd_id);
	CHECK_STR(same.dtpd_func, p->dtpd_func);
	++*(int *)arg;
	return 0;
}

static void test_probes(void)
{
	dtrace_hdl_t *h = opened();
	dtrace_probedesc_t want, none;
	int n = 0;

	CHECK_INT(dtrace_str2desc(h, DTRACE_PROBESPEC_NAME, "syscall::getppi?:entry", &want), 0);
	CHECK_INT(dtrace_probe_iter(h, &want, on_desc, &n), 0);
	CHECK_INT(n, 1);
	CHECK_INT(dtrace_id2desc(h, 0x7fffffff, &none), -1);
	CHECK_INT(dtrace_errno(h), EDT_BADID);
	dtrace_close(h);
}

/* ---- processes ---- */

static pid_t sleeper(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pause();
		_exit(0);
	}
	return pid;
}

static void test_processes(void)
{
	dtrace_hdl_t *h = opened();
	pid_t pid = sleeper(), only[2] = { 0, 0 };
	struct ps_prochandle *p = dtrace_proc_grab(h, pid, 0);
	int status = 0;

	if (CHECK(p != NULL)) {
		CHECK_INT(dtrace_proc_getpid(h, p), pid);
		CHECK_INT(dtrace_proc_gone(h, p, &status), 0);
	}
	enable(h, "syscall:::entry { @ = count(); }");
	CHECK_INT(dtrace_proc_only(h, only, 2), 1);
	CHECK_INT(only[0], pid);
	CHECK(dtrace_notice(h) != NULL);
	CHECK_INT(dtrace_stop(h), 0);
	dtrace_close(h);
	CHECK_INT(kill(pid, 0), 0);		/* it was not ours to end */
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	h = opened();
	CHECK(dtrace_proc_grab(h, pid, 0) == NULL);
	dtrace_close(h);
}

/* ---- providers of programs ---- */

static void test_providers(void)
{
	dtrace_hdl_t *h = opened();
	char *text = NULL, path[] = "/tmp/dtrace-api.XXXXXX";
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	int fd = mkstemp(path);

	CHECK_INT(dtrace_program_header(h, f, "app.h"), -1);	/* nothing is declared */
	CHECK(dtrace_program_strcompile(h, "provider app { probe query__start(char *, int); };",
	    DTRACE_PROBESPEC_NAME, DTRACE_C_EMPTY, 0, NULL) != NULL);
	CHECK_INT(dtrace_program_header(h, NULL, "app.h"), -1);
	CHECK_INT(dtrace_program_header(h, f, "app.h"), 0);
	fclose(f);
	CHECK(text != NULL && strstr(text, "APP_QUERY_START(") != NULL);
	CHECK_INT(dtrace_program_link(h, NULL, 0, path, 0, NULL), 0);
	CHECK(lseek(fd, 0, SEEK_END) > 0);
	CHECK_INT(dtrace_program_link(h, NULL, 0, "/no/such/folder/x.o", 0, NULL), -1);
	close(fd);
	unlink(path);
	free(text);
	dtrace_close(h);
}

int main(void)
{
	test_probes();
	test_providers();
	if (geteuid() == 0) {
		test_firing();
		test_elements();
		test_processes();
	}
	return check_report("api_values");
}
