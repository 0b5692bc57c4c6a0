// SPDX-License-Identifier: BSD-2-Clause
// An exception goes through several frames; in its handler, and in a destructor on the way, it prints its own stack and calls getppid().
#include <cstdio>
#include <cstdlib>
#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FN __attribute__((noinline, noclone))
static volatile int zero;

FN static int tell(const char *way)
{
	void *at[200];
	int got = backtrace(at, 200);

	std::fputs(way, stdout);
	for (int i = 0; i < got; i++)
		std::printf(" %p", at[i]);
	std::printf("\n");
	std::fflush(stdout);
	syscall(SYS_getppid);
	return zero;
}

struct Guard {
	FN ~Guard() { tell("destructor"); }
};

FN static int thrower(int n)
{
	if (n > zero)
		throw n;
	return n;
}

FN static int middle(int n)
{
	Guard g;

	return thrower(n) + zero;
}

FN static int catcher(int n)
{
	try {
		return middle(n) + zero;
	} catch (int v) {
		return tell("handler") + v;
	}
}

int main()
{
	void *once[2];

	backtrace(once, 2);
	usleep(200000);
	return catcher(3) == 3 ? 0 : 1;
}
