# SPDX-License-Identifier: MIT
#
# make check, its relatives, and how a test is built. See tests/README.md.

PACKAGES_TEST := perl python3-jsonschema git g++ pkg-config mandoc groff-base xz-utils

programs = $(patsubst %.c,$(B)/%$(2),$(wildcard $(1)))
UNIT_TESTS := $(call programs,tests/unit/*/*.c tests/unit/*/*/*.c tests/unit/*/*/*/*.c,.t)
MACHINE_TESTS := $(call programs,tests/machine/*.c,.t)
# These run the engine with a simulated fio, kernel and counter.
ENGINE_TESTS := $(call programs,$(patsubst %,tests/unit/plugin/%/*.c,engine job_clock nvme),.t)
# What the tree says of itself: makefiles, packages, manual, words, lists of tests.
TREE_TESTS := $(patsubst %,tests/unit/build/%.t,cppflags debian dist fio_skips install \
	man packages run_tests tests_of words) tests/patches/lists.t
SHELL_TESTS := $(filter-out $(TREE_TESTS),$(wildcard tests/unit/*/*.t tests/unit/*/*/*.t \
	tests/profile/*.t tests/golden/*.t tests/budget/*.t))
FIO_TESTS := $(wildcard tests/fio/*.t)
# Programs that tests run or read, and libraries that they preload.
HELPER_PROGRAMS := $(call programs,tests/reader/*.c tests/bench/*.c)
FIO_HELPERS := $(filter-out $(if $(KERNEL_STAGES),,%/kernel_rings), \
	$(call programs,tests/fio/*.c))
BUDGET_PROGRAMS := $(call programs,tests/budget/*.c)
HELPERS := $(HELPER_PROGRAMS) $(BUDGET_PROGRAMS) $(call programs,tests/preload/*.c tests/fio/preload/*.c,.so)

# ---- how a test is built ----

# Everything except main() in archives; a test links what it calls, so that no test needs a
# rule of its own. tests/unit/preload/ alone links the preload clock, because an archive
# with clock_gettime() would replace that of the C library.
TEST_ARCHIVES ?= $(addprefix $(B)/,plugin.a command.a report.a libtickwise-memory.a \
	libtickwise-profile.a libtickwise.a)
TEST_LIBS ?= $(KERNEL_LIBS) $(TERMINAL_LIBS) $(JSON_LIBS)
$(B)/preload.a: $(filter-out %/preload.o,$(call objects,$(PRELOAD_SOURCES)))
# For other processors, which have no JSON library.
$(B)/base.a: $(call objects,$(BASE_SOURCES))

$(B)/tests/%.o: tests/%.c $(B)/flags
	$(call say,TEST,$<)
	$(Q)$(CC) $(CORE_CFLAGS) -Itests -Iplugin $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<
$(B)/tests/golden/%.o: CORE_CFLAGS += -Wno-missing-prototypes
$(B)/tests/unit/plugin/kernel/%.o $(B)/tests/bench/empty_programs.o: \
	CORE_CFLAGS += $(if $(KERNEL_STAGES),-DTW_KERNEL_STAGES)

# The files of the engine are built once more, with the simulated counter and kernel.
ENGINE_OBJECTS := $(patsubst plugin/%.c,$(B)/tests/engine/%.o,$(PLUGIN_SOURCES))
ENGINE_MAINS := $(ENGINE_TESTS:.t=.o) $(addsuffix .o,$(BUDGET_PROGRAMS))
$(ENGINE_OBJECTS) $(ENGINE_MAINS): PLUGIN_CFLAGS += -Itests \
	-include tests/unit/plugin/engine/engine_counter.h
$(ENGINE_OBJECTS): $(B)/tests/engine/%.o: plugin/%.c $(NEED_FIO)
	$(compile_plugin)
$(ENGINE_MAINS): $(B)/%.o: %.c $(NEED_FIO)
	$(compile_plugin)
$(B)/engine.a: $(ENGINE_OBJECTS)

# A line of a test's first comment, "Wraps: malloc free", names the functions that the test
# replaces everywhere.
wraps = $(addprefix -Wl$(comma)--wrap=,$(shell sed -n 's/^ \* Wraps: //p' $(1)))
TEST_PROGRAMS := $(UNIT_TESTS) $(MACHINE_TESTS) $(call programs,tests/cross/processor.c,.t)
OTHER_PROGRAMS := $(HELPER_PROGRAMS) $(FIO_HELPERS) $(BUDGET_PROGRAMS) \
	$(call programs,tests/vm/guest/*.c tests/cross/print_facts.c)
$(ENGINE_TESTS) $(BUDGET_PROGRAMS): $(B)/engine.a $(B)/report.a $(B)/libtickwise.a
$(filter-out $(ENGINE_TESTS) $(BUDGET_PROGRAMS),$(TEST_PROGRAMS) $(OTHER_PROGRAMS)): \
	$(TEST_ARCHIVES)
$(filter $(B)/tests/unit/preload/%,$(UNIT_TESTS)): $(B)/preload.a
define link_test
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(call wraps,$*.c) -o $@ $(filter %.o,$^) \
		-Wl,--start-group $(filter %.a,$^) -Wl,--end-group $(TEST_LIBS) $(CORE_LIBS)
endef
$(TEST_PROGRAMS): $(B)/%.t: $(B)/%.o
	$(link_test)
$(OTHER_PROGRAMS): $(B)/%: $(B)/%.o
	$(link_test)
$(FIO_HELPERS): TEST_LIBS += -Wl,--as-needed -luring
# fio exports the functions that its engines use.
$(B)/tests/reader/fake_fio: override LDFLAGS += -rdynamic

$(B)/tests/%.so: tests/%.c
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -fPIC -shared $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -MMD -MP \
		-MF $@.d -MT $@ -o $@ $< $(PRELOAD_OBJECTS) $(LDFLAGS) $(PRELOAD_LIBS)
# The preload library has to come before liburing, which otherwise only the engine loads.
$(B)/tests/fio/preload/%.so: PRELOAD_LIBS := -Wl,--no-as-needed -luring -ldl

# The program on a recorded machine: see tests/golden/recorded.h.
RECORDED_SOURCES := $(wildcard tests/golden/*.c)
REPLACED := $(shell sed -n 's/^REPLACE(\(.*\));/\1/p' $(RECORDED_SOURCES) /dev/null)
$(B)/tickwise-recorded: $(call objects,$(COMMAND_SOURCES) $(RECORDED_SOURCES)) \
			$(COMMAND_ARCHIVES)
	$(call say,LD,$@)
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(addprefix -Wl$(comma)--wrap=,$(REPLACED)) \
		-o $@ $^ $(JSON_LIBS) -ldl $(CORE_LIBS)

.PHONY: tests
tests: all $(UNIT_TESTS) $(MACHINE_TESTS) $(HELPERS) $(FIO_HELPERS) \
       $(B)/include/tickwise.h $(B)/tickwise-recorded man schema completion

# ---- running tests ----

# Most tests wait more than they compute. Some compare all CPUs, of which a container may have
# fewer than nproc prints, so there are at most 16 jobs.
TEST_JOBS ?= $(shell echo $$(($(JOBS) < 8 ? 2 * $(JOBS) : 16)))

# The environment of the tests. print-test-env prints it for a shell's eval.
test_env = TICKWISE_KERNEL=off CC='$(CC)' TICKWISE='$(abspath $(B)/tickwise)' \
	   TICKWISE_SO='$(abspath $(B)/tickwise.so)' TW_BUILD='$(abspath $(B))' \
	   FIO='$(FIO)' TW_SANITIZE='$(SANITIZE)' TW_CROSS_UNIT='$(CROSS_UNIT)'
run_tests = $(Q)$(test_env) tests/run.sh

.PHONY: print-test-env ready test print-tests-of tests-of
print-test-env:
	@echo '$(subst ','"'"',$(test_env))'

# Build what the tests TEST= need: C tests themselves, scripts by their folders.
needs_golden := $(B)/tickwise $(B)/tickwise-recorded
needs_profile := core $(HELPERS)
needs_patches := core $(B)/include/tickwise.h
needs_unit := core schema $(HELPERS)
needs_budget := core $(BUDGET_PROGRAMS)
needs_fio := all man schema $(HELPERS) $(FIO_HELPERS)
ready: $(filter $(B)/%,$(TEST)) $(if $(filter tests/unit/build/%,$(TEST)),tests) \
	$(sort $(foreach test,$(filter tests/%,$(TEST)),$(needs_$(word 2,$(subst /, ,$(test))))))

# Run some tests, and print all that they print.
test: ready
	$(if $(TEST),,$(error which? make test TEST=tests/unit/build/man.t))
	$(Q)for test in $(TEST); do env --default-signal $(test_env) $$test || exit; done

# What tests FILE=: the folder of tests/unit that mirrors its folder, golden/NAME.t of
# core/command/NAME, and tests whose first comment has a line "Tests: PATH..." with the file,
# its folder or one above.
folder = $(patsubst %/,%,$(dir $(FILE)))
above = $(filter-out .,$(patsubst %/,%,$(dir $(1))))
folders = $(folder) $(call above,$(folder)) $(call above,$(call above,$(folder)))
mirror = tests/unit/$(or $(patsubst core/%,%,$(filter core/%,$(folder))),$(folder))
tests_of = $(sort $(patsubst %.c,$(B)/%.t,$(wildcard $(mirror)/*.c $(mirror)/*.t \
	$(patsubst core/command/%,tests/golden/%.t,$(filter core/command/%,$(folder)))) \
	$(shell grep -rlE --include='*.[ct]' $(foreach path,$(FILE) $(folders), \
		-e '^( \*|#) Tests:.* $(path)( |$$)') tests)))
print-tests-of:
	$(if $(wildcard $(FILE)),,$(error which? make print-tests-of FILE=core/clock/fit.c))
	@printf '%s\n' $(tests_of)
tests-of:
	$(if $(wildcard $(FILE)),,$(error which? make tests-of FILE=core/clock/fit.c))
	$(Q)$(make_here) ready TEST='$(tests_of)'
	$(run_tests) -j $(TEST_JOBS) $(B)/tests-of.log $(tests_of)

install_test_packages = $(install_packages) $(PACKAGES_FIO) $(PACKAGES_TEST)

.PHONY: check check-tree check-html check-machine packages-check
packages-check:
	$(if $(word 2,$(CURDIR)),$(error the tests preload libraries, whose paths \
		can't have spaces: $(CURDIR)))
	$(install_test_packages) $(kernel_packages) $(if $(CROSS),$(PACKAGES_CROSS))

# The verdict is the same on any machine and at any load.
check: packages-check
	@echo 'building, then testing: together at most five minutes on two idle CPUs'
	$(Q)$(make_here) tests cross-tests
	$(run_tests) -j $(TEST_JOBS) $(B)/check.log \
		$(FIO_TESTS) $(CROSS_TESTS) $(SHELL_TESTS) $(UNIT_TESTS)

# The tests of the tree and its packages. Few changes of C code are seen by one of them.
check-tree: packages-check
	$(Q)$(make_here) tests
	$(run_tests) -j $(TEST_JOBS) $(B)/check-tree.log $(TREE_TESTS)

# Open the HTML pages in a browser. `make check` skips this test without one, since
# installing it takes a minute.
check-html:
	$(install_test_packages) chromium
	$(Q)$(make_here) core
	$(run_tests) $(B)/check-html.log tests/unit/command/output/html_pages.t

# The tests that need this machine's timing. They print figures, and fail only if noise
# can't be the cause.
check-machine: packages-check
	$(Q)$(make_here) tests
	$(run_tests) -m $(B)/check-machine.log $(MACHINE_TESTS) $(wildcard tests/machine/*.t)

# ---- sanitizers ----
#
# Run the tests of the library and the program once more, without fio and other processors:
# all with sanitizers, and those in C also under valgrind, which runs one thread at a time.
# There a test that compares CPUs may take forever, so each has a time limit.

.PHONY: check-part check-valgrind check-sanitizers
check-part:
	$(install_test_packages)
	$(Q)$(make_here) tests
	$(run_tests) -j $(TEST_JOBS) $(B)/check-part.log $(SHELL_TESTS) $(UNIT_TESTS)

check-valgrind:
	$(install_test_packages) valgrind
	$(Q)$(make_here) core $(UNIT_TESTS)
	$(Q)$(test_env) TW_UNDER='tests/under-valgrind.sh' \
		tests/run.sh -j $(JOBS) $(B)/check-valgrind.log $(UNIT_TESTS)

check-sanitizers:
	$(Q)$(make_here) SAN=1 check-part
	$(Q)$(make_here) SAN=thread check-part
	$(Q)$(make_here) check-valgrind

# ---- coverage ----
#
# Count the lines and branches that the tests run, by folder. Everything is built once
# more, for gcov and without optimisation. The result decides nothing: some tests check
# the build itself and fail in this one. COVERAGE_TESTS= chooses other tests.

COVERAGE := $(CURDIR)/build/coverage
COVERAGE_TESTS ?= $(FIO_TESTS) $(SHELL_TESTS) $(UNIT_TESTS)
COVERAGE_JOBS ?= 1

.PHONY: coverage coverage-tests
coverage:
	$(install_test_packages)
	$(Q)mkdir -p $(COVERAGE)
	$(Q)$(CC) -fPIC -O1 -c -o $(COVERAGE)/flush.o tests/coverage/flush.c
	$(Q)$(CC) -fPIC -O1 -c -o $(COVERAGE)/exit.o tests/coverage/exit.c
	$(Q)$(CC) -shared -o $(COVERAGE)/exit.so $(COVERAGE)/exit.o
	$(Q)$(make_here) B=build/coverage \
		CFLAGS='-O0 -g -w --coverage -fprofile-update=atomic' \
		LDFLAGS='$(COVERAGE)/flush.o' \
		PRELOAD_OBJECTS='$(COVERAGE)/exit.o' PROFILE_INPUT=-lgcov tests
	$(Q)find $(COVERAGE) -name '*.gcda' -exec rm -f {} +
	$(Q)$(make_here) B=build/coverage coverage-tests
	$(Q)tests/coverage/table.sh $(COVERAGE)

coverage-tests:
	-$(Q)$(test_env) LD_PRELOAD=$(COVERAGE)/exit.so \
		tests/run.sh -j $(COVERAGE_JOBS) $(B)/check.log $(COVERAGE_TESTS)
