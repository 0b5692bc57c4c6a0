/* SPDX-License-Identifier: BSD-2-Clause */
/* See split.h. */
#include "split.h"

#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n\v\f\r"

/* Copies one word and returns the place after it, NULL if a quote is not closed. */
static const char *take_word(const char *from, char **to)
{
	char quote = '\0';

	for (; *from != '\0' && (quote != '\0' || strchr(BLANKS, *from) == NULL); from++) {
		if (quote == '\0' ? *from == '\'' || *from == '"' : *from == quote) {
			quote = quote == '\0' ? *from : '\0';
			continue;
		}
		if (*from == '\\' && quote != '\'' && from[1] != '\0')
			from++;
		*(*to)++ = *from;
	}
	*(*to)++ = '\0';
	return quote == '\0' ? from : NULL;
}

char **split_command(const char *command, const char **why)
{
	size_t max = strlen(command) / 2 + 2, n = 0;
	char **words = malloc(max * sizeof(*words) + strlen(command) + 2);
	char *to = (char *)(words + max);

	*why = "out of memory";
	if (words == NULL)
		return NULL;
	while (command != NULL && *(command += strspn(command, BLANKS)) != '\0') {
		words[n++] = to;
		command = take_word(command, &to);
	}
	words[n] = NULL;
	if (command != NULL && n > 0)
		return words;
	*why = command == NULL ? "a quote is not closed" : "the command is empty";
	free(words);
	return NULL;
}
