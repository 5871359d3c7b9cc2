# SPDX-License-Identifier: MIT
#
# Fuzz everything that parses with clang's libFuzzer, FUZZ_SECONDS each. What libFuzzer
# finds stays in build/fuzz/. The seeds in tests/fuzz/corpus/ do not change.

FUZZ_SECONDS ?= 600
FUZZERS := $(filter-out no_fio,$(basename $(notdir $(wildcard tests/fuzz/*.c))))
fuzzers := $(addprefix $(B)/tests/fuzz/,$(FUZZERS))

.PHONY: fuzz fuzz-build
fuzz-build: $(fuzzers)

$(fuzzers): $(B)/tests/fuzz/%: tests/fuzz/%.c tests/fuzz/no_fio.c \
		$(filter-out %/command/child.o,$(call objects,$(COMMAND_SOURCES))) \
		$(COMMAND_ARCHIVES)
	$(call say,FUZZ,$<)
	$(Q)$(CC) $(CORE_CFLAGS) -Icore/command $(CPPFLAGS) $(CFLAGS) \
		-fsanitize=fuzzer -o $@ $^ $(LDFLAGS) $(JSON_LIBS) $(CORE_LIBS)

# libFuzzer has its own main(), so the program's main() gets another name.
fuzz_main := -Dmain=tickwise_main -Wno-missing-prototypes
fuzz:
	$(install_packages) clang
	$(Q)$(make_here) CC=clang SAN=1 B=build/fuzz \
		CFLAGS='-O1 -g -fsanitize=fuzzer-no-link $(fuzz_main)' fuzz-build
	$(Q)tests/fuzz/run.sh build/fuzz $(FUZZ_SECONDS) $(FUZZERS)
