#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Programs and libraries of different versions work together. A program that was
# built with the header of an earlier version (tests/abi/tickwise-VERSION.h, never
# changed) runs with this library, and with one whose structures have grown. A
# program whose header's structures have grown runs with this library. Fails if the
# library writes behind a structure, or reads what is not there, or if something
# that inline functions read has moved.

. "$(dirname "$0")/../tap.sh"

build=${TW_BUILD:-$root/build}
program=$root/tests/abi/program.c

# grow HEADER: adds two members to each structure that begins with its size
grow() {
	awk '/^struct tw_[a-z_]* \{$/ { first = NR + 1 }
		NR == first { sized = /^\tsize_t size;/ }
		/^}/ && sized { print "\tuint64_t grown[2];"; sized = 0; grown++ }
		{ print }
		END { exit grown != 12 }' "$1"
}

# runs HEADER-FOLDER LIBRARY-FOLDER WHAT FLAGS...: builds and runs the program
runs() {
	headers=$1 library=$2 what=$3
	shift 3
	# shellcheck disable=SC2086
	${CC:-gcc} -std=gnu11 -Wall -Wextra -Werror ${TW_SANITIZE-} "$@" \
		-I"$headers" -o "$scratch/program" "$program" -L"$library" \
		-ltickwise >"$err" 2>&1
	ok $? "$what: builds"
	sed 's/^/# /' "$err"
	LD_LIBRARY_PATH=$library "$scratch/program" >"$out" 2>"$err"
	is "$? $(cat "$err")" '0 ' "$what: runs"
	while read -r line; do
		[ "${line#not }" = "$line" ]
		ok $? "$what: ${line#*ok }"
	done <"$out"
}

mkdir "$scratch/grown" "$scratch/library"
grow "$build/include/tickwise.h" >"$scratch/grown/tickwise.h"
ok $? 'twelve structures begin with their size'

# The same library, but with grown structures.
cp -r "$root/core" "$scratch/core"
grow "$root/core/tickwise.h" >"$scratch/core/tickwise.h"
# shellcheck disable=SC2046,SC2086
${CC:-gcc} -std=gnu11 -w -O0 -D_GNU_SOURCE -fPIC -fvisibility=hidden -pthread \
	${TW_SANITIZE-} -shared -I"$scratch/core" \
	-Wl,-soname,libtickwise.so.0 -Wl,--version-script="$root/core/libtickwise.map" \
	-o "$scratch/library/libtickwise.so.0" \
	$(find "$scratch"/core/*.c "$scratch"/core/counter "$scratch"/core/machine \
		"$scratch"/core/clock "$scratch"/core/estimate \
		"$scratch"/core/latency -name '*.c' ! -name '*_json.c' \
		! -name '*_hdr.c') -lm >"$err" 2>&1
ok $? 'a library of a later version builds'
sed 's/^/# /' "$err"
ln -s libtickwise.so.0 "$scratch/library/libtickwise.so"

for header in "$root"/tests/abi/tickwise-*.h; do
	version=$(basename "$header" .h)
	mkdir "$scratch/$version"
	cp "$header" "$scratch/$version/tickwise.h"
	runs "$scratch/$version" "$build" "$version with this library"
	runs "$scratch/$version" "$scratch/library" "$version with a later library"
done
runs "$scratch/grown" "$build" 'a later header with this library' -DGROWN
runs "$scratch/grown" "$scratch/library" 'a later header with a later library'
done_testing
