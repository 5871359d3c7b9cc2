#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build a fio with the patches of a series, which include clocksource=tickwise:
#
#	patches/build.sh SERIES LIBRARY DIR
#
# SERIES	a file in this folder; "" means the series of the installed fio
# LIBRARY	a directory with libtickwise.a and include/tickwise.h
# DIR		is removed first; DIR/fio is the program
#
# FIO and FIO_GIT are those of source.sh. FIO_CONFIGURE has more options for fio's
# configure. Progress goes to stderr. Exit code 0, or 1 after one line with the reason.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
series=$1
library=$(cd "$2" && pwd)
dir=$3

fail()
{
	echo "fio-patched: $*" >&2
	exit 1
}

[ -n "$series" ] || series=$("${FIO:-fio}" --version) ||
	fail "there is no fio to ask for its version: name a series with FIO_SERIES="
case $series in fio-*) [ -f "$here/$series" ] ;; *) false ;; esac ||
	fail "no series for $series; there are:" \
		"$(cd "$here" && echo fio-*). FIO_SERIES= names one"

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
rm -rf "$dir"
"$here/source.sh" "$series" "$dir"
cd "$dir"
"$here/list.sh" "$series" | while read -r patch; do
	git apply --index --whitespace=nowarn "$patch" ||
		fail "$(basename "$patch") does not apply"
done

mkdir -p .tickwise
"$here/pc.sh" "$library" >.tickwise/tickwise.pc
command -v pkg-config >/dev/null || fail "pkg-config is missing: install it"
# shellcheck disable=SC2086
PKG_CONFIG_PATH=$dir/.tickwise ./configure --disable-native ${FIO_CONFIGURE-} \
	--cc="${CC:-gcc}" >.tickwise/configure.log 2>&1 ||
	fail "configure failed: see $dir/.tickwise/configure.log"
grep -q CONFIG_TICKWISE config-host.h ||
	fail "configure did not find libtickwise: see $dir/config.log"
make -j"$(nproc)" fio >.tickwise/make.log 2>&1 ||
	fail "fio does not build: see $dir/.tickwise/make.log"
echo "fio-patched: $dir/fio is $series with $("$here/list.sh" "$series" |
	wc -l) patches" >&2
