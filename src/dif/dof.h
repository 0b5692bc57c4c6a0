/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The layout of DOF, a saved program (doc/DIF.md): header, section headers, loadable data, the strings
 * of the program, then what a loader does not need. Integers have the byte order of the machine that
 * wrote the file; every structure here has the same layout on all machines. Private to src/dif.
 */
#ifndef DT_DIF_DOF_H
#define DT_DIF_DOF_H

#include "dif/dif.h"

#define DT_DOF_NONE UINT32_MAX		/* no section */
#define DT_DOF_MAX (8u << 20)		/* bytes of a file */

enum {
	DT_DOF_LP64 = 2,
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	DT_DOF_ENCODING = 1,
#else
	DT_DOF_ENCODING = 2,
#endif
	DT_DOF_VERSION = 2,		/* what we write; 1 to 3 are read */
	DT_DOF_LOAD = 1,		/* section flag */
	DT_DOF_SETX = 1,		/* relocation type */
};

enum dt_dofsec_type {
	DT_DS_COMMENTS = 1,
	DT_DS_SOURCE = 2,
	DT_DS_ECBDESC = 3,
	DT_DS_PROBEDESC = 4,
	DT_DS_ACTDESC = 5,
	DT_DS_DIFOHDR = 6,
	DT_DS_DIF = 7,
	DT_DS_STRTAB = 8,
	DT_DS_VARTAB = 9,
	DT_DS_RELTAB = 10,
	DT_DS_KRELHDR = 13,
	DT_DS_OPTDESC = 14,
	DT_DS_INTTAB = 19,
	DT_DS_UTSNAME = 20,
	DT_DS_LAST = 26,
	DT_DS_OURS = 0x1000, /* from here on others ignore what they do not know, and so do we */
	DT_DS_NOTES = 0x1000, /* struct dt_dof_note[] */
};

struct dt_dof_hdr {
	uint8_t magic[4], model, encoding, version, difvers, iregs, tregs, pad[6];
	uint32_t flags, hdrsize, secsize, secnum;
	uint64_t secoff, loadsz, filesz, pad2;
};

struct dt_dof_sec { uint32_t type, align, flags, entsize; uint64_t offset, size; };
struct dt_dof_ecb { uint32_t probes, pred, actions, pad; uint64_t uarg; };
struct dt_dof_probe { uint32_t strtab, prov, mod, func, name, id; };
struct dt_dof_act { uint32_t difo, strtab, kind, ntuple; uint64_t arg, uarg; };
struct dt_dof_var { uint32_t name, id; uint8_t kind, scope; uint16_t flags; struct dt_diftype type; };
struct dt_dof_rel { uint32_t name, type; uint64_t offset, data; };
struct dt_dof_relhdr { uint32_t strtab, relsec, tgtsec; };
/* as Linux has it; systems with longer names have another size */
struct dt_dof_uts { char sysname[65], node[65], release[65], version[65], machine[65], domain[65]; };
struct dt_dof_opt { uint32_t option, strtab; uint64_t value; };

/*
 * What the historic sections have no room for. `sec` is the section that the note is about.
 *   PROG a, b: stability of descriptions and of statements, name << 24 | data << 16 | class << 8
 *   ECB sec: ECBDESC; a, b: the same for one clause
 *   ACT sec: ACTDESC, index: action; word: 1 if part of a tuple; a: the argument if a string took its place
 *   STRLEN sec: DIFOHDR; a: the bytes of the STRTAB that are the DIFO's own; the rest are names
 *   AGG sec: STRTAB, index: name; word: aggregating action; a: its parameters; b: id << 32 | number of keys
 */
enum dt_dof_what { DT_NOTE_PROG = 1, DT_NOTE_ECB, DT_NOTE_ACT, DT_NOTE_STRLEN, DT_NOTE_AGG };
struct dt_dof_note { uint32_t what, sec, index, word; uint64_t a, b; };

_Static_assert(sizeof(struct dt_dof_hdr) == 64, "header");
_Static_assert(sizeof(struct dt_dof_sec) == 32, "section header");
_Static_assert(sizeof(struct dt_dof_ecb) == 24, "ECBDESC");
_Static_assert(sizeof(struct dt_dof_act) == 32, "ACTDESC");
_Static_assert(sizeof(struct dt_dof_var) == 20, "VARTAB");
_Static_assert(sizeof(struct dt_dof_rel) == 24, "RELTAB");
_Static_assert(sizeof(struct dt_dof_opt) == 16, "OPTDESC");
_Static_assert(sizeof(struct dt_dof_note) == 32, "NOTES");
_Static_assert(sizeof(struct dt_diftype) == 8, "diftype");

/* Alignment and entry size of a section type; size 0: any. NULL: a type that we do not read. */
struct dt_dof_shape { uint32_t type, align, entsize; };
const struct dt_dof_shape *dt_dof_shape(uint32_t type);

#endif
