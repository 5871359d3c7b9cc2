#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the Debian packages in fresh systems of Debian 12, Debian 13 and Ubuntu 24.04:
#
#	tests/deb.sh [debian-12] [debian-13] [ubuntu-24.04] [debian-12-arm64]
#
# deb_inside.sh builds the packages in one system, and uses them in another. Each line of
# the output is one test, as in TAP. The packages of arm64 are built by cross compiler in
# debian-12, and used in a system of arm64, whose programs run in qemu.
#
# tests/distros.sh explains how systems are made and kept, and the variables
# TW_DISTROS, TW_DEBIAN_MIRROR, TW_UBUNTU_MIRROR and FIO_GIT. Here the systems are NAME/deb-build,
# where the packages stay (debian-12/deb-build-arm64), and NAME/deb-use. NAME/deb.log has the
# output of all commands.
#
# Needs root. Exit 0, 1 if a test failed, 69 if nothing could be tried.
set -u
LC_ALL=C
export LC_ALL

# shellcheck source=tests/distros_common.sh
. "$(dirname "$0")/distros_common.sh"

# new_system NAME: sets $dir/root to a fresh system with a clone, kept as NAME
new_system()
{
	rm -rf --one-file-system "$dir/root" "${dir:?}/$1"
	if ! cp -a "$dir/base" "$dir/$1" || ! ln -sfn "$1" "$dir/root" ||
		! git clone -q --no-hardlinks "$root" "$dir/root/root/tickwise"; then
		fail "no room for $name in $distros"
	fi
	settings
}

# try ARGUMENT...: runs deb_inside.sh, and prints its tests
try()
{
	inside "$dir" tests/deb_inside.sh "$@"
	tried=$?
	sed -nE "/^# $1$/,\$s/^((not )?ok [0-9]+ - )/\\1$name: /p" "$log"
	[ "$tried" = 0 ] || echo "# see $log"
	return "$tried"
}

build()
{
	built=$dir/deb-build${arch:+-$arch}
	new_system "${built##*/}"
	[ -z "$arch" ] || inside "$dir" sh -c "dpkg --add-architecture $arch && apt-get -q update"
	inside "$dir" make packages-deb DEB_HOST_ARCH="$arch"
	inside "$dir" apt-get -q -y install --no-install-recommends lintian blhc
	source_from_git $newest /root/newest || {
		why="$newest can not be had from $fio_git"
		return 1
	}
	if inside "$dir" env CC="$cc" plugin/fio/find-fio.sh --cache=/root/fio-cache; then
		fio_src=$(tail -n 1 "$log")
	elif ! source_from_git "$revision"; then
		why='the source of its fio can not be had'
		return 1
	fi
	ready=1
	try build "$fio_src" /root/newest "$arch"
}

# system_to_use: another than that of the build, if the packages are for another architecture
system_to_use()
{
	[ -n "$arch" ] || return 0
	name=$name-$arch emulated=$arch
	system deb.log
	make_base || {
		ready=
		return 1
	}
}

use()
{
	new_system deb-use
	cp -a "$built/root/tickwise/build/deb" "$dir/root/root/tickwise/debs"
	cp -a "$built$fio_src" "$dir/root/root/fio"
	cp -a "$built/root/newest" "$dir/root/root/newest"
	try "use${arch:+_emulated}"
}

make_base()
{
	case $name in
	ubuntu-*) base Ubuntu "$suite" main,universe "$ubuntu" ubuntu-archive-keyring.gpg ;;
	*) base Debian "$suite" main "$debian" debian-archive-keyring.gpg ;;
	esac
}

[ $# -gt 0 ] || set -- debian-12 debian-13 ubuntu-24.04
begin
# The packages have engines for this fio, too.
newest=fio-3.42
debian=${TW_DEBIAN_MIRROR:-$(mirror Debian)}
ubuntu=${TW_UBUNTU_MIRROR:-$(mirror Ubuntu)}
status=69
for name; do
	arch='' cc=gcc emulated=
	# Take the same revisions of fio as tests/distros.sh.
	case $name in
	debian-12) suite=bookworm revision=fio-3.33 ;;
	debian-13) suite=trixie revision=58818df7b0948d36ba9743160a1f570700d2347d ;;
	ubuntu-24.04) suite=noble revision=fio-3.36 ;;
	debian-12-arm64) suite=bookworm revision=fio-3.33 arch=arm64 cc=aarch64-linux-gnu-gcc ;;
	*) fail "what is '$name'? There are debian-12, debian-13, ubuntu-24.04, debian-12-arm64" ;;
	esac
	name=${name%-arm64}
	system "deb${arch:+-$arch}.log"
	ready=
	if make_base && build && system_to_use && use; then
		[ "$status" != 69 ] || status=0
	elif [ -n "$ready" ]; then
		status=1
	else
		echo "# SKIP $name: ${why:-see $dir/base.log}"
	fi
done
exit "$status"
