#!/bin/sh
# SPDX-License-Identifier: MIT
#
# CPPFLAGS reach every compile, since packagers put their hardening there
# (-D_FORTIFY_SOURCE). Fails if a rule of the Makefile leaves them out.

. "$(dirname "$0")/../../tap.sh"

# Make everything in an empty directory: nothing is up to date, and -n builds nothing.
env -u MAKEFLAGS -u MAKELEVEL make -n -C "$root" --no-print-directory \
	B="$scratch/b" CC=the-compiler CPPFLAGS=-DSEEN \
	tests vm-base fuzz-build >"$out" 2>"$err"
ok $? 'make -n'

# A compile names a C file; continued lines are one command.
sed -e ':join' -e '/\\$/{N;s/\\\n//;b join' -e '}' "$out" |
	grep 'the-compiler .*\.c\( \|$\)' >"$scratch/compiles"
# core/ alone has more than a hundred files.
[ "$(wc -l <"$scratch/compiles")" -gt 100 ]
ok $? "$(wc -l <"$scratch/compiles") compiles"
for part in core/clock/ core/command/ core/preload/ core/example/ plugin/ \
	tests/unit/ tests/unit/plugin/engine/ tests/fio/preload/ tests/vm/preload/ \
	tests/vm/guest/ tests/bench/ tests/fuzz/; do
	has "$scratch/compiles" "$part" "there are some of $part"
done

! grep -v -e ' -DSEEN ' "$scratch/compiles" >"$scratch/without"
ok $? 'each has CPPFLAGS'
sed 's/^/# /' "$scratch/without"
done_testing
