#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The lists of patches name all patches that there are, and no other. Fails if a patch is
# in no series, is named by a series and missing, or has less than three lines of context.

. "$(dirname "$0")/../tap.sh"

for series in "$root"/patches/fio-*; do
	series=$(basename "$series")
	missing=
	"$root/patches/list.sh" "$series" >"$scratch/list"
	while read -r patch; do
		[ -s "$patch" ] || missing=$patch
	done <"$scratch/list"
	[ -s "$scratch/list" ] && [ -z "$missing" ]
	ok $? "$series: $(wc -l <"$scratch/list") patches, all there${missing:+ but $missing}"
	cat "$scratch/list" >>"$scratch/used"
done
is "$(printf '%s\n' "$root"/patches/series/* |
	grep -vxFf "$scratch/used")" '' 'each patch is in a series'

# Only at the beginning of a file a change has fewer lines before it.
awk '/^@@ / { first = -$2; before = 0; counting = 1; next }
	counting && /^ / { before++; next }
	counting && before < 3 && first > 1 { print FILENAME ": " FNR; bad = 1 }
	{ counting = 0 }
	END { exit bad }' "$root"/patches/series/* >"$err"
ok $? 'each change has three lines of context'
sed 's/^/# /' "$err"
done_testing
