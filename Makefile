# SPDX-License-Identifier: MIT
#
# make demo    build, run one fio job, and print its report, in a minute
# make check   run every test
#
# Both first install missing Debian packages and find the source of the installed fio.
# On a terminal they ask once before they install; elsewhere they print the names of the
# packages. They use sudo if you are not root. `make help` lists the other targets.

V ?= 0
ifeq ($(V),0)
Q := @
say = @printf '  %-7s %s\n' $(1) $(2)
else
Q :=
say = @:
endif

ifeq ($(origin CC),default)
CC := gcc
endif
PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
ENGINE_DIR := $(LIBDIR)/tickwise
INSTALL ?= install
ifdef DEBUG
CFLAGS ?= -O0 -g
else
CFLAGS ?= -O2 -g
endif
# The fio for which the engine is built, and its source if it has no package.
FIO ?= fio
FIO_SRC ?=
# The folder for the source of the installed fio.
FIO_CACHE ?= build/fio
# A path must be absolute, because fio is run in other folders, too.
override FIO := $(if $(findstring /,$(FIO)),$(abspath $(FIO)),$(FIO))

# tickwise.h defines the version; the soname has its first number.
VERSION := $(shell sed -n 's/^.define TW_VERSION[^"]*"\(.*\)"/\1/p' core/tickwise.h)
SONAME := libtickwise.so.$(firstword $(subst ., ,$(VERSION)))

# SAN=1: AddressSanitizer and UBSan. SAN=thread: ThreadSanitizer.
# DEBUG=1: the library checks its own work and aborts if it is wrong.
SAN ?=
ifeq ($(SAN),)
SANITIZE :=
B := build
else ifeq ($(SAN),1)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
B := build/san-1
else ifeq ($(SAN),thread)
# gcc warns that TSan ignores fences. TSan sees the atomics, which is enough.
SANITIZE := -fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)
B := build/san-thread
else
$(error SAN=$(SAN): 1 or thread)
endif
ifdef DEBUG
B := $(B)/debug
endif
# PROFILE=1: show where the engine's own time goes, by function. A function of a header
# counts as part of the function into which it was put inline.
ifdef PROFILE
B := $(B)/profile
HOOKS := $(if $(findstring clang,$(CC)),-finstrument-functions-after-inlining, \
	   -finstrument-functions \
	   -finstrument-functions-exclude-file-list=core/,/include/,.h) \
	 -DTW_PROFILED
endif
comma := ,

# The packages of Debian and Ubuntu that are needed.
PACKAGES_BUILD := gcc libc6-dev liburing-dev libjansson-dev zlib1g-dev
PACKAGES_FIO := fio dpkg-dev
# For the stages inside the kernel. In Ubuntu, bpftool is in the package of the kernel's
# tools.
PACKAGES_KERNEL := clang libbpf-dev bpftool|linux-tools-generic
# The engine can be built without them. None are needed if the user sets KERNEL_STAGES=.
kernel_packages = $(if $(filter command environment,$(firstword $(origin \
	KERNEL_STAGES))),,$(foreach package,$(PACKAGES_KERNEL),'$(package)'))
PACKAGES_TEST := perl python3-jsonschema git g++ pkg-config mandoc groff-base xz-utils
# For a test that `make check` skips without this package, since installing it takes a
# minute.
PACKAGES_HTML := chromium
PACKAGES_PATCHES := make git perl pkg-config zlib1g-dev libaio-dev libcunit1-dev
PACKAGES_UPSTREAM := clang python3-statsmodels python3-scipy
PACKAGES_CROSS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
		  gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross \
		  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static
PACKAGES_VM := qemu-system-x86 busybox-static xz-utils zstd \
	       dmsetup e2fsprogs xfsprogs btrfs-progs util-linux

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wconversion -Wundef -Wvla
# No program replaces a tw_ function of the library, so the library's own calls may be
# inlined.
CORE_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -fno-semantic-interposition \
	       -pthread $(WARNINGS) -Icore -D_GNU_SOURCE \
	       $(if $(DEBUG),-DTW_DEBUG) $(SANITIZE)
CORE_LIBS := -lm -pthread $(SANITIZE)
# For reports and what else is JSON. The library itself needs neither.
JSON_LIBS := -ljansson -lz

LIBRARY_SOURCES := $(filter-out %_json.c %_hdr.c, \
	$(wildcard core/*.c core/counter/*.c core/machine/*.c core/clock/*.c core/estimate/*.c \
		   core/latency/*.c))
# The pointer chase, for `tickwise memlat` and the memory engine.
MEMORY_SOURCES := $(wildcard core/memory/*.c)
# Reports, JSON and files, for the program and the engines.
REPORT_SOURCES := $(filter-out %/describe.c,$(wildcard core/report/*.c)) \
	$(wildcard core/latency/*_json.c core/latency/*_hdr.c core/base/*.c)
PROBE_SOURCES := $(wildcard core/probe/*.c)
COMMAND_SOURCES := $(sort $(wildcard core/command/*.c core/command/*/*.c \
	core/memory/command/*.c core/profile/command/*.c) $(PROBE_SOURCES))
# Each engine has one of these files; all engines share the other files.
ENGINES := plugin/tickwise.c plugin/command.c
PLUGIN_SOURCES := $(filter-out $(ENGINES),$(wildcard plugin/*.c)) \
		  $(filter-out %.bpf.c,$(wildcard plugin/kernel/*.c)) \
		  $(wildcard plugin/collect/*.c plugin/trace/*.c)
# The memory engine shares the files that need no ring.
MEMORY_ENGINE_SOURCES := $(wildcard plugin/memory_engine/*.c) \
	$(addprefix plugin/,guards.c health.c message.c report_file.c run_end.c \
	timing.c)
ENGINE_FILES := $(addprefix tickwise,.so -cmd.so -memory.so)

PROFILE_SONAME := $(subst libtickwise,libtickwise-profile,$(SONAME))
PROFILE_SOURCES := $(wildcard core/profile/*.c)
PROFILE_LIBRARIES := $(addprefix $(B)/,libtickwise-profile.a \
		       libtickwise-profile.so $(PROFILE_SONAME) \
		       libtickwise-profile_hooks.a)
COMPARE_PROBES := $(B)/tickwise-fio_probe.so $(B)/tickwise-count_reads.so

objects = $(patsubst %.c,$(B)/%.o,$(1))
UNIT_TESTS := $(patsubst %.c,$(B)/%.t,$(wildcard tests/unit/*/*.c tests/unit/*/*/*.c))
MACHINE_TESTS := $(patsubst %.c,$(B)/%.t,$(wildcard tests/machine/*.c))
UNIT_HELPERS := $(patsubst %.c,$(B)/%,$(wildcard tests/reader/*.c))
FIO_HELPERS = $(filter-out $(if $(KERNEL_STAGES),,%/kernel_rings), \
	$(patsubst %.c,$(B)/%,$(wildcard tests/fio/*.c)))
SHELL_TESTS := $(wildcard tests/unit/*/*.t tests/unit/*/*/*.t tests/profile/*.t tests/golden/*.t)
MACHINE_SHELL_TESTS := $(wildcard tests/machine/*.t)
PRELOADS := $(patsubst %.c,$(B)/%.so,$(filter-out tests/vm/% tests/unit/%, \
	$(wildcard tests/preload/*.c tests/*/preload/*.c)))
FIO_TESTS := $(wildcard tests/fio/*.t)
BENCHES := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))

.PHONY: all
all: core plugin $(if $(PROFILE),profile)

# ---- the library and the program ----

.PHONY: core
core: $(B)/libtickwise.a $(B)/libtickwise.so $(B)/tickwise $(B)/example \
      $(B)/tickwise-build-engine \
      $(B)/libtickwise-preload.so $(COMPARE_PROBES) $(PROFILE_LIBRARIES)

$(B)/libtickwise.a: $(call objects,$(LIBRARY_SOURCES))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libtickwise-memory.a: $(call objects,$(MEMORY_SOURCES))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/report.a: $(call objects,$(REPORT_SOURCES))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# Link only the objects of the archive that exported functions need (-u). Hidden visibility
# hides all other names. The map gives each exported name a version. Calls between two
# exported functions are direct (-Bsymbolic-functions).
EXPORTS := $(shell sed -n 's/^\t\t\(tw_[a-z_0-9]*\);$$/\1/p' core/libtickwise.map)
$(B)/$(SONAME): $(B)/libtickwise.a core/libtickwise.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(SONAME) \
		-Wl,--version-script=core/libtickwise.map \
		-Wl,-Bsymbolic-functions $(if $(SAN),,-Wl,-z,defs) \
		$(addprefix -Wl$(comma)-u$(comma),$(EXPORTS)) \
		-o $@ $(filter %.a,$^) $(CORE_LIBS)

$(B)/libtickwise.so: $(B)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# Built like a user's program: only with the public header and the library.
$(B)/example: core/example/example.c $(B)/libtickwise.a
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 -pedantic $(WARNINGS) -Icore $(SANITIZE) $(CPPFLAGS) $(CFLAGS) \
		-MMD -MP -o $@ $(filter %.c %.a,$^) $(LDFLAGS) $(CORE_LIBS)

$(B)/tickwise: $(call objects,$(COMMAND_SOURCES)) $(B)/report.a $(B)/libtickwise-memory.a \
	       $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JSON_LIBS) -ldl $(CORE_LIBS)

# clock_gettime() for programs that can't be rebuilt. All symbols are bound before the
# first call (-z now), and no other function is exported.
PRELOAD_SOURCES := $(wildcard core/preload/*.c)
$(B)/libtickwise-preload.so: $(call objects,$(PRELOAD_SOURCES)) \
			     $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,now -Wl,-z,nodelete \
		-Wl,--exclude-libs,ALL -o $@ $^ -ldl $(CORE_LIBS)

# Time per function. The program shares the files that only do arithmetic.
#
# An instrumented object has its own hooks (core/profile/hooks.c explains why). So
# -ltickwise-profile finds a linker script that names the library and the hooks.
$(B)/core/profile/calibrate_hooked.o: CORE_CFLAGS += -finstrument-functions
# Call directly, without the procedure linkage table.
$(B)/core/profile/hooks.o: CORE_CFLAGS += -fno-plt

$(B)/libtickwise-profile.a: $(call objects,$(PROFILE_SOURCES))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/libtickwise-profile_hooks.a: $(B)/core/profile/hooks.o
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/$(PROFILE_SONAME): $(call objects,$(PROFILE_SOURCES)) $(B)/libtickwise.a \
			core/profile/libtickwise-profile.map
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(PROFILE_SONAME) \
		-Wl,--version-script=core/profile/libtickwise-profile.map \
		-Wl,-Bsymbolic-functions -Wl,-z,now -Wl,-z,nodelete \
		$(if $(SAN),,-Wl,-z,defs) -o $@ $(filter %.o %.a,$^) $(CORE_LIBS)

# The hooks come first: they need the library, so --as-needed keeps it.
$(B)/libtickwise-profile.so: $(B)/libtickwise-profile_hooks.a $(B)/$(PROFILE_SONAME)
	$(Q)echo 'INPUT ( $(^F) $(PROFILE_INPUT) )' >$@

# The libraries that `tickwise compare` loads into fio.
$(B)/tickwise-fio_probe.so $(B)/tickwise-count_reads.so: $(B)/tickwise-%.so: \
		$(B)/core/probe/preload/%.o $(call objects,$(PROBE_SOURCES))
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,now -o $@ $^ -ldl \
		$(CORE_LIBS)

# Changes if the compiler or its flags do, so that everything is built again.
flags := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SANITIZE)
$(B)/flags: force
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(subst ','"'"',$(flags))' | cmp -s - $@ || \
		echo '$(subst ','"'"',$(flags))' >$@

$(B)/core/%.o: core/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# The program contains the folder in which its engines and other programs will be.
$(B)/engine_dir: force
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(ENGINE_DIR)' | cmp -s - $@ || echo '$(ENGINE_DIR)' >$@

know_engine_dir := $(addprefix $(B)/core/command/,own_files.o compare/clocks.o)
$(know_engine_dir): $(B)/engine_dir
$(know_engine_dir): CORE_CFLAGS += -DTW_ENGINE_DIR='"$(ENGINE_DIR)"'

# ---- the engine ----
#
# find-fio.sh prints the path of the configured source tree of $(FIO). fio.path contains
# this path and the tree's version, and changes only if one of them does. So the engine is
# built again exactly when the installed fio or its tree has changed.

.PHONY: plugin engines force
plugin: engines kernel-programs
engines: $(addprefix $(B)/,$(ENGINE_FILES))

force:

$(B)/fio.path: force
	$(Q)mkdir -p $(@D)
	$(Q)CC='$(CC)' plugin/find-fio.sh --fio='$(FIO)' $(if $(FIO_SRC),--source='$(FIO_SRC)') \
		--cache='$(FIO_CACHE)' >$@.new || { rm -f $@.new; exit 1; }
	$(Q)cat "$$(cat $@.new)/FIO-VERSION-FILE" >>$@.new
	$(Q)cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

# -isystem suppresses warnings about fio's own headers. They compare enums such as
# fio_q_status with plain ints, and fio's hooks have unused parameters.
PLUGIN_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -pthread -Wall -Wextra \
		 -Werror=implicit-function-declaration \
		 -Wno-unused-parameter -Wno-sign-compare -Icore -Iplugin \
		 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFIO_INTERNAL \
		 -DFIO_INC_DEBUG $(SANITIZE)

# -MD, not -MMD, because fio's headers can change if a tree is used in place.
# -ffile-prefix-map makes the same bytes wherever that tree is.
define compile_plugin
	$(Q)mkdir -p $(@D)
	$(Q)tree=$$(head -n 1 $(B)/fio.path) && \
	version=$$(sed -n 's/^FIO_VERSION *= *//p' $(B)/fio.path) && \
	features=$$(plugin/fio-features.sh "$$tree") && \
	$(CC) $(PLUGIN_CFLAGS) $(CPPFLAGS) $(CFLAGS) -DTW_FIO_VERSION="\"$$version\"" $$features \
		-include "$$tree/config-host.h" -isystem "$$tree" \
		-ffile-prefix-map="$$tree=fio" $(HOOKS) -MD -MP -c -o $@ $<
endef

$(B)/plugin/%.o: plugin/%.c plugin/fio-features.sh $(B)/fio.path $(B)/flags
	$(call say,CC,$<)
	$(compile_plugin)

# The program that stamps I/Os inside the kernel is built into a header that loads it. The
# engine is built without the program if clang, bpftool or libbpf are missing, or with an
# empty KERNEL_STAGES=. Ubuntu's bpftool is a script that refuses if the tools are those
# of another kernel, so the tools are searched first.
BPFTOOL ?= $(firstword $(wildcard /usr/lib/linux-tools/*/bpftool) \
	$(wildcard /usr/sbin/bpftool) bpftool)
ifeq ($(origin KERNEL_STAGES),undefined)
KERNEL_STAGES := $(shell command -v clang >/dev/null && \
	$(BPFTOOL) version >/dev/null 2>&1 && \
	echo '\#include <bpf/libbpf.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && \
	echo 1)
endif

# Changes if the answer does, so that this part is built again.
$(B)/kernel_stages: force
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(KERNEL_STAGES)' | cmp -s - $@ || { \
		echo '$(KERNEL_STAGES)' >$@; \
		$(if $(KERNEL_STAGES),:,echo 'the engine is built without the stages inside the kernel: clang, bpftool and libbpf-dev are needed'); }

$(B)/plugin/kernel/loader.o $(B)/plugin/kernel/causes.o: $(B)/kernel_stages

# Separate programs that `tickwise` executes. They do not depend on fio.
KERNEL_PROGRAMS := kernel-helper attach
KERNEL_PROGRAM_FILES := $(if $(KERNEL_STAGES),$(addprefix tickwise-,$(KERNEL_PROGRAMS)))

.PHONY: kernel-programs
kernel-programs: $(addprefix $(B)/,$(KERNEL_PROGRAM_FILES))

ifneq ($(KERNEL_STAGES),)
# The kernel's name of the processor, from the compiler's name.
BPF_ARCH := $(patsubst x86_64,x86,$(patsubst i%86,x86,$(patsubst \
	aarch64,arm64,$(patsubst powerpc%,powerpc,$(patsubst riscv%,riscv,$(patsubst \
	s390x,s390,$(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))))))))

$(B)/plugin/%.bpf.o: plugin/%.bpf.c $(wildcard plugin/*/*.h)
	$(call say,BPF,$<)
	$(Q)mkdir -p $(@D)
	$(Q)clang -g -O2 -Wall -target bpf -Iplugin -D__TARGET_ARCH_$(BPF_ARCH) \
		$(filter -ffile-prefix-map=%,$(CFLAGS)) $(BPF_FLAGS) -c -o $@ $<

# For atomic operations that return a value: Linux 5.12.
$(B)/plugin/kernel/stages.bpf.o $(B)/plugin/attach/attach.bpf.o: BPF_FLAGS := -mcpu=v3

SKELETONS := $(patsubst %.bpf.c,$(B)/%.skel.h,$(wildcard plugin/*/*.bpf.c))
.SECONDARY: $(SKELETONS:.skel.h=.bpf.o)
$(B)/%.skel.h: $(B)/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name tw_$(basename $(*F)) >$@.new && mv $@.new $@

$(B)/plugin/kernel/loader.o $(B)/plugin/kernel/causes.o: $(SKELETONS)
$(B)/plugin/kernel/loader.o $(B)/plugin/kernel/causes.o: PLUGIN_CFLAGS += -DTW_KERNEL_STAGES \
					      -I$(B)/plugin
KERNEL_LIBS := -lbpf
else
SKELETONS :=
KERNEL_LIBS :=
endif

# What does not need fio is built once more without it, for the programs of its own and for
# tests. Without the stages inside the kernel, files that need their skeletons are left out.
ALONE_SOURCES := $(filter-out %.bpf.c $(if $(KERNEL_STAGES),,%/attach_program.c \
	%/attach_causes.c %/helper_maps.c),$(wildcard $(addprefix plugin/,attach/*.c \
	collect/*.c helper/*.c kernel/*.c trace/*.c memory_engine/memory_figures.c block_device.c \
	health.c)))
ALONE_OBJECTS := $(patsubst plugin/%.c,$(B)/alone/%.o,$(ALONE_SOURCES))
$(B)/alone/%.o: plugin/%.c $(B)/flags $(SKELETONS)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) $(if $(KERNEL_STAGES),-DTW_KERNEL_STAGES) -Iplugin \
		-isystem $(B)/plugin $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/alone/kernel/loader.o $(B)/alone/kernel/causes.o: $(B)/kernel_stages

$(addprefix $(B)/,$(KERNEL_PROGRAM_FILES)): $(B)/tickwise-%: $(B)/plugin.a $(B)/command.a \
		$(B)/report.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(B)/alone/$(subst kernel-helper,helper/helper,$(subst \
		attach,attach/attach,$*)).o -Wl,--start-group $^ -Wl,--end-group \
		-lbpf $(JSON_LIBS) $(CORE_LIBS)

# -z now: if fio lacks a symbol, loading fails, and not a job later.
$(B)/tickwise.so: $(B)/plugin/tickwise.o
$(B)/tickwise-cmd.so: $(B)/plugin/command.o
$(B)/tickwise.so $(B)/tickwise-cmd.so: $(call objects,$(PLUGIN_SOURCES))
$(B)/tickwise.so $(B)/tickwise-cmd.so: ENGINE_LIBS := -luring $(KERNEL_LIBS)
$(B)/tickwise-memory.so: $(call objects,$(MEMORY_ENGINE_SOURCES)) \
			 $(B)/libtickwise-memory.a
$(addprefix $(B)/,$(ENGINE_FILES)): $(B)/report.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,now -Wl,-z,nodelete \
		-Wl,--exclude-libs,ALL -o $@ $(filter %.o %-memory.a,$^) \
		$(B)/report.a $(B)/libtickwise.a $(ENGINE_LIBS) $(JSON_LIBS) $(CORE_LIBS) \
		$(if $(PROFILE),-L$(B) -ltickwise-profile -Wl$(comma)-rpath$(comma)'$$ORIGIN')

$(addprefix $(B)/,$(ENGINE_FILES)): $(if $(PROFILE),$(PROFILE_LIBRARIES))

.PHONY: profile
profile: core plugin
	$(if $(PROFILE),,$(error this needs PROFILE=1))
	$(Q)FIO='$(FIO)' plugin/profile.sh $(B)

# ---- tests ----

# Everything except main() in archives; a test links what it calls, so that no test needs a
# rule of its own. tests/unit/preload/ alone links the preload clock, because an archive
# with clock_gettime() would replace that of the C library.
$(B)/command.a: $(filter-out %/main.o,$(call objects,$(COMMAND_SOURCES)))
$(B)/preload.a: $(filter-out %/preload.o,$(call objects,$(PRELOAD_SOURCES)))
$(B)/plugin.a: $(ALONE_OBJECTS)
# For other processors, which have no JSON library.
$(B)/base.a: $(call objects,$(wildcard core/base/*.c))
$(addprefix $(B)/,command.a preload.a plugin.a base.a):
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

TEST_ARCHIVES ?= $(addprefix $(B)/,plugin.a command.a report.a libtickwise-memory.a \
	libtickwise-profile.a libtickwise.a)
TEST_LIBS ?= $(JSON_LIBS) $(KERNEL_LIBS)
# What a test has to be linked with and can't write in C. A line of its first comment,
# "Wraps: malloc free", names the functions that it replaces everywhere.
wraps = $(addprefix -Wl$(comma)--wrap=,$(shell sed -n 's/^ \* Wraps: //p' $(1)))
$(B)/tests/%.t: tests/%.c $(TEST_ARCHIVES)
	$(call say,TEST,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Itests -Iplugin $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-MF $@.d -MT $@ -o $@ $< $(LDFLAGS) $(call wraps,$<) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TEST_LIBS) $(CORE_LIBS)

$(filter $(B)/tests/unit/preload/%.t,$(UNIT_TESTS)): $(B)/preload.a
$(filter $(B)/tests/unit/plugin/kernel/%.t,$(UNIT_TESTS)): CORE_CFLAGS += \
	$(if $(KERNEL_STAGES),-DTW_KERNEL_STAGES)

# The tests of plugin/*.c run the engine with a simulated fio, kernel and counter. Its
# files are built once more, with that counter and that kernel.
ENGINE_TESTS := $(patsubst %.c,$(B)/%.t,$(wildcard tests/unit/plugin/*.c))
ENGINE_BENCH := $(B)/tests/bench/engine_settle
ENGINE_MAINS := $(ENGINE_TESTS:.t=.o) $(ENGINE_BENCH).o
ENGINE_OBJECTS := $(patsubst plugin/%.c,$(B)/tests/engine/%.o,$(PLUGIN_SOURCES))
ENGINE_TEST_FLAGS := -include tests/unit/plugin/engine_counter.h -Itests
$(ENGINE_OBJECTS) $(ENGINE_MAINS): PLUGIN_CFLAGS += $(ENGINE_TEST_FLAGS)

ENGINE_NEEDS := plugin/fio-features.sh $(B)/fio.path $(B)/flags
$(ENGINE_OBJECTS): $(B)/tests/engine/%.o: plugin/%.c $(ENGINE_NEEDS)
	$(call say,CC,$<)
	$(compile_plugin)

$(ENGINE_MAINS): $(B)/%.o: %.c $(ENGINE_NEEDS)
	$(call say,TEST,$<)
	$(compile_plugin)

$(B)/engine.a: $(ENGINE_OBJECTS)
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(ENGINE_TESTS): $(B)/%.t: $(B)/%.o
$(ENGINE_BENCH): %: %.o
$(ENGINE_TESTS) $(ENGINE_BENCH): $(B)/engine.a $(B)/report.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(call wraps,$(patsubst $(B)/%.o,%.c,$(firstword $(filter %.o,$^)))) -o $@ \
		$(filter %.o,$^) -Wl,--start-group $(filter %.a,$^) -Wl,--end-group \
		$(JSON_LIBS) $(CORE_LIBS)

# Other programs: benches, and what tests run or read.
$(B)/tests/%: tests/%.c $(TEST_ARCHIVES)
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Itests -Iplugin $(CPPFLAGS) $(CFLAGS) -MMD -MP -MF $@.d \
		-MT $@ -o $@ $< $(LDFLAGS) -Wl,--start-group $(filter %.a,$^) \
		-Wl,--end-group $(TEST_LIBS) $(PROGRAM_LIBS) $(CORE_LIBS)

$(B)/tests/bench/preload_threads: $(B)/preload.a
$(addprefix $(B)/tests/fio/,attach_kinds attach_server kernel_rings): PROGRAM_LIBS := -luring

$(B)/tests/%.so: tests/%.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -fPIC -shared $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-MF $@.d -MT $@ -o $@ $< $(PRELOAD_OBJECTS) $(LDFLAGS) $(PRELOAD_LIBS)

# fio exports the functions that its engines use.
$(B)/tests/reader/fake_fio: override LDFLAGS += -rdynamic

# The preload library has to come before liburing, which otherwise only the engine loads.
$(B)/tests/fio/preload/%.so: PRELOAD_LIBS := -Wl,--no-as-needed -luring -ldl

# The program on a recorded machine: see tests/golden/recorded.h.
RECORDED_SOURCES := $(wildcard tests/golden/*.c)
REPLACED := $(shell sed -n 's/^REPLACE(\(.*\));/\1/p' $(RECORDED_SOURCES) /dev/null)

$(B)/tests/golden/%.o: tests/golden/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Wno-missing-prototypes $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-c -o $@ $<

$(B)/tickwise-recorded: $(call objects,$(COMMAND_SOURCES) $(RECORDED_SOURCES)) \
			$(B)/report.a $(B)/libtickwise-memory.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(addprefix -Wl$(comma)--wrap=,$(REPLACED)) \
		-o $@ $^ $(JSON_LIBS) -ldl $(CORE_LIBS)

# ---- other processors ----
#
# The files that need no JSON are built once more, static, for each processor that has a
# compiler here. The tests run them in user-mode emulation. For x86-64 the emulation shows
# processors with other features, so the tests of tests/cross are enough. The tests use
# the header as it is installed: one file without others.

CROSS_TESTS := $(wildcard tests/cross/*.t)
CROSS_TRIPLES := $(foreach triple,x86_64-linux-gnu aarch64-linux-gnu \
		   powerpc64le-linux-gnu riscv64-linux-gnu, \
		   $(if $(shell command -v $(triple)-gcc),$(triple)))

# `make check` runs the unit tests that depend on the page size, 128-bit arithmetic, signed
# characters or facts of a processor. `make check-cross` runs all unit tests that need no
# CPUs or counter of their own.
CROSS_UNIT := clock_readers clock_segments counter_timens_text \
	estimate_judge estimate_pace estimate_wrap \
	histogram_bin_edges histogram_exact kernel_rate \
	memory_sizes memory_smaps named_rates scale_corners \
	scale_limits text_plain vmclock_page
CROSS_UNIT_ALL := $(filter-out %_json engine_% kernel_above estimate_cpu_% \
	estimate_memory estimate_system estimate_taken \
	estimate_injected clock_check counter_disabled diagnostics_skipped ticks_%, \
	$(patsubst tests/unit/%.c,%,$(wildcard tests/unit/*/*.c tests/unit/*/*/*.c)))

.PHONY: cross-tests cross-processor cross-unit
cross-processor: $(B)/tests/cross/processor.t $(B)/tests/cross/print_facts
cross-unit: $(filter $(foreach test,$(CROSS_UNIT),%/$(test).t),$(UNIT_TESTS))

cross_make = $(MAKE) --no-print-directory SAN= CC=$(1)-gcc AR=$(1)-ar \
	     B=build/cross/$(firstword $(subst -, ,$(1))) \
	     CROSS_UNIT='$(CROSS_UNIT)' TEST_LIBS= KERNEL_STAGES= \
	     TEST_ARCHIVES='$$(B)/base.a $$(B)/libtickwise-memory.a $$(B)/libtickwise.a' \
	     CFLAGS=-O2 LDFLAGS=-static

cross-tests: $(addprefix cross-,$(CROSS_TRIPLES))

.PHONY: cross-x86_64-linux-gnu
cross-x86_64-linux-gnu:
	+$(Q)$(call cross_make,x86_64-linux-gnu) cross-processor

cross-%-linux-gnu:
	+$(Q)$(call cross_make,$*-linux-gnu) cross-processor cross-unit

$(B)/tests/cross/processor.t $(B)/tests/cross/print_facts: \
	private CORE_CFLAGS := $(subst -Icore,-I$(B)/include,$(CORE_CFLAGS))
$(B)/tests/cross/processor.t $(B)/tests/cross/print_facts: \
	$(B)/include/tickwise.h

.PHONY: packages-test packages-check packages-cross
packages-test:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST)
packages-check:
	$(if $(word 2,$(CURDIR)),$(error the tests preload libraries, whose paths \
		can't have spaces: $(CURDIR)))
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST) \
		--optional $(kernel_packages)

# `make check` does not install these, which take a gigabyte. The tests of a processor
# without its compiler or emulator are skipped.
packages-cross:
	$(Q).ci/packages $(PACKAGES_BUILD) --optional $(PACKAGES_CROSS)

# JOBS is for the build. Most tests wait more than they compute, so TEST_JOBS is larger. It
# is at most 16: some tests compare all CPUs, and a container may have fewer CPUs than
# nproc prints.
JOBS ?= $(shell nproc)
TEST_JOBS ?= $(shell echo $$(($(JOBS) < 8 ? 2 * $(JOBS) : 16)))
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

# The environment of the tests. print-test-env prints it for a shell's eval.
test_env = TICKWISE_KERNEL=off CC='$(CC)' TICKWISE='$(abspath $(B)/tickwise)' \
	   TICKWISE_SO='$(abspath $(B)/tickwise.so)' \
	   TW_BUILD='$(abspath $(B))' FIO='$(FIO)' TW_SANITIZE='$(SANITIZE)' \
	   TW_CROSS_UNIT='$(CROSS_UNIT)'

.PHONY: tests test print-test-env
print-test-env:
	@echo '$(subst ','"'"',$(test_env))'

tests: all $(UNIT_TESTS) $(MACHINE_TESTS) $(PRELOADS) $(UNIT_HELPERS) $(FIO_HELPERS) \
       $(BENCHES) $(B)/include/tickwise.h $(B)/tickwise-recorded man schema completion

# Run some tests that are built, and print all that they print.
test:
	$(if $(TEST),,$(error which? make test TEST=tests/unit/build/man.t))
	$(Q)for test in $(TEST); do env --default-signal $(test_env) $$test || exit; done

# The verdict is the same on any machine and at any load.
.PHONY: check
check: packages-check
	$(Q)$(MAKE) --no-print-directory $(parallel) tests cross-tests
	$(Q)$(test_env) tests/run.sh -j $(TEST_JOBS) $(B)/check.log \
		$(FIO_TESTS) $(CROSS_TESTS) $(SHELL_TESTS) $(UNIT_TESTS)

# Open the HTML pages in a browser.
.PHONY: check-html
check-html:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST) \
		$(PACKAGES_HTML)
	$(Q)$(MAKE) --no-print-directory $(parallel) $(B)/tickwise
	$(Q)$(test_env) tests/run.sh $(B)/check-html.log tests/unit/command/output/html_pages.t

# The tests that need this machine's timing. They print figures, and fail only if noise
# can't be the cause.
.PHONY: check-machine
check-machine: packages-check
	$(Q)$(MAKE) --no-print-directory $(parallel) tests
	$(Q)$(test_env) tests/run.sh -m $(B)/check-machine.log \
		$(MACHINE_TESTS) $(MACHINE_SHELL_TESTS)

# ---- sanitizers ----
#
# Run the tests of the library and the program once more, without fio and other processors:
# all with sanitizers, and those in C also under valgrind.

.PHONY: packages-valgrind check-part check-valgrind check-sanitizers
packages-valgrind:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST) valgrind

check-part: packages-test
	$(Q)$(MAKE) --no-print-directory $(parallel) tests
	$(Q)$(test_env) tests/run.sh -j $(TEST_JOBS) $(B)/check-part.log \
		$(SHELL_TESTS) $(UNIT_TESTS)

# valgrind runs one thread at a time, so a test that compares CPUs may take forever.
# TW_UNDER is the command that runs each test, with a time limit.
check-valgrind: packages-valgrind
	$(Q)$(MAKE) --no-print-directory $(parallel) core $(UNIT_TESTS)
	$(Q)$(test_env) TW_UNDER='tests/under-valgrind.sh' \
	tests/run.sh -j $(JOBS) $(B)/check-valgrind.log $(UNIT_TESTS)

check-sanitizers: packages-valgrind
	$(Q)$(MAKE) --no-print-directory SAN=1 check-part
	$(Q)$(MAKE) --no-print-directory SAN=thread check-part
	$(Q)$(MAKE) --no-print-directory check-valgrind

.PHONY: check-cross
check-cross: packages-cross
	$(Q)$(MAKE) --no-print-directory $(parallel) \
		CROSS_UNIT='$(CROSS_UNIT_ALL)' core cross-tests
	$(Q)$(test_env) TW_CROSS_UNIT='$(CROSS_UNIT_ALL)' tests/run.sh -j $(TEST_JOBS) $(B)/check-cross.log $(CROSS_TESTS)

# ---- coverage ----
#
# Count the lines and branches that the tests run, by folder. Everything is built once
# more, for gcov and without optimisation. The result decides nothing: some tests check
# the build itself and fail in this one. COVERAGE_TESTS= chooses other tests.
# tests/coverage.txt has figures for comparison.

COVERAGE := $(CURDIR)/build/coverage
COVERAGE_TESTS ?= $(FIO_TESTS) $(SHELL_TESTS) $(UNIT_TESTS)
COVERAGE_JOBS ?= 1

.PHONY: coverage coverage-tests
coverage: packages-test
	$(Q)mkdir -p $(COVERAGE)
	$(Q)$(CC) -fPIC -O1 -c -o $(COVERAGE)/flush.o tests/coverage/flush.c
	$(Q)$(CC) -fPIC -O1 -c -o $(COVERAGE)/exit.o tests/coverage/exit.c
	$(Q)$(CC) -shared -o $(COVERAGE)/exit.so $(COVERAGE)/exit.o
	$(Q)$(MAKE) --no-print-directory $(parallel) B=build/coverage \
		CFLAGS='-O0 -g -w --coverage -fprofile-update=atomic' \
		LDFLAGS='$(COVERAGE)/flush.o' \
		PRELOAD_OBJECTS='$(COVERAGE)/exit.o' PROFILE_INPUT=-lgcov tests
	$(Q)find $(COVERAGE) -name '*.gcda' -exec rm -f {} +
	$(Q)$(MAKE) --no-print-directory B=build/coverage coverage-tests
	$(Q)tests/coverage/table.sh $(COVERAGE)

coverage-tests:
	-$(Q)$(test_env) LD_PRELOAD=$(COVERAGE)/exit.so \
		tests/run.sh -j $(COVERAGE_JOBS) $(B)/check.log $(COVERAGE_TESTS)

# ---- virtual machines ----
#
# Tests of the engines on an NVMe device, and with faults that no real machine has on
# demand. If something can't be installed, the tests are skipped with the reason.

# All tests together take at most TW_VM_SECONDS and two minutes. On a slow machine the last
# tests, which are the longest, are skipped.
TW_VM_SECONDS ?= 720
VM_TESTS := $(sort $(wildcard tests/vm/*.t))
VM_TESTS := $(filter-out tests/vm/lying_%,$(VM_TESTS)) \
	    $(filter tests/vm/lying_%,$(VM_TESTS))
VM_PRELOADS := $(patsubst %.c,$(B)/%.so,$(wildcard tests/vm/preload/*.c))
VM_HELPERS := $(patsubst %.c,$(B)/%,$(wildcard tests/vm/guest/*.c))

# In virtual time a read of the system's clock takes 95 ns. So the preload clock of these
# tests accepts anchors that are twice as wide, and its bound is twice as large.
VM_PRELOAD_CLOCK := $(B)/tests/vm/guest/libtickwise-preload.so
$(VM_PRELOAD_CLOCK): $(PRELOAD_SOURCES) $(wildcard core/preload/*.h) \
		     $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -DTW_STEER_BRACKET_NS=120 \
		-DTW_STEER_BOUND_NS=100 -shared $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -Wl,-z,now \
		-Wl,--exclude-libs,ALL -o $@ $(filter %.c %.a,$^) -ldl $(CORE_LIBS)

.PHONY: packages-vm check-vm vm-base
packages-vm:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST) \
		--optional $(kernel_packages) $(PACKAGES_VM)

# Prepare the kernel of this machine's release, and those of VM_SUITES, on which the
# kernel's program is tested.
VM_SUITES := bookworm trixie
vm-base: all $(VM_PRELOADS) $(VM_HELPERS) $(VM_PRELOAD_CLOCK) \
		$(addprefix $(B)/tests/fio/,helper_client attach_kinds)
	$(Q)rm -f build/vm/base*.cpio
	$(Q)kernel=$$(tests/vm/kernel.sh build/vm/kernel) && \
	tests/vm/initramfs.sh "$$kernel" $(B) '$(FIO)' build/vm/base.cpio || \
		echo 'virtual machines will not be tested'
	$(Q)for suite in $(VM_SUITES); do \
		kernel=$$(tests/vm/kernel.sh build/vm/kernel-$$suite $$suite \
			2>build/vm/kernel-$$suite.log) && \
		tests/vm/initramfs.sh "$$kernel" $(B) '$(FIO)' \
			build/vm/base-$$suite.cpio || \
			cat build/vm/kernel-$$suite.log; \
	done

# Descriptor 3 shows the progress, which is not in the log.
check-vm: packages-vm
	$(Q)$(MAKE) --no-print-directory vm-base
	$(Q)TICKWISE='$(abspath $(B)/tickwise)' TW_BUILD='$(abspath $(B))' \
	TW_VM_DEADLINE=$$(($$(date +%s) + $(TW_VM_SECONDS))) \
	FIO='$(FIO)' tests/run.sh $(B)/check-vm.log $(VM_TESTS) 3>&1

# Write the results of the last run to tests/vm/results.md.
.PHONY: vm-table
vm-table:
	$(Q)tests/vm/table.sh build/vm tests/vm/results.md

# ---- distributions ----

.PHONY: check-distros
check-distros:
	$(Q).ci/packages debootstrap || \
		echo 'no system can be made that is not there already'
	$(Q)tests/distros.sh

# ---- fuzzing ----
#
# Fuzz everything that parses with clang's libFuzzer, FUZZ_SECONDS each. What libFuzzer
# finds stays in build/fuzz/. The seeds in tests/fuzz/corpus/ do not change.

FUZZ_SECONDS ?= 600
FUZZERS := report intervals diff job_file arguments options machine_text profile
fuzzers := $(addprefix $(B)/tests/fuzz/,$(FUZZERS))

.PHONY: fuzz fuzz-build
fuzz-build: $(fuzzers)

$(fuzzers): $(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/no_fio.c \
		$(filter-out %/run/engines.o,$(call objects,$(COMMAND_SOURCES))) \
		$(B)/report.a $(B)/libtickwise-memory.a $(B)/libtickwise.a
	$(call say,FUZZ,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Icore/command $(CPPFLAGS) $(CFLAGS) \
		-fsanitize=fuzzer -o $@ $^ $(LDFLAGS) $(JSON_LIBS) $(CORE_LIBS)

# libFuzzer has its own main(), so the program's main() gets another name.
fuzz_main := -Dmain=tickwise_main -Wno-missing-prototypes
fuzz:
	$(Q).ci/packages clang $(PACKAGES_BUILD)
	$(Q)$(MAKE) --no-print-directory CC=clang SAN=1 B=build/fuzz \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link $(fuzz_main)' fuzz-build
	$(Q)tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZERS)

# ---- the patches for fio ----
#
# `make check` does not run these tests, which build fio some ninety times. It runs
# tests/fio/patched.t, which builds the installed fio once. FIO_GIT= names a git repository
# of fio.

PATCH_TESTS := $(wildcard tests/patches/fio-*.t)

.PHONY: packages-patches check-patches check-upstream fio-patched
packages-patches:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_PATCHES)

check-patches: packages-patches
	$(Q)$(MAKE) --no-print-directory core $(B)/include/tickwise.h
	$(Q)TICKWISE='$(abspath $(B)/tickwise)' TW_BUILD='$(abspath $(B))' FIO='$(FIO)' \
	tests/run.sh $(B)/check-patches.log $(PATCH_TESTS)

check-upstream:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_PATCHES) \
		$(PACKAGES_UPSTREAM)
	$(Q)$(MAKE) --no-print-directory core
	$(Q)TICKWISE='$(abspath $(B)/tickwise)' TW_BUILD='$(abspath $(B))' \
	tests/run.sh $(B)/check-upstream.log tests/patches/upstream.t

# Build a fio with the series of the installed fio, or with FIO_SERIES=fio-HEAD.
fio-patched: packages-patches
	$(Q)$(MAKE) --no-print-directory core $(B)/include/tickwise.h
	$(Q)FIO='$(FIO)' CC='$(CC)' patches/build.sh '$(FIO_SERIES)' $(B) $(B)/fio-patched

# ---- the demonstration ----

.PHONY: demo demo-clock demo-memory demo-packages
demo-packages:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) --optional $(kernel_packages)

# quiet_make TARGET: what it prints is shown only if it fails, without what worked
quiet_make = @mkdir -p build; \
	echo "building (half a minute; the compiler's output: build/demo.log)"; \
	$(MAKE) --no-print-directory $(parallel) $(1) >build/demo.log 2>&1 || { \
		grep -v '^  [A-Z]* ' build/demo.log | tail -n 40 >&2; exit 1; }

demo: demo-packages
	+$(call quiet_make,all)
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B)

demo-clock: demo-packages
	+$(call quiet_make,all)
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B) clock

demo-memory:
	$(Q).ci/packages $(PACKAGES_BUILD)
	+$(call quiet_make,core)
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B) memory

# ---- benchmarks: never part of the tests ----

.PHONY: bench bench-count bench-iops bench-report
# The speed of inline code depends on the compiler, so use clang, too, if it is installed.
bench: core
	$(Q)$(B)/tickwise bench
	$(Q)if [ '$(CC)' != clang ] && command -v clang >/dev/null; then \
		$(MAKE) --no-print-directory CC=clang B=$(B)/clang core && \
		echo && $(B)/clang/tickwise bench; fi

bench-count: all
	$(Q)FIO='$(FIO)' TW_BUILD='$(B)' tests/bench/engine_count.sh

bench-iops: all
	$(Q)FIO='$(FIO)' TW_BUILD='$(B)' tests/bench/engine_iops.sh

bench-report: core
	$(Q)TICKWISE='$(B)/tickwise' tests/bench/report_merge.sh

# ---- another fio ----

$(B)/tickwise-build-engine: plugin/build-engine.sh
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|^source_dir=.*|source_dir=$(CURDIR)|' $< >$@.new && chmod 755 $@.new && \
		mv $@.new $@

# ---- installing ----
#
# The headers of the counter are copied into the public header, so that it is installed as
# one file.

$(B)/include/tickwise.h: core/tickwise.h $(wildcard core/counter/*.h)
	$(Q)mkdir -p $(@D)
	$(Q)awk '/^#include "counter\// { \
		split($$0, part, "\""); file = "core/" part[2]; \
		while ((getline line < file) > 0) print line; close(file); next } \
		{ print }' core/tickwise.h >$@

# A manual page describes a family of functions in one file. The other names in its NAME
# section become pages that refer to it, each written as "section/name/page".
MAN_PAGES := $(notdir $(wildcard core/man/*.[1-9]))
MAN_LINKS := $(if $(MAN_PAGES),$(shell core/man/links.sh core/man/*.[1-9]))
man_link = $(word 2,$(subst /, ,$(1))).$(firstword $(subst /, ,$(1)))
man_in_section = man$(patsubst .%,%,$(suffix $(1)))/$(1)
man_files = $(foreach page,$(MAN_PAGES) $(foreach link,$(MAN_LINKS),$(call \
	man_link,$(link))),$(call man_in_section,$(page)))

.PHONY: man
man: $(patsubst %,$(B)/man/%,$(MAN_PAGES))

# What the rows of a report say of themselves gets into its manual page and schemas.
$(B)/describe: $(B)/core/report/describe.o $(B)/report.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JSON_LIBS) $(CORE_LIBS)

# A line @OPTIONS COMMAND@ of a page becomes the command's options, and @ROWS KIND@ rows.
$(B)/man/%: core/man/% core/man/fill.sh core/tickwise.h $(B)/tickwise $(B)/describe
	$(Q)mkdir -p $(@D)
	$(Q)core/man/fill.sh $(B)/tickwise $(B)/describe '$(VERSION)' $< >$@.new && \
		mv $@.new $@

SCHEMAS := $(patsubst core/%,$(B)/%,$(wildcard core/schema/*.json))
.PHONY: schema
schema: $(SCHEMAS)
$(B)/schema/tickwise-diff.schema.json: core/schema/tickwise-diff.schema.json
	$(Q)mkdir -p $(@D)
	$(Q)cp $< $@
$(B)/schema/%: core/schema/% $(B)/describe
	$(Q)mkdir -p $(@D)
	$(Q)$(B)/describe schema $< >$@.new && mv $@.new $@

# Completion for shells. Each shell needs its file under another name.
COMPLETIONS := bash-completion/completions/tickwise zsh/site-functions/_tickwise
.PHONY: completion
completion: $(addprefix $(B)/completion/,$(COMPLETIONS))
$(B)/completion/bash-completion/%: shell_name := bash
$(B)/completion/zsh/%: shell_name := zsh
$(B)/completion/%: $(B)/tickwise
	$(Q)mkdir -p $(@D)
	$(Q)$(B)/tickwise --completion $(shell_name) >$@.new && mv $@.new $@

# The files for `tickwise build-engine`, which builds the engines for another fio later.
BUILD_ENGINE_DIR := $(DATADIR)/tickwise/engine
BUILD_ENGINE_SCRIPTS := $(addprefix plugin/,find-fio.sh fio-features.sh)
BUILD_ENGINE_FILES := Makefile LICENSE plugin/COPYING core/libtickwise.map \
	$(sort $(LIBRARY_SOURCES) $(MEMORY_SOURCES) $(REPORT_SOURCES) $(ENGINES) \
	$(PLUGIN_SOURCES) $(MEMORY_ENGINE_SOURCES) $(wildcard plugin/kernel/*.bpf.c)) \
	$(shell find core plugin -name '*.h' | sort)

# fio passes a name without a slash to dlopen(), which searches the folders of libraries:
# ioengine=fio-tickwise.so.
ENGINE_LINKS := $(addprefix fio-,$(ENGINE_FILES))

.PHONY: install install-core install-plugin install-build-engine install-man
.PHONY: install-completion uninstall
install: install-core install-plugin

# Install everything except the engine, so fio is not needed.
install-core: core schema install-man install-completion install-build-engine \
		$(B)/include/tickwise.h
	$(INSTALL) -d $(DESTDIR)$(BINDIR) $(DESTDIR)$(INCLUDEDIR) \
		$(DESTDIR)$(LIBDIR)/pkgconfig
	$(INSTALL) $(B)/tickwise $(DESTDIR)$(BINDIR)/
	$(INSTALL) -m 644 $(B)/include/tickwise.h $(DESTDIR)$(INCLUDEDIR)/
	$(INSTALL) -m 644 $(B)/libtickwise.a $(DESTDIR)$(LIBDIR)/
	$(INSTALL) -m 644 $(B)/$(SONAME) $(DESTDIR)$(LIBDIR)/libtickwise.so.$(VERSION)
	ln -sf libtickwise.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libtickwise.so
	$(INSTALL) -m 644 $(B)/libtickwise-preload.so $(DESTDIR)$(LIBDIR)/
	$(INSTALL) -m 644 core/profile/tickwise-profile.h $(DESTDIR)$(INCLUDEDIR)/
	$(INSTALL) -m 644 $(PROFILE_LIBRARIES) $(DESTDIR)$(LIBDIR)/
	$(INSTALL) -d $(DESTDIR)$(ENGINE_DIR)
	$(INSTALL) -m 644 $(COMPARE_PROBES) $(DESTDIR)$(ENGINE_DIR)/
	$(INSTALL) -d $(DESTDIR)$(DATADIR)/tickwise/schema
	$(INSTALL) -m 644 $(SCHEMAS) $(DESTDIR)$(DATADIR)/tickwise/schema/
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		core/tickwise.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/tickwise.pc
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
		-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		core/profile/tickwise-profile.pc.in \
		>$(DESTDIR)$(LIBDIR)/pkgconfig/tickwise-profile.pc
	@# Tell the running system about the new library. A package does this itself.
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || :

install-plugin: plugin
	$(INSTALL) -d $(DESTDIR)$(ENGINE_DIR)
	$(INSTALL) -m 644 $(addprefix $(B)/,$(ENGINE_FILES)) \
		$(DESTDIR)$(ENGINE_DIR)/
	$(if $(KERNEL_PROGRAM_FILES),$(INSTALL) $(addprefix \
		$(B)/,$(KERNEL_PROGRAM_FILES)) $(DESTDIR)$(ENGINE_DIR)/)
	$(Q)set -e; for file in $(ENGINE_FILES); do \
		ln -sf $(notdir $(ENGINE_DIR))/$$file $(DESTDIR)$(LIBDIR)/fio-$$file; done
	@echo "engine: ioengine=external:$(ENGINE_DIR)/tickwise.so"

install-build-engine: $(B)/tickwise-build-engine
	$(INSTALL) -d $(DESTDIR)$(ENGINE_DIR)
	sed 's|^source_dir=.*|source_dir=$(BUILD_ENGINE_DIR)|' $< \
		>$(DESTDIR)$(ENGINE_DIR)/$(<F)
	chmod 755 $(DESTDIR)$(ENGINE_DIR)/$(<F)
	$(INSTALL) -d $(sort $(dir $(addprefix $(DESTDIR)$(BUILD_ENGINE_DIR)/, \
		$(BUILD_ENGINE_FILES))))
	$(Q)set -e; for file in $(BUILD_ENGINE_FILES); do \
		$(INSTALL) -m 644 $$file $(DESTDIR)$(BUILD_ENGINE_DIR)/$$file; done
	$(INSTALL) $(BUILD_ENGINE_SCRIPTS) $(DESTDIR)$(BUILD_ENGINE_DIR)/plugin/

install-man: man
	$(INSTALL) -d $(sort $(dir $(addprefix $(DESTDIR)$(MANDIR)/,$(man_files))))
	$(Q)set -e; for page in $(MAN_PAGES); do \
		$(INSTALL) -m 644 $(B)/man/$$page \
			$(DESTDIR)$(MANDIR)/man$${page##*.}/; done
	$(Q)set -e; for link in $(MAN_LINKS); do \
		section=$${link%%/*} page=$${link##*/} name=$${link#*/}; \
		echo ".so man$$section/$$page.$$section" \
		>$(DESTDIR)$(MANDIR)/man$$section/$${name%/*}.$$section; done

install-completion: completion
	$(Q)set -e; for file in $(COMPLETIONS); do \
		$(INSTALL) -d $(DESTDIR)$(DATADIR)/$${file%/*}; \
		$(INSTALL) -m 644 $(B)/completion/$$file $(DESTDIR)$(DATADIR)/$$file; done

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/tickwise $(DESTDIR)$(INCLUDEDIR)/tickwise.h \
		$(addprefix $(DESTDIR)$(LIBDIR)/,libtickwise.a libtickwise.so \
			$(SONAME) libtickwise.so.$(VERSION) \
			libtickwise-preload.so $(notdir $(PROFILE_LIBRARIES)) \
			pkgconfig/tickwise.pc pkgconfig/tickwise-profile.pc) \
		$(DESTDIR)$(INCLUDEDIR)/tickwise-profile.h \
		$(addprefix $(DESTDIR)$(MANDIR)/,$(man_files)) \
		$(addprefix $(DESTDIR)$(DATADIR)/,$(COMPLETIONS)) \
		$(addprefix $(DESTDIR)$(LIBDIR)/,$(ENGINE_LINKS)) \
		$(addprefix $(DESTDIR)$(ENGINE_DIR)/,$(ENGINE_FILES) \
			$(addprefix tickwise-,$(KERNEL_PROGRAMS) build-engine) \
			$(notdir $(COMPARE_PROBES)))
	rm -rf $(DESTDIR)$(BUILD_ENGINE_DIR) $(DESTDIR)$(DATADIR)/tickwise/schema
	-rmdir $(DESTDIR)$(ENGINE_DIR) $(DESTDIR)$(DATADIR)/tickwise 2>/dev/null

# ---- packages ----
#
# `make deb` builds in build/deb, from the files that git knows. It uses no network if the
# necessary packages are installed and FIO_SRC= is given. The same files give the same
# bytes, wherever they are.

PACKAGES_DEB := build-essential debhelper
DIST := tickwise-$(VERSION)

.PHONY: dist deb packages-deb
dist:
	$(Q).ci/dist $(DIST) build/$(DIST).tar.gz
	@echo build/$(DIST).tar.gz

packages-deb:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_DEB) \
		$(foreach package,$(PACKAGES_KERNEL),'$(package)')

deb: packages-deb
	$(Q)rm -rf build/deb && mkdir -p build/deb
	$(Q).ci/dist $(DIST) build/deb/$(DIST).tar.gz
	$(Q)tar -C build/deb -xzf build/deb/$(DIST).tar.gz
	$(Q)tree=$$(CC='$(CC)' plugin/find-fio.sh $(if $(FIO_SRC),--source='$(FIO_SRC)') \
		--cache='$(FIO_CACHE)') && \
	echo "building (a minute; the compiler's output: build/deb/build.log)" && \
	cd build/deb/$(DIST) && \
	env -u MAKEFLAGS -u MAKELEVEL FIO_SRC="$$tree" \
		dpkg-buildpackage -b -us -uc >../build.log 2>&1 || { \
		tail -n 20 ../build.log >&2; exit 1; }
	@ls build/deb/*.deb

.PHONY: check-deb
check-deb:
	$(Q).ci/packages debootstrap || \
		echo 'no system can be made that is not there already'
	$(Q)tests/deb.sh

# ---- the rest ----

.PHONY: clean distclean help
# Keep fio's source and the distributions, because fetching them takes longest.
clean:
	$(Q)if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name fio \
		! -name distros -exec rm -rf {} +; fi

distclean:
	$(Q)rm -rf build

help:
	@echo 'make demo        install missing packages, build, run a fio job, print its report'
	@echo 'make demo-clock  show the counter and fio'"'"'s clock'
	@echo 'make demo-memory show the latency of memory'
	@echo 'make check       install missing packages, build, and run the tests'
	@echo 'make             build build/tickwise, build/libtickwise.a and build/tickwise.so'
	@echo 'make core        build only what needs no fio: the program and the library'
	@echo
	@echo 'make test TEST=tests/unit/build/man.t  run one test, after make tests'
	@echo
	@echo 'make install     install everything; PREFIX=/usr/local, LIBDIR=, DESTDIR='
	@echo 'make install-core  install only what needs no fio'
	@echo 'make uninstall   remove what make install has installed'
	@echo 'make deb         build Debian packages in build/deb; offline with FIO_SRC='
	@echo 'make dist        pack the source as build/tickwise-$(VERSION).tar.gz'
	@echo 'make fio-patched build the installed fio with the patches: build/fio-patched/fio'
	@echo 'make clean       remove what was built'
	@echo 'make distclean   remove what was built or fetched'
	@echo
	@echo 'make check-machine  measure this machine: offsets, rates, interrupts'
	@echo 'make check-html  open the HTML pages in a browser (installs chromium)'
	@echo 'make check-cross run the tests of other processors, emulated'
	@echo 'make check-vm    run the engines on an emulated NVMe, and with faults on demand'
	@echo 'make vm-table    write the results of check-vm to tests/vm/results.md'
	@echo 'make check-distros  run make demo and make check in fresh distributions'
	@echo 'make check-deb   test the packages in fresh systems of Debian 12 and 13'
	@echo 'make check-patches  apply, build and test every patch (minutes)'
	@echo 'make check-upstream  test each patch for upstream by itself (minutes)'
	@echo 'make check-sanitizers'
	@echo '                 test the library and the program with ASan, UBSan, TSan, valgrind'
	@echo 'make coverage    show which branches the tests run, by folder'
	@echo 'make fuzz        fuzz everything that parses, FUZZ_SECONDS=600 each'
	@echo
	@echo 'make bench       measure the cost of reading the time on this machine'
	@echo 'make bench-count check that none of a hundred million I/Os gets lost'
	@echo 'make bench-iops  compare the IOPS of the engine with those of fio'"'"'s own'
	@echo 'make bench-report  measure the time to merge a thousand reports'
	@echo 'make PROFILE=1   show where the engine'"'"'s own time goes in a fio job'
	@echo
	@echo 'FIO=PROGRAM      build the engine for another fio than the first in PATH'
	@echo 'FIO_SRC=DIR      the source of that fio, if it has no package'
	@echo 'KERNEL_STAGES=   build the engine without the stages inside the kernel'
	@echo 'SAN=1, SAN=thread  build with sanitizers'
	@echo 'DEBUG=1          build a library that checks its own work, in build/debug'
	@echo 'V=1              show the commands'
	@echo 'CC=, CPPFLAGS=, CFLAGS=, LDFLAGS=  as usual'

-include $(wildcard $(B)/*.d) $(shell find $(addprefix $(B)/,core plugin kernel tests) \
				-name '*.d' 2>/dev/null)
