#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# make fio-patched: the patches for the installed fio apply to its source, it builds
# with clocksource=tickwise in it, and does a job with each clock. Fails if a patch
# is damaged, has less than three lines of context, is in no series, or is named by
# a series and missing. make check-patches tests what each patch does; no time is
# judged here.

. "$(dirname "$0")/../tap.sh"

build=${TW_BUILD:-$root/build}
fio=${FIO:-fio}

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

# can_not REASON: skips the rest
can_not()
{
	ok 0 "the installed fio with its patches # SKIP $1"
	done_testing
	exit
}

version=$("$fio" --version 2>/dev/null | head -n 1)
{ [ -n "$version" ] && [ -f "$root/patches/$version" ]; } ||
	can_not "no series for '$version'"
command -v pkg-config >/dev/null || can_not 'no pkg-config'
[ -z "${TW_SANITIZE-}" ] || can_not 'fio is not linked with the sanitizers'
FIO_GIT_SECONDS=10 "$root/patches/source.sh" "$version" "$scratch/source" 2>"$err" ||
	can_not "$(head -n 1 "$err")"

# Without optimising and debug information it takes a quarter of the time.
FIO_CONFIGURE='--disable-optimizations --extra-cflags=-g0' timeout 1200 "$root/patches/build.sh" \
	"$version" "$build" "$scratch/patched" 2>"$err"
status=$?
[ "$status" != 124 ] || can_not 'too slow a machine: not built within 1200 s'
is "$status" 0 "$version with its patches builds"
[ "$status" = 0 ] || {
	sed 's/^/# /' "$err"
	tail -n 20 "$scratch"/patched/.tickwise/*.log | sed 's/^/# /'
	done_testing
	exit
}
for clock in clock_gettime cpu tickwise; do
	timeout 120 "$scratch/patched/fio" --name=j --ioengine=null --size=4m --bs=4k \
		--clocksource="$clock" --minimal >"$out" 2>"$err"
	is "$? $(awk -F';' 'NF > 50 { print $6 }' "$out")" '0 4096' \
		"clocksource=$clock: all of a job's 4096 KiB"
done
done_testing
