/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_fuse DIR FILE: a file system on DIR whose only file, `file`, has the bytes of FILE; it prints
 * "mounted". From SIGUSR1 on it answers nothing any more, as a server that is dead but not gone. It ends with
 * SIGTERM, and the mount with it. Needs root and /dev/fuse (status 3: there is none, or no right).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

static volatile sig_atomic_t silent, over;
static int fuse, backing;
static struct stat backed;

static void on_signal(int sig)
{
	if (sig == SIGUSR1)
		silent = 1;
	else
		over = 1;
}

static void answer(uint64_t unique, int err, const void *bytes, size_t len)
{
	static char out[sizeof(struct fuse_out_header) + (1 << 20)];
	struct fuse_out_header h = { .len = (uint32_t)(sizeof(h) + len), .error = -err, .unique = unique };

	memcpy(out, &h, sizeof(h));
	if (len > 0)
		memcpy(out + sizeof(h), bytes, len);
	(void)!write(fuse, out, h.len);
}

static struct fuse_attr attributes(uint64_t node)
{
	return (struct fuse_attr){ .ino = node, .nlink = 1,
		.mode = node == 1 ? S_IFDIR | 0755 : S_IFREG | 0755,
		.size = node == 1 ? 0 : (uint64_t)backed.st_size };
}

static void read_file(uint64_t unique, const struct fuse_read_in *in)
{
	static char bytes[1 << 20];
	size_t want = in->size < sizeof(bytes) ? in->size : sizeof(bytes);
	ssize_t n = pread(backing, bytes, want, (off_t)in->offset);

	answer(unique, n < 0 ? EIO : 0, bytes, n > 0 ? (size_t)n : 0);
}

static void serve(const struct fuse_in_header *h, const void *in)
{
	struct fuse_init_out init = { .major = FUSE_KERNEL_VERSION, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = 2, .attr = attributes(2) };
	struct fuse_attr_out attr = { .attr = attributes(h->nodeid) };
	struct fuse_open_out opened = { 0 };

	switch (h->opcode) {
	case FUSE_INIT: answer(h->unique, 0, &init, sizeof(init)); break;
	case FUSE_LOOKUP:
		answer(h->unique, strcmp(in, "file") == 0 ? 0 : ENOENT, &entry,
		    strcmp(in, "file") == 0 ? sizeof(entry) : 0);
		break;
	case FUSE_GETATTR: answer(h->unique, 0, &attr, sizeof(attr)); break;
	case FUSE_OPEN: case FUSE_OPENDIR: answer(h->unique, 0, &opened, sizeof(opened)); break;
	case FUSE_READ: read_file(h->unique, in); break;
	case FUSE_FLUSH: case FUSE_RELEASE: case FUSE_RELEASEDIR: answer(h->unique, 0, NULL, 0); break;
	case FUSE_FORGET: case FUSE_BATCH_FORGET: case FUSE_INTERRUPT: break;
	default: answer(h->unique, ENOSYS, NULL, 0); break;
	}
}

int main(int argc, char **argv)
{
	static char in[(1 << 20) + 4096];
	struct sigaction act = { .sa_handler = on_signal };
	char options[128];

	if (argc < 3 || (backing = open(argv[2], O_RDONLY)) < 0 || fstat(backing, &backed) != 0)
		return 2;
	fuse = open("/dev/fuse", O_RDWR);
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse);
	if (fuse < 0 || mount("hostile", argv[1], "fuse", MS_NOSUID | MS_NODEV, options) != 0)
		return 3;
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	puts("mounted");
	fflush(stdout);
	while (!over) {
		ssize_t n = silent ? (pause(), 0) : read(fuse, in, sizeof(in));

		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve((const void *)in, in + sizeof(struct fuse_in_header));
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			break;
	}
	close(fuse);			/* those who wait get an error */
	return umount2(argv[1], MNT_DETACH) != 0;
}
