# SPDX-License-Identifier: MIT
#
# Virtual machines: tests of the engines on an NVMe device, and with faults that no real
# machine has on demand. If something can't be installed, the tests are skipped with the
# reason.

PACKAGES_VM := qemu-system-x86 busybox-static xz-utils zstd \
	       dmsetup e2fsprogs xfsprogs btrfs-progs util-linux

# All tests together take at most TW_VM_SECONDS and two minutes. On a slow machine the last
# test, which is the longest, is skipped.
TW_VM_SECONDS ?= 720
VM_TESTS := $(sort $(wildcard tests/vm/*.t))
VM_TESTS := $(filter-out tests/vm/lying.t,$(VM_TESTS)) tests/vm/lying.t

# In virtual time a read of the system's clock takes 95 ns. So the preload clock of these
# tests accepts anchors that are twice as wide, and its bound is twice as large.
VM_PRELOAD_CLOCK := $(B)/tests/vm/guest/libtickwise-preload.so
$(VM_PRELOAD_CLOCK): $(PRELOAD_SOURCES) $(wildcard core/preload/*.h) $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CORE_CFLAGS) -DTW_STEER_BRACKET_NS=120 -DTW_STEER_BOUND_NS=100 \
		-shared $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(BIND_NOW) $(HIDE_ARCHIVES) \
		-o $@ $(filter %.c %.a,$^) -ldl $(CORE_LIBS)

.PHONY: check-vm vm-base vm-table
# TW_VM_ARCH=arm64: machines with that processor, emulated, too.
TW_VM_ARCH ?=
export TW_VM_ARCH
VM := build/vm$(addprefix -,$(TW_VM_ARCH))
ifneq ($(TW_VM_ARCH),)
PACKAGES_VM += qemu-system-arm $(PACKAGES_CROSS)
endif
# Prepare the kernel of this machine's release, and those of VM_SUITES, on which the
# kernel's program is tested. VM_SUITES=sid: the newest.
VM_SUITES := bookworm trixie
export VM_SUITES
vm_base = kernel=$$(tests/vm/kernel.sh $(VM)/kernel$(1) $(2)) && \
	tests/vm/initramfs.sh "$$kernel" $(B) '$(FIO)' $(VM)/base$(1).cpio
vm-base: all $(VM_PRELOAD_CLOCK) $(call programs,tests/vm/preload/*.c,.so) \
		$(call programs,tests/vm/guest/*.c) \
		$(addprefix $(B)/tests/fio/,helper_client attach_kinds wait_calls)
	$(Q)rm -f $(VM)/base*.cpio
	$(Q)$(call vm_base) || echo 'virtual machines will not be tested'
	$(Q)$(foreach suite,$(VM_SUITES),$(call vm_base,-$(suite),$(suite) \
		2>$(VM)/kernel-$(suite).log) || cat $(VM)/kernel-$(suite).log;)

# Descriptor 3 shows the progress, which is not in the log.
check-vm:
	$(install_test_packages) $(kernel_packages) $(PACKAGES_VM)
	$(if $(TW_VM_ARCH),$(Q)tests/cross/root.sh $(ARM64))
	+$(Q)$(if $(TW_VM_ARCH),$(make_here) all && $(call make_arm64,vm-base),$(make_here) vm-base)
	$(Q)$(test_env) TW_VM_DEADLINE=$$(($$(date +%s) + $(TW_VM_SECONDS))) \
		tests/run.sh $(B)/check-vm.log $(VM_TESTS) 3>&1

# Write the results of the last run to tests/vm/results.md.
vm-table:
	$(Q)rows=$$(cat build/vm/rows-*) perl -0pi -e \
		's/(<!-- rows of tests.vm -->\n(?:\|.*\n){2}).*?(?=<!-- end)/$$1$$ENV{rows}\n/s' \
		tests/vm/results.md
