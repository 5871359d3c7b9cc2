# SPDX-License-Identifier: MIT
#
# make rpm, and what tests it. README.md tells what was tried.

# Elsewhere than in a system of RPM packages, rpm knows of no installed package.
rpm_nodeps = $$(rpm -q rpm >/dev/null 2>&1 || echo --nodeps)

.PHONY: rpm check-rpm
rpm:
	$(Q)command -v rpmbuild >/dev/null || { \
		echo 'rpmbuild is missing (package rpm-build, in Debian rpm)' >&2; exit 1; }
	$(Q)rm -rf build/rpm
	$(Q).ci/dist $(DIST) build/rpm/SOURCES/$(DIST).tar.gz
	$(Q)tree=$$($(find_fio)) && \
	echo "building (a minute; the compiler's output: build/rpm/build.log)" && \
	env -u MAKEFLAGS -u MAKELEVEL rpmbuild -bb $(rpm_nodeps) \
		--define '_topdir $(CURDIR)/build/rpm' --define "fio_src $$tree" \
		--define '_smp_mflags -j$(JOBS)' rpm/tickwise.spec \
		>build/rpm/build.log 2>&1 || { \
		tail -n 20 build/rpm/build.log >&2; exit 1; }
	@ls build/rpm/RPMS/*/*.rpm

check-rpm:
	$(Q)$(make_here) core
	$(Q)tests/rpm.sh
