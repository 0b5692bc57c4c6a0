/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The agent as the bytes that go into a process, mapped into this one: registers and flags survive a
 * firing, helpers do what the kernel's do, nested firings are missed and abandoned ones are not waited for.
 */
#include "check.h"
#include "agent/agent_impl.h"
#include "agent_probe.h"
#include "machine/x86.h"

#include <linux/bpf.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <time.h>

/* What programs see; a test has one at a time. */
static struct dt_firing seen;
static struct world *seen_world;
static volatile uint64_t seen_count;

/* ---- registers ---- */

static void fill_frame(struct frame *f, uint64_t flags)
{
	uint64_t *words = (uint64_t *)(void *)f;

	for (size_t i = 0; i < sizeof(*f) / 8; i++)
		words[i] = 0x0101010101010101ull * (i + 1) + (i << 50);
	f->word[FLAGS] = flags;
}

static void check_frame(const struct frame *in, const struct frame *out)
{
	for (int i = 0; i < WORDS; i++)
		CHECK_INT(out->word[i], in->word[i]);
	CHECK_INT(out->word[FLAGS], in->word[FLAGS]);
	CHECK(memcmp(in->vector, out->vector, 8 * VECTORS) == 0);
	CHECK(memcmp(in->redzone, out->redzone, 8 * REDZONE) == 0);
}

static uint64_t firings(const struct world *w)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < DT_AGENT_THREADS; i++)
		n += w->agent->thread[i].n;
	return n;
}

/* With every set of flags that a program can have. */
static void test_registers(struct world *w, enum weight weight)
{
	const uint64_t bits[] = FLAG_BITS;
	const unsigned nbits = sizeof(bits) / sizeof(*bits);
	struct frame in, out;
	struct probe p;

	make_probe(w, &p, agent_mess);
	weigh(w, &p, weight);
	p.next = (struct dt_agent_call){ (uint64_t)agent_mess, 43 };
	for (unsigned set = 0; set < 2u << nbits; set++) {
		uint64_t flags = FLAGS_SET, before = firings(w);

		for (unsigned i = 0; i < nbits; i++)
			flags |= set >> i & 1 ? bits[i] : 0;
		w->agent->enabled = set >> nbits;
		fill_frame(&in, flags);
		memset(&out, 0, sizeof(out));
		agent_frame(&(struct frame_args){ &in, &out, &p });
		check_frame(&in, &out);
		CHECK_INT(firings(w) - before, set >> nbits);
	}
}

#if defined(__x86_64__)
/* Moves, stores, loads, compares of strings and scans, by DF. */
static bool uses_direction(const struct dt_x86 *x)
{
	return x->map == DT_X86_ONE && ((x->opcode >= 0xa4 && x->opcode <= 0xa7) ||
	    (x->opcode >= 0xaa && x->opcode <= 0xaf) || (x->opcode >= 0x6c && x->opcode <= 0x6f));
}

/* A bare site leaves DF as the process has it: the agent has no instruction that depends on it. */
static void test_direction(const struct world *w)
{
	uint32_t at = world_head(w)->entry;
	struct dt_x86 x;

	while (at < dt_agent_bytes_len && dt_x86_decode(w->code + at, dt_agent_bytes_len - at, &x)) {
		if (uses_direction(&x))
			printf("not ok - the agent has a string instruction at %#x\n", at);
		CHECK(!uses_direction(&x));
		at += x.length;
	}
	CHECK(at > world_head(w)->run);		/* what is after the code may not be instructions */
}
#else
static void test_direction(const struct world *w) { (void)w; }
#endif

#if defined(__x86_64__)		/* bare programs do not find it aligned */
#define ALIGNS_STACK __attribute__((force_align_arg_pointer))
#else
#define ALIGNS_STACK
#endif

static ALIGNS_STACK uint64_t note(uint64_t ctx, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)b, (void)c, (void)d, (void)e;
	seen = *f;
	seen_count++;
	return ctx == (uint64_t)f;
}

/* The context has the registers of the place, as struct pt_regs has them. */
static void test_context(struct world *w)
{
	struct frame in, out;
	struct probe p;
	char here;

	make_probe(w, &p, note);
	fill_frame(&in, 0);
	seen_count = 0;
	agent_frame(&(struct frame_args){ &in, &out, &p });
	CHECK_INT(seen_count, 1);
	for (int i = 0; i < WORDS; i++)
		CHECK_INT(seen.regs[i], in.word[i]);
	CHECK_INT(seen.regs[DT_RAW_PC], 0x1234);
	CHECK(seen.regs[DT_RAW_SP] < (uint64_t)&here && seen.regs[DT_RAW_SP] > (uint64_t)&here - 20000);
	CHECK_INT(seen.cookie, 42);
	CHECK_INT(seen.pid, getpid());
	CHECK_INT(seen.tid, syscall(SYS_gettid));
	CHECK(seen.cpu < 1024);
	CHECK(seen.thread->firing == 0 && seen.thread->n > 0);
	CHECK_INT(seen.thread->owner, (uint64_t)seen.pid << 32 | seen.tid);
	p.next = (struct dt_agent_call){ (uint64_t)note, 77 };
	fire(&p);
	CHECK_INT(seen_count, 3);
	CHECK_INT(seen.cookie, 77);
	/* in a namespace of its own: the first thread has the number of the process as dtrace sees it */
	w->process.pid = 4000000;
	fire(&p);
	CHECK_INT(seen.pid, 4000000);
	CHECK_INT(seen.tid, 4000000);
	w->process.pid = w->process.self;
	dt_agent_forget(w->agent, 4000000);
	fire(&p);
	CHECK_INT(seen.tid, getpid());
	seen_count = 3;
	w->process.enabled = 0;
	fire(&p);
	w->process.enabled = 1, w->agent->enabled = 0;
	fire(&p);
	w->agent->enabled = 1;
	CHECK_INT(seen_count, 3);
}

/* ---- nested and abandoned firings ---- */

static struct probe *inner;
static sigjmp_buf away;
static volatile int leave;

static void handler(int sig)
{
	(void)sig;
	fire(inner);
	if (leave)
		siglongjmp(away, 1);
}

static ALIGNS_STACK uint64_t raise_now(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	seen_count += 100;
	raise(SIGUSR1);
	return 0;
}

static uint64_t signal_later(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	uint64_t ret = world_helper(seen_world, BPF_FUNC_send_signal)(SIGUSR1, 0, 0, 0, 0, f);

	(void)a, (void)b, (void)c, (void)d, (void)e;
	return ret;
}

static void wipe_stack(void)
{
	volatile char room[40000];

	memset((void *)room, 0x55, sizeof(room));
}

static uint64_t marks(void) { return seen.thread->firing | seen.thread->light; }

struct nested { bool altstack; enum weight outer, inner; };

static void test_nested(struct world *w, const struct nested *how)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = how->altstack ? SA_ONSTACK : 0 };
	stack_t stack = { .ss_sp = malloc(1 << 16), .ss_size = 1 << 16 };
	struct probe outer, in;
	uint64_t missed = dt_agent_missed(w->agent);

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &act, NULL);
	make_probe(w, &in, note);
	weigh(w, &in, how->inner);
	inner = &in;
	make_probe(w, &outer, raise_now);
	weigh(w, &outer, how->outer);
	seen_count = 0, leave = 0;
	fire(&outer);
	CHECK_INT(seen_count, 100);
	CHECK_INT(dt_agent_missed(w->agent), missed + 1);
	CHECK_INT(marks(), 0);
	/* a handler that leaves the firing for good: it is found out as soon as its stack is used again */
	leave = 1;
	if (sigsetjmp(away, 1) == 0)
		fire(&outer);
	leave = 0;
	CHECK(marks() != 0);
	CHECK((how->outer != FULL ? seen.thread->firing : seen.thread->light) == 0);
	CHECK_INT(dt_agent_missed(w->agent), missed + 2);
	wipe_stack();
	seen_count = 0;
	fire(&in);
	CHECK_INT(seen_count, 1);
	CHECK_INT(marks(), 0);
	/* a signal that a program sends comes when the firing has ended, so probes in its handler fire */
	make_probe(w, &outer, signal_later);
	fire(&outer);
	CHECK_INT(seen_count, 2);
	CHECK_INT(dt_agent_missed(w->agent), missed + 2);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	free(stack.ss_sp);
	signal(SIGUSR1, SIG_DFL);
}

/* ---- threads ---- */

static ALIGNS_STACK uint64_t count_up(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
	__atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED);
	return 0;
}

static void *fire_often(void *probe)
{
	struct frame *in = calloc(2, sizeof(*in));

	for (int i = 0; i < 20000; i++)
		agent_frame(&(struct frame_args){ in, in + 1, probe });
	free(in);
	return NULL;
}

static void *fire_once(void *probe)
{
	struct frame in = { 0 }, out;

	agent_frame(&(struct frame_args){ &in, &out, probe });
	return NULL;
}

/* More threads than there are slots, one after the other: those of threads that ended are taken again. */
static void test_threads(struct world *w, enum weight weight)
{
	struct probe p;
	pthread_t t[4];
	uint64_t crowded = w->agent->crowded;
	int many = DT_AGENT_THREADS + 500;

	make_probe(w, &p, count_up);
	weigh(w, &p, weight);
	seen_count = 0;
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, fire_often, &p);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	CHECK_INT(seen_count, 80000);
	for (int i = 0; i < many; i++) {
		pthread_create(&t[0], NULL, fire_once, &p);
		pthread_join(t[0], NULL);
	}
	CHECK_INT(seen_count, 80000 + many);
	CHECK_INT(w->agent->crowded, crowded);
	dt_agent_forget(w->agent, (uint32_t)getpid());
}

/* ---- helpers ---- */

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
/* The sanitizer keeps no book of stacks of the agent: what it noted of frames that were there is stale. */
static void forget_frames(void)
{
	__asan_unpoison_memory_region((char *)__builtin_frame_address(0) - (24 << 10), 24 << 10);
}
#else
static void forget_frames(void) { }
#endif

static int (*in_program)(struct dt_firing *);
static uint64_t call_in_program(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
	forget_frames();
	in_program(f);
	return 0;
}

#define H(name, ...) call5(world_helper(seen_world, BPF_FUNC_##name), f, (uint64_t[5]){ __VA_ARGS__ })
static uint64_t call5(dt_agent_f *helper, struct dt_firing *f, const uint64_t *v)
{
	return helper(v[0], v[1], v[2], v[3], v[4], f);
}
#define AT(x) ((uint64_t)(x))

static int memory_helpers(struct dt_firing *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *two = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char to[64], name[16] = "";

	munmap(two + page, page);
	memcpy(two + page - 6, "hello", 6);
	memset(to, 'x', sizeof(to));
	CHECK_INT(H(probe_read_user, AT(to), 5, AT(two + page - 6)), 0);
	CHECK(memcmp(to, "hellox", 6) == 0);
	CHECK_INT(H(probe_read_user, AT(to), 7, AT(two + page - 6)), -EFAULT);
	CHECK(memcmp(to, "\0\0\0\0\0\0\0x", 8) == 0);
	CHECK_INT(H(probe_read_user, AT(to), 8, 0), -EFAULT);
	CHECK_INT(H(probe_read_user_str, AT(to), 32, AT(two + page - 6)), 6);
	CHECK_STR(to, "hello");
	CHECK_INT(H(probe_read_user_str, AT(to), 3, AT(two + page - 6)), 3);
	CHECK_STR(to, "he");
	two[page - 1] = '!';		/* no end before the hole */
	CHECK_INT(H(probe_read_user_str, AT(to), 32, AT(two + page - 6)), -EFAULT);
	CHECK_INT(to[0], 0);
	CHECK_INT(H(probe_write_user, AT(two), AT("written"), 8), 0);
	CHECK_STR(two, "written");
	CHECK_INT(H(probe_write_user, AT(two + page), AT("written"), 8), -EFAULT);
	/* "the kernel's" memory is ours: data, code, the firing, the stack we run on */
	memcpy((char *)seen_world->agent + WORLD_DATA - 4, "end", 4);
	CHECK_INT(H(probe_read_kernel, AT(to), 4, AT(seen_world->agent) + WORLD_DATA - 4), 0);
	CHECK_STR(to, "end");
	CHECK_INT(H(probe_read_kernel_str, AT(to), 64, AT(seen_world->agent) + WORLD_DATA - 4), 4);
	seen_world->process.data_size -= 4;
	CHECK_INT(H(probe_read_kernel_str, AT(to), 64, AT(seen_world->agent) + WORLD_DATA - 6), 1);
	memcpy((char *)seen_world->agent + WORLD_DATA - 6, "no", 2);
	CHECK_INT(H(probe_read_kernel_str, AT(to), 64, AT(seen_world->agent) + WORLD_DATA - 6), -EFAULT);
	seen_world->process.data_size += 4;
	CHECK_INT(H(probe_read_kernel, AT(to), 5, AT(seen_world->agent) + WORLD_DATA - 4), -EFAULT);
	CHECK_INT(H(probe_read_kernel, AT(to), 4, AT(seen_world->code)), 0);
	CHECK(memcmp(to, dt_agent_bytes, 4) == 0);
	CHECK_INT(H(probe_read_kernel, AT(to), 8, AT(&f->cookie)), 0);
	CHECK_INT(H(probe_read_kernel, AT(to), 4, AT(two)), -EFAULT);
	CHECK_INT(H(probe_read_kernel, AT(to), 4, UINT64_MAX - 1), -EFAULT);
	CHECK_INT(H(probe_read_kernel, AT(to), 4, AT(seen_world->code) + WORLD_CODE), -EFAULT);
	prctl(PR_SET_NAME, "agent-name");
	CHECK_INT(H(get_current_comm, AT(name), sizeof(name)), 0);
	CHECK_STR(name, "agent-name");
	CHECK_INT(H(get_current_comm, AT(name), 6), 0);
	CHECK_STR(name, "agent");
	munmap(two, page);
	return 0;
}

static uint64_t until_seven(uint64_t i, uint64_t ctx, uint64_t c, uint64_t d, uint64_t e, struct dt_firing *f)
{
	(void)c, (void)d, (void)e, (void)f;
	++*(uint64_t *)ctx;
	return i == 7;
}

static int value_helpers(struct dt_firing *f)
{
	struct timespec t;
	uint64_t before, time, after, n = 0;

	for (int vdso = 0; vdso < 2; vdso++) {
		clock_gettime(CLOCK_MONOTONIC, &t);
		before = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
		seen_world->process.clock = vdso ? (uint64_t)clock_gettime : 0;
		time = H(ktime_get_ns, 0);
		clock_gettime(CLOCK_MONOTONIC, &t);
		after = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
		CHECK(time >= before && time <= after);
	}
	seen_world->process.clock = 0;
	CHECK(H(get_prandom_u32, 0) != H(get_prandom_u32, 0));
	CHECK(H(get_prandom_u32, 0) >> 32 == 0);
	CHECK_INT(H(get_current_pid_tgid, 0), (uint64_t)getpid() << 32 | (uint32_t)syscall(SYS_gettid));
	CHECK_INT(H(get_current_uid_gid, 0), (uint64_t)getgid() << 32 | getuid());
	CHECK_INT(H(get_smp_processor_id, 0), f->cpu);
	CHECK_INT(H(get_attach_cookie, 0), 42);
	CHECK_INT(H(get_current_task, 0), AT(f->thread));
	CHECK_INT(H(get_current_task_btf, 0), AT(f->thread));
	CHECK_INT(H(task_pt_regs, AT(f->thread)), AT(f));
	CHECK_INT(H(loop, 100, AT(until_seven), AT(&n), 0), 8);
	CHECK_INT(n, 8);
	CHECK_INT(H(loop, 5, AT(until_seven), AT(&n), 0), 5);
	CHECK_INT(H(loop, (1 << 23) + 1, AT(until_seven), AT(&n), 0), -E2BIG);
	CHECK_INT(H(loop, 5, AT(until_seven), AT(&n), 1), -EINVAL);
	CHECK_INT(H(send_signal, 65), -EINVAL);
	CHECK_INT(f->signals, 0);
	return 0;
}

enum { CREATE = BPF_LOCAL_STORAGE_GET_F_CREATE };
static struct dt_agent_map *maps[7];

static int map_helpers(struct dt_firing *f)
{
	uint32_t key = 3;
	uint64_t value = 9, *at;

	at = (uint64_t *)H(map_lookup_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key));
	CHECK_INT(AT(at), AT(seen_world->code) + maps[DT_AGENT_ARRAY]->at + 24);
	CHECK_INT(H(map_update_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key), AT(&value), BPF_ANY), 0);
	CHECK_INT(*at, 9);
	CHECK_INT(H(map_update_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key), AT(&value), BPF_NOEXIST), -EEXIST);
	CHECK_INT(H(map_delete_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key)), -EINVAL);
	f->cpu = 2;
	at = (uint64_t *)H(map_lookup_elem, AT(maps[DT_AGENT_CPU_ARRAY]), AT(&key));
	CHECK_INT(AT(at), AT(seen_world->code) + maps[DT_AGENT_CPU_ARRAY]->at + 8 * (2 * 5 + 3));
	CHECK_INT(H(map_update_elem, AT(maps[DT_AGENT_CPU_HASH]), AT(&key), AT(&value), BPF_ANY), 0);
	at = (uint64_t *)H(map_lookup_elem, AT(maps[DT_AGENT_CPU_HASH]), AT(&key));
	CHECK_INT(*at, 9);
	f->cpu = 1;
	CHECK_INT(AT(at) - 8, H(map_lookup_elem, AT(maps[DT_AGENT_CPU_HASH]), AT(&key)));
	CHECK_INT(H(map_delete_elem, AT(maps[DT_AGENT_CPU_HASH]), AT(&key)), 0);
	CHECK_INT(H(map_lookup_elem, AT(maps[DT_AGENT_CPU_HASH]), AT(&key)), 0);
	CHECK_INT(H(map_lookup_elem, AT(maps[DT_AGENT_OF_MAPS]), AT(&key)), 0);
	((uint64_t *)(void *)(seen_world->code + maps[DT_AGENT_OF_MAPS]->at))[3] =
	    AT(maps[DT_AGENT_HASH]) - AT(seen_world->code);
	CHECK_INT(H(map_lookup_elem, AT(maps[DT_AGENT_OF_MAPS]), AT(&key)), AT(maps[DT_AGENT_HASH]));
	key = 5;
	CHECK_INT(H(map_lookup_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key)), 0);
	CHECK_INT(H(map_update_elem, AT(maps[DT_AGENT_ARRAY]), AT(&key), AT(&value), BPF_ANY), -E2BIG);
	CHECK_INT(H(task_storage_get, AT(maps[DT_AGENT_THREAD]), AT(f->thread), 0, 0), 0);
	at = (uint64_t *)H(task_storage_get, AT(maps[DT_AGENT_THREAD]), AT(f->thread), 0, CREATE);
	if (CHECK(at != NULL)) {
		CHECK_INT(*at, 0);
		*at = 5;
	}
	CHECK_INT(AT(at), H(task_storage_get, AT(maps[DT_AGENT_THREAD]), AT(f->thread), 0, 0));
	CHECK_INT(H(task_storage_get, AT(maps[DT_AGENT_THREAD]), 0, 0, CREATE), 0);
	f->thread->life += 1000;	/* another thread has the slot */
	CHECK_INT(H(task_storage_get, AT(maps[DT_AGENT_THREAD]), AT(f->thread), 0, 0), 0);
	at = (uint64_t *)H(task_storage_get, AT(maps[DT_AGENT_THREAD]), AT(f->thread), 0, CREATE);
	CHECK(at != NULL && *at == 0);
	return 0;
}

static int ring_helpers(struct dt_firing *f)
{
	struct dt_agent_reader r;
	uint64_t map = AT(maps[DT_AGENT_RING]), rec, n, at = 0;
	char copy[4096];
	const void *data;
	size_t len;

	dt_agent_reader_init(&r, seen_world->code, maps[DT_AGENT_RING]);
	CHECK_INT(H(ringbuf_output, map, AT("first"), 6, BPF_RB_NO_WAKEUP), 0);
	rec = H(ringbuf_reserve, map, 16, 0);
	CHECK(rec != 0);
	H(ringbuf_discard, rec, 0);
	rec = H(ringbuf_reserve, map, 7, 0);
	memcpy((void *)rec, "second", 7);
	CHECK_INT(f->agent->wake, 0);
	H(ringbuf_submit, rec, BPF_RB_FORCE_WAKEUP);
	CHECK_INT(f->agent->wake, 1);
	n = dt_agent_ring_range(&r);
	dt_agent_ring_copy(&r, copy, n);
	CHECK(dt_agent_ring_next(copy, n, &at, &data, &len) && len == 6 && memcmp(data, "first", 6) == 0);
	CHECK(dt_agent_ring_next(copy, n, &at, &data, &len) && len == 7 && memcmp(data, "second", 7) == 0);
	CHECK(!dt_agent_ring_next(copy, n, &at, &data, &len));
	dt_agent_ring_release(&r, n);
	/* a reader that sleeps is woken once when the ring is half full */
	f->agent->sleeping = 1;
	for (n = 0; H(ringbuf_output, map, AT(copy), 1000, BPF_RB_NO_WAKEUP) == 0; n++)
		CHECK_INT(f->agent->wake, n >= 2 ? 2 : 1);
	CHECK_INT(n, 4);
	CHECK_INT(f->agent->sleeping, 0);
	CHECK_INT(H(ringbuf_reserve, map, 1000, 0), 0);
	CHECK_INT(H(ringbuf_output, map, AT(copy), 1000, 0), -EAGAIN);
	return 0;
}

static int stack_helper(struct dt_firing *f)
{
	uint64_t chain[6] = { AT(&chain[2]), 0x1111, AT(&chain[4]), 0x2222, 0, 0x3333 }, out[8];

	f->regs[DT_RAW_FP] = AT(chain) - (uint64_t)DT_RAW_FRAME;
	CHECK_INT(H(get_stack, AT(f), AT(out), sizeof(out), BPF_F_USER_STACK), 32);
	CHECK(out[0] == 0x1234 && out[1] == 0x1111 && out[2] == 0x2222 && out[3] == 0x3333 && out[4] == 0);
	CHECK_INT(H(get_stack, AT(f), AT(out), sizeof(out), BPF_F_USER_STACK | 2), 16);
	CHECK(out[0] == 0x2222 && out[1] == 0x3333);
	CHECK_INT(H(get_stack, AT(f), AT(out), 16, BPF_F_USER_STACK), 16);
	chain[2] = 8;			/* no memory there */
	CHECK_INT(H(get_stack, AT(f), AT(out), sizeof(out), BPF_F_USER_STACK), 24);
	f->regs[DT_RAW_FP] = 0;
	CHECK_INT(H(get_stack, AT(f), AT(out), sizeof(out), BPF_F_USER_STACK), 8);
	CHECK_INT(H(get_stack, AT(f), AT(out), sizeof(out), 0), -EINVAL);
	return 0;
}

typedef uint64_t run_f(struct dt_firing *, uint64_t program);

static void test_helpers(struct world *w)
{
	int (*tests[])(struct dt_firing *) = { memory_helpers, value_helpers, map_helpers,
		ring_helpers, stack_helper };
	const uint32_t absent[] = { BPF_FUNC_get_current_cgroup_id, BPF_FUNC_tail_call,
		BPF_FUNC_get_stackid };
	struct dt_firing own = { .process = &w->process, .agent = w->agent, .cookie = 42 };
	run_f *run = (run_f *)(uint64_t)(w->code + world_head(w)->run);
	uint64_t stacks = w->process.stacks;
	struct probe p;

	for (uint32_t type = DT_AGENT_ARRAY; type <= DT_AGENT_THREAD; type++)
		maps[type] = world_map(w, type, 4, 8, type == DT_AGENT_RING ? 4096 : 5);
	make_probe(w, &p, call_in_program);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++) {
		in_program = tests[i];
		fire(&p);
	}
	for (size_t i = 0; i < sizeof(absent) / sizeof(*absent); i++)
		CHECK_INT(world_head(w)->helper[absent[i]], 0);
	/* dtrace's own programs run also while the agent is off */
	w->agent->enabled = 0;
	in_program = value_helpers;
	CHECK_INT(run(&own, (uint64_t)call_in_program), 0);
	CHECK_INT(run(&own, (uint64_t)note), 1);
	w->process.stacks = 0;
	CHECK_INT(run(&own, (uint64_t)note), 1);
	own.thread->firing = 1;		/* one is under way, and its memory cannot be read */
	CHECK_INT(run(&own, (uint64_t)note), -1);
	own.thread->firing = 0;
	w->process.stacks = stacks;
	w->agent->enabled = 1;
}

int main(void)
{
	struct world w;

	if (dt_agent_bytes_len == 0) {
		CHECK_SKIP("there is no agent for this machine");
		return check_report("agent_blob");
	}
	world_open(&w);
	seen_world = &w;
	CHECK_INT(world_head(&w)->magic, DT_AGENT_MAGIC);
	CHECK_INT(world_head(&w)->size, dt_agent_bytes_len);
	for (int i = 0; i < 2 * WEIGHTS; i++) {
		use_words(&w, i >= WEIGHTS);
		test_registers(&w, i % WEIGHTS);
	}
	use_words(&w, false);
	test_direction(&w);
	test_context(&w);
	for (unsigned i = 0; i < 4 * WEIGHTS * WEIGHTS; i++) {
		w.process.atomics = i & 2 ? can_atomics() : 0;
		test_nested(&w, &(struct nested){ i & 1, i / 4 % WEIGHTS, i / 4 / WEIGHTS });
	}
	test_helpers(&w);
	for (enum weight weight = FULL; weight < WEIGHTS; weight++)
		test_threads(&w, weight);
	world_close(&w);
	return check_report("agent_blob");
}
