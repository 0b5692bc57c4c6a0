/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creates the maps of an image: plain ones first, then the arrays of maps, whose template must exist
 * before them. Nothing is closed here if something fails: the session closes what it holds.
 */
#include "session/impl.h"
#include "base/child.h"
#include "base/file.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Reads "0-3,8" of /sys/devices/system/cpu/online. If it cannot be read, all CPUs count as online. */
void dt_cpus_online(bool *online, uint32_t ncpus)
{
	char *text, *end;
	size_t len;
	bool known = dt_file_read("/sys/devices/system/cpu/online", 1 << 16, &text, &len) == 0;

	memset(online, !known, ncpus);
	if (!known)
		return;
	for (const char *p = text; *p >= '0' && *p <= '9'; p = *end == ',' ? end + 1 : end) {
		unsigned long from = strtoul(p, &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		for (; from <= to && from < ncpus; from++)
			online[from] = true;
	}
	free(text);
}

/* Online, and the one that -x cpu names, if it does. */
bool dt_cpu_wanted(const struct dt_session *s, uint32_t cpu)
{
	return cpu < s->ncpus && s->online[cpu] && (!s->image->only_cpu || cpu + 1 == s->image->only_cpu);
}

/* The control map can be mapped into our memory; task storage needs types for its values. */
static int create_map(const struct dt_session *s, const struct dt_image_map *m, int inner)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = m->flags);
	int fd;

	if (m->btf_value && s->btf >= 0) {
		opts.btf_fd = (uint32_t)s->btf;
		opts.btf_key_type_id = m->btf_key;
		opts.btf_value_type_id = m->btf_value;
	}

	if (m->role == DT_MAP_CONTROL)
		opts.map_flags |= BPF_F_MMAPABLE;
	if (inner >= 0)
		opts.inner_map_fd = (uint32_t)inner;
	fd = bpf_map_create(m->type, m->name, m->key_size, m->value_size, m->max_entries, &opts);
	return fd < 0 ? -errno : fd;
}

/* Writes the initial value, one element after the other; constants are frozen. */
static int fill_map(const struct dt_image_map *m, int fd)
{
	const char *data = m->data;
	char *value = m->len ? calloc(1, m->value_size + 1u) : NULL;
	int err = !m->len || value ? 0 : -ENOMEM;

	for (uint32_t i = 0; (size_t)i * m->value_size < m->len && !err; i++) {
		size_t at = (size_t)i * m->value_size, n = m->len - at;

		n = n < m->value_size ? n : m->value_size;
		memset(value, 0, m->value_size);
		memcpy(value, data + at, n);
		if (bpf_map_update_elem(fd, &i, value, BPF_ANY) < 0)
			err = -errno;
	}
	free(value);
	if (!err && m->role == DT_MAP_CONST && bpf_map_freeze(fd) < 0)
		err = -errno;
	return err;
}

/* One control block, shared with the programs for as long as the session lives. */
static int map_control(struct dt_session *s, const struct dt_image_map *m, int fd)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t len = ((size_t)((m->value_size + 7) & ~7u) * m->max_entries + page - 1) & ~(page - 1);
	void *p;

	if (s->control || m->value_size < sizeof(struct dt_control))
		return -EINVAL;
	p = dt_map_nofork(fd, 0, len, PROT_READ | PROT_WRITE, NULL);
	if (p == MAP_FAILED)
		return -errno;
	s->control = p;
	s->control_len = len;
	if (s->image->wants != 0 && s->image->wants + s->ncpus <= m->value_size)
		s->rings.wants = (unsigned char *)p + s->image->wants;
	return 0;
}

/* Memory only for CPUs that exist: their numbers have no large gaps. */
static int make_over(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	struct dt_image_map m = s->image->maps[i];
	uint32_t n = 1;

	for (uint32_t cpu = 0; cpu < s->ncpus && m.max_entries > 1; cpu++)
		n = s->online[cpu] && cpu < m.max_entries ? cpu + 1 : n;
	m.max_entries = n;
	s->maps[i] = create_map(s, &m, -1);
	if (s->maps[i] < 0)
		return dt_session_fail(msg, len, s->maps[i], "cannot make buffers of %u bytes for %u CPUs",
		    s->image->layouts.room, n);
	s->over = (int)i;
	s->over_n = n;
	return 0;
}

/* Notes where the maps with a role of their own are. At an error the session closes what it has. */
int dt_map_make(struct dt_session *s, uint32_t i, char *msg, size_t len)
{
	const struct dt_image_map *m = &s->image->maps[i];
	int inner = m->inner != UINT32_MAX ? s->maps[m->inner] : -1, fd, err = 0;

	if (m->role == DT_MAP_RING)
		return dt_rings_open(s, m, &s->maps[i], msg, len);
	if (m->role == DT_MAP_OVER)
		return make_over(s, i, msg, len);
	fd = create_map(s, m, inner);
	if (fd < 0 && dt_missing_map(m->type, fd, msg, len))
		return fd;
	if (fd < 0)
		return dt_session_fail(msg, len, fd,
		    "cannot make the map %s (type %u, %u elements of %u + %u bytes)", m->name, m->type,
		    m->max_entries, m->key_size, m->value_size);
	s->maps[i] = fd;
	if (m->role == DT_MAP_CONST || m->data)
		err = fill_map(m, fd);
	if (!err && m->role == DT_MAP_CONTROL)
		err = map_control(s, m, fd);
	if (m->role == DT_MAP_DROPS)
		s->drops = (int)i;
	return err ? dt_session_fail(msg, len, err, "cannot fill the map %s", m->name) : 0;
}

/* Those of policy fill. Others come later, by need. */
static int place_rings(struct dt_session *s, uint32_t i, struct dt_map_update *jobs)
{
	uint32_t n = 0;

	s->rings.outer = s->maps[i];
	for (uint32_t k = 0; k < s->rings.n; k++) {
		const struct dt_ring *r = s->rings.ring[k];

		if (r->cpu >= 0 && (uint32_t)r->cpu < s->image->maps[i].max_entries)
			jobs[n++] = (struct dt_map_update){
				.map = s->maps[i], .slot = (uint32_t)r->cpu, .inner = r->fd
			};
	}
	return (int)n;
}

/* The maps of a group of aggregations: programs write to one side while the other is read. */
static void note_buffer(struct dt_session *s, uint32_t i)
{
	const struct dt_image_map *m = &s->image->maps[i];
	struct dt_aggmaps *p = &s->groups[m->group];

	p->fd[m->role == DT_MAP_AGG_B] = s->maps[i];
	p->is_array = m->type == BPF_MAP_TYPE_PERCPU_ARRAY;
	p->percpu = p->is_array || m->type == BPF_MAP_TYPE_PERCPU_HASH;
	p->key_size = m->key_size;
	p->value_size = (m->value_size + 7) & ~7u;
	p->max_entries = m->max_entries;
}

/* Programs look up the hashes of both sides; the array beside cells is not read by any. */
static int place_buffers(struct dt_session *s, uint32_t i, struct dt_map_update *jobs)
{
	const struct dt_image_map *m = &s->image->maps[i];
	struct dt_aggmaps *p = &s->groups[m->group];

	p->outer = s->maps[i];
	p->sides = m->max_entries;
	if (p->is_array)
		return 0;
	for (uint32_t side = 0; side < m->max_entries; side++) {
		if (side > 1 || p->fd[side] < 0)
			return -EINVAL;
		jobs[side] = (struct dt_map_update){ .map = p->outer, .slot = side, .inner = p->fd[side] };
	}
	return (int)m->max_entries;
}

/*
 * Lists what goes into the arrays of maps. Each update waits for a grace period in the kernel, so other
 * threads make them while programs are loaded.
 */
static int place_inner_maps(struct dt_session *s, char *msg, size_t len)
{
	size_t room = 1;
	uint32_t placed = 0;

	for (uint32_t i = 0; i < s->image->nmaps; i++)
		if (s->image->maps[i].role == DT_MAP_RINGS || s->image->maps[i].role == DT_MAP_AGGS)
			room += s->image->maps[i].max_entries;
	s->placing = calloc(room, sizeof(*s->placing));
	if (!s->placing)
		return dt_session_fail(msg, len, -ENOMEM, "cannot load the program");
	for (uint32_t i = 0; i < s->image->nmaps; i++) {
		const struct dt_image_map *m = &s->image->maps[i];
		struct dt_map_update *jobs = s->placing + placed;
		int n = m->role == DT_MAP_RINGS ? place_rings(s, i, jobs) :
		    m->role == DT_MAP_AGGS      ? place_buffers(s, i, jobs) :
						  0;

		if (n < 0)
			return dt_session_fail(msg, len, n, "the map %s has no buffers", m->name);
		placed += (uint32_t)n;
	}
	s->nplacing = placed;		/* from here on dt_session_close() waits for them */
	return 0;
}

/* An image may come from a test: indexes must be in range before they are used. */
static int check_map(const struct dt_image *image, uint32_t i, char *msg, size_t len)
{
	const struct dt_image_map *m = &image->maps[i];
	bool is_buffer = m->role == DT_MAP_AGG_A || m->role == DT_MAP_AGG_B || m->role == DT_MAP_AGGS;
	bool inner_ok = m->inner == UINT32_MAX ||
	    (m->inner < image->nmaps && image->maps[m->inner].inner == UINT32_MAX);

	if (inner_ok && (!is_buffer || m->group < image->ngroups) && (!m->len || (m->data && m->value_size)))
		return 0;
	return dt_session_fail(msg, len, -EINVAL, "the map %s of the image is not well formed", m->name);
}

int dt_maps_btf(struct dt_session *s, char *msg, size_t len)
{
	if (!s->image->btflen)
		return 0;
	s->btf = bpf_btf_load(s->image->btf, s->image->btflen, NULL);
	return s->btf < 0 ?
	    dt_session_fail(msg, len, -errno, "the kernel refuses the type data of the program") :
	    0;
}

/*
 * In this order: plain maps, then arrays of maps, which need one of them as a template, then their
 * elements.
 */
int dt_maps_open(struct dt_session *s, char *msg, size_t len)
{
	const struct dt_image *image = s->image;
	int err = dt_maps_btf(s, msg, len);

	if (!err && image->only_cpu && !dt_cpu_wanted(s, image->only_cpu - 1))
		err = dt_session_fail(msg, len, -ENODEV, "CPU %u is not online", image->only_cpu - 1);

	for (uint32_t i = 0; i < image->nmaps && !err; i++)
		err = check_map(image, i, msg, len);
	for (uint32_t i = 0; i < image->nmaps && !err; i++)
		if (image->maps[i].inner == UINT32_MAX)
			err = dt_map_make(s, i, msg, len);
	for (uint32_t i = 0; i < image->nmaps && !err; i++)
		if (image->maps[i].role == DT_MAP_AGG_A || image->maps[i].role == DT_MAP_AGG_B)
			note_buffer(s, i);
	for (uint32_t i = 0; i < image->nmaps && !err; i++)
		if (image->maps[i].inner != UINT32_MAX)
			err = dt_map_make(s, i, msg, len);
	err = err ? err : place_inner_maps(s, msg, len);
	if (err)
		return err;
	dt_map_update_start(s->placing, s->nplacing);
	err = dt_session_unwind_open(s);
	return err ? dt_session_fail(msg, len, err, "cannot fill the tables for user stacks") : 0;
}
