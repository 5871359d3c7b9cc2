#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Makes DIRECTORY a folder for Debian's arm64: its packages of what the build and the virtual
# machines need, unpacked, and not installed. Prints nothing.
#
#	tests/cross/root.sh DIRECTORY
#
#	root/		the packages, of this machine's release; the compiler's --sysroot
#	source/		fio's source
#	fio		runs that fio in user-mode emulation
#
# Exit 69 with the reason on stderr if the packages are not to be had.
set -u
LC_ALL=C
export LC_ALL

packages="libc6-dev liburing-dev libjansson-dev libncurses-dev zlib1g-dev libbpf-dev
	fio busybox-static dmsetup e2fsprogs xfsprogs btrfs-progs bpftool util-linux"

. "$(dirname "$0")/../private_apt.sh"

fail()
{
	echo "no arm64: $*" >&2
	exit 69
}

[ ! -e "$1/complete" ] || exit 0
rm -rf "$1/root" "$1/source"
mkdir -p "$1/root" || fail "cannot write to $1"
dir=$(cd "$1" && pwd)
private_apt "$dir/apt" "$(codename)" arm64 || fail "$no_apt"
log=$dir/apt.log
# shellcheck disable=SC2086	# names
apt-get -qq update >"$log" 2>&1 &&
	apt-get -qq -y --no-install-recommends --download-only install $packages >>"$log" 2>&1 ||
	fail "$(grep '^E:' "$log" | tail -n 1) ($log)"
for package in "$dir"/apt/cache/archives/*.deb; do
	dpkg -x "$package" "$dir/root" || fail "could not unpack $package"
done
(cd "$dir" && apt-get -qq --only-source source fio >>"$log" 2>&1 && mv fio-*/ source) ||
	fail "no source of fio ($log)"
rm -rf "$dir/apt" "$dir"/fio_*
cat >"$dir/fio" <<END
#!/bin/sh
exec qemu-aarch64-static -L "$dir/root" "$dir/root/usr/bin/fio" "\$@"
END
chmod 755 "$dir/fio"
touch "$dir/complete"
