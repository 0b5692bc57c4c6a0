/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names come from scripts and plugins. They end up in ELF notes, which tracers of root read, so only those
 * that a D program can write are accepted. Also the text of each error.
 */
#include "libusdt.h"

#include <string.h>

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* A letter, then letters, digits and those of `more`, `max` in all. */
static bool is_name(const char *name, size_t max, const char *more)
{
	size_t len = name != NULL ? strnlen(name, max + 1) : 0;

	if (len == 0 || len > max || !is_letter(name[0]))
		return false;
	for (size_t i = 1; i < len; i++)
		if (!is_letter(name[i]) && !is_digit(name[i]) && strchr(more, name[i]) == NULL)
			return false;
	return true;
}

/* Tracers append the number of the process, so the name itself must not end in a digit. */
int usdt_check_provider(const char *name)
{
	return is_name(name, MAX_PROVIDER, "") && !is_digit(name[strlen(name) - 1]) ? 0 :
										      DTRACE_USDT_EPROVIDER;
}

int usdt_check_module(const char *name)
{
	return is_name(name, MAX_NAME, ".-+") ? 0 : DTRACE_USDT_EMODULE;
}

/* Names of other languages too: "Point.move", "list::push<int>" */
int usdt_check_function(const char *name)
{
	size_t len = name != NULL ? strnlen(name, MAX_FUNCTION + 1) : 0;

	if (len == 0 || len > MAX_FUNCTION)
		return DTRACE_USDT_EFUNCTION;
	for (size_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] > '~')
			return DTRACE_USDT_EFUNCTION;
	return 0;
}

int usdt_check_name(const char *name)
{
	return is_name(name, MAX_NAME, "-") ? 0 : DTRACE_USDT_ENAME;
}

int usdt_check_types(const int *types, int n)
{
	if (n < 0 || n > DTRACE_USDT_MAXARGS || (n > 0 && types == NULL))
		return DTRACE_USDT_EARGS;
	for (int i = 0; i < n; i++) {
		int size = usdt_size(types[i]), bytes = size < 0 ? -size : size;

		if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
			return DTRACE_USDT_ETYPE;
	}
	return 0;
}

const char *dtrace_usdt_strerror(int err)
{
	switch (err) {
	case DTRACE_USDT_EPROVIDER:
		return "a provider's name is a letter or _, then letters, digits and _, at most 53 in all, "
		       "and does not end in a digit: tracers append the number of the process";
	case DTRACE_USDT_EMODULE:
		return "a module's name is a letter or _, then letters, digits and _ . - +, at most 63 in "
		       "all";
	case DTRACE_USDT_EFUNCTION:
		return "a function's name has 1 to 127 visible ASCII characters";
	case DTRACE_USDT_ENAME:
		return "a probe's name is a letter or _, then letters, digits, _ and -, at most 63 in all";
	case DTRACE_USDT_ETYPE:
		return "a type is one of DTRACE_USDT_INT8 to _INT64, _UINT8 to _UINT64, _POINTER and _STRING";
	case DTRACE_USDT_EARGS: return "a probe has 0 to 12 arguments, and a list of as many types";
	case DTRACE_USDT_EPROBES:
		return "a provider has at most 4096 probes: open another one for the rest";
	case DTRACE_USDT_EEXIST: return "the provider has this probe in this function already";
	case DTRACE_USDT_EDIFFER:
		return "the provider has a probe of this name with other types: give both the same types, or "
		       "choose another name";
	case DTRACE_USDT_EEMPTY: return "the provider has no probes: add one before it is loaded";
	case DTRACE_USDT_EMEMFD:
		return "the system refuses a file in memory (memfd_create): allow that call in the seccomp "
		       "filter of the container or service, and check the limit of open files and "
		       "vm.memfd_noexec";
	case DTRACE_USDT_EMAP:
		return "the system refuses to map a file in memory as code: the security policy of this "
		       "program has to allow it (SELinux: execmem; systemd: MemoryDenyWriteExecute=no)";
	default: return err <= 0 && err > -1000 ? strerror(-err) : "unknown error";
	}
}
