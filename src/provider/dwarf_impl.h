/* SPDX-License-Identifier: BSD-2-Clause */
/* Private to the files that read debugging data: the opened data of a file, and the functions of libdw. */
#ifndef DT_PROVIDER_DWARF_IMPL_H
#define DT_PROVIDER_DWARF_IMPL_H

#include "provider/dwarf.h"
#include "provider/provider.h"

#include <elfutils/libdw.h>

struct dt_dwarf {
	void *lib;
	int fd;
	Dwarf *dw;
	struct dt_probes *p;
	uint32_t ntypes;
	/* offset in the data -> type, for structs, enums and typedefs */
	struct dt_map made;
	/* names of types read so far: reading goes on if a name is not among them */
	struct dt_map names;		/* "s`tag", "t`name" -> struct named */
	/* the file itself, then what it shares with others; NULL: both are read */
	Dwarf *reading;
	Dwarf_CU *unit;			/* read last, NULL: none */
	uint32_t nmet;
	/* of libdw */
	Dwarf *(*begin)(int, Dwarf_Cmd);
	int (*end)(Dwarf *);
	int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
	Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
	ptrdiff_t (*getfuncs)(Dwarf_Die *, int (*)(Dwarf_Die *, void *), void *, ptrdiff_t);
	Dwarf_Die *(*addrdie)(Dwarf *, Dwarf_Addr, Dwarf_Die *);
	int (*entrypc)(Dwarf_Die *, Dwarf_Addr *);
	const char *(*diename)(Dwarf_Die *);
	int (*tag)(Dwarf_Die *);
	int (*child)(Dwarf_Die *, Dwarf_Die *);
	int (*siblingof)(Dwarf_Die *, Dwarf_Die *);
	Dwarf_Attribute *(*attr)(Dwarf_Die *, unsigned, Dwarf_Attribute *);
	Dwarf_Die *(*formref)(Dwarf_Attribute *, Dwarf_Die *);
	int (*formudata)(Dwarf_Attribute *, Dwarf_Word *);
	int (*bytesize)(Dwarf_Die *);
	int (*formsdata)(Dwarf_Attribute *, Dwarf_Sword *);
	int (*get_units)(Dwarf *, Dwarf_CU *, Dwarf_CU **, Dwarf_Half *, uint8_t *, Dwarf_Die *, Dwarf_Die *);
	Dwarf *(*getalt)(Dwarf *);
};

#endif
