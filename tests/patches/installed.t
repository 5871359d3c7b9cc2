#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# make fio-patched: the patches for the installed fio apply to its source, it builds
# with clocksource=tickwise in it, and does a job with each clock. Fails if a patch is
# damaged, or if patches/build.sh does not build. The tests of the series show what each
# patch does; no time is judged here.

. "$(dirname "$0")/../tap.sh"

build=${TW_BUILD:-$root/build}
fio=${FIO:-fio}

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
