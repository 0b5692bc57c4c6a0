/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The programs of real D become machine code on both machines: all that the generator of eBPF and the
 * subroutines of the runtime make is known to the translators. What each of them does is native_test's
 * business. native_image_test TEXT: the code for this machine goes to standard output, for a disassembler.
 */
#include "check.h"

#include "bpf/image.h"
#include "dtrace.h"
#include "handle/handle.h"
#include "native/native.h"

#include <errno.h>
#include <stdlib.h>

/* A map as the descriptors of a process have it. */
struct layout { const struct dt_image *image; struct dt_agent_map desc[64]; uint32_t missing; };

static uint64_t helper_at(void *ctx, uint32_t func)
{
	struct layout *l = ctx;

	return func == l->missing ? 0 : 64 + 16 * func;
}

static uint64_t map_at(void *ctx, uint32_t map, const struct dt_agent_map **desc)
{
	struct layout *l = ctx;

	*desc = &l->desc[map];
	return 16384 + 64 * (uint64_t)map;
}

static uint64_t value_at(void *ctx, uint32_t map, uint32_t off)
{
	(void)ctx;
	return DT_AGENT_SPAN + ((uint64_t)map << 20) + off;
}

static uint64_t chain_at(void *ctx, uint32_t map, uint32_t index)
{
	(void)ctx;
	return (1 << 20) + 65536 * (uint64_t)index + map;
}

static enum dt_agent_maptype type_of(uint32_t type)
{
	switch (type) {
	case BPF_MAP_TYPE_ARRAY: return DT_AGENT_ARRAY;
	case BPF_MAP_TYPE_PERCPU_ARRAY: return DT_AGENT_CPU_ARRAY;
	case BPF_MAP_TYPE_RINGBUF: return DT_AGENT_RING;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS: return DT_AGENT_OF_MAPS;
	case BPF_MAP_TYPE_TASK_STORAGE: return DT_AGENT_THREAD;
	case BPF_MAP_TYPE_PERCPU_HASH: return DT_AGENT_CPU_HASH;
	default: return DT_AGENT_HASH;
	}
}

static void lay_out(struct layout *l, const struct dt_image *image)
{
	l->image = image;
	for (uint32_t i = 0; i < image->nmaps && i < 64; i++) {
		const struct dt_image_map *m = &image->maps[i];

		l->desc[i] = (struct dt_agent_map){ .type = type_of(m->type), .key_size = m->key_size,
			.value_size = m->value_size, .max_entries = m->max_entries,
			.stride = (m->value_size + 7) & ~7u, .ncpus = 2, .at = value_at(l, i, 0) };
	}
}

struct made { dtrace_hdl_t *h; struct dt_image *image; };

/* All clauses on one hook, enough of them that there are chains of programs. */
static bool make(struct made *m, const char *text, enum dt_plan_ctx ctx)
{
	static const struct dt_features features = { .bpf_loop = true, .get_current_task_btf = true,
		.send_signal = true, .probe_write_user = true };
	struct dt_plan_opts opts = { .strsize = 256, .nspec = 1, .bufsize = 1 << 20, .aggsize = 1 << 20,
		.dynvarsize = 1 << 20, .ncpus = 2, .feat = &features, .machine = dt_machine_here() };
	struct dt_plan_hook hook = { .ctx = ctx };
	const struct dt_prog *prog;
	struct dt_enabling *en;
	dtrace_prog_t *p;
	char msg[512] = "";
	int err, rc;

	m->h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);
	p = m->h ? dtrace_program_strcompile(m->h, text, DTRACE_PROBESPEC_NAME, 0, 0, NULL) : NULL;
	if (!CHECK(p != NULL)) {
		fprintf(stderr, "%s: %s\n", text, m->h ? dtrace_errmsg(m->h, dtrace_errno(m->h)) : "");
		return false;
	}
	prog = dt_handle_prog(p);
	en = calloc(prog->necbs, sizeof(*en));
	for (uint32_t i = 0; i < prog->necbs; i++)
		en[i] = (struct dt_enabling){ .ecb = &prog->ecbs[i], .epid = i + 1, .probe_id = 1,
			.number = 10, .prov = "p", .mod = "m", .func = "f", .name = "n" };
	hook.en = en;
	hook.nen = prog->necbs;
	rc = dt_image_build(&opts, &prog, 1, &hook, 1, &m->image, msg, sizeof(msg));
	free(en);
	if (!CHECK_INT(rc, 0))
		fprintf(stderr, "%s: %s\n", text, msg);
	return rc == 0;
}

static const char *const texts[] = {
	"BEGIN { @ = count(); }", "BEGIN { @a = count(); @b = sum(arg0); @c = avg(arg1); @d = min(arg2); }",
	"BEGIN { @[pid, tid, execname] = count(); }",
	"BEGIN { @ = quantize(arg0); @l = lquantize(arg1, 0, 9, 1); }",
	"BEGIN { @ = llquantize(arg0, 10, 0, 6, 20); @s = stddev(arg1); @p = percentiles(arg2); }",
	"BEGIN { trace(arg0); trace(timestamp); trace(execname); }",
	"BEGIN { printf(\"%d %s\", pid, copyinstr(arg0)); }", "BEGIN { self->t = timestamp; x = self->t; }",
	"BEGIN { a[arg0, pid] = arg1; a[arg0, pid]++; self->b[arg1] = 3; }",
	"BEGIN /arg0 > 3 && arg1 < 7 || !arg2/ { trace(arg0 / arg1); trace(arg0 % (int)arg1); }",
	"BEGIN { s = strjoin(execname, \"x\"); trace(strlen(s)); trace(substr(s, 1, 2)); }",
	"BEGIN { trace(strchr(execname, 'x')); }",
	"BEGIN { trace(strtok(copyinstr(arg0), \"/\")); }",
	"BEGIN { trace(index(\"abc\", \"c\")); trace(rindex(\"abc\", \"a\")); }",
	"BEGIN { trace(lltostr(arg0, 16)); trace(strtoll(copyinstr(arg0))); trace(toupper(execname)); }",
	"BEGIN { trace(basename(copyinstr(arg0))); }",
	"BEGIN { trace(dirname(\"/a/b\")); trace(cleanpath(\"/a/../b\")); }",
	"BEGIN { trace(json(copyinstr(arg0), \"a.b\")); }", "BEGIN { trace(inet_ntoa6((void *)arg0)); }",
	"BEGIN { trace(htonl(arg0)); trace(ntohs(arg1)); trace(htonll(arg2)); trace(rand()); }",
	"BEGIN { ustack(); stack(); }", "BEGIN { @[ustack(5)] = count(); }",
	"BEGIN { this->s = speculation(); speculate(this->s); trace(1); } BEGIN { commit(this->s); }",
	"BEGIN { tracemem(arg0, 64); trace(copyin(arg0, 16)); copyout(alloca(8), arg0, 8); }",
	"BEGIN { if (arg0) { trace(1); } else { trace(2); } trace(arg1 ? 3 : 4); }",
	"BEGIN { trace(strstr(execname, \"a\")); trace(execname == \"b\"); exit(0); }",
	"BEGIN { trace(uregs[0]); trace(cpu); trace(walltimestamp); trace(uid); }",
};

static void translate_all(const struct made *m, const char *text, const struct dt_machine *machine)
{
	struct layout l = { 0 };
	char msg[256];

	lay_out(&l, m->image);
	for (uint32_t i = 0; i < m->image->nprogs + m->image->nmore; i++) {
		for (int lse = 0; lse < 2; lse++) {
			struct dt_native_place place = { .at = 1 << 20, .machine = machine, .lse = lse,
				.helper = helper_at, .map = map_at, .value = value_at, .chain = chain_at,
				.ctx = &l };
			struct dt_native_code code;

			if (!CHECK_INT(dt_native_translate(&m->image->progs[i], &place, &code, msg,
			    sizeof(msg)), 0))
				fprintf(stderr, "%s: %s\n", text, msg);
			free(code.bytes);
		}
	}
}

/* An image so large that it is several programs, one after the other by tail calls. */
static char *many_clauses(void)
{
	size_t size = 1 << 20, n = 0;
	char *text = malloc(size);

	for (int i = 0; i < 120; i++)
		n += (size_t)snprintf(text + n, size - n,
		    "BEGIN /arg0 != %d/ { trace(json(copyinstr(arg0), \"a%d\"));"
		    " trace(strjoin(execname, lltostr(arg%d))); @[ustack(), %d] = count(); }\n", i, i,
		    i % 4, i);
	return text;
}

static void images(void)
{
	struct made m;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		for (size_t k = 0; k < 2; k++) {
			m = (struct made){ 0 };
			if (make(&m, texts[i], k ? DT_CTX_UPROBE : DT_CTX_RUN)) {
				translate_all(&m, texts[i], &dt_machine_aarch64);
				translate_all(&m, texts[i], &dt_machine_x86_64);
			}
			dt_image_free(m.image);
			dtrace_close(m.h);
		}
	}
}

static void chains(void)
{
	struct made m = { 0 };
	char *text = many_clauses();

	if (make(&m, text, DT_CTX_UPROBE)) {
		CHECK(m.image->nmore > 0);
		translate_all(&m, "many clauses", &dt_machine_aarch64);
		translate_all(&m, "many clauses", &dt_machine_x86_64);
	}
	dt_image_free(m.image);
	dtrace_close(m.h);
	free(text);
}

/*
 * count() is what costs the most programs their time: how long its code is, and that it calls nothing on the
 * way (its lookups are inlined, so the helper may be missing).
 */
static void count_is_short(void)
{
	static const struct { const struct dt_machine *machine; size_t most; } rows[] = {
		{ &dt_machine_aarch64, 128 }, { &dt_machine_x86_64, 150 } };
	struct made m = { 0 };

	for (size_t i = 0; make(&m, texts[0], DT_CTX_UPROBE) && i < 2; i++) {
		struct layout l = { .missing = BPF_FUNC_map_lookup_elem };
		struct dt_native_place place = { .machine = rows[i].machine, .lse = true, .helper = helper_at,
			.map = map_at, .value = value_at, .chain = chain_at, .ctx = &l };
		struct dt_native_code code;
		char msg[256] = "";

		lay_out(&l, m.image);
		if (CHECK_INT(dt_native_translate(&m.image->progs[0], &place, &code, msg, sizeof(msg)), 0))
			CHECK(code.len <= rows[i].most);
		else
			fprintf(stderr, "%s\n", msg);
		free(code.bytes);
		dt_image_free(m.image);
		dtrace_close(m.h);
	}
	dt_image_free(m.image);
	dtrace_close(m.h);
}

static int show(const char *text, const struct dt_machine *machine)
{
	struct made m = { 0 };
	struct layout l = { 0 };
	struct dt_native_place place = { .machine = machine, .lse = true, .helper = helper_at,
		.map = map_at, .value = value_at, .chain = chain_at, .ctx = &l };
	struct dt_native_code code = { 0 };
	char msg[256];

	if (make(&m, text, DT_CTX_UPROBE)) {
		lay_out(&l, m.image);
		if (dt_native_translate(&m.image->progs[0], &place, &code, msg, sizeof(msg)) == 0)
			fwrite(code.bytes, 1, code.len, stdout);
		else
			fprintf(stderr, "%s\n", msg);
		free(code.bytes);
	}
	dt_image_free(m.image);
	dtrace_close(m.h);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return show(argv[1], argc > 2 ? &dt_machine_x86_64 : &dt_machine_aarch64);
	images();
	chains();
	count_is_short();
	return CHECK_DONE("native_image_test");
}
