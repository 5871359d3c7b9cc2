#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: `make tests-of FILE=` finds tests for each file of core/ and plugin/, and a line
# "Tests: PATH..." names files and folders that there are. Defect: a folder that was moved or
# is new, whose changes no test of tests/mutation.pl would notice.
. "$(dirname "$0")/../../tap.sh"
cd "$root" || exit 1

grep -rhE --include='*.[ct]' '^( \*|#) Tests: ' tests | sed 's/.*Tests: //' | tr ' ' '\n' |
	sort -u | while read -r path; do
		[ -e "$path" ] || echo "$path"
	done >"$scratch/gone"
empty "$scratch/gone" 'each path of a line Tests: is there'

# One line for each folder: a file of it, and what tests the file.
files=$(find core plugin -name '*.[ch]' -printf '%h %p\n' | sort -u -k 1,1 | cut -d' ' -f2)
env -u MAKEFLAGS -u MAKELEVEL make -s --no-print-directory --eval \
	'lines: ; @$(foreach FILE,$(FILES),echo $(FILE) $(tests_of);)' lines \
	FILES="core/clock/fit.c $(echo "$files" | tr '\n' ' ')" >"$scratch/lines"
# unit/build/example.t tests the example. What is preloaded into fio ends it.
grep -v ' ' "$scratch/lines" | grep -v '^core/example/\|^core/probe/preload/' >"$scratch/wrong"
empty "$scratch/wrong" 'each folder has tests'
is "$(head -n 1 "$scratch/lines" | tr ' ' '\n' | grep -cE \
	'/tests/unit/clock/rate_injected.t|/rate_recorded.t|/vmclock_page.t')" 3 \
	'the folder that mirrors it, and what names it'
done_testing
