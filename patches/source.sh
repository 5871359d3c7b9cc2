#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Put the source of a series' fio into a directory, as a git repository with a single
# commit:
#
#	patches/source.sh SERIES DIR
#
# SERIES is a file in this folder, such as fio-3.33. If the installed fio has this version,
# plugin/fio/find-fio.sh finds its source. Otherwise the source comes from the git repository
# FIO_GIT: the tag, or the commit that the first line of SERIES names. FIO names another
# program than the first fio in PATH. The script prints nothing. Exit code 0, or 1 after
# one line with the reason.
set -u
LC_ALL=C
export LC_ALL

here=$(cd "$(dirname "$0")" && pwd)
series=$1
dir=$2
git_url=${FIO_GIT:-https://github.com/axboe/fio}
cache=$here/../build/fio
commit=$(sed -n 's/^# commit //p' "$here/$series")

fail()
{
	echo "source: no source of $series: $*" >&2
	rm -rf "$dir"
	exit 1
}

# Copy the source of the installed fio, without files that a build makes.
from_installed()
{
	[ "$(${FIO:-fio} --version 2>/dev/null)" = "$series" ] || return 1
	tree=$("$here/../plugin/fio/find-fio.sh" --fio="${FIO:-fio}" \
		--cache="$cache" 2>/dev/null) || return 1
	mkdir -p "$dir"
	(cd "$tree" && tar -cf - --exclude=./.git --exclude=./.pc \
		--exclude='*.o' --exclude='*.d' --exclude=./config-host.h \
		--exclude=./config-host.mak --exclude=./config.log \
		--exclude=./tickwise-stamp .) | tar -C "$dir" -xf -
	rm -f "$dir/debian/patches/series"
}

from_git()
{
	mkdir -p "$dir" && git -C "$dir" init -q || return 1
	GIT_TERMINAL_PROMPT=0 timeout "${FIO_GIT_SECONDS:-120}" \
		git -C "$dir" fetch -q --depth 1 --no-tags "$git_url" \
		"${commit:-$series}" 2>"$dir/.git/error" || return 1
	git -C "$dir" -c advice.detachedHead=false checkout -q FETCH_HEAD
}

rm -rf "$dir"
if ! from_installed; then
	command -v git >/dev/null ||
		fail "the installed fio is another, and there is no git"
	from_git || fail "the installed fio is another, and from $git_url:" \
		"$(head -n 1 "$dir/.git/error" 2>/dev/null || echo failed)"
fi
rm -rf "$dir/.git"
version=$series
[ -z "$commit" ] || version=$(sed -n 's/^DEF_VER=//p' \
	"$dir/FIO-VERSION-GEN")-$(echo "$commit" | cut -c 1-8)
echo "FIO_VERSION = $version-tickwise" >"$dir/FIO-VERSION-FILE"
# The version is that of the file above, since this tree is not a repository of fio.
printf '#!/bin/sh\nexit 0\n' >"$dir/FIO-VERSION-GEN"
git -C "$dir" init -q && git -C "$dir" add -A &&
	git -C "$dir" -c user.name=Tickwise -c user.email=tickwise@example.invalid \
		commit -q -m "$series" || fail "git could not keep it"
