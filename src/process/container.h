/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names of containers, from the files in which their runtimes keep them. Whoever runs containers chooses the
 * names, so all of it is untrusted: files are read up to a limit, ids have to be ids, and names are cleaned.
 */
#ifndef DT_PROCESS_CONTAINER_H
#define DT_PROCESS_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

enum { DT_CONTAINER_TEXT = 120 };	/* bytes of a name, with the NUL */

struct dt_container { char id[65]; char name[DT_CONTAINER_TEXT]; };
struct dt_containers;

/* root: where the files of the machine are, "" if they are where they belong. NULL: out of memory */
struct dt_containers *dt_containers_new(const char *root);
void dt_containers_free(struct dt_containers *);	/* NULL is fine */
/* Reads what is new; true: something is, and the list is another one. -ENOMEM is as if nothing were. */
bool dt_containers_read(struct dt_containers *);
const struct dt_container *dt_containers_list(const struct dt_containers *, uint32_t *n);

/*
 * Whether a text means the container: its name, at least six digits of the start of its id, or, of a name
 * NAMESPACE/POD/CONTAINER, one of the last two parts.
 */
bool dt_container_is(const struct dt_container *, const char *text);
/*
 * Whether the directory of a control group is that of a container: its id, or its name where there is no id,
 * is left in `text` of DT_CONTAINER_TEXT bytes. *id: it is an id.
 */
bool dt_container_of(const char *directory, char *text, bool *id);

#endif
