/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lineat FILE: addresses of its code come in, a line each; out go the frames that each stands for, innermost
 * first, as addr2line -i -f prints them. The function that has the code is "-": symbols name that.
 */
#include "file/elf.h"
#include "file/lines.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	const struct dt_lines *lines;
	struct dt_elf *e = NULL;
	struct dt_line l;
	char text[64];
	int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1, err;

	if (fd < 0 || (err = dt_elf_open(fd, argv[1], &e)) != 0)
		return 2;
	err = dt_elf_lines(e, UINT32_MAX, &lines);
	if (err != 0)
		fprintf(stderr, "lineat: %s: %s\n", argv[1], strerror(-err));
	while (err == 0 && fgets(text, sizeof(text), stdin) != NULL) {
		uint64_t at = strtoull(text, NULL, 16);

		printf("0x%016llx\n", (unsigned long long)at);
		for (unsigned i = 0; dt_lines_at(lines, at, i, &l); i++)
			printf("%s\n%s:%u\n", l.function != NULL ? l.function : "-",
			    l.file != NULL ? l.file : "??", l.line);
	}
	dt_elf_close(e);
	return err != 0;
}
