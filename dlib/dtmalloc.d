/* SPDX-License-Identifier: BSD-2-Clause */
/* dtmalloc: allocations of the kernel by cache; args[3] is the size, args[4] the order or index. */

provider dtmalloc {
	probe malloc(struct kmem_cache *cache, void *internal, void *stats, unsigned long size, int index); /* memory is taken from a cache */
	probe free(struct kmem_cache *cache, void *internal, void *stats, unsigned long size, int index); /* it is given back */
};

#pragma D attributes Stable/Stable/Common provider dtmalloc provider
#pragma D attributes Private/Private/Unknown provider dtmalloc module
#pragma D attributes Private/Private/Unknown provider dtmalloc function
#pragma D attributes Stable/Stable/Common provider dtmalloc name
#pragma D attributes Stable/Stable/Common provider dtmalloc args
