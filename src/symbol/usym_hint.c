/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Code made at run time that has no names, because the process has not written a perf map. Runtimes write one
 * when they are asked, each in its own way: which runtime it is can be seen from the files that the process
 * maps. A process that gets its names later is forgotten here.
 */
#include "symbol/usym_impl.h"

#include <stdio.h>
#include <string.h>

static const struct runtime {
	const char *file;		/* its base name begins with this */
	bool whole;			/* it is this */
	const char *hint;		/* %1$u: the process */
} runtimes[DT_URUNTIMES] = {
	[DT_URUNTIME_JAVA] = { "libjvm.so", false,
	    "code that Java has compiled in process %1$u has no names: "
	    "\"jcmd %1$u Compiler.perfmap\" while it is traced writes them (from Java 17 on), or "
	    "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit when it is started; "
	    "-XX:+PreserveFramePointer lets stacks go through it" },
	[DT_URUNTIME_NODE] = { "node", true,
	    "code that Node.js has compiled in process %1$u has no names: start it with --perf-basic-prof, "
	    "and --interpreted-frames-native-stack for functions that are not compiled" },
	[DT_URUNTIME_LIBNODE] = { "libnode.so", false,
	    "code that Node.js has compiled in process %1$u has no names: start it with --perf-basic-prof" },
	[DT_URUNTIME_NET] = { "libcoreclr.so", false,
	    "code that .NET has compiled in process %1$u has no names: start it with "
	    "DOTNET_PerfMapEnabled=1 in its environment" },
};

static bool is_of(const struct runtime *r, const char *base)
{
	return r->whole ? strcmp(base, r->file) == 0 : strncmp(base, r->file, strlen(r->file)) == 0;
}

/* DT_URUNTIMES: none that is known. The newest space is what the process maps now. */
static unsigned runtime_of(const struct dt_uview *v)
{
	const struct dt_uspace *s = v->space[0];

	for (uint32_t i = 0; s != NULL && i < s->n; i++)
		for (unsigned k = 0; k < DT_URUNTIMES; k++)
			if (is_of(&runtimes[k], s->map[i].object->base))
				return k;
	return DT_URUNTIMES;
}

/* Looks at its mappings once in a while only: a stack may have many such frames. */
void dt_usyms_nameless(struct dt_usyms *us, const struct dt_uview *v)
{
	unsigned k;

	if (v->jit.map.n > 0 || us->last_nameless == v->pid)
		return;
	us->last_nameless = v->pid;
	k = runtime_of(v);
	if (k < DT_URUNTIMES && us->nameless[k] == 0)
		us->nameless[k] = v->pid;
}

void dt_usyms_named(struct dt_usyms *us, const struct dt_uview *v)
{
	for (unsigned k = 0; k < DT_URUNTIMES; k++)
		if (us->nameless[k] == v->pid)
			us->nameless[k] = 0;
}

bool dt_usyms_hint(const struct dt_usyms *us, unsigned i, char *text, size_t len)
{
	if (us->nameless[i] != 0)
		snprintf(text, len, runtimes[i].hint, us->nameless[i]);
	return us->nameless[i] != 0;
}
