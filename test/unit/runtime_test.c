/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The functions of src/runtime against the interpreter: each subroutine with a loop is called in the
 * kernel and in the interpreter on the same edge cases and random strings, in several sizes of strings and
 * scratch. Without the right to use bpf(2) all is skipped. Arguments: a seed; then a subroutine, whose
 * times are shown.
 */
#include "bpfrun.h"
#include "rt_random.h"

/* a program and size: some hundred random strings for each subroutine */
#define FIRINGS 160

/* ---- what they are called on ---- */

static char texts[FIRINGS][2][TEXT_MAX];
static uint8_t bytes[FIRINGS][32];
static struct firing firings[FIRINGS];

static const int64_t numbers[] = { 0, 1, 2, -1, -2, 3, 8, 10, 16, 36, 37, 255, -255, 256, INT32_MAX,
	INT32_MIN, INT64_MAX, INT64_MIN, 1LL << 32, 97, 47 };

static uint64_t choose_number(void)
{
	uint32_t how = chance(4);

	if (how == 0)
		return (uint64_t)numbers[chance(sizeof(numbers) / sizeof(numbers[0]))];
	if (how == 1)
		return (uint64_t)chance(1u << 31) << chance(33);
	return (uint64_t)((int64_t)chance(24) - 8);
}

static void choose_bytes(uint32_t i)
{
	for (int k = 0; k < 32; k++)
		bytes[i][k] = (uint8_t)(chance(3) ? 0 : chance(256));
	if (chance(4) == 0)
		memset(bytes[i], 0, 10 + chance(6));
	if (chance(6) == 0)
		bytes[i][10] = bytes[i][11] = 0xff;
}

static void choose(enum alphabet kind, bool binary)
{
	for (uint32_t i = 0; i < FIRINGS; i++) {
		struct firing *f = &firings[i];

		choose_texts(i, kind, strsize, texts[i][0], texts[i][1]);
		choose_bytes(i);
		*f = (struct firing){ .text = { texts[i][0], texts[i][1] },
			.bytes = binary ? bytes[i] : NULL };
		for (int k = 0; k < 8; k++)
			f->arg[k] = choose_number();
		f->arg[8] = (uint64_t)(uintptr_t)user_text[0];
		f->arg[9] = (uint64_t)(uintptr_t)user_text[1];
	}
}

/* ---- the subroutines ---- */

#define A "copyinstr(arg8)"
#define B "copyinstr(arg9)"
#define T(call) "BEGIN { trace(" call "); }"

static const struct { const char *name; enum alphabet kind; bool binary; const char *program; } calls[] = {
	{ "strlen", ANY, false, T("strlen(" A ")") },
	{ "strjoin", ANY, false, T("strjoin(" A ", " B ")") },
	{ "strchr", WORDS, false, T("strchr(" A ", arg0)") T("strchr(" A ", 'b')") T("strchr(" A ", 0)") },
	{ "strrchr", PATHS, false,
	    T("strrchr(" A ", arg0)") T("strrchr(" A ", '/')") T("strrchr(" A ", 0)") },
	{ "strchr", ANY, false, T("strchr(" A ", arg0)") T("strrchr(" A ", arg0)") },
	{ "strstr", WORDS, false, T("strstr(" A ", " B ")") T("strstr(\"a,b,c,,ab\", " B ")") },
	{ "index", WORDS, false,
	    T("index(" A ", " B ")") T("index(" A ", " B ", arg0)") T("index(" A ", \"b\", arg1)") },
	{ "rindex", WORDS, false,
	    T("rindex(" A ", " B ")") T("rindex(" A ", " B ", arg0)") T("rindex(" A ", \"b\", arg1)") },
	{ "strmatch", GLOBS, false, T("strmatch(" A ", " B ")") T("strmatch(" A ", \"*a[!b-c]?*\")")
	    T("strmatch(\"aabaac\", " B ")") },
	{ "strmatch", ANY, false, T("strmatch(" A ", " B ")") T("strmatch(" A ", \"[\\200-\\377]*\")") },
	{ "substr", ANY, false,
	    T("substr(" A ", arg0)") T("substr(" A ", arg0, arg1)") T("substr(" A ", -3, 2)") },
	{ "strtok", WORDS, false,
	    "BEGIN { this->t = strtok(" A ", \", \"); } BEGIN { trace(this->t); } BEGIN { "
	    "trace(strtok(NULL, " B ")); trace(strtok(NULL, \"a\")); }"
	    "BEGIN { trace(strtok(NULL, \"b \")); }" },
	{ "strtok", WORDS, false, "BEGIN { trace(strtok(NULL, \",\")); } "
	    "BEGIN { trace(strtok(" A ", " B ")); trace(strtok(NULL, " B ")); }" },
	{ "basename", PATHS, false, T("basename(" A ")") },
	{ "dirname", PATHS, false, T("dirname(" A ")") },
	{ "cleanpath", PATHS, false, T("cleanpath(" A ")") },
	{ "toupper", ANY, false, T("toupper(" A ")") },
	{ "tolower", ANY, false, T("tolower(" A ")") },
	{ "lltostr", WORDS, false, T("lltostr(arg0)") T("lltostr(arg1, arg2)") T("lltostr(arg3, 16)")
	    T("lltostr(arg4, 8)") T("lltostr(arg5, 2)") },
	{ "strtoll", NUMBERS, false,
	    T("strtoll(" A ")") T("strtoll(" A ", arg0)") T("strtoll(" A ", 16)") T("strtoll(" A ", 36)") },
	{ "json", JSON, false, T("json(" A ", " B ")") T("json(" A ", \"a\")") T("json(" A ", \"[1]\")") },
	{ "json", JSON, false, T("json(" A ", " B ")") T("json(" A ", \"[0].a\")") },
	{ "inet_ntoa", ANY, true, T("inet_ntoa(copyin(arg8, 4))") },
	{ "inet_ntoa6", ANY, true, T("inet_ntoa6(copyin(arg8, 16))") T("inet_ntoa6(copyin(arg8, 16), 1)") },
	{ "inet_ntop", ANY, true,
	    T("inet_ntop(2, copyin(arg8, 4))") T("inet_ntop(10, copyin(arg8, 16))")
	    T("inet_ntop(arg0, copyin(arg8, 16))") },
	{ "link_ntop", ANY, true,
	    T("link_ntop(1, copyin(arg8, 6))") T("link_ntop(32, copyin(arg8, 20))")
	    T("link_ntop(arg0, copyin(arg8, 20))") },
	{ "uuidstr", ANY, true, T("uuidstr(copyin(arg8, 16))") },
	{ "memstr", ANY, true, T("memstr(copyin(arg8, 32), '.', 9)") T("memstr(copyin(arg8, 32), 'x', 0)")
	    T("memstr(copyin(arg8, 32), arg0, 32)") },
	/* null strings and bad addresses; one call's result in another's argument */
	{ "faults", WORDS, false, T("strstr(NULL, " A ")") T("strstr(" A ", NULL)")
	    T("index((string)arg0, " A ")") T("json(" A ", NULL)")
	    T("basename(NULL)") T("strtok(" A ", NULL)") T("toupper(stringof(16))") T("strtoll(NULL)")
	    T("strtoll(NULL, 1)") },
	{ "nested", PATHS, false,
	    T("toupper(basename(dirname(cleanpath(" A "))))") T("substr(" A ", index(" A ", \"/\") + 1)")
	    T("strjoin(lltostr(strlen(" A ")), strjoin(\":\", substr(" A ", 1, 3)))")
	    T("strstr(strchr(" A ", '/'), \".\")") },
	/* scratch runs out: sixteen strings are all there is */
	{ "scratch", ANY, false, "BEGIN { trace(toupper(strjoin(" A ", " B "))); trace(tolower(" A ")); "
	    "trace(substr(" A ", 1)); trace(toupper(" B "));"
	    "trace(tolower(" A ")); trace(substr(" A ", 0)); trace(toupper(" B ")); "
	    "trace(toupper(" A ")); trace(toupper(" A ")); trace(toupper(" A ")); }" },
};
#define NCALLS (sizeof(calls) / sizeof(calls[0]))

/* Scratch is never less than four strings. */
static const struct { uint32_t str, scratch; } sizes[] = {
	{ 256, 0 }, { 8, 0 }, { 9, 0 }, { 15, 0 }, { 64, 0 }, { 1000, 0 }, { 4096, 0 }, { 256, 1024 },
	{ 64, 256 }, { 64, 300 }, { 8, 33 },
};

static void run(size_t i, bool show)
{
	choose(calls[i].kind, calls[i].binary);
	compare(calls[i].program, firings, FIRINGS, false);
	if (show)
		printf("%-12s strsize %4u: %6.2f ms to load\n", calls[i].name, strsize,
		    (double)open_ns / 1e6);
}

int main(int argc, char **argv)
{
	const char *only = argc > 2 ? argv[2] : NULL;
	char msg[512];
	if (argc > 1)
		seed = strtoull(argv[1], NULL, 0);
	if (dt_features_probe(&feat, msg, sizeof(msg)) != 0) {
		printf("runtime_test: %s\nruntime_test: 0 passed, 0 failed, 1 skipped\n", msg);
		return 0;
	}
	pin();
	for (size_t s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
		strsize = sizes[s].str;
		scratchsize = sizes[s].scratch;
		for (size_t i = 0; i < NCALLS; i++) {
			if (!only || strcmp(only, "all") == 0 || strcmp(only, calls[i].name) == 0)
				run(i, only != NULL);
		}
	}
	return CHECK_DONE("runtime_test");
}
