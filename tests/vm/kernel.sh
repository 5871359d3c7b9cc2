#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Downloads Debian's kernel for the virtual machines, and unpacks it below
# DIRECTORY; nothing is installed. Prints the folder that has it, with `vmlinuz` or
# `vmlinux` (decompressed: boots twice as fast) and lib/modules.
#
#	tests/vm/kernel.sh DIRECTORY [SUITE]
#
# SUITE: a release of Debian (trixie), or Ubuntu's noble, instead of the one that this
# machine's apt knows. If SUITE is the release of this machine, DIRECTORY becomes a link to
# `kernel`, its neighbour. TW_VM_ARCH: an architecture (arm64) instead of amd64.
#
# Exit 69 with the reason on stderr if there is no kernel to be had.
set -u
LC_ALL=C
export LC_ALL

dir=$1
suite=${2-}
arch=${TW_VM_ARCH:-amd64}
meta=linux-image-$arch
[ "$suite" != noble ] || meta=linux-image-generic

. "$(dirname "$0")/../private_apt.sh"

fail()
{
	echo "no kernel for virtual machines: $*" >&2
	exit 69
}

if [ -e "$dir/complete" ]; then
	echo "$dir"
	exit
fi
if [ -n "$suite" ] && [ "$suite" = "$(codename)" ] &&
   [ -e "$(dirname "$dir")/kernel/complete" ]; then
	rm -rf "$dir"
	ln -s kernel "$dir"
	echo "$dir"
	exit
fi
command -v apt-get >/dev/null || fail "no apt-get to download $meta with"
rm -rf "$dir"
mkdir -p "$dir/download" || fail "cannot write to $dir"
dir=$(cd "$dir" && pwd)

# Another release or architecture has lists, settings and a cache of its own.
if [ -n "$suite" ] || [ "$arch" != amd64 ]; then
	private_apt "$dir/apt" "${suite:-$(codename)}" "$arch" || fail "$no_apt"
fi

# The package is empty and depends on the newest kernel.
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
# Linux 7.2 and later come in parts, and so do Ubuntu's kernels. Other parts are left out.
download()
{
	# shellcheck disable=SC2046	# a list
	(cd "$dir/download" && apt-get -qq download $(apt-cache depends "$meta" "$package" |
		sed -nE 's/.* Depends: (linux-(image|binary|modules|modules-extra)-[0-9])/\1/p'))
}
if ! download >"$dir/apt.log" 2>&1; then
	# The list may be older than the content of the mirrors.
	apt-get -qq update >>"$dir/apt.log" 2>&1
	package=$(depends)
	download >>"$dir/apt.log" 2>&1 ||
		fail "could not download $package (see $dir/apt.log)"
fi
for deb in "$dir"/download/*.deb; do
	dpkg -x "$deb" "$dir" || fail "could not unpack $deb"
done
rm -rf "$dir/download" "$dir/apt" "$dir/usr/share"
# From Debian 13 on modules are below usr/.
[ -d "$dir/lib/modules" ] || { mkdir -p "$dir/lib" &&
	mv "$dir/usr/lib/modules" "$dir/lib/"; }
mv "$dir"/boot/vmlinuz-* "$dir/vmlinuz" 2>/dev/null ||
	mv "$dir"/lib/modules/*/vmlinuz "$dir/vmlinuz" || fail "no vmlinuz in $package"

# inside MAGIC PROGRAM [ARGUMENT]: decompresses the kernel inside, from the magic of
# its format to the end. Other data follow there, about which the program complains.
inside()
{
	[ ! -e "$dir/vmlinux" ] && command -v "$2" >/dev/null || return 0
	from=$(grep -abo -m 1 -P "$1" "$dir/vmlinuz" | head -n 1 | cut -d: -f1)
	[ -n "$from" ] || return 0
	shift
	tail -c "+$((from + 1))" "$dir/vmlinuz" | "$@" >"$dir/vmlinux" \
		2>/dev/null
	[ "$(head -c 4 "$dir/vmlinux" | tail -c 3)" = ELF ] ||
		rm -f "$dir/vmlinux"
}
inside '\xFD7zXZ\x00' xz -dc --single-stream
inside '\x28\xB5\x2F\xFD' zstd -dc
touch "$dir/complete"
echo "$dir"
