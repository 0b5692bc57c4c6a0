/* SPDX-License-Identifier: BSD-2-Clause */
/* Addresses as text through the public interface. */
#include "check.h"

#include <dtrace.h>
#include <stdint.h>
#include <unistd.h>

__attribute__((noinline)) int addr2str_marker(int x)
{
	return x * 5 + 2;
}

int main(void)
{
	uint64_t at = (uint64_t)(uintptr_t)addr2str_marker;
	char buf[128], start[128], small[8];
	int err, n;
	dtrace_hdl_t *h = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &err);

	if (!CHECK(h != NULL))
		return check_report("addr2str");
	n = dtrace_uaddr2str(h, getpid(), at, start, sizeof(start));
	CHECK_INT(n, (int)strlen(start));
	(void)dtrace_uaddr2str(h, getpid(), at + 4, buf, sizeof(buf));
	if (start[0] != '0') {		/* not in a container */
		CHECK_STR(start, "addr2str_test`addr2str_marker");
		CHECK_STR(buf, "addr2str_test`addr2str_marker+0x4");
	}
	CHECK_INT(dtrace_uaddr2str(h, getpid(), at, small, sizeof(small)), n);
	CHECK_INT(strlen(small), 7);
	CHECK_INT(dtrace_uaddr2str(h, getpid(), at, NULL, 0), n);
	CHECK_INT(dtrace_uaddr2str(h, getpid(), 0x10, buf, sizeof(buf)), 4);
	CHECK_STR(buf, "0x10");
	CHECK_INT(dtrace_setopt(h, "noresolve", NULL), 0);
	(void)dtrace_uaddr2str(h, getpid(), at, buf, sizeof(buf));
	CHECK(strncmp(buf, "0x", 2) == 0);
	CHECK_INT(dtrace_addr2str(h, 0x10, buf, sizeof(buf)), 4);
	CHECK_STR(buf, "0x10");
	dtrace_close(h);
	return check_report("addr2str");
}
