# SPDX-License-Identifier: GPL-2.0
#
# The patches for fio. `make check` does not run these tests, which build fio some ninety
# times. `make check-tree` runs lists.t, which builds nothing. FIO_GIT= names a git
# repository of fio.

PACKAGES_PATCHES := make git perl pkg-config zlib1g-dev libaio-dev libcunit1-dev

.PHONY: packages-patches check-patches check-upstream fio-patched
packages-patches:
	$(install_packages) $(PACKAGES_FIO) $(PACKAGES_PATCHES)

check-patches: packages-patches
	$(Q)$(make_here) core $(B)/include/tickwise.h
	$(run_tests) $(B)/check-patches.log $(wildcard tests/patches/fio-*.t) \
		tests/patches/installed.t

check-upstream: packages-patches
	$(install_packages) clang python3-statsmodels python3-scipy
	$(Q)$(make_here) core
	$(run_tests) $(B)/check-upstream.log tests/patches/upstream.t

# Build a fio with the series of the installed fio, or with FIO_SERIES=fio-HEAD.
fio-patched: packages-patches
	$(Q)$(make_here) core $(B)/include/tickwise.h
	$(Q)FIO='$(FIO)' CC='$(CC)' patches/build.sh '$(FIO_SERIES)' $(B) $(B)/fio-patched
