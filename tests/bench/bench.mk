# SPDX-License-Identifier: MIT
#
# Benchmarks: never part of the tests.

.PHONY: bench bench-count bench-iops
# The speed of inline code depends on the compiler, so use clang, too, if it is installed.
bench: core
	$(Q)$(B)/tickwise bench
	$(Q)if [ '$(CC)' != clang ] && command -v clang >/dev/null; then \
		$(MAKE) --no-print-directory CC=clang B=$(B)/clang core && \
		echo && $(B)/clang/tickwise bench; fi

bench-count: all
	$(Q)FIO='$(FIO)' TW_BUILD='$(B)' tests/bench/engine_count.sh
bench-iops: all
	$(Q)FIO='$(FIO)' TW_BUILD='$(B)' tests/bench/engine_iops.sh
