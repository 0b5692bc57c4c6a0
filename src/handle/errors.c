/* SPDX-License-Identifier: BSD-2-Clause */
/* A number in, a sentence out. The texts are historic: scripts and tests look for them. */
#include "handle/errors.h"

#include "dtrace.h"

#include <string.h>

/*
 * Indexed by code, so the order of the rows does not matter; a code without a row has no sentence of its own.
 */
#define E(code, text) [code - EDT_BASE] = text
static const char *const texts[EDT_MAX - EDT_BASE] = {
	E(EDT_VERSION, "Client requested version newer than library"),
	E(EDT_VERSINVAL, "Version is not properly formatted or is too large"),
	E(EDT_VERSUNDEF, "Requested version is not supported by compiler"),
	E(EDT_VERSREDUCED, "Requested version conflicts with earlier setting"),
	E(EDT_CTF, "Unexpected libctf error"),
	E(EDT_COMPILER, "Error in D program compilation"),
	E(EDT_NOTUPREG, "Insufficient tuple registers to generate code"),
	E(EDT_NOMEM, "Memory allocation failure"),
	E(EDT_INT2BIG, "Integer constant table limit exceeded"),
	E(EDT_STR2BIG, "String constant table limit exceeded"),
	E(EDT_NOMOD, "Unknown module name"),
	E(EDT_NOPROV, "Unknown provider name"),
	E(EDT_NOPROBE, "No probe matches description"),
	E(EDT_NOSYM, "Unknown symbol name"),
	E(EDT_NOSYMADDR, "No symbol corresponds to address"),
	E(EDT_NOTYPE, "Unknown type name"),
	E(EDT_NOVAR, "Unknown variable name"),
	E(EDT_NOAGG, "Unknown aggregation name"),
	E(EDT_BADSCOPE, "Improper use of scoping operator in type name"),
	E(EDT_BADSPEC, "Overspecified probe description"),
	E(EDT_BADSPCV, "Undefined macro variable in probe description"),
	E(EDT_BADID, "Unknown probe identifier"),
	E(EDT_NOTLOADED, "Module is no longer loaded"),
	E(EDT_NOCTF, "Module does not contain any CTF data"),
	E(EDT_DATAMODEL, "Module and program data models do not match"),
	E(EDT_DIFVERS, "Library uses newer DIF version than kernel"),
	E(EDT_BADAGG, "Unknown aggregating action"),
	E(EDT_FIO, "Error occurred while reading from input stream"),
	E(EDT_DIFINVAL, "DIF program content is invalid"),
	E(EDT_DIFSIZE, "DIF program exceeds maximum program size"),
	E(EDT_DIFFAULT, "DIF program contains invalid pointer"),
	E(EDT_BADPROBE, "Invalid probe specification"),
	E(EDT_BADPGLOB, "Probe description has too many globbing characters"),
	E(EDT_NOSCOPE, "Declaration scope stack underflow"),
	E(EDT_NODECL, "Declaration stack underflow"),
	E(EDT_DMISMATCH, "Data record list does not match statement"),
	E(EDT_DOFFSET, "Data record offset exceeds buffer boundary"),
	E(EDT_DALIGN, "Data record has inappropriate alignment"),
	E(EDT_BADOPTNAME, "Invalid option name"),
	E(EDT_BADOPTVAL, "Invalid value for specified option"),
	E(EDT_BADOPTCTX, "Option cannot be used from within a D program"),
	E(EDT_CPPFORK, "Failed to fork preprocessor"),
	E(EDT_CPPEXEC, "Failed to exec preprocessor"),
	E(EDT_CPPENT, "Preprocessor not found"),
	E(EDT_CPPERR, "Preprocessor failed to process input program"),
	E(EDT_SYMOFLOW, "Symbol table identifier space exhausted"),
	E(EDT_ACTIVE, "Operation illegal when tracing is active"),
	E(EDT_DESTRUCTIVE, "Destructive actions not allowed"),
	E(EDT_NOANON, "No anonymous tracing state"),
	E(EDT_ISANON, "Can't claim anonymous state and enable probes"),
	E(EDT_ENDTOOBIG, "END enablings exceed size of principal buffer"),
	E(EDT_NOCONV, "Failed to load type for printf conversion"),
	E(EDT_BADCONV, "Incomplete printf conversion"),
	E(EDT_BADERROR, "Invalid library ERROR action"),
	E(EDT_ERRABORT, "Abort due to error"),
	E(EDT_DROPABORT, "Abort due to drop"),
	E(EDT_DIRABORT, "Abort explicitly directed"),
	E(EDT_BADRVAL, "Invalid return value from callback"),
	E(EDT_BADNORMAL, "Invalid normalization"),
	E(EDT_BUFTOOSMALL, "Enabling exceeds size of buffer"),
	E(EDT_BADTRUNC, "Invalid truncation"),
	E(EDT_BUSY, "DTrace cannot be used when kernel debugger is active"),
	E(EDT_ACCESS, "DTrace requires additional privileges"),
	E(EDT_NOENT, "DTrace device not available on system (this kernel has no bpf(2): use one with "
	    "CONFIG_BPF_SYSCALL)"),
	E(EDT_BRICKED, "Abort due to systemic unresponsiveness"),
	E(EDT_HARDWIRE, "Failed to load language definitions"),
	E(EDT_ELFVERSION, "libelf is out-of-date with respect to libdtrace"),
	E(EDT_NOBUFFERED, "Attempt to buffer output without handler"),
	E(EDT_UNSTABLE, "Description matched an unstable set of probes"),
	E(EDT_BADSETOPT, "Invalid setopt() library action"),
	E(EDT_BADSTACKPC, "Invalid stack program counter size"),
	E(EDT_BADAGGVAR, "Invalid aggregation variable identifier"),
	E(EDT_OVERSION, "Client requested deprecated version of library"),
	E(EDT_ENABLING_ERR, "Failed to enable probe"),
	E(EDT_NOPROBES, "No probe sites found for declared provider"),
	E(EDT_CANTLOAD, "Failed to load module"),
	E(EDT_NOREG, "Insufficient registers to generate code"),
	E(EDT_BPFINVAL, "BPF program content is invalid"),
	E(EDT_BPFSIZE, "BPF program exceeds maximum program size"),
	E(EDT_BPFFAULT, "BPF program contains invalid pointer"),
	E(EDT_BPF, "BPF error"),
	E(EDT_DSIZE, "Data record has incorrect size"),
	E(EDT_BADSTID, "Invalid statement ID"),
	E(EDT_CORRUPT_KALLSYMS, "Kernel symbol list cannot be read"),
	E(EDT_ELFCLASS, "Unknown ELF class, neither 32- nor 64-bit"),
	E(EDT_OBJIO, "Cannot read object file or modules.dep"),
	E(EDT_READMAXSTACK, "Cannot read kernel param perf_event_max_stack"),
	E(EDT_TRACEMEM, "Missing or corrupt tracemem() record"),
	E(EDT_PCAP, "Missing or corrupt pcap() record"),
	E(EDT_OPTNOTHERE, "Option would have no effect on this platform"),
	E(EDT_PRINT, "Missing or corrupt print() record"),
	E(EDT_UNSUPPORTED, "Operation is not available in this build"),
	E(EDT_NOSYSFS, "/sys is not mounted, which is where the kernel lists what it has "
	    "(mount -t sysfs sysfs /sys)"),
};
#undef E

/* Never NULL, and always text that needs no freeing. */
const char *dt_error_text(int err)
{
	if (err >= EDT_BASE && err < EDT_MAX && texts[err - EDT_BASE])
		return texts[err - EDT_BASE];
	/* strerrordesc_np() is the same text as strerror()'s, without its static buffer */
	const char *text = err > 0 && err < EDT_BASE ? strerrordesc_np(err) : NULL;
	return text ? text : "Unknown error";
}
