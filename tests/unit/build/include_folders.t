#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Folders need each other in one direction only: counter <- machine <- clock,
# estimate <- trust <- the program, the preload clock and the engines. Both the
# includes of files and the calls of their objects count. include_folders.pl has the
# whole order.
#
# Fails on a circle, and on a folder that uses one above it.

. "$(dirname "$0")/../../tap.sh"

perl "$root/tests/unit/build/include_folders.pl" "$root" "${TW_BUILD:-$root/build}" >"$out" 2>"$err"
ok $? "$(tail -n 1 "$out")"
sed 's/^/# /' "$out" "$err"
[ "$(sed -n 's/.* \([0-9]*\) includes.*/\1/p' "$out")" -gt 500 ]
ok $? 'includes of all folders were seen'
# Elsewhere the objects may be missing.
[ ! -f "${TW_BUILD:-$root/build}/core/trust.o" ] ||
	[ "$(sed -n 's/.* \([0-9]*\) calls.*/\1/p' "$out")" -gt 500 ]
ok $? 'and calls, where there are objects'
done_testing
