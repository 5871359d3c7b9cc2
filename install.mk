# SPDX-License-Identifier: MIT
#
# make install, and what it has to put where.

# The files for `tickwise build-engine`, which builds the engines for another fio later.
BUILD_ENGINE_DIR := $(DATADIR)/tickwise/engine
BUILD_ENGINE_FILES = Makefile core/core.mk core/profile/profile.mk plugin/plugin.mk LICENSE \
	plugin/COPYING plugin/fio/fio-options.awk core/libtickwise.map $(sort $(LIBRARY_SOURCES) $(MEMORY_SOURCES) \
	$(REPORT_SOURCES) $(ENGINES) $(PLUGIN_SOURCES) $(MEMORY_ENGINE_SOURCES) \
	$(shell find core plugin -name '*.h' ! -name '*.bpf.h'))

# A manual page describes a family of functions in one file. The other names in its NAME
# section become pages that refer to it.
man_links = core/man/links.sh core/man/*.[1-9] | while IFS=/ read -r section name page; do

# $(call put,FOLDER,FILES), and the same for programs
put = $(INSTALL) -D -m 644 -t $(DESTDIR)$(1) $(2)
put_programs = $(INSTALL) -D -t $(DESTDIR)$(1) $(2)

.PHONY: install install-core install-plugin uninstall
install: install-core install-plugin

# Install everything except the engine, so fio is not needed.
install-core: core man schema completion $(B)/include/tickwise.h $(ENGINE_SKELETONS)
	$(call put_programs,$(BINDIR),$(B)/tickwise)
	$(call put,$(INCLUDEDIR),$(B)/include/tickwise.h core/profile/tickwise-profile.h)
	$(call put,$(LIBDIR),$(addprefix $(B)/,libtickwise.a libtickwise-preload.so) \
		$(PROFILE_LIBRARIES))
	$(INSTALL) -m 644 $(B)/$(SONAME) $(DESTDIR)$(LIBDIR)/libtickwise.so.$(VERSION)
	ln -sf libtickwise.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libtickwise.so
	$(call put,$(ENGINE_DIR),$(COMPARE_PROBES))
	$(call put,$(DATADIR)/tickwise/schema,$(SCHEMAS))
	$(INSTALL) -d $(DESTDIR)$(LIBDIR)/pkgconfig
	$(Q)set -e; umask 022; for file in core/tickwise core/profile/tickwise-profile; do \
		sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
			-e 's|@INCLUDEDIR@|$(INCLUDEDIR)|' -e 's|@VERSION@|$(VERSION)|' \
			$$file.pc.in >$(DESTDIR)$(LIBDIR)/pkgconfig/$${file##*/}.pc; done
	$(Q)set -e; for page in $(MAN_PAGES); do \
		$(call put,$(MANDIR)/man$${page##*.},$(B)/man/$$page); done
	$(Q)umask 022; $(man_links) echo ".so man$$section/$$page.$$section" \
		>$(DESTDIR)$(MANDIR)/man$$section/$$name.$$section; done
	$(Q)set -e; for file in $(COMPLETIONS); do \
		$(call put,$(DATADIR)/$${file%/*},$(B)/completion/$$file); done
	$(Q)set -e; for file in $(BUILD_ENGINE_FILES); do \
		$(INSTALL) -D -m 644 $$file $(DESTDIR)$(BUILD_ENGINE_DIR)/$$file; done
	$(Q)set -e; for file in $(ENGINE_SKELETONS:$(B)/%=%); do \
		$(INSTALL) -D -m 644 $(B)/$$file $(DESTDIR)$(BUILD_ENGINE_DIR)/$$file; done
	$(call put_programs,$(BUILD_ENGINE_DIR)/plugin/fio,plugin/fio/find-fio.sh plugin/fio/fits-fio.sh \
		plugin/fio/fio-features.sh)
	$(call put_programs,$(ENGINE_DIR),$(B)/tickwise-build-engine)
	sed -i 's|^source_dir=.*|source_dir=$(BUILD_ENGINE_DIR)|' \
		$(DESTDIR)$(ENGINE_DIR)/tickwise-build-engine
	@# Tell the running system about the new library. A package does this itself.
	@[ -n '$(DESTDIR)' ] || ldconfig 2>/dev/null || :

install-plugin: plugin
	$(call put,$(ENGINE_DIR),$(addprefix $(B)/,$(ENGINE_FILES)))
	$(if $(KERNEL_PROGRAM_FILES),$(call put_programs,$(ENGINE_DIR),$(addprefix \
		$(B)/,$(KERNEL_PROGRAM_FILES))))
	$(if $(FIO_SOURCES),$(Q)cd $(B) && find engines -name '*.so' -exec $(INSTALL) -D \
		-m 644 {} $(DESTDIR)$(ENGINE_DIR)/{} \;)
	@# fio passes a name without a slash to dlopen(), which searches the folders of
	@# libraries: ioengine=fio-tickwise.so.
	$(Q)set -e; for file in $(ENGINE_FILES); do \
		ln -sf $(notdir $(ENGINE_DIR))/$$file $(DESTDIR)$(LIBDIR)/fio-$$file; done
	@echo "engine: ioengine=external:$(ENGINE_DIR)/tickwise.so"

uninstall:
	rm -f $(DESTDIR)$(BINDIR)/tickwise $(DESTDIR)$(INCLUDEDIR)/tickwise.h \
		$(DESTDIR)$(INCLUDEDIR)/tickwise-profile.h \
		$(addprefix $(DESTDIR)$(LIBDIR)/,libtickwise[.-]* fio-tickwise*.so \
			pkgconfig/tickwise.pc pkgconfig/tickwise-profile.pc) \
		$(addprefix $(DESTDIR)$(DATADIR)/,$(COMPLETIONS)) \
		$(addprefix $(DESTDIR)$(ENGINE_DIR)/,tickwise*.so $(addprefix tickwise-, \
			$(KERNEL_PROGRAMS) build-engine))
	$(Q)for page in $(MAN_PAGES); do rm -f $(DESTDIR)$(MANDIR)/man$${page##*.}/$$page; done
	$(Q)$(man_links) rm -f $(DESTDIR)$(MANDIR)/man$$section/$$name.$$section; done
	rm -rf $(DESTDIR)$(BUILD_ENGINE_DIR) $(DESTDIR)$(ENGINE_DIR)/engines \
		$(DESTDIR)$(DATADIR)/tickwise/schema
	-rmdir $(DESTDIR)$(ENGINE_DIR) $(DESTDIR)$(DATADIR)/tickwise 2>/dev/null
