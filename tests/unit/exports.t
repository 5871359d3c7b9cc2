#!/bin/sh
# SPDX-License-Identifier: MIT
#
# The shared library exports what the header declares: no more, or internals
# become somebody's interface; no less, or programs don't link. Fails if a new
# function of the header is not in the version script, or one that went is; or if
# there are more than 29: a library that is easy to learn has few.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/header_names.sh"

build=${TW_BUILD:-$root/build}
library=$build/libtickwise.so
soname=libtickwise.so.$("$tickwise" --version | sed 's/^tickwise \([0-9]*\).*/\1/')

prototypes "$root/core/tickwise.h" | awk '$1 == "function" { print $2 }' |
	sort >"$scratch/declared"
[ "$(wc -l <"$scratch/declared")" -ge 20 ] &&
	[ "$(wc -l <"$scratch/declared")" -le 29 ]
ok $? "the header declares $(wc -l <"$scratch/declared") functions"

# Versions themselves are absolute symbols (A), sanitizers bring their own.
nm -D --defined-only "$library" |
	awk '$2 != "A" && $3 !~ /^(__|_fini|_init)/ {
		sub(/@.*/, "", $3); print $3 }' |
	sort >"$scratch/exported"
diff "$scratch/declared" "$scratch/exported" >"$scratch/differ"
ok $? 'the library exports these and no others'
sed -n 's/^</# declared only: /p; s/^>/# exported only: /p' "$scratch/differ"

nm -D --with-symbol-versions --defined-only "$library" |
	awk '$3 ~ /^tw_/ && $3 !~ /@@?TICKWISE_[0-9.]+$/ { print $3 }' \
		>"$scratch/bare"
[ ! -s "$scratch/bare" ]
ok $? 'each with a version'
sed 's/^/# /' "$scratch/bare"

is "$(objdump -p "$library" | awk '$1 == "SONAME" { print $2 }')" "$soname" \
	"the soname is $soname"
done_testing
