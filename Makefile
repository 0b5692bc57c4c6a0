# SPDX-License-Identifier: BSD-2-Clause
#
#   make                  build/dtrace, build/libdtrace.so, build/libdtrace.a
#   make MODE=asan        the same in build-asan/ (also: debug, fuzz)
#   make check            the quick tests      (./check runs everything)
#   make install          DESTDIR=, PREFIX=/usr/local, LIBDIR=PREFIX/lib
#   make deb              Debian packages
#   make static tarball   one file that needs no library; with all else and an install.sh
#   make LDFLAGS=-static  a dtrace that needs no library (and no libdtrace.so)
#   make fuzz | bench | include-check | clean
#
# Sources are found by wildcard: a new file in src/*/ needs no line here.

# Looking for built-in rules takes longer than looking whether anything is to be done.
MAKEFLAGS += -r
.SUFFIXES:
Makefile: ;
.DEFAULT_GOAL := all

MODE ?= release
CC := $(if $(filter default,$(origin CC)),$(if $(filter fuzz,$(MODE)),clang,gcc),$(CC))
B ?= $(if $(filter release,$(MODE)),build,build-$(MODE))
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
VERSION := 0.1
# Programs linked with one major version run with any library of it.
SONAME := libdtrace.so.$(firstword $(subst ., ,$(VERSION)))

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
opt_release := -O2 -g
opt_debug := -O0 -g3
opt_asan := -O1 -g $(SANITIZE)
opt_fuzz := -O1 -g -fsanitize=fuzzer-no-link $(SANITIZE) -DDT_FUZZ
ifndef opt_$(MODE)
$(error MODE=$(MODE): one of release, debug, asan, fuzz)
endif

CFLAGS ?=
WARN := -Wall -Wextra -Wshadow
# Each function and table has a section of its own: the linker leaves out what nothing uses.
ALL_CFLAGS := -std=gnu17 -D_GNU_SOURCE -DDT_VERSION='"$(VERSION)"' $(WARN) -fPIC -fvisibility=hidden \
	-ffunction-sections -fdata-sections -Isrc -Iinclude $(opt_$(MODE)) $(CFLAGS)
# Lazy binding: a compile that fails early should not pay for symbols it never calls.
ALL_LDFLAGS := $(opt_$(MODE)) -Wl,--as-needed -Wl,--hash-style=gnu -Wl,-O1 -Wl,-z,lazy -Wl,--gc-sections \
	$(LDFLAGS)

LIB_SRC := $(wildcard src/*/*.c) $(wildcard src/bpf/runtime/both/*.c)
CMD_SRC := $(filter-out cmd/web/%,$(wildcard cmd/*.c cmd/*/*.c))
# Commands parse, decode and print: small matters more there than quick.
cmd_release := -Os
# What else the binary is, by the name it is called by (cmd/main.c).
COMMANDS := $(filter-out common dtrace web,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard cmd/*/*.c))))))
export DLIB := $(sort $(wildcard dlib/*.d))
UNIT := $(patsubst test/unit/%.c,%,$(wildcard test/unit/*_test.c))
TOOL := $(patsubst test/tool/%.c,%,$(wildcard test/tool/*.c))
TRIGGER := $(patsubst test/trigger/%.c,%,$(wildcard test/trigger/*.c))
TOOLDIR := $(notdir $(patsubst %/,%,$(dir $(wildcard test/tool/*/main.c))))
BENCH_SRC := $(wildcard bench/*.c)
# A command of its own, which needs an HTTP server and a page.
WEB_SRC := $(wildcard cmd/web/*.c) cmd/common/signals.c
FUZZ := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/*_fuzz.c))

LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/dlib.o $(B)/obj/gen/syscalls.o $(B)/obj/gen/compat.o $(B)/obj/gen/usdt.o $(B)/obj/gen/bpfrt.o $(B)/obj/gen/pages.o
CMD_OBJ := $(CMD_SRC:%.c=$(B)/obj/%.o)
$(CMD_OBJ): ALL_CFLAGS += $(cmd_$(MODE))
UNIT_BIN := $(UNIT:%=$(B)/test/%)
TOOL_BIN := $(TOOL:%=$(B)/test/%) $(TRIGGER:%=$(B)/test/%) $(B)/test/differ $(TOOLDIR:%=$(B)/test/%)
FUZZ_BIN := $(FUZZ:%=$(B)/%)

STATIC := $(filter -static -static-pie,$(LDFLAGS))
all: $(B)/dtrace $(if $(STATIC),,$(B)/libdtrace.so) $(B)/libdtrace.a
$(B)/obj/%.d: ;
tests: all $(TOOL_BIN) $(UNIT_BIN) $(B)/bench/trace
fuzzers: $(FUZZ_BIN)

# What pkg-config says, asked once a build folder: asking it on every run would cost more than make itself.
$(B)/pkg.mk: Makefile
	@mkdir -p $(@D)
	@pkg-config --exists libbpf libelf liblzma || { \
		echo "make: libbpf, libelf and liblzma are needed to build: apt-get install pkg-config libbpf-dev libelf-dev liblzma-dev libiberty-dev" >&2; exit 1; }
	@{ echo "PKG_CFLAGS := $$(pkg-config --cflags libbpf libelf liblzma)"; \
	   echo "PKG_LIBS := $$(pkg-config --libs libbpf libelf liblzma) -liberty"; \
	   echo "PKG_LIBS_STATIC := $$(pkg-config --static --libs libbpf libelf liblzma) -liberty"; \
	   echo 'int main(void) { return 0; }' | $(CC) $(CFLAGS) $(LDFLAGS) -x c -o $@.try - -lmicrohttpd 2>/dev/null && \
		echo "WEB_LIBS := -lmicrohttpd -lpthread"; rm -f $@.try; } >$@
ifeq ($(filter clean include-check,$(MAKECMDGOALS)),)
-include $(B)/pkg.mk
endif
# The live page needs libmicrohttpd, for this machine, and npm, or the command ESBUILD and node; without them all else is
# built. A static build has none: Debian's libmicrohttpd.a needs libraries that are shared only.
NPM := $(firstword $(wildcard $(addsuffix /npm,$(subst :, ,$(PATH)))))
WEB := $(if $(and $(WEB_LIBS),$(or $(NPM),$(ESBUILD)),$(if $(STATIC),,yes)),$(B)/dtrace-web,no-web)
all: $(WEB)
LIBS := $(if $(STATIC),$(PKG_LIBS_STATIC),$(PKG_LIBS))

# Objects are made again when compiler or flags change.
export FLAGS := $(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) | $(ALL_LDFLAGS) $(LIBS)
ifneq ($(file <$(B)/flags),$(FLAGS))
$(B)/flags: FORCE
endif
$(B)/flags:
	@mkdir -p $(@D)
	@printf %s "$$FLAGS" >$@

$(B)/obj/%.o: %.c $(B)/flags | $(B)/pkg.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

# What the commands share lies in one folder.
$(B)/obj/cmd/%: ALL_CFLAGS += -Icmd/common
# Decoders are many and each is short: their size counts, not their speed; nobody unwinds them at run time.
$(B)/obj/cmd/dtruss/%: ALL_CFLAGS += -Os -fno-asynchronous-unwind-tables -fno-unwind-tables

# The names are part of the rule: a library that goes away must leave the table too.
ifneq ($(file <$(B)/gen/dlib.names),$(DLIB))
$(B)/gen/dlib.names: FORCE
endif
$(B)/gen/dlib.names:
	@mkdir -p $(@D)
	@printf %s "$$DLIB" >$@
$(B)/gen/dlib.c: tools/embed-dlib $(DLIB) $(B)/gen/dlib.names
	tools/embed-dlib $(DLIB) >$@.tmp && mv $@.tmp $@
# What `dtrace -h` copies into each header.
$(B)/gen/usdt.c: include/dtrace/usdt.h Makefile
	@mkdir -p $(@D)
	{ echo '#include "usdt/usdt.h"'; echo 'const char dt_usdt_site[] ='; \
		sed -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/?/\\?/g' -e 's/^/	"/' -e 's/$$/\\n"/' $<; echo '	;'; } >$@.tmp && mv $@.tmp $@
# Pages that formats write, with style and script in them.
PAGES := $(sort $(wildcard src/sink/page/*.html))
$(B)/gen/pages.c: tools/embed-page $(wildcard src/sink/page/*)
	@mkdir -p $(@D)
	tools/embed-page $(PAGES) >$@.tmp && mv $@.tmp $@
# The system calls of the machine we build for.
$(B)/gen/syscalls.c: tools/syscall-table $(B)/flags
	@mkdir -p $(@D)
	tools/syscall-table $(CC) $(CFLAGS) >$@.tmp && mv $@.tmp $@
$(B)/gen/compat.c: tools/compat-table tools/compat-syscalls $(B)/flags
	@mkdir -p $(@D)
	tools/compat-table $(CC) $(CFLAGS) >$@.tmp && mv $@.tmp $@
$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Subroutines with loops, compiled for eBPF and embedded as arrays: nothing of clang is needed where we run. Those in both/
# are compiled for the machine too, for the interpreter.
CLANG ?= clang
export RT_SRC := $(sort $(wildcard src/bpf/runtime/*.c src/bpf/runtime/both/*.c))
RT_OBJ := $(RT_SRC:src/bpf/runtime/%.c=$(B)/gen/rt_%.o)
$(B)/gen/rt_%.o: src/bpf/runtime/%.c src/bpf/runtime/runtime.h src/bpf/unwind.h src/bpf/work.h Makefile
	@mkdir -p $(@D)
	@command -v $(CLANG) >/dev/null || { \
		echo "make: clang is needed to compile src/bpf/runtime for eBPF: apt-get install clang (or CLANG=...)" >&2; exit 1; }
	$(CLANG) -target bpf -mcpu=v3 -O2 -g0 -Wall -Isrc -c -o $@ $<
ifneq ($(file <$(B)/gen/rt.names),$(RT_SRC))
$(B)/gen/rt.names: FORCE
endif
$(B)/gen/rt.names:
	@mkdir -p $(@D)
	@printf %s "$$RT_SRC" >$@
# Runs here; where CC makes programs for another machine, HOSTCC does not.
HOSTCC ?= $(CC)
$(B)/embed-bpf: tools/embed-bpf.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=gnu17 -O1 -Wall -Wextra -o $@ $<
$(B)/gen/bpfrt.c: $(B)/embed-bpf $(RT_OBJ) $(B)/gen/rt.names
	$(B)/embed-bpf $(RT_OBJ) >$@.tmp && mv $@.tmp $@

# Rebuilt from nothing, so that objects of deleted files do not stay in it.
$(B)/libdtrace.a: $(LIB_OBJ)
	@rm -f $@
	@ar rcs $@ $(LIB_OBJ)
$(B)/libdtrace.so: $(LIB_OBJ) src/lib/libdtrace.map
	$(CC) -shared $(ALL_LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=src/lib/libdtrace.map \
		-o $@ $(LIB_OBJ) $(PKG_LIBS)
	@ln -sf libdtrace.so $(B)/$(SONAME)
# The command carries the library in itself: it starts faster and needs no library path.
$(B)/dtrace: $(CMD_OBJ) $(B)/libdtrace.a
	$(CC) $(ALL_LDFLAGS) -o $@ $(CMD_OBJ) $(B)/libdtrace.a $(LIBS)

# The page is one file, put into the command as it is.
WEB_PAGE := $(wildcard web/*.json web/*.mjs web/src/*)
# Without what it is built by it is empty, and old, so that the next make tries again.
$(B)/gen/page.html: $(WEB_PAGE)
	@mkdir -p $(@D)
	ESBUILD=$(ESBUILD) tools/web-page $(B)/web $@ || touch -d @0 $@
$(B)/gen/page.c: $(B)/gen/page.html
	@printf '#include <dtrace.h>\n__asm__(".section .rodata\\n.global page_begin, page_end\\npage_begin: .incbin \\"%s\\"\\n'\
	'page_end: .byte 0\\n.previous");\n' $(abspath $<) >$@
$(B)/dtrace-web: $(WEB_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/page.o $(B)/gen/page.c $(B)/gen/page.html $(B)/libdtrace.a
	if [ -s $(B)/gen/page.html ]; then $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(B)/libdtrace.a $(LIBS) $(WEB_LIBS); \
		else echo "make: the live page (dtrace -O web) is not built: npm could not get what web/package.json names" >&2; fi
no-web:
	@echo "make: the live page (dtrace -O web) is not built: $(if $(STATIC),a static build has none,$(if \
		$(WEB_LIBS),,libmicrohttpd-dev )$(if $(NPM),,npm )is missing)" >&2

$(B)/test/%: $(B)/obj/test/unit/%.o $(B)/libdtrace.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(B)/libdtrace.a $(PKG_LIBS)
$(B)/test/%: $(B)/obj/test/tool/%.o $(B)/libdtrace.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $< $(B)/libdtrace.a $(PKG_LIBS)
# What the library asks memory of is the test's, which lets it run out.
$(B)/test/oom_test: private ALL_LDFLAGS += $(foreach f,malloc calloc realloc reallocarray strdup strndup asprintf mmap fopen \
	open_memstream opendir getline,-Wl,--wrap=$(f))
# Workloads know nothing of the library.
$(B)/test/%: $(B)/obj/test/trigger/%.o
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -pthread -o $@ $<
$(B)/bench/trace: $(BENCH_SRC:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
# A tool of several files is a folder with a main.c.
define tool_folder
$(B)/test/$(1): $(patsubst %.c,$(B)/obj/%.o,$(wildcard test/tool/$(1)/*.c)) $(B)/libdtrace.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(PKG_LIBS)
-include $(patsubst %.c,$(B)/obj/%.d,$(wildcard test/tool/$(1)/*.c))
endef
$(foreach tool,$(TOOLDIR),$(eval $(call tool_folder,$(tool))))
$(B)/test/differ: $(patsubst %.c,$(B)/obj/%.o,$(wildcard test/diff/*.c)) $(B)/libdtrace.a
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
-include $(patsubst %.c,$(B)/obj/%.d,$(wildcard test/diff/*.c))
$(B)/%_fuzz: $(B)/obj/test/fuzz/%_fuzz.o $(B)/libdtrace.a
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(B)/libdtrace.a $(PKG_LIBS)

check: tests
	@tools/suite -q $(B)
include-check:
	@tools/include-check
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz fuzzers
	@tools/fuzz build-fuzz
bench: tests
	@bench/compile.sh $(B)
	@bench/trace.sh $(B)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man3 $(DESTDIR)$(PREFIX)/share/man/man7 \
		$(DESTDIR)$(PREFIX)/share/doc/dtrace/example $(DESTDIR)$(PREFIX)/share/doc/dtrace/guide
	install -m 755 $(B)/dtrace $(DESTDIR)$(PREFIX)/bin/dtrace
	[ $(DESTDIR)$(PREFIX)/sbin -ef $(DESTDIR)$(PREFIX)/bin ] || ln -sf ../bin/dtrace $(DESTDIR)$(PREFIX)/sbin/dtrace
	[ ! -x $(B)/dtrace-web ] || install -m 755 $(B)/dtrace-web $(DESTDIR)$(PREFIX)/sbin/dtrace-web
	for name in $(COMMANDS); do ln -sf ../bin/dtrace $(DESTDIR)$(PREFIX)/sbin/$$name; done
	[ -n "$(STATIC)" ] || install -m 755 $(B)/libdtrace.so $(DESTDIR)$(LIBDIR)/libdtrace.so.$(VERSION)
	[ -n "$(STATIC)" ] || ln -sf libdtrace.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	[ -n "$(STATIC)" ] || ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libdtrace.so
	install -m 644 $(B)/libdtrace.a $(DESTDIR)$(LIBDIR)/libdtrace.a
	install -m 644 include/dtrace.h $(DESTDIR)$(PREFIX)/include/dtrace.h
	install -d $(DESTDIR)$(PREFIX)/include/dtrace $(DESTDIR)$(PREFIX)/include/sys
	install -m 644 include/dtrace/usdt.h $(DESTDIR)$(PREFIX)/include/dtrace/usdt.h
	install -m 644 include/sys/sdt.h $(DESTDIR)$(PREFIX)/include/sys/sdt.h
	install -m 644 $(wildcard man/*.1) $(DESTDIR)$(PREFIX)/share/man/man1
	install -m 644 $(wildcard man/*.7) $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 $(wildcard doc/guide/*.md) $(DESTDIR)$(PREFIX)/share/doc/dtrace/guide
	tools/install-man3 $(DESTDIR)$(PREFIX)/share/man/man3
	tools/install-tools $(DESTDIR)$(PREFIX) $(PREFIX)
	tools/install-completion $(DESTDIR)$(PREFIX)
	install -m 644 example/*.c $(DESTDIR)$(PREFIX)/share/doc/dtrace/example
	install -m 644 $(wildcard doc/*.md) $(DESTDIR)$(PREFIX)/share/doc/dtrace
	printf 'prefix=%s\nlibdir=%s\nincludedir=$${prefix}/include\n\nName: libdtrace\nDescription: DTrace for Linux: the D compiler and tracing library\nVersion: %s\nLibs: -L$${libdir} -ldtrace\nLibs.private: %s\nCflags: -I$${includedir}\n' \
		'$(PREFIX)' '$(LIBDIR)' '$(VERSION)' '$(PKG_LIBS)' >$(DESTDIR)$(LIBDIR)/pkgconfig/libdtrace.pc

# One file that needs no library, in $(B)-static; and all of it with an install.sh.
static:
	@$(MAKE) --no-print-directory B=$(B)-static LDFLAGS=-static all
tarball: static
	@tools/tarball $(B)-static $(VERSION) $(shell $(CC) -dumpmachine | cut -d- -f1)

# Debian packages, in $(B)/deb.
deb:
	tools/deb $(B) $(VERSION)

clean:
	rm -rf build build-debug build-asan build-fuzz build-gcc build-clang build-aarch64 build-x86_64

FORCE:
.PHONY: static tarball deb all tests fuzzers check include-check fuzz bench install clean no-web FORCE
.SECONDARY:
.DELETE_ON_ERROR:

-include $(LIB_OBJ:.o=.d) $(CMD_OBJ:.o=.d) $(WEB_SRC:%.c=$(B)/obj/%.d) $(BENCH_SRC:%.c=$(B)/obj/%.d) $(UNIT:%=$(B)/obj/test/unit/%.d) $(TOOL:%=$(B)/obj/test/tool/%.d) \
	$(FUZZ:%=$(B)/obj/test/fuzz/%.d)
