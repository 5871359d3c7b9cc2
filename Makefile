# SPDX-License-Identifier: MIT
#
# make demo    build, run one fio job, and print its report, in a minute
# make check   run every test
#
# Both first install missing Debian packages and find the source of the installed fio.
# On a terminal they ask once before they install; elsewhere they print the names of the
# packages. They use sudo if you are not root. `make help` lists the other targets.
#
# Each part of the tree has its rules in its own folder: core/core.mk, plugin/plugin.mk,
# tests/tests.mk and so on. They are included below, and find their files by wildcards.

V ?= 0
Q := $(if $(filter 0,$(V)),@)
# $(call say,CC,FILE) begins the recipe of a target: makes its folder, and prints the step.
say = @[ -d $(@D) ] || mkdir -p $(@D)$(if $(Q),; printf '  %-7s %s\n' $(1) $(2))
comma := ,

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
ifeq ($(INSTALL),no)
override INSTALL := install
export TW_PACKAGES := no
endif
CFLAGS ?= -O2 -g
# The fio for which the engine is built, and its source if it has no package.
FIO ?= fio
FIO_SRC ?=
# The sources of more fios, to build engines for them, too.
FIO_SOURCES ?=
# The folder for the source of the installed fio.
FIO_CACHE ?= build/fio
# A path must be absolute, because fio is run in other folders, too.
override FIO := $(if $(findstring /,$(FIO)),$(abspath $(FIO)),$(FIO))
find_fio = CC='$(CC)' CPPFLAGS='$(CPPFLAGS)' plugin/fio/find-fio.sh --fio='$(FIO)' \
	   --cache='$(FIO_CACHE)' $(if $(FIO_SRC),--source='$(FIO_SRC)')

# tickwise.h defines the version; the soname has its first number.
VERSION := $(shell sed -n 's/^.define TW_VERSION[^"]*"\(.*\)"/\1/p' core/tickwise.h)
SONAME := libtickwise.so.$(firstword $(subst ., ,$(VERSION)))

# SAN=1: AddressSanitizer and UBSan. SAN=thread: ThreadSanitizer.
# PROFILE=1: show where the engine's own time goes, by function.
SAN ?=
sanitize_1 := -fsanitize=address,undefined -fno-sanitize-recover=all
# gcc warns that TSan ignores fences. TSan sees the atomics, which is enough.
sanitize_thread := -fsanitize=thread $(if $(findstring clang,$(CC)),,-Wno-tsan)
SANITIZE := $(if $(SAN),$(or $(sanitize_$(SAN)),$(error SAN=$(SAN): 1 or thread)))
B := build$(if $(SAN),/san-$(SAN))$(if $(PROFILE),/profile)

# The packages of Debian and Ubuntu that are needed.
PACKAGES_BUILD := gcc libc6-dev liburing-dev libjansson-dev libncurses-dev zlib1g-dev
PACKAGES_FIO := fio dpkg-dev
# For the stages inside the kernel. In Ubuntu, bpftool is in the package of the kernel's
# tools. The engine can be built without them. None are needed if the user sets
# KERNEL_STAGES=.
PACKAGES_KERNEL := 'clang' 'libbpf-dev' 'bpftool|linux-tools-generic'
kernel_packages = --optional $(if $(filter command environment,$(firstword $(origin \
	KERNEL_STAGES))),,$(PACKAGES_KERNEL))
install_packages = $(Q).ci/packages $(PACKAGES_BUILD)

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	    -Wconversion -Wundef -Wvla
# For reports and what else is JSON. The library itself needs neither.
JSON_LIBS := -ljansson -lz

objects = $(patsubst %.c,$(B)/%.o,$(1))
# $(call remember,TEXT): the recipe of a target that changes only if TEXT does, so that what
# depends on it is built again.
define remember
	$(Q)mkdir -p $(@D)
	$(Q)echo '$(subst ','"'"',$(1))' | cmp -s - $@ || echo '$(subst ','"'"',$(1))' >$@
endef

JOBS ?= $(shell nproc)
make_here = $(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))

.PHONY: all force
all: core plugin $(if $(PROFILE),profile)
force:

$(B)/flags: force
	$(call remember,$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SANITIZE))

# The objects of an archive are its prerequisites.
$(B)/%.a:
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

include core/core.mk core/profile/profile.mk plugin/plugin.mk
# These are not there where only the engine is built again (tickwise build-engine).
-include install.mk debian/debian.mk rpm/rpm.mk tests/tests.mk $(wildcard tests/*/*.mk)

# ---- the demonstration ----

.PHONY: demo demo-clock demo-memory demo-packages demo-source
# Without fio's source the rest would be in vain: where nothing has to be installed for the
# search, it comes first.
demo-packages:
	+$(Q)for tool in '$(FIO)' $(firstword $(CC)) dpkg-source git; do \
		command -v "$$tool" >/dev/null || exit 0; done; $(make_here) demo-source
	$(install_packages) $(PACKAGES_FIO) $(kernel_packages)

demo-source:
	+$(Q)$(make_here) $(B)/fio.path || { \
		echo 'demo: with the source of this fio in DIR, type: make demo FIO_SRC=DIR' >&2; \
		exit 1; }

# quiet_make TARGET: what it prints is shown only if it fails, without what worked
quiet_make = @mkdir -p build; \
	echo "building (a minute on two CPUs; the compiler's output: build/demo.log)"; \
	$(make_here) $(1) >build/demo.log 2>&1 || { \
		grep -v '^  [A-Z]* ' build/demo.log | tail -n 40 >&2; exit 1; }

demo demo-clock: demo-packages
	+$(Q)$(make_here) demo-source
	+$(call quiet_make,all)
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B) $(patsubst demo-%,%,$(filter-out demo,$@))

demo-memory:
	$(install_packages)
	+$(call quiet_make,core)
	$(Q)FIO='$(FIO)' plugin/demo.sh $(B) memory

# ---- the rest ----

.PHONY: clean distclean help
# Keep fio's source and the distributions, because fetching them takes longest.
clean:
	$(Q)if [ -d build ]; then find build -mindepth 1 -maxdepth 1 ! -name fio \
		! -name distros -exec rm -rf {} +; fi

distclean:
	$(Q)rm -rf build

define HELP
make demo        install missing packages, build, run a fio job, print its report
make demo-clock  show the counter and fio's clock
make demo-memory show the latency of memory
make check       install missing packages, build, and run the tests; CROSS=1: also for other
                 processors, which takes 1 GB of compilers
make             build build/tickwise, build/libtickwise.a and build/tickwise.so
make core        build only what needs no fio: the program and the library

make test TEST=tests/unit/build/man.t   build what these tests need, and run them
make tests-of FILE=core/clock/fit.c     the same with what tests a file

make install     install everything; PREFIX=/usr/local, LIBDIR=, DESTDIR=
make install-core  install only what needs no fio
make uninstall   remove what make install has installed
make deb         build Debian packages in build/deb; offline with FIO_SRC=;
                 DEB_HOST_ARCH=arm64: for arm64, by cross compiler
make rpm         build RPM packages in build/rpm; see rpm/README.md
make dist        pack the source as build/tickwise-$(VERSION).tar.gz
make fio-patched build the installed fio with the patches: build/fio-patched/fio
make clean       remove what was built
make distclean   remove what was built or fetched

make check-tree  test the tree: makefiles, installation, manual, words
make check-machine  measure this machine: offsets, rates, interrupts
make check-sanitizers  run the tests with ASan, UBSan, TSan and valgrind
make check-vm check-cross check-html check-patches check-upstream check-deb check-rpm
make check-distros  make and check in fresh systems
make coverage fuzz vm-table   see tests/README.md

make bench       measure the cost of reading the time on this machine
make bench-count bench-iops   see tests/bench/README.md
make PROFILE=1   show where the engine's own time goes in a fio job

FIO=PROGRAM      build the engine for another fio than the first in PATH
FIO_SRC=DIR      the source of that fio, if it has no package
FIO_SOURCES='DIR...'  build engines for the fios of these sources, too
INSTALL=no       install no packages
KERNEL_STAGES=   build the engine without the stages inside the kernel
SAN=1, SAN=thread  build with sanitizers
V=1              show the commands
CC=, CPPFLAGS=, CFLAGS=, LDFLAGS=  as usual
endef
help: ; @:$(info $(HELP))

-include $(shell find $(wildcard $(addprefix $(B)/,core plugin alone tests)) /dev/null ! -name '*.t.d' -name '*.d')
