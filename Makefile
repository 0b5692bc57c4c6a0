# SPDX-License-Identifier: BSD-2-Clause
#
#   make                  build/dtrace, build/libdtrace.so, build/libdtrace.a, build/libdtrace-usdt.so and .a
#   make MODE=asan        the same in build-asan/ (also: debug, fuzz)
#   make check            the quick tests; T="NAME…": only these (test/README.md)
#   make install          DESTDIR=, PREFIX=/usr/local, LIBDIR=PREFIX/lib
#   make deb | rpm        packages
#   make static tarball   one file that needs no library; with all else and an install.sh
#   make image            a container image (OCI) of it
#   make LDFLAGS=-static  a dtrace that needs no library (and no libdtrace.so)
#                         PAGE=FILE: the pages as another build has made them (gen/page.html)
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
MAJOR := $(firstword $(subst ., ,$(VERSION)))
SONAME := libdtrace.so.$(MAJOR)
USDT_SONAME := libdtrace-usdt.so.$(MAJOR)

SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
opt_release := -O2 -g
opt_debug := -O0 -g3
opt_asan := -O1 -g $(SANITIZE)
opt_fuzz := -O1 -g -fsanitize=fuzzer-no-link $(SANITIZE) -DDT_FUZZ
ifndef opt_$(MODE)
$(error MODE=$(MODE): one of release, debug, asan, fuzz)
endif

CFLAGS ?=
STATIC := $(filter -static -static-pie,$(LDFLAGS))
WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Wvla
# Each function and table has a section of its own: the linker leaves out what nothing uses.
ALL_CFLAGS := -std=gnu17 -D_GNU_SOURCE -DDT_VERSION='"$(VERSION)"' $(WARN) -fPIC -fvisibility=hidden \
	-ffunction-sections -fdata-sections -Isrc -Iinclude $(opt_$(MODE)) $(if $(STATIC),-DDT_STATIC) $(CFLAGS)
# Lazy binding: a compile that fails early should not pay for symbols it never calls.
ALL_LDFLAGS := $(opt_$(MODE)) -Wl,--as-needed -Wl,--hash-style=gnu -Wl,-O1 -Wl,-z,lazy -Wl,--gc-sections \
	$(LDFLAGS)

LIB_SRC := $(wildcard src/*/*.c)
CMD_SRC := $(filter-out cmd/web/% cmd/fleet/%,$(wildcard cmd/*.c cmd/*/*.c))
# Commands, providers and what callers ask for now and then: small matters more there than quick.
small_release := -Os
SMALL := api builtin file handle inject inproc interp kernel lang machine native patch process provider replay sink trace usdt wire
# What else the binary is, by the name it is called by (cmd/main.c).
COMMANDS := $(filter-out common dtrace web fleet,$(notdir $(patsubst %/,%,$(sort $(dir $(wildcard cmd/*/*.c))))))
export DLIB := $(sort $(wildcard dlib/*.d))
UNIT := $(patsubst test/unit/%.c,%,$(wildcard test/unit/*_test.c))
TOOL := $(patsubst test/tool/%.c,%,$(wildcard test/tool/*.c))
TRIGGER := $(patsubst test/trigger/%.c,%,$(wildcard test/trigger/*.c))
TOOLDIR := $(notdir $(patsubst %/,%,$(dir $(wildcard test/tool/*/main.c))))
BENCH_SRC := $(wildcard bench/*.c)
# A command of its own, which needs an HTTP server and a page.
WEB_SRC := $(wildcard cmd/web/*.c) cmd/common/beside.c cmd/common/cost.c cmd/common/signals.c cmd/common/split.c
# The fleet's agent and asker, one program by two names: the only one that needs libnats.
FLEET_SRC := $(wildcard cmd/fleet/*.c) cmd/common/signals.c cmd/common/arguments.c cmd/common/cost.c
# A library of its own, for programs that make probes while they run: it knows nothing of the other one.
USDT_SRC := $(wildcard libusdt/*.c)
FUZZ := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/*_fuzz.c))

LIB_OBJ := $(LIB_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/dlib.o $(B)/obj/gen/syscalls.o $(B)/obj/gen/compat.o $(B)/obj/gen/usdt.o $(B)/obj/gen/bpfrt.o $(B)/obj/gen/standalone.o \
	$(B)/obj/gen/agent.o $(B)/obj/gen/agent_entry.o
USDT_OBJ := $(USDT_SRC:%.c=$(B)/obj/%.o)
CMD_OBJ := $(CMD_SRC:%.c=$(B)/obj/%.o)
$(CMD_OBJ) $(patsubst %.c,$(B)/obj/%.o,$(foreach folder,$(SMALL),$(wildcard src/$(folder)/*.c))): ALL_CFLAGS += $(small_$(MODE))
UNIT_BIN := $(UNIT:%=$(B)/test/%)
TOOL_BIN := $(TOOL:%=$(B)/test/%) $(TRIGGER:%=$(B)/test/%) $(B)/test/differ $(TOOLDIR:%=$(B)/test/%)
FUZZ_BIN := $(FUZZ:%=$(B)/%)

all: $(B)/dtrace $(if $(STATIC),,$(B)/libdtrace.so $(B)/libdtrace-usdt.so) $(B)/libdtrace.a $(B)/libdtrace-usdt.a
$(B)/obj/%.d $(B)/gen/bpf/%.d: ;
tests: all $(TOOL_BIN) $(UNIT_BIN) $(B)/bench/trace
fuzzers: $(FUZZ_BIN)

PKG := libbpf liblzma zlib
PKG_CONFIG ?= pkg-config
# Pointers in tables take 8 bytes and a bit, not 32, where linker and C library know that form (glibc 2.36).
RELR := -z,pack-relative-relocs
# What pkg-config says, asked once a build folder: asking it on every run would cost more than make itself.
$(B)/pkg.mk: Makefile
	@mkdir -p $(@D)
	@$(PKG_CONFIG) --exists $(PKG) || { \
		echo "make: libbpf, liblzma and zlib are needed to build: apt-get install pkg-config libbpf-dev libdw-dev liblzma-dev zlib1g-dev libiberty-dev" >&2; exit 1; }
	@{ echo "PKG_CFLAGS := $$($(PKG_CONFIG) --cflags $(PKG))"; \
	   echo "PKG_LIBS := $$($(PKG_CONFIG) --libs $(PKG)) -liberty"; \
	   echo "NATS_LIBS := $$($(PKG_CONFIG) --libs libnats 2>/dev/null)"; \
	   echo "MACHINE := $$($(CC) -dumpmachine | cut -d- -f1)"; \
	   echo 'int x, *p = &x; int main(void) { return p != &x; }' | $(CC) $(LDFLAGS) -x c -fPIE -pie -Wl,$(RELR) -o $(@D)/relr - 2>/dev/null && \
	   readelf -V $(@D)/relr | grep -q GLIBC_ABI_DT_RELR && echo "RELR_LDFLAGS := -Wl,$(RELR)"; \
	   echo "PKG_LIBS_STATIC := -ldw $$($(PKG_CONFIG) --static --libs $(PKG)) -lzstd -liberty"; } >$@
ifeq ($(filter clean include-check,$(MAKECMDGOALS)),)
-include $(B)/pkg.mk
endif
# The pages (-O web, flame, heatmap) need npm, or the command ESBUILD and node, or pages that are built already; without
# them all else is built.
NPM := $(firstword $(wildcard $(addsuffix /npm,$(subst :, ,$(PATH)))))
WEB := $(if $(or $(NPM),$(ESBUILD),$(PAGE)),$(B)/dtrace-web,no-web)
all: $(WEB)
# dtraced needs libnats, which has no static archive in Debian; without it all else is built.
FLEET := $(if $(STATIC),,$(if $(NATS_LIBS),$(B)/dtraced))
all: $(FLEET)
tests: $(FLEET:%/dtraced=%/bench/fleetsim)
LIBS := $(if $(STATIC),$(PKG_LIBS_STATIC),$(PKG_LIBS))

# On aarch64 compilers keep a frame record in each function that calls another one, by which its stacks are walked: there
# the command, but not the library, goes without unwind tables, a tenth of it. For debuggers they are in .debug_frame.
FRAMES := $(if $(filter aarch64-release,$(MACHINE)-$(MODE)),$(if $(STATIC),,cmd/frames.ld))
ALL_CFLAGS += $(if $(FRAMES),-include cmd/frames.h)
# Their index is for programs that unwind themselves, which the command does only under a sanitizer.
FRAME_LDFLAGS := $(if $(filter release,$(MODE)),$(if $(STATIC),,-Wl,--no-eh-frame-hdr)) $(FRAMES:%=-Wl,-T,%)
COMMAND_LDFLAGS := $(if $(filter release,$(MODE)),$(if $(STATIC),,$(RELR_LDFLAGS))) $(FRAME_LDFLAGS)

# Objects are made again when compiler or flags change.
export FLAGS := $(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) | $(ALL_LDFLAGS) $(LIBS) | $(small_$(MODE)) $(SMALL)
ifneq ($(file <$(B)/flags),$(FLAGS))
$(B)/flags: FORCE
endif
$(B)/flags:
	@mkdir -p $(@D)
	@printf %s "$$FLAGS" >$@

$(B)/obj/%.o: %.c $(B)/flags | $(B)/pkg.mk
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(PKG_CFLAGS) -MMD -MP -c -o $@ $<

# Workloads and fuzzers have functions that traces and libraries find by name.
$(B)/obj/test/%: ALL_CFLAGS += -Wno-missing-prototypes
# What the commands share lies in one folder.
$(B)/obj/cmd/%: ALL_CFLAGS += -Icmd/common
# No one unwinds commands at run time; programs that use the library are unwound.
$(B)/obj/cmd/%: ALL_CFLAGS += -fno-asynchronous-unwind-tables -fno-unwind-tables

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
# The system calls of the machine we build for, and those of its 32-bit programs.
$(B)/gen/syscalls.c $(B)/gen/compat.c: tools/syscall-table src/table/syscalls.def $(B)/flags
	@mkdir -p $(@D)
	tools/syscall-table $(if $(filter compat.c,$(@F)),compat,numbers) $(CC) $(CFLAGS) >$@.tmp && mv $@.tmp $@
$(B)/obj/gen/%.o: $(B)/gen/%.c $(B)/flags
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Subroutines with loops, compiled for eBPF and embedded as arrays: nothing of clang is needed where we run. The same files
# are part of LIB_SRC: the interpreter calls them.
CLANG ?= clang
export RT_SRC := $(sort $(wildcard src/runtime/*.c))
RT_OBJ := $(RT_SRC:src/runtime/%.c=$(B)/gen/bpf/%.o)
$(B)/gen/bpf/%.o: src/runtime/%.c Makefile
	@mkdir -p $(@D)
	@command -v $(CLANG) >/dev/null || { \
		echo "make: clang is needed to compile src/runtime for eBPF: apt-get install clang (or CLANG=...)" >&2; exit 1; }
	$(CLANG) -target bpf -mcpu=v3 -O2 -g0 $(WARN) -Wno-missing-prototypes -Isrc -MMD -MP -c -o $@ $<
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
	$(HOSTCC) -std=gnu17 -O1 -Wall -Wextra -o $@ $< -lz
$(B)/gen/bpfrt.c: $(B)/embed-bpf $(RT_OBJ) $(B)/gen/rt.names
	$(B)/embed-bpf $(RT_OBJ) >$@.tmp && mv $@.tmp $@

# The code that runs inside traced processes, as bytes; and its assembly for the library, whose tests call it.
# Of the flags, those that say where headers are.
AGENT_CFLAGS := $(filter --sysroot=% --target=% -m64 -isystem% -idirafter%,$(CFLAGS))
AGENT_SRC := $(wildcard src/agent/*.[chS] src/agent/agent.ld) src/machine/raw.h tools/agent-bytes
$(B)/gen/agent.c: $(AGENT_SRC) $(B)/flags
	@mkdir -p $(@D)
	tools/agent-bytes bytes $@ $(CC) $(AGENT_CFLAGS)
$(B)/obj/gen/agent_entry.o: $(AGENT_SRC) $(B)/flags
	@mkdir -p $(@D)
	tools/agent-bytes entry $@ $(CC) $(AGENT_CFLAGS)

# Rebuilt from nothing, so that objects of deleted files do not stay in it.
$(B)/libdtrace.a: $(LIB_OBJ)
	@rm -f $@
	@$(AR) rcs $@ $(LIB_OBJ)
$(B)/libdtrace.so: $(LIB_OBJ) src/api/libdtrace.map
	$(CC) -shared $(ALL_LDFLAGS) -Wl,-soname,$(SONAME) -Wl,--version-script=src/api/libdtrace.map \
		-o $@ $(LIB_OBJ) $(PKG_LIBS)
	@ln -sf libdtrace.so $(B)/$(SONAME)
$(B)/libdtrace-usdt.a: $(USDT_OBJ)
	@rm -f $@
	@$(AR) rcs $@ $(USDT_OBJ)
$(B)/libdtrace-usdt.so: $(USDT_OBJ) libusdt/libdtrace-usdt.map
	$(CC) -shared $(ALL_LDFLAGS) -Wl,-soname,$(USDT_SONAME) -Wl,--version-script=libusdt/libdtrace-usdt.map \
		-o $@ $(USDT_OBJ) -pthread
	@ln -sf libdtrace-usdt.so $(B)/$(USDT_SONAME)
# The command carries the library in itself: it starts faster and needs no library path.
$(B)/dtrace: $(CMD_OBJ) $(B)/libdtrace.a $(FRAMES)
	$(CC) $(ALL_LDFLAGS) $(COMMAND_LDFLAGS) -o $@ $(CMD_OBJ) $(B)/libdtrace.a $(LIBS)

# Each page is one file: page.html, the live page, is embedded in dtrace-web as it is; standalone.html, which -O flame and -O
# heatmap write around their data, is packed in the library.
WEB_PAGE := $(wildcard web/*.json web/*.mjs web/src/* web/src/*/*)
# Without what they are built by they are empty, and old, so that the next make tries again.
$(B)/gen/page.html $(B)/gen/standalone.html &: $(WEB_PAGE) tools/web-page
	@mkdir -p $(B)/gen
	PAGE="$(PAGE)" ESBUILD="$(ESBUILD)" NPM="$(NPM)" tools/web-page $(B)/web $(B)/gen
$(B)/gen/page.c: $(B)/gen/page.html
	@tools/embed-file page $< >$@
$(B)/gen/standalone.c: $(B)/gen/standalone.html tools/embed-page
	@tools/embed-page $< >$@
$(B)/dtrace-web: $(WEB_SRC:%.c=$(B)/obj/%.o) $(B)/obj/gen/page.o $(B)/gen/page.c $(B)/gen/page.html $(B)/libdtrace.a
	if [ -s $(B)/gen/page.html ]; then $(CC) $(ALL_LDFLAGS) -o $@ $(filter %.o,$^) $(B)/libdtrace.a $(LIBS) -lpthread; \
		else echo "make: the live page (dtrace -O web) is not built: npm could not get what web/package.json names" >&2; fi
no-web: ;
$(B)/dtraced: $(FLEET_SRC:%.c=$(B)/obj/%.o) $(B)/libdtrace.a
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LIBS) $(NATS_LIBS) -lpthread
	@ln -sf dtraced $(B)/dtrace-fleet

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
	$(CC) $(ALL_LDFLAGS) -pthread -o $@ $^
$(B)/test/usdt_dynamic: $(B)/libdtrace-usdt.a
$(B)/test/inproc_later: private ALL_LDFLAGS += -Wl,--no-as-needed -ldl
$(B)/bench/trace: $(BENCH_SRC:%.c=$(B)/obj/%.o)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(PKG_LIBS)
# Hosts for bench/fleet.sh, which speak as dtraced does.
$(B)/obj/bench/fleet/%.o: private ALL_CFLAGS += -Icmd/fleet -Icmd/common
$(B)/bench/fleetsim: $(addprefix $(B)/obj/,bench/fleet/sim.o cmd/fleet/bus.o cmd/fleet/message.o)
	@mkdir -p $(@D)
	$(CC) $(ALL_LDFLAGS) -o $@ $^ $(NATS_LIBS) -lpthread
# A tool of several files is a folder with a main.c; differ is test/diff.
define tool_folder
$(B)/test/$(1): $(patsubst %.c,$(B)/obj/%.o,$(wildcard $(2)/*.c)) $(B)/libdtrace.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ $$(PKG_LIBS)
endef
$(foreach tool,$(TOOLDIR),$(eval $(call tool_folder,$(tool),test/tool/$(tool))))
$(eval $(call tool_folder,differ,test/diff))
# What hosts and relays send: all of the asker but the bus.
$(B)/obj/test/fuzz/fleet_fuzz.o: private ALL_CFLAGS += -Icmd/fleet -Icmd/common
$(B)/fleet_fuzz: $(B)/obj/test/fuzz/fleet_fuzz.o $(patsubst %,$(B)/obj/cmd/fleet/%.o,asker_args asker_hosts asker_relays \
	asker_report message page relay settings) $(B)/obj/cmd/common/arguments.o $(B)/libdtrace.a
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(PKG_LIBS)
$(B)/%_fuzz: $(B)/obj/test/fuzz/%_fuzz.o $(B)/libdtrace.a
	$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $< $(B)/libdtrace.a $(PKG_LIBS)

check: tests
	@tools/suite $(if $(T),,-q) -j 2 $(B) $(T)
include-check:
	@tools/include-check
fuzz:
	@$(MAKE) --no-print-directory MODE=fuzz fuzzers
	@tools/fuzz build-fuzz
bench: tests
	@bench/compile.sh $(B)
	@bench/trace.sh $(B)

install: all
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' LIBDIR='$(LIBDIR)' VERSION='$(VERSION)' STATIC='$(STATIC)' LIBS='$(LIBS)' \
		tools/install $(B) $(COMMANDS)

# One file that needs no library, in $(B)-static; and all of it with an install.sh.
static: $(if $(filter no-web,$(WEB)),,$(B)/gen/page.html)
	@$(MAKE) --no-print-directory B=$(B)-static LDFLAGS=-static PAGE=$(filter %.html,$^) all
tarball: static
	@tools/tarball $(B)-static $(VERSION) $(shell $(CC) -dumpmachine | cut -d- -f1)
image: static
	@tools/image $(B)-static $(VERSION) $(shell $(CC) -dumpmachine | cut -d- -f1)

# Debian packages, in $(B)/deb.
deb:
	tools/deb $(B) $(VERSION)
# RPM packages, in $(B)/rpm.
rpm:
	tools/rpm $(B) $(VERSION)

# The folders of MODE=, ./check and test/vm/other, and that of B=.
clean:
	rm -rf $(foreach b,$(sort $(B) build $(addprefix build-,debug asan fuzz gcc clang aarch64 x86_64)),$(b) $(b)-static)

FORCE:
.PHONY: static tarball image deb rpm all tests fuzzers check include-check fuzz bench install clean no-web FORCE
.SECONDARY:
.DELETE_ON_ERROR:

# What each object was made of when it was made last.
-include $(RT_OBJ:.o=.d) $(patsubst %.c,$(B)/obj/%.d,$(LIB_SRC) $(CMD_SRC) $(WEB_SRC) $(FLEET_SRC) $(USDT_SRC) $(BENCH_SRC) \
	bench/fleet/sim.c $(wildcard test/unit/*.c test/tool/*.c test/tool/*/*.c test/trigger/*.c test/diff/*.c test/fuzz/*.c))
