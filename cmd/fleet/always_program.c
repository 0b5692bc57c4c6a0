/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * One program of the folder: a worker is started, its frames are taken, its budget is watched. It ends for
 * good when its text is wrong, when it calls exit(), or when it was over its budget, until the file changes.
 * A worker that dies is started again, after 1, 2, 4 … 60 seconds.
 */
#include "always.h"

#include "base.h"
#include "post.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT_MAX = 64 << 10, FRAME_MAX = 16 << 20, PATIENCE = 5 };	/* seconds over a budget */

const char *const budget_names[NBUDGETS] = { "memory", "cpu", "rate", "samples" };

void program_log(const struct program *p, const char *what, const char *more)
{
	const char *name = p->name[0] != '\0' ? p->name : p->path;

	fprintf(stderr, "dtraced: program %s %s%s\n", name, what, more);
}

/* ---- a worker ---- */

/* DTRACE_DOCUMENT_*; 0: none */
static long profiles_kind(const struct settings *s)
{
	if (s->otlp_profiles == 0)
		return 0;
	return strcmp(otlp_schemas[s->otlp_profiles], "1.10") == 0 ? DTRACE_DOCUMENT_OTLP_PROFILES_1_10 :
	    DTRACE_DOCUMENT_OTLP_PROFILES_1_9;
}

static int fill_request(struct out_message *q, const struct program *p, const struct settings *s,
    const char *text, size_t len)
{
	message_begin(q, "work");
	message_put(q, "name", "%s", s->name);
	message_put(q, "hostroot", "%s", s->hostroot);
	message_put(q, "always", "%s", p->name);
	message_put(q, "every", "%ld", s->otlp[0] != '\0' ? s->otlp_every : 0);
	message_put(q, "profiles", "%ld", s->otlp[0] != '\0' ? profiles_kind(s) : 0);
	message_put(q, "history", "%ld", s->history[0] != '\0' ? s->history_every : 0);
	message_put(q, "program", "file %zu", len);
	message_body(q, text, len);
	return q->failed ? ENOMEM : 0;
}

/* The whole file, at most what look_at() allows. */
static char *read_program(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	char *text = malloc(MESSAGE_MAX / 2 + 1);
	ssize_t n = 1;

	for (*len = 0; fd >= 0 && text != NULL && n > 0 && *len <= MESSAGE_MAX / 2; *len += (size_t)n)
		if ((n = read(fd, text + *len, MESSAGE_MAX / 2 + 1 - *len)) <= 0)
			break;
	if (fd < 0 || n < 0 || *len > MESSAGE_MAX / 2) {
		free(text);
		text = NULL;
	}
	if (fd >= 0)
		close(fd);
	return text;
}

static void again_later(struct program *p)
{
	unsigned seconds = p->tries < 6 ? 1u << p->tries : 60;

	p->tries++;
	p->next = now_ns() + seconds * SECOND_NS;
	p->state = PROGRAM_WAITS;
}

void program_start(struct program *p, const struct settings *s)
{
	struct out_message q = { 0 };
	size_t len;
	char *text = read_program(p->path, &len);
	int in = -1, err = text != NULL ? fill_request(&q, p, s, text, len) : errno;

	if (text != NULL)
		history_begin(&p->past, text, len);
	free(text);
	if (err == 0)
		in = worker_request(q.bytes, q.len);
	message_free(&q);
	if (err == 0)
		err = in < 0 ? ENOMEM : worker_spawn("--worker", in, &p->pid, &p->said, &p->stream);
	if (in >= 0)
		close(in);
	if (err != 0) {
		program_log(p, "cannot be started: ", strerror(err));
		p->pid = 0;
		again_later(p);
		return;
	}
	(void)fcntl(p->stream, F_SETFL, O_NONBLOCK);
	p->state = PROGRAM_RUNS;
	p->over = p->changed = false;
	p->begun = p->measured = now_ns();
	p->killed = p->cpu_ticks = p->records = 0;
	memset(p->over_for, 0, sizeof(p->over_for));
}

void program_end(struct program *p)
{
	if (p->pid == 0 || p->killed != 0)
		return;
	p->killed = now_ns();
	kill(p->pid, SIGTERM);
}

/* ---- what it writes ---- */

static void take_said(struct program *p)
{
	char piece[4096], *more;
	ssize_t n = read(p->said, piece, sizeof(piece));

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0) {
		close(p->said);
		p->said = -1;
		return;
	}
	if (p->ntext + (size_t)n > TEXT_MAX || (more = realloc(p->text, p->ntext + (size_t)n + 1)) == NULL)
		return;
	memcpy(more + p->ntext, piece, (size_t)n);
	p->text = more;
	p->ntext += (size_t)n;
	more[p->ntext] = '\0';
	if (strncmp(more, "live\n", 5) == 0) {
		program_log(p, "runs", "");
		p->ntext -= 5;
		memmove(more, more + 5, p->ntext + 1);
	}
}

static long count_samples(const char *text, size_t len)
{
	long n = 0;

	for (const char *end = text + len, *line; text < end; text = line + 1) {
		line = memchr(text, '\n', (size_t)(end - text));
		if (line == NULL)
			break;
		n += *text != '#';
	}
	return n;
}

static void stop_over(struct program *p, enum budget b, const char *fmt, double is, long limit)
{
	char text[160];

	if (p->over)
		return;
	snprintf(text, sizeof(text), fmt, is, limit);
	program_log(p, "is stopped: ", text);
	p->stops[b]++;
	p->over = true;
	program_end(p);
}

static void take_frame(struct program *p, const struct settings *s, const struct outlets *to, uint32_t kind,
    const char *bytes, size_t len)
{
	if (kind == FRAME_COUNTS && len == sizeof(p->last)) {
		memcpy(&p->last, bytes, len);
	} else if (kind == DTRACE_DOCUMENT_OPENMETRICS) {
		long n = count_samples(bytes, len);
		char *text = malloc(len + 1);

		if (n > s->budget.samples)
			stop_over(p, OVER_SAMPLES, "it has %.0f samples, its budget is %ld (samples=)",
			    (double)n, s->budget.samples);
		if (text == NULL)
			return;
		memcpy(text, bytes, len);
		free(p->document);
		p->document = text;
		p->ndocument = len;
	} else if (kind == DTRACE_DOCUMENT_RECORDING) {
		struct frame_past past;

		if (to->history == NULL || len < sizeof(past))
			return;
		memcpy(&past, bytes, sizeof(past));
		history_put(to->history, p->name, &p->past, past.from, past.to, bytes + sizeof(past),
		    len - sizeof(past));
	} else if (to->post != NULL && len > 0) {
		post_put(to->post, kind == DTRACE_DOCUMENT_OTLP_METRICS ? "/v1/metrics" :
		    kind == DTRACE_DOCUMENT_OTLP_TRACES ? "/v1/traces" : "/v1development/profiles",
		    bytes, len);
	}
}

static void take_frames(struct program *p, const struct settings *s, const struct outlets *to)
{
	size_t at = 0;
	struct frame f;

	while (p->npending - at >= sizeof(f)) {
		memcpy(&f, p->pending + at, sizeof(f));
		if (f.len > FRAME_MAX) {
			stop_over(p, OVER_SAMPLES, "it has %.0f bytes of metrics or records at once; "
			    "the most is %ld", f.len, FRAME_MAX);
			at = p->npending;
			break;
		}
		if (p->npending - at - sizeof(f) < f.len)
			break;
		take_frame(p, s, to, f.kind, p->pending + at + sizeof(f), f.len);
		at += sizeof(f) + f.len;
	}
	if (at > 0)
		memmove(p->pending, p->pending + at, p->npending - at);
	p->npending -= at;
}

static void take_stream(struct program *p, const struct settings *s, const struct outlets *to)
{
	enum { PIECE = 256 << 10 };
	char *more = realloc(p->pending, p->npending + PIECE);
	ssize_t n;

	if (more == NULL)
		return;
	p->pending = more;
	n = read(p->stream, more + p->npending, PIECE);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		close(p->stream);
		p->stream = -1;
		return;
	}
	p->npending += (size_t)n;
	take_frames(p, s, to);
}

/* ---- its budget ---- */

static uint64_t cpu_ticks(pid_t pid)
{
	char path[64], line[1024], *at;
	unsigned long user = 0, kernel = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	if (fgets(line, sizeof(line), f) != NULL && (at = strrchr(line, ')')) != NULL)
		(void)sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel);
	fclose(f);
	return user + kernel;
}

/* Memory of its own: buffers that it shares with the kernel grow with the number of CPUs, and are bounded. */
static long own_memory(pid_t pid)
{
	char path[64], line[256];
	long kilobytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	if ((f = fopen(path, "re")) == NULL)
		return 0;
	while (fgets(line, sizeof(line), f) != NULL && sscanf(line, "RssAnon: %ld", &kilobytes) != 1)
		;
	fclose(f);
	return kilobytes << 10;
}

/* Memory counts at once, the others when they are too much for PATIENCE seconds in a row. */
static void check(struct program *p, enum budget b, double is, long limit, const char *fmt)
{
	p->over_for[b] = is > (double)limit ? p->over_for[b] + 1 : 0;
	if (p->over_for[b] >= (b == OVER_MEMORY ? 1 : PATIENCE))
		stop_over(p, b, fmt, is, limit);
}

static void measure(struct program *p, const struct settings *s)
{
	uint64_t now = now_ns(), ticks;
	double seconds = (double)(now - p->measured) / 1e9, share;

	if (seconds < 1)
		return;
	p->measured = now;
	ticks = cpu_ticks(p->pid);
	share = ticks > p->cpu_ticks ?
	    (double)(ticks - p->cpu_ticks) / (double)sysconf(_SC_CLK_TCK) / seconds : 0;
	p->cpu = share + (p->last.probes > 0 ? p->last.probes : 0);
	p->cpu_ticks = ticks > p->cpu_ticks ? ticks : p->cpu_ticks;
	p->memory = own_memory(p->pid);
	check(p, OVER_MEMORY, (double)p->memory / (1 << 20), s->budget.memory,
	    "it has %.0f MiB of memory, its budget is %ld (memory=)");
	check(p, OVER_CPU, 100 * p->cpu, s->budget.cpu,
	    "it takes %.1f %% of a CPU, its budget is %ld (cpu=)");
	check(p, OVER_RATE, (double)(p->last.records - p->records) / seconds, s->budget.rate,
	    "it makes %.0f records a second, its budget is %ld (rate=)");
	p->records = p->last.records;
}

/* ---- its end ---- */

static void forget_document(struct program *p)
{
	free(p->document);
	p->document = NULL;
	p->ndocument = 0;
}

static void add_up(struct program *p)
{
	p->before.records += p->last.records;
	p->before.drops += p->last.drops;
	p->before.errors += p->last.errors;
	p->before.spans_left += p->last.spans_left;
	p->last = (struct frame_counts){ 0 };
	p->ticks_before += p->cpu_ticks;
	p->cpu_ticks = 0;
	p->cpu = 0;
	p->memory = 0;
}

/* "fail WHY" and a message, of the compiler or the kernel. */
static void judge(struct program *p, int status)
{
	char *text = p->text != NULL ? p->text : "", number[64];
	char *message = strchr(text, '\n');
	bool fails = strncmp(text, "fail ", 5) == 0 && message != NULL;

	if (p->removed || p->changed) {
		p->next = 0;			/* look_at() has said what is next */
	} else if (p->over) {
		p->state = PROGRAM_STOPPED;
	} else if (fails && strncmp(text, "fail failed", 11) != 0) {
		program_log(p, "is not run: ", message + 1);
		p->state = PROGRAM_BROKEN;
	} else if (!fails && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
		program_log(p, "has ended by itself", "");
		p->state = PROGRAM_ENDED;
	} else {
		if (WIFSIGNALED(status))
			snprintf(number, sizeof(number), "it was killed by signal %d", WTERMSIG(status));
		else
			snprintf(number, sizeof(number), "it ended with status %d", WEXITSTATUS(status));
		program_log(p, "has failed and is started again: ", fails ? message + 1 : number);
		p->restarts++;
		if (now_ns() - p->begun > 60 * SECOND_NS)
			p->tries = 0;
		again_later(p);
	}
	if (p->state != PROGRAM_ENDED)
		forget_document(p);
}

static void finish(struct program *p)
{
	int status;

	if (p->said >= 0 || p->stream >= 0 || waitpid(p->pid, &status, WNOHANG) != p->pid)
		return;
	p->pid = 0;
	add_up(p);
	if (p->text != NULL)
		text_clean(p->text);
	judge(p, status);
	p->changed = false;
	free(p->text);
	p->text = NULL;
	p->ntext = p->npending = 0;
}

void program_work(struct program *p, const struct settings *s, const struct outlets *to)
{
	struct pollfd fd[2] = { { p->said, POLLIN, 0 }, { p->stream, POLLIN, 0 } };

	(void)poll(fd, 2, 0);
	if (fd[0].revents != 0)
		take_said(p);
	if (fd[1].revents != 0)
		take_stream(p, s, to);
	if (p->killed == 0 && p->state == PROGRAM_RUNS)
		measure(p, s);
	if (p->killed != 0 && now_ns() - p->killed > 5 * SECOND_NS)
		kill(p->pid, SIGKILL);
	finish(p);
}

void program_free(struct program *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		waitpid(p->pid, NULL, 0);
	}
	if (p->said >= 0)
		close(p->said);
	if (p->stream >= 0)
		close(p->stream);
	free(p->text);
	free(p->pending);
	free(p->document);
	free(p);
}
