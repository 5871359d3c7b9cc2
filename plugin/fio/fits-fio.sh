#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Compare a source with a fio program:
#
#	plugin/fio/fits-fio.sh FIO TREE
#
# The program must have the options of the source. If TREE is configured, each option must
# also be at the same place in fio's structures, and so must what the engine uses of a job
# and of an I/O. TMPDIR is a folder in which other users can't replace files: root loads what
# is built there. Exit code 0, or 1 after one line that names a difference.
set -u
LC_ALL=C
export LC_ALL

here=$(dirname "$0")
fio=$1
tree=$2

no()
{
	echo "$*"
	exit 1
}

# The names alone need no compiler. fio does not list all of its options.
"$fio" --cmdhelp 2>/dev/null | sed -n 's/^ *\([a-z_0-9]*\) *:.*/\1/p' |
	awk -v source="$tree/options.c" '
		BEGIN {
			while ((getline line <source) > 0)
				if (split(line, parts, "\"") > 1 && line ~ /^\t\t\.name[ \t]*=/)
					is_known[parts[2]] = 1
		}
		!($0 in is_known) { print "fio has one more option: " $0; exit 1 }' || exit 1
[ -f "$tree/config-host.h" ] || exit 0

work=${TMPDIR:-/tmp}/tickwise-fits.$$
mkdir "$work" || no "no temporary folder"
trap 'rm -rf "$work"' EXIT
trap 'exit 143' HUP INT TERM
awk -f "$here/fio-options.awk" "$tree/options.c" >"$work/fio_options.h"
# shellcheck disable=SC2046,SC2086	# several words
${CC:-gcc} -shared -fPIC -fvisibility=hidden -w -std=gnu11 -I"$work" -I"$here/../../core" \
	-I"$here/.." ${CPPFLAGS-} -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DFIO_INTERNAL -DFIO_INC_DEBUG \
	$("$here/fio-features.sh" "$tree") -DTW_FIO_VERSION="\"$("$fio" --version)\"" \
	-include "$tree/config-host.h" -isystem "$tree" -o "$work/fits.so" \
	"$here/layout_probe.c" "$here/fio_layout.c" 2>"$work/err" ||
	no "its headers do not compile: $(sed -n 's/.*error: //p; T; q' "$work/err")"
# An engine for another processor can't be tried here. The names have to do.
machine() { od -An -tx2 -j18 -N2 "$1"; }
[ "$(machine "$(readlink -f "$(command -v "$fio")")")" = "$(machine "$work/fits.so")" ] ||
	exit 0
cd "$work" || exit 1
# shellcheck disable=SC3045	# dash has it
ulimit -c 0
# fio's exit code is 0 where an engine refuses an I/O.
timeout -s KILL 60 "$fio" --name=fits --ioengine="external:$work/fits.so" --size=8k --bs=4k \
	--iodepth=2 --output=/dev/null >err 2>&1 </dev/null ||
	failed="fio can not run a job with its headers"
reason=$(sed -n '/^tickwise: / { s///; s/: refused.*//; s/^.*: this one/fio/; p; q }' err)
reason=${reason:-${failed-}}
[ -z "$reason" ] || no "$reason"
