#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Downloads Debian's kernel for the virtual machines, and unpacks it below
# DIRECTORY; nothing is installed. Prints the folder that has it, with `vmlinuz` or
# `vmlinux` (decompressed: boots twice as fast) and lib/modules.
#
#	tests/vm/kernel.sh DIRECTORY [SUITE]
#
# SUITE: a release of Debian (trixie) instead of the one that this machine's apt
# knows. Its list of packages is kept in DIRECTORY; apt's own settings stay as they
# are. If SUITE is the release of this machine, DIRECTORY becomes a link to
# `kernel`, its neighbour. Packages come from TW_DEBIAN_MIRROR, else from the mirror
# of this machine's apt.
#
# Exit 69 with the reason on stderr if there is no kernel to be had.
set -u
LC_ALL=C
export LC_ALL

dir=$1
suite=${2-}
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
# codename: prints that of this machine's release
codename()
{
	sed -n 's/^VERSION_CODENAME=//p' /etc/os-release 2>/dev/null
}
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

# mirror: prints where this machine's apt gets Debian's packages, or nothing
mirror()
{
	# shellcheck disable=SC2016	# apt's
	apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' \
		'Created-By: Packages' 2>/dev/null |
		awk '$1 == "Debian" && $2 == "Debian" { print $3; exit }'
}

# Another release has lists, settings and a cache of its own.
if [ -n "$suite" ]; then
	keys=/usr/share/keyrings/debian-archive-keyring.gpg
	[ -f "$keys" ] || fail "no $keys to check Debian's packages with"
	from=${TW_DEBIAN_MIRROR:-$(mirror)}
	[ -n "$from" ] || fail "apt has no mirror of Debian (TW_DEBIAN_MIRROR=)"
	mkdir -p "$dir/apt/lists/partial" "$dir/apt/cache/archives/partial"
	: >"$dir/apt/status"
	echo "deb [arch=amd64 signed-by=$keys]" \
		"$from $suite main" \
		>"$dir/apt/sources.list"
	cat >"$dir/apt/conf" <<END
APT::Architecture "amd64";
APT::Architectures { "amd64"; };
Acquire::Languages "none";
Dir::Etc::SourceList "$dir/apt/sources.list";
Dir::Etc::SourceParts "-";
Dir::State::Lists "$dir/apt/lists";
Dir::State::Status "$dir/apt/status";
Dir::Cache "$dir/apt/cache";
END
	APT_CONFIG=$dir/apt/conf
	export APT_CONFIG
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
if ! (cd "$dir/download" && apt-get -qq download "$package") \
		>"$dir/apt.log" 2>&1; then
	# The list may be older than the content of the mirrors.
	apt-get -qq update >>"$dir/apt.log" 2>&1
	package=$(depends)
	(cd "$dir/download" && apt-get -qq download "$package") \
		>>"$dir/apt.log" 2>&1 ||
		fail "could not download $package (see $dir/apt.log)"
fi
dpkg -x "$dir"/download/*.deb "$dir" || fail "could not unpack $package"
rm -rf "$dir/download" "$dir/apt" "$dir/usr/share"
# From Debian 13 on modules are below usr/.
[ -d "$dir/lib/modules" ] || { mkdir -p "$dir/lib" &&
	mv "$dir/usr/lib/modules" "$dir/lib/"; }
mv "$dir"/boot/vmlinuz-* "$dir/vmlinuz" || fail "no vmlinuz in $package"

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
