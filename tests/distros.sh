#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Runs the README's two commands in a fresh system of each distribution, and prints
# a table of the results, for tests/README.md:
#
#	tests/distros.sh [debian-12] [debian-13] [ubuntu-24.04]
#
# Without arguments it takes all of them. A system has debootstrap's minbase, make,
# git, ca-certificates, and a clone of this repository as it is committed. `make
# demo` and `make check` have to install all else.
#
# Packages come from the mirror of this machine's apt if its vendor is the same,
# else from debootstrap's own default. TW_DEBIAN_MIRROR and TW_UBUNTU_MIRROR name
# another mirror. The new system gets apt's proxies, the resolver's settings and the
# certificates. If a mirror lacks the source of a distribution's fio, it comes from
# the git repository FIO_GIT.
#
# build/distros (TW_DISTROS) keeps the systems. NAME/base is as debootstrap made it,
# and is used again. NAME/root is as the last run left it. NAME/demo.log and
# NAME/check.log have the output. Mounts and processes of a run are in namespaces of
# their own, so that they end with the run, however it ends.
#
# Needs root. Exit 0, 1 if a command failed somewhere, 69 if nothing could be tried.
set -u
LC_ALL=C
export LC_ALL

# shellcheck source=tests/distros_common.sh
. "$(dirname "$0")/distros_common.sh"

# try NAME: runs make NAME and sets $result
try()
{
	log=$dir/$1.log
	: >"$log"
	begun=$(date +%s)
	inside "$dir" make "$1" ${fio_src:+FIO_SRC="$fio_src"}
	status=$?
	seconds=$(($(date +%s) - begun))
	counts=$(sed -n '/^[0-9]* passed, [0-9]* failed, [0-9]* skipped$/p' "$log" |
		tail -n 1)
	if [ "$status" = 0 ]; then
		result="${counts:-works}, $seconds s"
	else
		result="${counts:-**fails**}, $seconds s"
	fi
	return "$status"
}

failed()
{
	bad=1
	echo "distros: $name failed: $log" >&2
}

# row NAME REVISION VENDOR SUITE COMPONENTS MIRROR KEYRING
row()
{
	name=$1
	revision=$2
	system settings.log
	echo "distros: $name" >&2
	shift 2
	if ! base "$@"; then
		echo "| $name | | | not tried: ${why:-see $dir/base.log} | |"
		return
	fi
	rm -rf --one-file-system "$dir/root"
	{
		cp -a "$dir/base" "$dir/root" &&
			git clone -q --no-hardlinks "$root" "$dir/root/root/tickwise"
	} || fail "no room for $name in $distros"
	settings
	tried=1
	try demo || {
		grep -q 'no source that matches' "$log" &&
			source_from_git "$revision" && try demo
	} || failed
	demo=$result
	try check || failed
	# shellcheck disable=SC1091	# that system's
	pretty=$(. "$dir/root/etc/os-release" && echo "$PRETTY_NAME")
	compiler=$(chroot "$dir/root" gcc -dumpfullversion 2>/dev/null)
	fio=$(chroot "$dir/root" fio --version 2>/dev/null)
	route=$(sed -n 's/^route: //p' \
		"$dir"/root/root/tickwise/build/fio/*/tickwise-stamp 2>/dev/null |
		head -n 1)
	case $route in
	'copy of '*) route="FIO_SRC, $revision of fio's git" ;;
	'Debian source '*) route="apt-get source, ${route##* }" ;;
	esac
	echo "| $pretty | gcc $compiler | ${fio#fio-}: ${route:-none} | $demo | $result |"
}

[ $# -gt 0 ] || set -- debian-12 debian-13 ubuntu-24.04
begin
bad=0
tried=0
debian=${TW_DEBIAN_MIRROR:-$(mirror Debian)}
ubuntu=${TW_UBUNTU_MIRROR:-$(mirror Ubuntu)}
# shellcheck disable=SC2016	# Markdown
echo '| distribution | compiler | fio, its source | `make demo` | `make check` |'
echo '|---|---|---|---|---|'
for name; do
	# Debian 13's fio has verify_header_seed, so it is newer than its version.
	# This commit is upstream's last before the package was made. Its options
	# have the same places as those of the packaged program.
	case $name in
	debian-12)
		set -- fio-3.33 Debian bookworm main "$debian" debian-archive-keyring
		;;
	debian-13)
		set -- 58818df7b0948d36ba9743160a1f570700d2347d Debian trixie \
			main "$debian" debian-archive-keyring
		;;
	ubuntu-24.04)
		set -- fio-3.36 Ubuntu noble main,universe "$ubuntu" \
			ubuntu-archive-keyring
		;;
	*) fail "what is '$name'? There are debian-12, debian-13, ubuntu-24.04" ;;
	esac
	row "$name" "$1" "$2" "$3" "$4" "$5" "$6.gpg"
done
[ "$tried" = 1 ] || exit 69
exit "$bad"
