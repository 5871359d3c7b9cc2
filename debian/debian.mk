# SPDX-License-Identifier: MIT
#
# Packages, and what tests them in fresh systems.
#
# `make deb` builds in build/deb, from the files that git knows. It uses no network if the
# necessary packages are installed and FIO_SRC= is given. The package fio-tickwise has engines
# for the fios of FIO_SOURCES=, too. The same files give the same
# bytes, wherever they are.
#
# DEB_HOST_ARCH=arm64 builds them for that architecture by cross compiler. apt has to know it
# (dpkg --add-architecture arm64), and offers Debian's libraries for it.

DIST := tickwise-$(VERSION)

.PHONY: dist deb packages-deb check-deb check-distros
dist:
	$(Q).ci/dist $(DIST) build/$(DIST).tar.gz
	@echo build/$(DIST).tar.gz

DEB_HOST_ARCH ?=
packages-deb:
	$(install_packages) $(PACKAGES_FIO) build-essential debhelper $(PACKAGES_KERNEL)
	$(if $(DEB_HOST_ARCH),$(Q).ci/packages crossbuild-essential-$(DEB_HOST_ARCH) \
		$(addsuffix :$(DEB_HOST_ARCH),$(filter lib% zlib%,$(PACKAGES_BUILD) libbpf-dev)))

ifneq ($(DEB_HOST_ARCH),)
deb: CC = $(shell dpkg-architecture -a $(DEB_HOST_ARCH) -q DEB_HOST_GNU_TYPE 2>/dev/null)-gcc
deb: FIO_CACHE := build/fio/$(DEB_HOST_ARCH)
DEB_FOR := -a $(DEB_HOST_ARCH) -Pcross,nocheck
endif
deb: packages-deb
	$(Q)rm -rf build/deb && mkdir -p build/deb
	$(Q).ci/dist $(DIST) build/deb/$(DIST).tar.gz
	$(Q)tar -C build/deb -xzf build/deb/$(DIST).tar.gz
	$(Q)tree=$$($(find_fio)) && \
	echo "building (a minute; the compiler's output: build/deb/build.log)" && \
	cd build/deb/$(DIST) && \
	env -u MAKEFLAGS -u MAKELEVEL FIO_SRC="$$tree" FIO_SOURCES='$(abspath $(FIO_SOURCES))' \
		dpkg-buildpackage $(DEB_FOR) -b -us -uc >../build.log 2>&1 || { \
		tail -n 20 ../build.log >&2; exit 1; }
	@ls build/deb/*.deb

check-deb check-distros:
	$(Q).ci/packages debootstrap || \
		echo 'no system can be made that is not there already'
	$(Q)tests/$(subst -,_,$(@:check-%=%)).sh
