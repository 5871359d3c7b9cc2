# SPDX-License-Identifier: MIT
#
# make demo    the whole thing once, on this machine, in under two minutes
# make check   every test but the virtual machine's
#
# Both first install what is missing (Debian packages; it says which, and uses
# sudo if you are not root) and find the source of the installed fio.
# `make help` lists the rest.

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
INSTALL ?= install
CFLAGS ?= -O2 -g
# Another fio to build the engine for, and its source if it has no package.
FIO ?= fio
FIO_SRC ?=

# SAN=1: AddressSanitizer and UBSan. SAN=thread: ThreadSanitizer.
ifdef SAN
ifeq ($(SAN),thread)
SANITIZE := -fsanitize=thread
else
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
endif
B := build/san-$(SAN)
else
SANITIZE :=
B := build
endif

# What Debian and Ubuntu call the things we need.
PACKAGES_BUILD := gcc libc6-dev liburing-dev libjansson-dev
PACKAGES_FIO := fio dpkg-dev
PACKAGES_TEST := perl
PACKAGES_CROSS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
		  gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross \
		  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wconversion -Wundef -Wvla
CORE_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -pthread $(WARNINGS) \
	       -Icore -D_GNU_SOURCE $(SANITIZE)
CORE_LIBS := -lm -pthread $(SANITIZE)

LIBRARY_SOURCES := $(filter-out %_json.c, \
	$(wildcard core/counter/*.c core/clock/*.c core/estimate/*.c \
		   core/latency/*.c))
JSON_SOURCES := $(wildcard core/latency/*_json.c)
COMMAND_SOURCES := $(wildcard core/command/*.c) $(JSON_SOURCES)
PLUGIN_SOURCES := $(wildcard plugin/*.c)

objects = $(patsubst %.c,$(B)/%.o,$(1))
UNIT_TESTS := $(patsubst %.c,$(B)/%.t,$(wildcard tests/unit/*.c))
HW_TESTS := $(patsubst %.c,$(B)/%.t,$(wildcard tests/hw/*.c))
FIO_HELPERS := $(patsubst %.c,$(B)/%,$(wildcard tests/fio/*.c))
SHELL_TESTS := $(wildcard tests/unit/*.t tests/hw/*.t)
PRELOADS := $(patsubst %.c,$(B)/%.so,$(wildcard tests/hw/preload/*.c))
FIO_TESTS := $(wildcard tests/fio/*.t)
BENCHES := $(patsubst %.c,$(B)/%,$(wildcard tests/bench/*.c))

.PHONY: all
all: core plugin

# ---- the library and the program ----

.PHONY: core
core: $(B)/libtickwise.a $(B)/tickwise

$(B)/libtickwise.a: $(call objects,$(LIBRARY_SOURCES))
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(B)/tickwise: $(call objects,$(COMMAND_SOURCES)) $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -ljansson $(CORE_LIBS)

$(B)/core/%.o: core/%.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# ---- the engine ----
#
# find-fio.sh prints the configured source tree of the fio that $(FIO) is;
# what it prints is kept in fio.path, which changes only if the answer does,
# so the engine is built again exactly when the installed fio has changed.

.PHONY: plugin force
plugin: $(B)/tickwise.so

force:

$(B)/fio.path: force
	$(Q)mkdir -p $(@D)
	$(Q)plugin/find-fio.sh --fio='$(FIO)' $(if $(FIO_SRC),--source='$(FIO_SRC)') \
		--cache=build/fio >$@.new || { rm -f $@.new; exit 1; }
	$(Q)cmp -s $@.new $@ && rm -f $@.new || mv $@.new $@

# fio's own headers are not ours to warn about: -isystem. fio_q_status and
# friends are compared with plain ints all over them, and hooks have parameters
# they don't use.
PLUGIN_CFLAGS := -std=gnu11 -fPIC -fvisibility=hidden -pthread -Wall -Wextra \
		 -Wno-unused-parameter -Wno-sign-compare -Icore -Icore/latency \
		 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFIO_INTERNAL \
		 -DFIO_INC_DEBUG $(SANITIZE)

$(B)/plugin/%.o: plugin/%.c $(B)/fio.path
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)tree=$$(cat $(B)/fio.path) && \
	version=$$(sed -n 's/^FIO_VERSION *= *//p' "$$tree/FIO-VERSION-FILE") && \
	$(CC) $(PLUGIN_CFLAGS) $(CFLAGS) -DTW_FIO_VERSION="\"$$version\"" \
		-include "$$tree/config-host.h" -isystem "$$tree" \
		-MMD -MP -c -o $@ $<

# -z now: a symbol that fio lacks fails when it is loaded, not in mid-job.
$(B)/tickwise.so: $(call objects,$(PLUGIN_SOURCES) $(JSON_SOURCES)) $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-z,now -Wl,-z,nodelete \
		-Wl,--exclude-libs,ALL -o $@ $^ -luring -ljansson $(CORE_LIBS)

# ---- tests ----

$(B)/tests/%.t: tests/%.c $(B)/libtickwise.a
	$(call say,TEST,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Itests -Icore/latency $(CFLAGS) -MMD -MP \
		-MF $@.d -MT $@ -o $@ $(filter-out %.h,$^) $(LDFLAGS) \
		$(TEST_LIBS) $(CORE_LIBS)

# Unit tests of the JSON side bring it along.
$(filter %_json.t,$(UNIT_TESTS)): $(call objects,$(JSON_SOURCES))
$(filter %_json.t,$(UNIT_TESTS)): TEST_LIBS := -ljansson

$(B)/tests/%: tests/%.c $(B)/libtickwise.a
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CORE_CFLAGS) -Itests $(CFLAGS) -MMD -MP -MF $@.d -MT $@ \
		-o $@ $< $(B)/libtickwise.a $(LDFLAGS) $(CORE_LIBS)

$(B)/tests/%.so: tests/%.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -std=gnu11 -fPIC -shared $(WARNINGS) $(CFLAGS) -MMD -MP \
		-MF $@.d -MT $@ -o $@ $< $(LDFLAGS)

# ---- other processors ----
#
# What needs no JSON is built once more, static, for each processor that there
# is a compiler for; the tests run it in user-mode emulation. For x86-64 that
# shows processors with other features, so its own tests are enough. They see
# the header as it is installed: one file, no other beside it.

CROSS_TESTS := $(wildcard tests/cross/*.t)
CROSS_TRIPLES := $(foreach triple,x86_64-linux-gnu aarch64-linux-gnu \
		   powerpc64le-linux-gnu riscv64-linux-gnu, \
		   $(if $(shell command -v $(triple)-gcc),$(triple)))

.PHONY: cross-tests cross-processor cross-unit
cross-processor: $(B)/tests/cross/processor.t $(B)/tests/cross/print_facts
cross-unit: $(filter-out %_json.t,$(UNIT_TESTS))

cross_make = $(MAKE) --no-print-directory SAN= CC=$(1)-gcc AR=$(1)-ar \
	     B=build/cross/$(firstword $(subst -, ,$(1))) \
	     CFLAGS=-O2 LDFLAGS=-static

cross-tests: $(addprefix cross-,$(CROSS_TRIPLES))

.PHONY: cross-x86_64-linux-gnu
cross-x86_64-linux-gnu:
	$(Q)$(call cross_make,x86_64-linux-gnu) cross-processor

cross-%-linux-gnu:
	$(Q)$(call cross_make,$*-linux-gnu) cross-processor cross-unit

$(B)/tests/cross/processor.t $(B)/tests/cross/print_facts: \
	private CORE_CFLAGS := $(subst -Icore,-I$(B)/include,$(CORE_CFLAGS))
$(B)/tests/cross/processor.t $(B)/tests/cross/print_facts: \
	$(B)/include/tickwise.h

.PHONY: packages-build packages-fio packages-test
packages-build:
	$(Q).ci/packages $(PACKAGES_BUILD)
packages-fio:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO)
packages-test:
	$(Q).ci/packages $(PACKAGES_BUILD) $(PACKAGES_FIO) $(PACKAGES_TEST)

# These tests skip what can't be had; so does this.
packages-cross:
	$(Q).ci/packages $(PACKAGES_CROSS) || \
		echo 'other processors will not be tested'

.PHONY: tests
tests: all $(UNIT_TESTS) $(HW_TESTS) $(PRELOADS) $(FIO_HELPERS) $(BENCHES)

.PHONY: check
check: packages-test packages-cross
	$(Q)$(MAKE) --no-print-directory tests cross-tests
	$(Q)TICKWISE='$(abspath $(B)/tickwise)' \
	TICKWISE_SO='$(abspath $(B)/tickwise.so)' \
	TW_BUILD='$(abspath $(B))' FIO='$(FIO)' \
	tests/run.sh $(B)/check.log $(UNIT_TESTS) $(SHELL_TESTS) $(HW_TESTS) \
		$(FIO_TESTS) $(CROSS_TESTS)

.PHONY: check-cross
check-cross: packages-cross
	$(Q)$(MAKE) --no-print-directory core cross-tests
	$(Q)TICKWISE='$(abspath $(B)/tickwise)' TW_BUILD='$(abspath build)' \
	tests/run.sh $(B)/check-cross.log $(CROSS_TESTS)

# ---- the demonstration ----

.PHONY: demo
demo: packages-fio
	$(Q)$(MAKE) --no-print-directory all
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B)

# ---- installing ----
#
# The header of the counter is put inline, so that the public header is one
# file wherever it is installed.

$(B)/include/tickwise.h: core/tickwise.h $(wildcard core/counter/*.h)
	$(Q)mkdir -p $(@D)
	$(Q)awk '/^#include "counter\// { \
		split($$0, part, "\""); file = "core/" part[2]; \
		while ((getline line < file) > 0) print line; close(file); next } \
		{ print }' core/tickwise.h >$@

.PHONY: install uninstall
install: all $(B)/include/tickwise.h
	$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/include \
		$(DESTDIR)$(PREFIX)/lib/tickwise
	$(INSTALL) $(B)/tickwise $(DESTDIR)$(PREFIX)/bin/tickwise
	$(INSTALL) -m 644 $(B)/include/tickwise.h $(DESTDIR)$(PREFIX)/include/
	$(INSTALL) -m 644 $(B)/libtickwise.a $(DESTDIR)$(PREFIX)/lib/
	$(INSTALL) -m 644 $(B)/tickwise.so $(DESTDIR)$(PREFIX)/lib/tickwise/
	@echo "engine: ioengine=external:$(PREFIX)/lib/tickwise/tickwise.so"

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/tickwise \
		$(DESTDIR)$(PREFIX)/include/tickwise.h \
		$(DESTDIR)$(PREFIX)/lib/libtickwise.a \
		$(DESTDIR)$(PREFIX)/lib/tickwise/tickwise.so
	-rmdir $(DESTDIR)$(PREFIX)/lib/tickwise 2>/dev/null

# ---- the rest ----

.PHONY: clean distclean help
# fio's source stays: fetching it takes longer than everything else.
clean:
	$(Q)if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name fio \
		-exec rm -rf {} +; fi

distclean:
	$(Q)rm -rf build

help:
	@echo 'make demo        install what is missing, build, and show it on this machine'
	@echo 'make check       install what is missing, build, and run the tests'
	@echo 'make             build: build/tickwise, build/libtickwise.a, build/tickwise.so'
	@echo 'make core        only what needs no fio: the program and the library'
	@echo 'make install     PREFIX=/usr/local, DESTDIR=; make uninstall'
	@echo 'make check-cross the tests of other processors alone, emulated'
	@echo 'make clean       remove what was built; distclean: also fio'"'"'s source'
	@echo
	@echo 'FIO=PROGRAM      build the engine for another fio than the first in PATH'
	@echo 'FIO_SRC=DIR      its source, if it did not come from a package'
	@echo 'SAN=1, SAN=thread  with sanitizers;  V=1  show the commands'
	@echo 'CC=, CFLAGS=, LDFLAGS=  as usual'

-include $(shell find $(B) -name '*.d' 2>/dev/null)
