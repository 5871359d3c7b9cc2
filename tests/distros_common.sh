# SPDX-License-Identifier: MIT
#
# Makes fresh systems of distributions and runs commands in them, for
# tests/distros.sh and tests/deb.sh, which source this file.

# shellcheck source=tests/private_apt.sh
. "$(dirname "$0")/private_apt.sh"
root=$(cd "$(dirname "$0")/.." && pwd)
distros=${TW_DISTROS:-$root/build/distros}
fio_git=${FIO_GIT:-https://github.com/axboe/fio}
child=

fail()
{
	echo "${0##*/}: $*" >&2
	exit 69
}

# begin: checks what is needed
begin()
{
	[ "$(id -u)" = 0 ] || fail "needs root, to mount and to change the root"
	for program in debootstrap git unshare; do
		type "$program" >/dev/null 2>&1 || fail "$program is missing: install it"
	done
	mkdir -p "$distros" || exit 69
	distros=$(cd "$distros" && pwd)
	apart true || fail "no namespaces here: unshare --mount --pid fails"
	[ -z "$(git -C "$root" status --porcelain)" ] ||
		echo "${0##*/}: what is not committed is not tried" >&2
}

# system LOG: sets $dir to the folder of the system $name, and $log to that file there
system()
{
	dir=$distros/$name
	log=$dir/$1
	why='' fio_src=''
	mkdir -p "$dir/archives/partial"
	: >"$log"
}

# Programs run in the background, so that a signal is handled at once. When unshare
# ends, the first process of its namespace ends, and with it all other processes
# there.
# shellcheck disable=SC2317	# reached through the trap
leave()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$child" ] || kill -s KILL "$child" 2>/dev/null
	exit "$status"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# apart COMMAND...: runs a command in namespaces of its own, and gives its exit
# status. If $emulated is set, the kernel runs programs of arm64 in qemu meanwhile. From Linux 6.7
# on it forgets that when the mount ends.
apart()
{
	# shellcheck disable=SC2016	# the inner shell's
	unshare --mount --propagation private --pid --fork --kill-child -- sh -c '
		types=/proc/sys/fs/binfmt_misc
		[ -z "$0" ] || { mount -t binfmt_misc binfmt_misc $types &&
			{ [ -e $types/qemu-aarch64 ] ||
				cat /usr/lib/binfmt.d/qemu-aarch64.conf >$types/register; }; } ||
			exit
		exec "$@"' "${emulated-}" "$@" </dev/null &
	child=$!
	wait "$child"
	apart_status=$?
	child=
	return "$apart_status"
}

# inside DIR COMMAND...: runs a command in the system DIR/root, in the clone; $log
# gets the output
inside()
{
	system=$1/root
	shift
	# shellcheck disable=SC2016	# the inner shell's
	apart sh -c '
		system=$1; shift
		# So that / is a mount, without which unshare fails there.
		mount --bind "$system" "$system" &&
		mount -t proc proc "$system/proc" &&
		mount --rbind /sys "$system/sys" &&
		mount --rbind /dev "$system/dev" &&
		mount --bind "$system/../archives" \
			"$system/var/cache/apt/archives" &&
		exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			HOME=/root TERM=dumb ${http_proxy:+http_proxy="$http_proxy"} \
			${https_proxy:+https_proxy="$https_proxy"} \
			${no_proxy:+no_proxy="$no_proxy"} \
			chroot "$system" env -C /root/tickwise "$@"' \
		sh "$system" "$@" >>"$log" 2>&1
}

# find_keys NAME: sets $keys. Debian 12 has no package of Ubuntu's keys. The system
# of Debian 13, which is made before, has one.
find_keys()
{
	for keys in "/usr/share/keyrings/$1" \
		"$distros/debian-13/root/usr/share/keyrings/$1"; do
		[ ! -f "$keys" ] || return 0
	done
	[ -d "$distros/debian-13/root" ] &&
		inside "$distros/debian-13" apt-get -q -y install ubuntu-keyring &&
		[ -f "$keys" ]
}

# base VENDOR SUITE COMPONENTS MIRROR KEYRING: makes $dir/base unless it exists
base()
{
	[ ! -f "$dir/base.made" ] || return 0
	find_keys "$5" || {
		why="no ${5%.gpg} here: install ubuntu-keyring"
		return 1
	}
	rm -rf --one-file-system "$dir/base"
	# An Ubuntu that this debootstrap does not know is made like the others.
	script=
	scripts=${DEBOOTSTRAP_DIR:-/usr/share/debootstrap}/scripts
	[ -e "$scripts/$2" ] || [ "$1" != Ubuntu ] || script=$scripts/gutsy
	apart debootstrap --variant=minbase --components="$3" ${emulated:+--arch="$emulated"} \
		--keyring="$keys" --include=make,git,ca-certificates \
		"$2" "$dir/base" "$4" ${script:+"$script"} \
		>"$dir/base.log" 2>&1 && : >"$dir/base.made" && return
	why=$(sed -n 's/^E: //p' "$dir/base.log" | tail -n 1)
	return 1
}

# Copy what this machine needs to reach its mirrors.
settings()
{
	apt-config dump 2>/dev/null |
		sed -n '/^Acquire::\(IndexTargets\|Languages\|cdrom\)/d; /^Acquire::.* "..*";$/p' \
			>"$dir/root/etc/apt/apt.conf.d/00host"
	cat /etc/resolv.conf >"$dir/root/etc/resolv.conf"
	cp /etc/hosts "$dir/root/etc/"
	if [ -n "$(ls /usr/local/share/ca-certificates 2>/dev/null)" ]; then
		cp -R /usr/local/share/ca-certificates/. \
			"$dir/root/usr/local/share/ca-certificates/"
		inside "$dir" update-ca-certificates
	fi
}

# source_from_git REVISION [FOLDER]: sets $fio_src to the source of that revision
source_from_git()
{
	fio_src=
	tree=$dir/root${2-/root/fio}
	mkdir -p "$tree" && git -C "$tree" init -q &&
		GIT_TERMINAL_PROMPT=0 timeout 600 git -C "$tree" fetch -q \
			--depth 1 --no-tags "$fio_git" "$1" >>"$log" 2>&1 &&
		git -C "$tree" -c advice.detachedHead=false checkout -q \
			FETCH_HEAD >>"$log" 2>&1 || return 1
	rm -rf "$tree/.git"
	fio_src=${2-/root/fio}
}
