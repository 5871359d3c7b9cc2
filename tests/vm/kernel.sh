#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Debian's kernel for the virtual machines: downloaded and unpacked below a
# directory of ours, nothing is installed. Prints the directory it is in, with
# `vmlinuz` or `vmlinux` (decompressed: boots twice as fast) and lib/modules.
#
#	tests/vm/kernel.sh DIRECTORY
#
# Exit 69 with the reason on stderr where it can't be had.
set -u
LC_ALL=C
export LC_ALL

dir=$1
meta=linux-image-amd64

fail()
{
	echo "no kernel for virtual machines: $*" >&2
	exit 69
}

if [ -e "$dir/complete" ]; then
	echo "$dir"
	exit
fi
command -v apt-get >/dev/null || fail "no apt-get to download $meta with"
rm -rf "$dir"
mkdir -p "$dir/download" || fail "cannot write to $dir"
dir=$(cd "$dir" && pwd)

# The package is empty and depends on the newest.
depends()
{
	apt-cache depends "$meta" 2>/dev/null |
		sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p' | head -n 1
}
package=$(depends)
if [ -z "$package" ]; then
	apt-get -qq update >"$dir/apt.log" 2>&1
	package=$(depends)
fi
[ -n "$package" ] || fail "apt knows no $meta"
if ! (cd "$dir/download" && apt-get -qq download "$package") \
		>"$dir/apt.log" 2>&1; then
	# The list may be older than what the mirrors still hold.
	apt-get -qq update >>"$dir/apt.log" 2>&1
	package=$(depends)
	(cd "$dir/download" && apt-get -qq download "$package") \
		>>"$dir/apt.log" 2>&1 ||
		fail "could not download $package (see $dir/apt.log)"
fi
dpkg -x "$dir"/download/*.deb "$dir" || fail "could not unpack $package"
rm -rf "$dir/download" "$dir/usr/share"
# From Debian 13 on modules are below usr/.
[ -d "$dir/lib/modules" ] || { mkdir -p "$dir/lib" &&
	mv "$dir/usr/lib/modules" "$dir/lib/"; }
mv "$dir"/boot/vmlinuz-* "$dir/vmlinuz" || fail "no vmlinuz in $package"

# The compressed kernel inside: from the magic of its format to the end, where
# other things follow, about which unxz complains.
from=$(grep -abo -m 1 -P '\xFD7zXZ\x00' "$dir/vmlinuz" | head -n 1 |
	cut -d: -f1)
if [ -n "$from" ] && command -v xz >/dev/null; then
	tail -c "+$((from + 1))" "$dir/vmlinuz" | xz -dc --single-stream \
		>"$dir/vmlinux" 2>/dev/null
	[ "$(head -c 4 "$dir/vmlinux" | tail -c 3)" = ELF ] ||
		rm -f "$dir/vmlinux"
fi
touch "$dir/complete"
echo "$dir"
