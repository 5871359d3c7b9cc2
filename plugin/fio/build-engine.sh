#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Build the engines for one fio. `tickwise build-engine` runs this script:
#
#	tickwise-build-engine FIO SOURCE FOLDER WORK [found]
#
# FIO is the program. SOURCE is its source, a folder or an archive. If SOURCE is empty,
# find-fio.sh finds the source. The engines go to FOLDER. The last argument tells that
# `tickwise run` finds FOLDER by itself.
#
# Everything is built in WORK, a folder of this user alone, which is removed. FOLDER changes
# only when FIO has loaded the new engine. Exit codes: 0; 66: no source; 70: the build failed;
# 74: FOLDER can't be written.
set -u
LC_ALL=C
export LC_ALL
umask 022

# The folder of the engines' source. The Makefile sets it.
source_dir=.
engines='tickwise.so tickwise-cmd.so tickwise-memory.so'
fio=$1
fio_source=$2
folder=$3
work=$4
found=${5-}
cc=${CC:-gcc}
# The compiler's files, too, are where no other user can replace them.
TMPDIR=$work
export TMPDIR
child=

# fail STATUS WORDS...
fail()
{
	status=$1
	shift
	echo "tickwise build-engine: $*" >&2
	exit "$status"
}

# shellcheck disable=SC2317	# reached through the trap
leave()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$child" ] || kill -s KILL -- "-$child" 2>/dev/null
	[ -z "$work" ] || rm -rf "$work" 2>/dev/null || {
		sleep 1
		rm -rf "$work"
	}
	exit "$status"
}

# logged COMMAND...: run it, with its output in the log. It runs in a process group of its
# own, so that a signal ends all of its processes at once.
logged()
{
	setsid "$@" >>"$work/log" 2>&1 </dev/null &
	child=$!
	wait "$child"
	logged_status=$?
	child=
	return "$logged_status"
}

trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
fio=$(command -v "$fio") || fail 66 "there is no program $1: install fio, or name one with --fio="
fio=$(readlink -f "$fio")
shown_source=$fio_source
: >"$work/log" || exit 74

# Check the tools, and name the missing ones as packages of Debian.
missing=
command -v make >/dev/null || missing=' make'
command -v "${cc%% *}" >/dev/null || missing="$missing gcc"
headers='stdio.h:libc6-dev liburing.h:liburing-dev jansson.h:libjansson-dev zlib.h:zlib1g-dev'
[ ! -e "$source_dir/plugin/kernel/stages/stages.skel.h" ] || headers="$headers bpf/libbpf.h:libbpf-dev"
for needs in $headers; do
	# shellcheck disable=SC2086	# $CC may be several words
	$cc -E -include "${needs%:*}" -xc /dev/null >/dev/null 2>&1 ||
		missing="$missing ${needs#*:}"
done
# It unpacks the source of a fio that came as a package.
[ -n "$fio_source" ] || command -v dpkg-source >/dev/null ||
	! dpkg-query -S "$fio" >/dev/null 2>&1 || missing="$missing dpkg-dev"
[ -z "$missing" ] || fail 70 "missing packages; as root, type: apt-get install$missing"

# Find the source of this fio.
if [ -f "$fio_source" ]; then
	mkdir "$work/archive"
	logged tar -C "$work/archive" -xf "$fio_source" ||
		fail 66 "$fio_source is no archive that tar can read"
	inside=$(find "$work/archive" -maxdepth 2 -name fio.h | head -n 1)
	[ -n "$inside" ] || fail 66 "$fio_source is not fio's source: it has no fio.h"
	fio_source=${inside%/*}
fi
logged sh "$source_dir/plugin/fio/find-fio.sh" --fio="$fio" --cache="$work/fio" \
	${fio_source:+--source="$fio_source"} || {
	reason=$(sed -n '$ { s/^find-fio: //; s/ (log: [^)]*)//
		s|FIO_SRC=/path/to/fio make|--source=DIR|
		s/ (FIO_SRC)//; s/Without FIO_SRC/Without --source/; p }' "$work/log")
	# Name the archive, not where it was unpacked.
	case $reason in
	"$fio_source "*) reason=$shown_source${reason#"$fio_source"} ;;
	esac
	fail 66 "$reason"
}
tree=$(tail -n 1 "$work/log")

echo "building for $("$fio" --version), which takes some 20 seconds" >&2
logged env -u MAKEFLAGS -u MAKELEVEL make -C "$source_dir" --no-print-directory \
	-j "$(nproc)" B="$work/build" CC="$cc" FIO="$fio" FIO_SRC="$tree" \
	FIO_CACHE="$work/fio" engines || {
	find "$work" -mindepth 1 ! -name log -delete
	log=$work/log work=
	fail 70 "the engine does not compile; what the compiler printed is in $log"
}
"$fio" --enghelp="$work/build/tickwise.so" >"$work/help" 2>&1
# The engine's own line advises to type this command.
grep -q '^tw_report' "$work/help" || fail 70 "$fio does not load what was built:" \
	"$(sed -n '/./ { s/: refused. Type .*/: refused/; p; q }' "$work/help")." \
	"So ${shown_source:-$tree} is not this fio's source, whatever its version"

mkdir -p "$folder" 2>/dev/null && [ -w "$folder" ] || fail 74 "can't write to $folder"
for engine in $engines; do
	# A running fio keeps the old file.
	cp "$work/build/$engine" "$folder/.$engine.new" &&
		chmod 644 "$folder/.$engine.new" &&
		mv -f "$folder/.$engine.new" "$folder/$engine" ||
		fail 74 "can't write $folder/$engine"
done

stages='without (to build Tickwise with them takes clang, bpftool and libbpf-dev)'
[ "$(cat "$work/build/kernel_stages")" != 1 ] || stages='with'
to_use="tickwise run --engine=$folder/tickwise.so JOB.fio"
[ -z "$found" ] || to_use='tickwise run JOB.fio'
route=$(sed -n 's/^route: //p' "$tree/tickwise-stamp" 2>/dev/null | head -n 1)
case $route in '' | 'copy of '*) route=${shown_source:-$tree} ;; esac
cat <<END
built for $("$fio" --version) ($fio)
  source: $route
  stages inside the kernel: $stages
  engines: $folder: $engines
  to use them: $to_use
  or in a job file: ioengine=external:$folder/tickwise.so
END
