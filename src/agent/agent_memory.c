/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Helpers that read memory. That of the process may be unmapped at any moment, so the kernel copies it:
 * process_vm_readv() on oneself fails where a load would end the process. A sample is about another process,
 * whose memory is read in the same way. To programs "the kernel's memory"
 * is the agent's own: its code, data and stack, and the firing.
 */
#include "agent/agent_impl.h"
#include "agent/helpers.h"

#include <linux/bpf.h>

enum { PAGE = 4096, CHUNK = 256 };	/* a page of any machine ends where one of 4096 bytes does */

struct vec { uint64_t at, len; };

static int move(const struct dt_firing *f, long call, uint64_t own, uint64_t other, uint64_t n)
{
	struct vec local = { own, n }, remote = { other, n };
	long done;

	if (f->process->no_reads)
		return -EFAULT;
	done = dt_raw_syscall(call, dt_agent_subject(f), (uint64_t)&local, 1, (uint64_t)&remote, 1, 0);
	return done == (long)n ? 0 : -EFAULT;
}

static bool inside(uint64_t at, uint64_t n, uint64_t from, uint64_t size)
{
	return at >= from && at - from < size && n <= size - (at - from);
}

/* What was copied is as it was at the time of the sample; the rest is as it is now. */
static int read_sampled(const struct dt_firing *f, const struct dt_agent_sample *s, uint8_t *to,
    uint64_t from, uint64_t n)
{
	while (n) {
		bool copied = inside(from, 1, s->stack_at, s->stack_len);
		uint64_t most = copied ? s->stack_at + s->stack_len - from :
		    from < s->stack_at && s->stack_len ? s->stack_at - from : n;
		uint64_t part = n < most ? n : most;

		if (copied)
			dt_agent_copy(to, s->stack + (from - s->stack_at), part);
		else if (move(f, __NR_process_vm_readv, (uint64_t)to, from, part))
			return -EFAULT;
		to += part;
		from += part;
		n -= part;
	}
	return 0;
}

int dt_agent_read(const struct dt_firing *f, void *to, uint64_t from, uint64_t n)
{
	const struct dt_agent_sample *s = f->process->sample;

	return s ? read_sampled(f, s, to, from, n) : move(f, __NR_process_vm_readv, (uint64_t)to, from, n);
}

/* Is it memory of the agent, where a program may read without asking? */
static bool own(const struct dt_firing *f, uint64_t at, uint64_t n)
{
	const struct dt_agent_process *p = f->process;

	return inside(at, n, p->data, p->data_size) || inside(at, n, p->code, p->code_size) ||
	    inside(at, n, (uint64_t)f, sizeof(*f)) || (p->stacks &&
	    inside(at, n, p->stacks + (uint64_t)f->slot * DT_AGENT_STACK, DT_AGENT_STACK));
}

enum { SMALL = 16, BEFORE = 64 };	/* SMALL: a word, or a pair */

/* The page that the firing ends in is the one that the process has its stack in: it is there. */
static bool on_stack(const struct dt_firing *f, uint64_t from, uint64_t n)
{
	uint64_t last = (uint64_t)f + DT_FIRING_SIZE - 1;

	return f->site && inside(from, n, last - last % PAGE, PAGE);
}

/*
 * From the window of the loop, which is moved to where the program reads: from a little before that, since
 * the words of a frame may be asked for in any order, to no farther than the end of the page.
 */
static bool read_window(const struct dt_firing *f, void *to, uint64_t from, uint64_t n)
{
	struct dt_agent_window *w = f->window;

	if (on_stack(f, from, n)) {
		dt_agent_copy(to, (const void *)from, n);
		return true;
	}
	if (!inside(from, n, w->from, w->n)) {
		uint64_t in_page = from % PAGE, before = in_page < BEFORE ? in_page : BEFORE;
		uint64_t most = PAGE - in_page + before;

		most = most < sizeof(w->words) ? most : sizeof(w->words);
		w->from = from - before;
		w->n = 0;
		if (most < before + n || dt_agent_read(f, w->words, w->from, most))
			return false;
		w->n = most;
	}
	dt_agent_copy(to, (const uint8_t *)w->words + (from - w->from), n);
	return true;
}

uint64_t dt_agent_probe_read_user(uint64_t to, uint64_t n, uint64_t from, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)d, (void)e;
	n = (uint32_t)n;
	if (n == 0 || (f->window && n <= SMALL && read_window(f, (void *)to, from, n)) ||
	    dt_agent_read(f, (void *)to, from, n) == 0)
		return 0;
	dt_agent_zero((void *)to, n);
	return (uint64_t)-EFAULT;
}

uint64_t dt_agent_probe_read_kernel(uint64_t to, uint64_t n, uint64_t from, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)d, (void)e;
	n = (uint32_t)n;
	if (own(f, from, n)) {
		dt_agent_copy((void *)to, (const void *)from, n);
		return 0;
	}
	dt_agent_zero((void *)to, n);
	return n ? (uint64_t)-EFAULT : 0;
}

uint64_t dt_agent_probe_write_user(uint64_t to, uint64_t from, uint64_t n, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)d, (void)e;
	n = (uint32_t)n;
	for (struct dt_agent_window *w = f->window; w; w = w->outer)
		w->n = 0;
	return n == 0 || move(f, __NR_process_vm_writev, from, to, n) == 0 ? 0 : (uint64_t)-EFAULT;
}

/* Bytes to read at once of a string: none of a page that it may end before. */
static uint64_t piece(uint64_t at, uint64_t left)
{
	uint64_t n = PAGE - at % PAGE;

	n = n < CHUNK ? n : CHUNK;
	return n < left ? n : left;
}

/*
 * As the kernel's strncpy_from_user_nofault(): bytes with the NUL, which is always there. What lies after
 * it in `to` stays: keys of arrays are made of strings and zeros.
 */
static uint64_t read_string(struct dt_firing *f, uint8_t *to, uint64_t size, uint64_t from,
    int (*read)(const struct dt_firing *, void *, uint64_t, uint64_t))
{
	uint8_t part[CHUNK];

	for (uint64_t done = 0; done < size;) {
		uint64_t n = piece(from + done, size - done);

		if (read(f, part, from + done, n)) {
			dt_agent_zero(to, size);
			return (uint64_t)-EFAULT;
		}
		for (uint64_t i = 0; i < n; i++) {
			to[done + i] = part[i];
			if (part[i] == 0)
				return done + i + 1;
		}
		done += n;
	}
	if (size)
		to[size - 1] = 0;
	return size;
}

/* A string may end before our memory does, and its piece after that. */
static int read_own(const struct dt_firing *f, void *to, uint64_t from, uint64_t n)
{
	uint8_t *t = to;

	if (own(f, from, n)) {
		dt_agent_copy(to, (const void *)from, n);
		return 0;
	}
	for (; n && own(f, from, 1); n--, from++) {
		*t = *(const uint8_t *)from;
		if (*t++ == 0)
			return 0;
	}
	return -EFAULT;
}

uint64_t dt_agent_probe_read_user_str(uint64_t to, uint64_t n, uint64_t from, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)d, (void)e;
	return read_string(f, (uint8_t *)to, (uint32_t)n, from, dt_agent_read);
}

uint64_t dt_agent_probe_read_kernel_str(uint64_t to, uint64_t n, uint64_t from, uint64_t d, uint64_t e,
    struct dt_firing *f)
{
	(void)d, (void)e;
	return read_string(f, (uint8_t *)to, (uint32_t)n, from, read_own);
}

/*
 * The stack of the process by frame pointers, as the kernel walks it: the first entry is the place of the
 * probe. Frames are read by the piece: a system call for each would cost more than all else.
 */
enum { FRAMES = 1024 };

uint64_t dt_agent_get_stack(uint64_t ctx, uint64_t to, uint64_t size, uint64_t flags, uint64_t e,
    struct dt_firing *f)
{
	uint64_t words[FRAMES / 8], from = 0, have = 0, fp = f->regs[DT_RAW_FP], *out = (uint64_t *)to;
	uint64_t max = (uint32_t)size / 8, skip = flags & BPF_F_SKIP_FIELD_MASK, n = 0;

	(void)ctx, (void)e;
	dt_agent_zero(out, (uint32_t)size);
	if (!(flags & BPF_F_USER_STACK) || flags & ~(uint64_t)(BPF_F_USER_STACK | BPF_F_SKIP_FIELD_MASK))
		return (uint64_t)-EINVAL;
	if (max && skip == 0)
		out[n++] = f->regs[DT_RAW_PC];
	for (uint64_t i = 1; n < max && fp && fp % 8 == 0; i++) {
		uint64_t at = fp + (uint64_t)DT_RAW_FRAME;
		const uint64_t *frame;

		if (at < from || at - from + 16 > have) {
			from = at;
			have = PAGE - at % PAGE < FRAMES ? PAGE - at % PAGE : FRAMES;
			have = have < 16 ? 16 : have;
			if (dt_agent_read(f, words, from, have))
				break;
		}
		frame = &words[(at - from) / 8];
		if (i >= skip)
			out[n++] = dt_raw_code_address(frame[1]);
		if (!dt_raw_frame_follows(fp, frame[0]))
			break;
		fp = frame[0];
	}
	return n * 8;
}
