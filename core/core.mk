# SPDX-License-Identifier: MIT
#
# The libraries, the program `tickwise`, and what is made of their tables: manual, schemas,
# completion. Nothing here needs fio.

LIBRARY_SOURCES := $(filter-out %_json.c %_hdr.c,$(wildcard core/*.c \
	$(addsuffix /*.c,$(addprefix core/,counter machine clock estimate latency))))
# The pointer chase, for `tickwise memlat` and the memory engine.
MEMORY_SOURCES := $(wildcard core/memory/*.c)
# Reports, JSON and files, for the program and the engines.
BASE_SOURCES := $(wildcard core/base/*.c)
REPORT_SOURCES := $(BASE_SOURCES) $(filter-out %/describe.c,$(wildcard core/report/*.c \
	core/latency/*_json.c core/latency/*_hdr.c))
PROBE_SOURCES := $(wildcard core/probe/*.c)
COMMAND_SOURCES := $(PROBE_SOURCES) $(wildcard core/command/*.c core/command/*/*.c \
	core/memory/command/*.c core/profile/command/*.c)
PRELOAD_SOURCES := $(wildcard core/preload/*.c)
COMPARE_PROBES := $(patsubst core/probe/preload/%.c,$(B)/tickwise-%.so, \
	$(wildcard core/probe/preload/*.c))

# No program replaces a tw_ function of the library, so the library's own calls may be
# inlined.
CORE_CFLAGS = -std=gnu11 -fPIC -fvisibility=hidden -fno-semantic-interposition \
	      -pthread $(WARNINGS) -Icore -D_GNU_SOURCE $(SANITIZE)
CORE_LIBS := -lm -pthread $(SANITIZE)

.PHONY: core man schema completion
core: $(addprefix $(B)/,libtickwise.a libtickwise.so tickwise example libtickwise-preload.so \
	tickwise-build-engine) $(COMPARE_PROBES) profile-libraries

$(B)/core/%.o: core/%.c $(B)/flags
	$(call say,CC,$<)
	$(Q)$(CC) $(CORE_CFLAGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(B)/libtickwise.a: $(call objects,$(LIBRARY_SOURCES))
$(B)/libtickwise-memory.a: $(call objects,$(MEMORY_SOURCES))
$(B)/report.a: $(call objects,$(REPORT_SOURCES))


# Bind all symbols at the start: what is missing then fails early.
BIND_NOW := -Wl,-z,now
STAY_LOADED := -Wl,-z,nodelete
# $(call link_shared,OPTIONS)
link_shared = $(Q)$(CC) -shared $(CFLAGS) $(LDFLAGS) $(1) -o $@ $(filter %.o %.a,$^)

# Link only the objects of the archive that exported functions need (-u). Hidden visibility
# hides all other names. The map gives each exported name a version. Calls between two
# exported functions are direct (-Bsymbolic-functions).
EXPORTS := $(shell sed -n 's/^\t\t\(tw_[a-z_0-9]*\);$$/\1/p' core/libtickwise.map)
LIBRARY_LINK := -Wl,-Bsymbolic-functions $(if $(SAN),,-Wl,-z,defs)
link_library = $(call link_shared,$(LIBRARY_LINK) -Wl$(comma)-soname$(comma)$(@F) \
	-Wl$(comma)--version-script=$(filter %.map,$^) $(1))
$(B)/$(SONAME): $(B)/libtickwise.a core/libtickwise.map
	$(call say,LD,$@)
	$(call link_library,$(addprefix -Wl$(comma)-u$(comma),$(EXPORTS))) $(CORE_LIBS)

$(B)/libtickwise.so: $(B)/$(SONAME)
	$(Q)ln -sf $(SONAME) $@

# Built like a user's program: only with the public header and the library.
$(B)/example: core/example/example.c $(B)/libtickwise.a
	$(call say,CC,$<)
	$(Q)$(CC) -std=c11 -pedantic $(WARNINGS) -Icore $(SANITIZE) $(CPPFLAGS) $(CFLAGS) \
		-MMD -MP -o $@ $(filter %.c %.a,$^) $(LDFLAGS) $(CORE_LIBS)

COMMAND_ARCHIVES := $(addprefix $(B)/,report.a libtickwise-memory.a libtickwise.a)
$(B)/tickwise: $(call objects,$(COMMAND_SOURCES)) $(COMMAND_ARCHIVES)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JSON_LIBS) -ldl $(CORE_LIBS)

# clock_gettime() for programs that can't be rebuilt. No other function is exported.
HIDE_ARCHIVES := -Wl,--exclude-libs,ALL
$(B)/libtickwise-preload.so: $(call objects,$(PRELOAD_SOURCES)) $(B)/libtickwise.a
	$(call say,LD,$@)
	$(call link_shared,$(BIND_NOW) $(STAY_LOADED) $(HIDE_ARCHIVES)) -ldl $(CORE_LIBS)

# The libraries that `tickwise compare` loads into fio.
$(COMPARE_PROBES): $(B)/tickwise-%.so: $(B)/core/probe/preload/%.o \
		$(call objects,$(PROBE_SOURCES))
	$(call say,LD,$@)
	$(call link_shared,$(BIND_NOW)) -ldl $(CORE_LIBS)

# The program contains the folder in which its engines and other programs will be.
$(B)/engine_dir: force
	$(call remember,$(ENGINE_DIR))
know_engine_dir := $(call objects,$(shell grep -rl TW_ENGINE_DIR core --include='*.c'))
$(know_engine_dir): $(B)/engine_dir
$(know_engine_dir): CORE_CFLAGS += -DTW_ENGINE_DIR='"$(ENGINE_DIR)"'

# The headers of the counter are copied into the public header, so that it is installed as
# one file.
$(B)/include/tickwise.h: core/tickwise.h $(wildcard core/counter/*.h)
	$(Q)mkdir -p $(@D)
	$(Q)awk '/^#include "counter\// { \
		split($$0, part, "\""); file = "core/" part[2]; \
		while ((getline line < file) > 0) print line; close(file); next } \
		{ print }' core/tickwise.h >$@

# The folder with the programs that write the manual, the schemas and the completion: built
# for this machine, if $(B) is for another.
TOOLS ?= $(B)

# What the rows of a report say of themselves gets into its manual page and schemas.
$(B)/describe: $(B)/core/report/describe.o $(B)/report.a $(B)/libtickwise.a
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(JSON_LIBS) $(CORE_LIBS)

# $(call make_by,COMMAND)
define make_by
	$(Q)mkdir -p $(@D)
	$(Q)$(1) >$@.new && mv $@.new $@
endef

# A line @OPTIONS COMMAND@ of a page becomes the command's options, and @ROWS KIND@ rows.
MAN_PAGES := $(notdir $(wildcard core/man/*.[1-9]))
man: $(addprefix $(B)/man/,$(MAN_PAGES))
$(B)/man/%: core/man/% core/man/fill.sh core/tickwise.h $(TOOLS)/tickwise $(TOOLS)/describe
	$(call make_by,core/man/fill.sh $(TOOLS)/tickwise $(TOOLS)/describe '$(VERSION)' $<)

SCHEMAS := $(patsubst core/%,$(B)/%,$(wildcard core/schema/*.schema.json))
schema: $(SCHEMAS)
$(B)/schema/tickwise-diff.schema.json: core/schema/tickwise-diff.schema.json
	$(call make_by,cat $<)
$(B)/schema/%: core/schema/% core/schema/types.json $(TOOLS)/describe
	$(call make_by,$(TOOLS)/describe schema $< core/schema/types.json)

# Completion for shells. Each shell needs its file under another name.
COMPLETIONS := bash-completion/completions/tickwise zsh/site-functions/_tickwise
completion: $(addprefix $(B)/completion/,$(COMPLETIONS))
$(B)/completion/%: $(TOOLS)/tickwise
	$(call make_by,$(TOOLS)/tickwise --completion $(if $(filter zsh/%,$*),zsh,bash))
