# SPDX-License-Identifier: MIT
#
# Other processors. The files that need no JSON are built once more, static, for each
# processor that has a compiler here. tests/cross runs them in user-mode emulation: all of
# them run processor.t, and all but x86-64 the unit tests whose first comment has the words
# "Also on other processors". For x86-64 the emulation shows processors with other features.

# `make check` does not install these, which take a gigabyte. The tests of a processor
# without its compiler or emulator are skipped.
PACKAGES_CROSS := gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
		  gcc-powerpc64le-linux-gnu libc6-dev-ppc64el-cross \
		  gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user-static
CROSS_TESTS := $(wildcard tests/cross/*.t)
CROSS_TRIPLES := $(foreach triple,x86_64-linux-gnu aarch64-linux-gnu \
		   powerpc64le-linux-gnu riscv64-linux-gnu, \
		   $(if $(shell command -v $(triple)-gcc),$(triple)))
CROSS_UNIT := $(shell grep -rl --include='*.c' 'Also on other processors' tests/unit)

.PHONY: cross-programs cross-unit cross-tests packages-cross check-cross
# The header as it is installed: one file without others.
cross_programs := $(addprefix $(B)/tests/cross/,processor.t print_facts)
cross_objects := $(addsuffix .o,$(basename $(cross_programs)))
$(cross_objects): private CORE_CFLAGS := $(subst -Icore,-I$(B)/include,$(CORE_CFLAGS))
$(cross_objects): $(B)/include/tickwise.h
cross-programs: $(cross_programs)
cross-unit: $(patsubst %.c,$(B)/%.t,$(CROSS_UNIT))

cross-tests: $(addprefix cross-,$(CROSS_TRIPLES))
cross-%-linux-gnu:
	+$(Q)$(MAKE) --no-print-directory SAN= CC=$*-linux-gnu-gcc AR=$*-linux-gnu-ar \
		B=build/cross/$* TEST_LIBS= KERNEL_STAGES= CFLAGS=-O2 LDFLAGS=-static \
		TEST_ARCHIVES='$$(addprefix $$(B)/,base.a libtickwise-memory.a libtickwise.a)' \
		cross-programs $(if $(filter x86_64,$*),,cross-unit)

# Everything for Debian's arm64, with libraries, a fio and the programs for the kernel.
# $(call make_arm64,TARGET...)
ARM64 := build/arm64
make_arm64 = $(make_here) SAN= B=$(ARM64) CC='aarch64-linux-gnu-gcc \
	--sysroot=$(CURDIR)/$(ARM64)/root' AR=aarch64-linux-gnu-ar KERNEL_STAGES=1 \
	FIO=$(ARM64)/fio FIO_SRC=$(ARM64)/source FIO_CACHE=$(ARM64)/configured $(1)
.PHONY: arm64
arm64:
	$(Q)tests/cross/root.sh $(ARM64)
	+$(Q)$(call make_arm64,all)

packages-cross:
	$(install_packages) --optional $(PACKAGES_CROSS)
check-cross: packages-cross
	$(Q)$(make_here) core cross-tests
	$(run_tests) -j $(TEST_JOBS) $(B)/check-cross.log $(CROSS_TESTS)
