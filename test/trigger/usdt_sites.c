/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * usdt_sites [ROUNDS [MILLISECONDS]]: static probes of provider usdtsites, as a header of `dtrace -h` makes
 * them. Each round reaches start(round), values(-1 as a char, 200 as an unsigned char, round * 1000 as a
 * long, text) and, only while somebody traces it, costly(sum). Says at the end how often, and how many
 * rounds found costly enabled.
 */
#include <dtrace/usdt.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern unsigned short usdtsites_costly_semaphore __attribute__((visibility("hidden")));

static __attribute__((noinline)) void round_of(long i, const char *text, long *enabled)
{
	unsigned char big = 200;
	signed char small = -1;

	_DT_USDT_PROBE(1, "usdtsites", "start", "usdtsites_start_semaphore", i);
	_DT_USDT_PROBE(4, "usdtsites", "values", "usdtsites_values_semaphore", small, big, i * 1000, text);
	if (_DT_USDT_ENABLED("usdtsites_costly_semaphore", usdtsites_costly_semaphore)) {
		++*enabled;
		_DT_USDT_PROBE(1, "usdtsites", "costly", "usdtsites_costly_semaphore", i + big);
	}
	_DT_USDT_PROBE0("usdtsites", "round__done", "usdtsites_round__done_semaphore");
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10, pause = argc > 2 ? atol(argv[2]) : 0, enabled = 0;

	for (long i = 0; i < rounds; i++) {
		round_of(i, i % 2 ? "odd" : "even", &enabled);
		if (pause > 0)
			usleep((useconds_t)pause * 1000);
	}
	printf("rounds %ld enabled %ld\n", rounds, enabled);
	return 0;
}
