# SPDX-License-Identifier: GPL-2.0
#
# The fio engines, what runs in the kernel, and the programs that need no fio: attach and
# kernel-helper.
#
# find-fio.sh prints the path of the configured source tree of $(FIO). fio.path contains
# this path and the tree's version, and changes only if one of them does. So the engine is
# built again exactly when the installed fio or its tree has changed.

# Each engine has one of these files (layout_probe.c is that of fits-fio.sh); all engines share the
# other files.
ENGINES := $(shell grep -l '^struct ioengine_ops tw_engine' plugin/*.c plugin/*/*.c)
# The rooms of the engines that need fio's headers, and those that don't. The programs of
# their own use the latter, too.
FIO_ROOMS := engine fio job_clock job_report nvme record
OTHER_ROOMS := collect helper/client kernel $(addprefix kernel/,causes stages sync) trace
sources_in = $(filter-out %.bpf.c,$(wildcard $(patsubst %,plugin/%/*.c,$(1))))
PLUGIN_SOURCES := $(filter-out $(ENGINES),$(call sources_in,$(FIO_ROOMS) $(OTHER_ROOMS)))
MEMORY_ENGINE_SOURCES := $(call sources_in,memory_engine)
ENGINE_FILES := $(addprefix tickwise,.so -cmd.so -memory.so)
# Separate programs that `tickwise` executes, and the files of their main().
KERNEL_PROGRAMS := kernel-helper attach
main_of_kernel-helper := helper/helper.o
main_of_attach := attach/attach.o
# ncurses' terminfo
TERMINAL_LIBS := -ltinfo
libs_of_attach := $(TERMINAL_LIBS)

.PHONY: plugin engines more-engines kernel-programs
plugin: engines kernel-programs $(if $(FIO_SOURCES),more-engines)
engines: $(addprefix $(B)/,$(ENGINE_FILES))

# FIO_SOURCES=: engines for the fios of these sources, too, each in a folder of its own.
# `tickwise` takes the first that fio loads, so a name only has to be another for another
# fio: its version, and a sum of its options.
more-engines:
	$(Q)rm -rf $(B)/engines
	+$(Q)set -e; number=0; for tree in $(abspath $(FIO_SOURCES)); do \
		number=$$((number + 1)) more=$(B)/more/$$number; \
		$(make_here) B=$$more FIO=none FIO_SRC=$$tree FIO_SOURCES= engines; \
		name=$$(sed -n 's/^FIO_VERSION *= *//p' $$more/fio.path)-$$(cksum \
			<$$more/plugin/fio_options.h | cut -d ' ' -f 1); \
		$(INSTALL) -D -m 644 -t $(B)/engines/$$name $(addprefix \
			$$more/,$(ENGINE_FILES)); done

$(B)/fio.path: force
	$(Q)mkdir -p $(@D)
	$(Q)$(find_fio) >$@.new || { rm -f $@.new; exit 1; }
	$(Q)cat "$$(cat $@.new)/FIO-VERSION-FILE" >>$@.new
	$(Q)cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

# -fno-plt: a page of code less that each I/O runs through.
# -isystem suppresses warnings about fio's own headers. They compare enums such as
# fio_q_status with plain ints, and fio's hooks have unused parameters.
PLUGIN_CFLAGS = -std=gnu11 -fPIC -fno-plt -fvisibility=hidden -pthread -Wall -Wextra \
		-Werror=implicit-function-declaration \
		-Wno-unused-parameter -Wno-sign-compare -Icore -Iplugin \
		-D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFIO_INTERNAL \
		-DFIO_INC_DEBUG $(SANITIZE)

# PROFILE=1: a function of a header counts as part of the function into which it was put
# inline.
HOOKS := $(if $(PROFILE),-DTW_PROFILED $(if $(findstring clang,$(CC)), \
	-finstrument-functions-after-inlining,-finstrument-functions \
	-finstrument-functions-exclude-file-list=core/$(comma)/include/$(comma).h))

# What the compiler is told of fio's tree, as it reads it with @FILE. To find this out again
# for each file took ten seconds of a build.
# -ffile-prefix-map makes the same bytes wherever that tree is.
$(B)/fio.options: plugin/fio/fio-features.sh $(B)/fio.path force
	$(Q)tree=$$(head -n 1 $(B)/fio.path) && features=$$(plugin/fio/fio-features.sh "$$tree") && \
	printf '%s\n' "-include \"$$tree/config-host.h\" -isystem \"$$tree\"" \
		"\"-ffile-prefix-map=$$tree=fio\" $$features" \
		"$$(sed -n 's/^FIO_VERSION *= *\(.*\)/-DTW_FIO_VERSION=\\"\1\\"/p' \
		$(B)/fio.path)" >$@.new
	$(Q)cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

# -MD, not -MMD, because fio's headers can change if a tree is used in place.
define compile_plugin
	$(call say,CC,$<)
	$(Q)$(CC) $(PLUGIN_CFLAGS) $(CPPFLAGS) $(CFLAGS) @$(B)/fio.options $(HOOKS) -MD -MP \
		-c -o $@ $<
endef
NEED_FIO := $(B)/fio.options $(B)/flags
$(B)/plugin/%.o: plugin/%.c $(NEED_FIO)
	$(compile_plugin)

$(B)/plugin/fio_options.h: plugin/fio/fio-options.awk $(B)/fio.path
	$(Q)mkdir -p $(@D)
	$(Q)awk -f $< "$$(head -n 1 $(B)/fio.path)/options.c" >$@.new && mv $@.new $@
guards := $(B)/plugin/fio/fio_layout.o $(B)/tests/engine/fio/fio_layout.o
$(guards): $(B)/plugin/fio_options.h
$(guards): PLUGIN_CFLAGS += -I$(B)/plugin

# A program that stamps I/Os inside the kernel is built into a header that loads it. The
# engine is built without them if clang, bpftool or libbpf are missing, or with an empty
# KERNEL_STAGES=. `make install` puts these headers next to the engine's source, so that
# `tickwise build-engine` needs libbpf alone. Ubuntu's bpftool is a script that refuses if
# the tools are those of another kernel, so the tools are searched first.
BPFTOOL ?= $(firstword $(wildcard /usr/lib/linux-tools/*/bpftool) \
	$(wildcard /usr/sbin/bpftool) bpftool)
ifeq ($(origin KERNEL_STAGES),undefined)
KERNEL_STAGES := $(shell { [ -e plugin/kernel/stages/stages.skel.h ] || { command -v clang && \
	$(BPFTOOL) version && [ -e plugin/kernel/stages/stages.bpf.c ]; }; } >/dev/null 2>&1 && \
	echo '\#include <bpf/libbpf.h>' | $(CC) $(CPPFLAGS) -E - >/dev/null 2>&1 && \
	echo 1)
endif
$(B)/kernel_stages: force
	$(if $(KERNEL_STAGES),,@test -e $@ || echo 'the engine is built without the stages \
	inside the kernel: clang, bpftool and libbpf-dev are needed')
	$(call remember,$(KERNEL_STAGES))

# Files with such a header, or with libbpf. Those of the engine can be built without both.
LIBBPF_USERS := $(shell grep -l 'skel\.h"\|tw_program_set_messages' plugin/*/*.c \
	plugin/*/*/*.c)
libbpf_objects := $(foreach folder,plugin alone,$(patsubst plugin/%.c,$(B)/$(folder)/%.o, \
	$(LIBBPF_USERS)))
$(libbpf_objects): $(B)/kernel_stages

ifneq ($(KERNEL_STAGES),)
KERNEL_LIBS := -lbpf
# The kernel's name of the processor, from the compiler's name.
BPF_ARCH := $(shell $(CC) -dumpmachine | sed 's/-.*//; s/x86_64\|i.86/x86/; s/aarch64/arm64/; \
	s/powerpc.*/powerpc/; s/riscv.*/riscv/; s/s390x/s390/')

$(B)/plugin/%.bpf.o: plugin/%.bpf.c
	$(call say,BPF,$<)
	$(Q)clang -g -O2 -Wall -target bpf -Iplugin -D__TARGET_ARCH_$(BPF_ARCH) \
		$(filter -ffile-prefix-map=%,$(CFLAGS)) $(BPF_FLAGS) -MMD -MP -c -o $@ $<

# For atomic operations that return a value: Linux 5.12.
$(patsubst %,$(B)/plugin/%.bpf.o,kernel/stages/stages kernel/causes/causes \
	kernel/sync/sync_stages attach/attach): BPF_FLAGS := -mcpu=v3

SKELETONS := $(patsubst %.bpf.c,$(B)/%.skel.h,$(wildcard plugin/*/*.bpf.c plugin/*/*/*.bpf.c))
ENGINE_SKELETONS := $(filter $(B)/plugin/kernel/%,$(SKELETONS))
.SECONDARY: $(SKELETONS:.skel.h=.bpf.o)
$(B)/%.skel.h: $(B)/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name tw_$(basename $(*F)) >$@.new && mv $@.new $@

$(libbpf_objects): $(SKELETONS)
$(libbpf_objects): PLUGIN_CFLAGS += -DTW_KERNEL_STAGES -I$(B)/plugin
endif

# What does not need fio is built without it, for the engines, the programs of its own and
# tests.
ALONE_SOURCES := $(filter-out $(if $(KERNEL_STAGES),,$(filter-out plugin/kernel/%, \
	$(LIBBPF_USERS))),$(call sources_in,$(OTHER_ROOMS) attach helper)) \
	plugin/job_clock/counter_verdict.c
$(B)/alone/%.o: plugin/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(CORE_CFLAGS) $(if $(KERNEL_STAGES),-DTW_KERNEL_STAGES, \
		-Wno-unused-parameter) -Iplugin -isystem $(B)/plugin $(CPPFLAGS) $(CFLAGS) \
		-MMD -MP -c -o $@ $<
$(B)/plugin.a: $(patsubst plugin/%.c,$(B)/alone/%.o,$(ALONE_SOURCES))

KERNEL_PROGRAM_FILES := $(if $(KERNEL_STAGES),$(addprefix tickwise-,$(KERNEL_PROGRAMS)))
kernel-programs: $(addprefix $(B)/,$(KERNEL_PROGRAM_FILES))
$(addprefix $(B)/,$(KERNEL_PROGRAM_FILES)): $(B)/tickwise-%: $(B)/plugin.a $(B)/command.a \
		$(B)/report.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(B)/alone/$(main_of_$*) -Wl,--start-group $^ \
		-Wl,--end-group $(KERNEL_LIBS) $(libs_of_$*) $(JSON_LIBS) $(CORE_LIBS)
# Everything of the program except main().
$(B)/command.a: $(filter-out %/main.o,$(call objects,$(COMMAND_SOURCES)))

# An engine has the function that fio looks for, in fio_layout.c, and what it uses of the shared
# files. If fio lacks a symbol, loading the engine fails (BIND_NOW), and not a job later.
# Shared files that do not need fio are compiled once. PROFILE=1 needs them with its hooks. An
# installed source builds engines alone, and its *.skel.h with more warnings would have some.
SHARED_SOURCES := $(if $(PROFILE)$(wildcard plugin/kernel/*/*.skel.h),, \
	$(filter $(ALONE_SOURCES),$(PLUGIN_SOURCES)))
$(B)/engine_files.a: $(SHARED_SOURCES:plugin/%.c=$(B)/alone/%.o) \
		$(call objects,$(filter-out $(SHARED_SOURCES),$(PLUGIN_SOURCES)))
$(B)/tickwise.so: $(B)/plugin/tickwise.o
$(B)/tickwise-cmd.so: $(B)/plugin/nvme/nvme_engine.o
$(B)/tickwise.so $(B)/tickwise-cmd.so: ENGINE_LIBS := -luring $(KERNEL_LIBS)
$(B)/tickwise-memory.so: $(call objects,$(MEMORY_ENGINE_SOURCES)) $(B)/libtickwise-memory.a
$(addprefix $(B)/,$(ENGINE_FILES)): $(B)/plugin/fio/fio_layout.o $(B)/engine_files.a $(B)/report.a \
		$(B)/libtickwise.a $(if $(PROFILE),$(PROFILE_LIBRARIES))
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) $(BIND_NOW) $(STAY_LOADED) $(HIDE_ARCHIVES) \
		-o $@ $(filter %.o,$^) -Wl,--start-group $(filter-out $(PROFILE_LIBRARIES), \
		$(filter %.a,$^)) -Wl,--end-group $(ENGINE_LIBS) $(JSON_LIBS) $(CORE_LIBS) \
		$(if $(PROFILE),-L$(B) -ltickwise-profile -Wl$(comma)-rpath$(comma)'$$ORIGIN')

.PHONY: profile
profile: core plugin
	$(if $(PROFILE),,$(error this needs PROFILE=1))
	$(Q)FIO='$(FIO)' plugin/profile.sh $(B)

# It builds the engines for another fio, from the source that `make install` copies.
$(B)/tickwise-build-engine: plugin/fio/build-engine.sh
	$(call make_by,sed 's|^source_dir=.*|source_dir=$(CURDIR)|' $<)
	$(Q)chmod 755 $@
