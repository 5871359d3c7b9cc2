#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Find the source of the installed fio, and make its headers usable. An external engine
# must be compiled against exactly the fio that will load it: fio checks only a version
# number, which does not change with the layout of its structures.
#
#	plugin/fio/find-fio.sh [--fio=PROGRAM] [--source=DIR] --cache=DIR
#
# It prints the directory of the configured tree (fio.h, config-host.h,
# FIO-VERSION-FILE); everything else goes to stderr. Exit code 0, or 1 after one line that
# tells what was tried. The cache keeps the tree until the fio program changes.
#
# The source is the first of these that exists:
#
#	--source
#	the directory of the program, if it was built there
#	the source package of the Debian package that owns the program
#	the tag or commit in fio's git (FIO_GIT= names another repository)
#
# fits-fio.sh compares it with the program, whatever its version is called. The system's
# apt lists, caches and sources do not change. A tree of the user is not written to, and
# fio itself is not built.
set -u
LC_ALL=C GIT_TERMINAL_PROMPT=0
export LC_ALL GIT_TERMINAL_PROMPT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

fio=fio source='' cache=''
git_url=${FIO_GIT:-https://github.com/axboe/fio}
cc=${CC:-gcc}
here=$(cd "$(dirname "$0")" && pwd)
work='' child='' tried='' program='' fio_path='' fio_version='' source_package='' commit=''

say()
{
	echo "find-fio: $*" >&2
}

fail()
{
	say "$*"
	exit 1
}

# tried WORDS...: add them to what the line of a failure tells, with the last error
tried()
{
	error=$(sed -n 's/^E: //p; s/^W: Failed/failed/p; s/^fatal: //p; s/.*error: //p' \
		"${work:-.}/log" 2>/dev/null | tail -n 1 | cut -c 1-200)
	tried="${tried:+$tried; }$*${error:+ ($error)}"
}

# shellcheck disable=SC2317	# reached through the trap
leave()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	[ -z "$child" ] || kill -s KILL -- "-$child" 2>/dev/null
	if [ -n "$work" ]; then
		[ "$status" = 0 ] || mv -f "$work/log" "$cache/find-fio.log"
		# A killed compiler may still be writing its last file.
		rm -rf "$work" 2>/dev/null || { sleep 1; rm -rf "$work"; }
	fi
	exit "$status"
}

# logged COMMAND...: run it, with its output in the log. It runs in the background and in a
# process group of its own, for two reasons: a shell handles a signal only when a command
# in the foreground has ended, and fio's configure survives SIGTERM. Do not call it from a
# subshell, because the trap must know the child.
logged()
{
	setsid "$@" >>"$work/log" 2>&1 </dev/null 9>&- &
	child=$!
	wait "$child"
	logged_status=$?
	child=
	return "$logged_status"
}

# Print the version of a fio that is built from a tree now.
tree_version()
{
	if [ -f "$1/FIO-VERSION-FILE" ]; then
		sed -n 's/^FIO_VERSION *= *//p' "$1/FIO-VERSION-FILE"
	elif [ -f "$1/version" ]; then
		sed 's/^v*//' "$1/version"
	elif [ -e "$1/.git" ] && git --no-optional-locks -C "$1" describe \
		--match 'fio-[0-9]*' --abbrev=4 HEAD 2>/dev/null; then
		:
	else
		sed -n 's/^DEF_VER=//p' "$1/FIO-VERSION-GEN" 2>/dev/null
	fi | head -n 1
}

# Check that the program is made of a tree. False, with a reason: it is not. Of two releases,
# one can have all the options of the other, so their numbers are compared, too.
fits()
{
	[ -n "$fio_path" ] || return 0
	reason="it is $(tree_version "$1")"
	[ "$(release "${reason#it is }")" = "$(release "$fio_version")" ] || return 1
	mkdir -p "$cache" 2>/dev/null
	reason=$(CC="$cc" TMPDIR="$cache" sh "$here/fits-fio.sh" "$fio_path" "$1" 2>&1 </dev/null |
		tail -n 1)
	[ -z "$reason" ]
}

release()
{
	expr "$1" : 'fio-\([0-9]*\.[0-9]*\)' || :
}

# Print where the source of this program is, as far as it is known.
known_source()
{
	[ -z "$source_package" ] ||
		printf %s "It is in the source package $source_package $source_version"
	[ -z "$commit" ] || printf %s ", and is commit $commit of fio's git"
	[ -z "$source_package" ] || printf '. '
}

# ---- the cache ----

use()
{
	echo "$1"
	exit 0
}

# The usual case, which should be fast: the program is the same as last time.
use_known_program()
{
	for known in "$cache"/*/tickwise-stamp; do
		! grep -qsxF "program: $program" "$known" ||
			[ ! -f "${known%/*}/config-host.h" ] || use "${known%/*}"
	done
}

# enter NAME: choose the tree's place in the cache, and use the tree that is there for this
# fio. One call at a time makes trees. What another one has made meanwhile is used.
enter()
{
	# A path has no characters that are special to make.
	entry=$cache/$(printf '%s' "$1" | tr -c 'A-Za-z0-9.+~_-' _)
	[ ! -f "$entry/config-host.h" ] ||
		! grep -qsxF "fio: $fio_version" "$entry/tickwise-stamp" || use "$entry"
	[ -z "$work" ] || return 0
	mkdir -p "$cache" 2>/dev/null
	# Remove what an earlier call left that was killed.
	[ -d "$cache" ] && exec 9<"$cache" && flock 9 &&
		find "$cache" -maxdepth 1 -name '.new.*' -exec rm -rf {} + 2>/dev/null &&
		mkdir "$cache/.new.$$" 2>/dev/null ||
		fail "can't write to the cache directory $cache"
	work=$cache/.new.$$
	: >"$work/log"
	command -v "${cc%% *}" >/dev/null ||
		fail "no C compiler ($cc): install gcc, or set CC"
	[ -n "$source" ] || use_known_program
}

# keep VERSION ROUTE: configure the tree in work, stamp it, move it into the cache, and use
# it, unless it is not this program's
keep()
{
	tree=$work/tree
	if [ ! -f "$tree/config-host.h" ]; then
		say "configuring it"
		# The user's flags are for the engine, not for configure's tests.
		# TMPDIR: configure's temporary files are removed with the tree.
		logged env -C "$tree" TMPDIR=. CFLAGS= LDFLAGS= CC="$cc" \
			sh ./configure --disable-native
	fi
	if [ ! -f "$tree/config-host.h" ]; then
		cat "$tree/config.log" >>"$work/log" 2>/dev/null
		fail "fio's configure failed; its output is in $cache/find-fio.log" \
			"(is libc6-dev installed?)"
	fi
	# With these two, fio.h includes libaio.h and numa.h, which may be uninstalled
	# later. They change no layout: the largest member of the only union that they
	# affect is always there.
	sed -i '/^#define CONFIG_\(LIBAIO\|LIBNUMA\)$/d' "$tree/config-host.h"
	if ! fits "$tree"; then
		[ -z "$source" ] || not_its_source
		tried "$2: $reason"
		rm -rf "$tree"
		return
	fi
	echo "FIO_VERSION = ${fio_version:-$1}" >"$tree/FIO-VERSION-FILE"
	printf '%s\n' "route: $2" "fio: $fio_version" "program: $program" \
		>"$tree/tickwise-stamp"
	rm -rf "$entry" "$cache/find-fio.log"
	mv -T "$tree" "$entry" || fail "can't put the finished tree in $entry"
	use "$entry"
}

# ---- a tree that the user names ----

not_its_source()
{
	fail "$given (FIO_SRC) is not the source of $fio_path ($fio_version): $reason." \
		"$(known_source)Without FIO_SRC it is searched for"
}

use_source()
{
	given=$(cd "$source" 2>/dev/null && pwd) ||
		fail "there is no $source (FIO_SRC)"
	[ -f "$given/fio.h" ] ||
		fail "$given (FIO_SRC) is not fio's source: it has no fio.h"
	version=$(tree_version "$given")
	[ -n "$fio_path" ] || say "no program $fio here to compare $given ($version) with"
	fits "$given" || not_its_source
	[ ! -f "$given/config-host.h" ] || [ ! -f "$given/FIO-VERSION-FILE" ] ||
		[ "$version" != "${fio_version:-$version}" ] || use "$given"
	sum=$(printf '%s' "$given" | cksum)
	name=source-$version-${sum%% *}
	stamp=$cache/$name/tickwise-stamp
	# A changed source or another program: the copy is made again.
	# shellcheck disable=SC2015
	grep -qsxF "program: $program" "$stamp" && [ -z "$(find "$given" \( -name '*.h' \
		-o -name configure \) -newer "$stamp" 2>/dev/null | head -n 1)" ] ||
		rm -f "$stamp"
	enter "$name"
	say "copying $given, to configure the copy"
	mkdir "$work/tree"
	logged tar -C "$given" --exclude=./.git --exclude='*.o' -cf "$work/tar" . &&
		logged tar -C "$work/tree" -xf "$work/tar" ||
		fail "can't copy $given to $cache"
	# The copy has no git to ask.
	echo "FIO_VERSION = $version" >"$work/tree/FIO-VERSION-FILE"
	keep "$version" "copy of $given"
}

# ---- the source package ----

# Find the package that the program belongs to. Set source_package and source_version.
find_package()
{
	command -v dpkg-query >/dev/null || return 0
	# On a system with merged /usr the database may know it as /bin/fio.
	package=$(dpkg-query -S "$fio_path" "${fio_path#/usr}" 2>/dev/null |
		sed -n '/^diversion /d; s/: .*//p' | head -n 1)
	# shellcheck disable=SC2046	# two words
	set -- $(dpkg-query -W -f '${source:Package} ${source:Version}' \
		"${package:-no package}" 2>/dev/null)
	[ $# = 2 ] || return 0
	source_package=$1 source_version=$2
	# This package has a later fio than its version tells: a commit of fio's git.
	case "$1 $2" in
	'fio 3.39-1' | 'fio 3.39-1'[!0-9]*) commit=58818df7b0948d36ba9743160a1f570700d2347d ;;
	esac
}

# Make settings of apt: the system's of how to fetch, of the user that root becomes (Sandbox)
# and its repositories, these for source packages, but own lists and caches and no hooks.
make_apt_config()
{
	apt=$work/apt
	mkdir -p "$apt/sources.d" "$apt/lists/partial" "$apt/state"
	eval "$(apt-config shell list Dir::Etc::sourcelist/f parts Dir::Etc::sourceparts/d)"
	for file in "$list" "$parts"*.list "$parts"*.sources; do
		[ ! -r "$file" ] || sed -E '/cdrom:/d; s/^deb(-src)?[ \t]/deb-src /
			s/^Types:.*/Types: deb-src/' "$file" >"$apt/sources.d/${file##*/}"
	done
	{
		apt-config dump |
			grep -E '^(Acquire::|APT::Sandbox::|Dir |Dir::Etc |Dir::Etc::(trusted|netrc)).* "..*";'
		cat <<-END
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$apt/sources.d";
		Dir::State "$apt/state";
		Dir::State::lists "$apt/lists";
		Dir::Cache "$apt";
		APT::Get::Only-Source "true";
		Acquire::Languages "none";
		Acquire::http::Timeout "30";
		Acquire::https::Timeout "30";
		END
	} >"$apt/conf"
}

use_package()
{
	enter "package-$source_version"
	say "fetching the source package of $source_package $source_version" \
		"(once; the system's apt settings stay as they are)"
	make_apt_config
	logged env APT_CONFIG="$apt/conf" apt-get -q update
	# This version, or else the newest one that is offered. fits() judges it.
	mkdir "$work/package"
	for version in "$source_version" ''; do
		! logged env -C "$work/package" APT_CONFIG="$apt/conf" \
			apt-get -q source "$source_package${version:+=$version}" || break
	done
	if ! mv "$work"/package/*/ "$work/tree" 2>/dev/null; then
		command -v dpkg-source >/dev/null || echo 'E: install dpkg-dev' >>"$work/log"
		tried "source package $source_package $source_version"
		return
	fi
	rm -rf "$work/package"
	keep "$fio_version" "Debian source $source_package ${version:-(the newest)}"
	source_package=
}

# ---- git ----

use_git()
{
	if ! command -v git >/dev/null; then
		tried "no git to fetch $fio_version with"
		return
	fi
	enter "git-$fio_version"
	# Of a changed tree it has what was changed.
	revision=${commit:-${fio_version%-dirty}}
	say "fetching $revision from $git_url"
	# Ask for HEAD first, with a short limit: a clone may take minutes, but an
	# unreachable host should not.
	: >"$work/log"
	if ! logged timeout 30 git ls-remote --exit-code "$git_url" HEAD ||
		! logged timeout 900 git clone -q --no-checkout --filter=blob:none \
			"$git_url" "$work/tree" ||
		! logged timeout 300 git -C "$work/tree" checkout -q --detach "$revision"; then
		tried "git $git_url $fio_version"
		return
	fi
	rm -rf "$work/tree/.git"
	echo "FIO_VERSION = $fio_version" >"$work/tree/FIO-VERSION-FILE"
	keep "$fio_version" "git $git_url $revision"
}

# ---- main ----

for argument; do
	case $argument in
	--fio=*) fio=${argument#*=} ;;
	--source=*) source=${argument#*=} ;;
	--cache=*) cache=$(realpath -m "${argument#*=}") ;;
	*) fail "what is '$argument'? usage: find-fio.sh [--fio=FIO] [--source=DIR] --cache=DIR" ;;
	esac
done
[ -n "$cache" ] || fail "--cache=DIR is missing"

trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

if fio_path=$(command -v "$fio") && fio_path=$(readlink -f "$fio_path"); then
	fio_version=$("$fio_path" --version 2>/dev/null | head -n 1)
	program="$fio_path $(stat -c '%s %.Y %.Z %i' "$fio_path")"
	[ -n "$source" ] || use_known_program
fi
[ -z "$fio_path" ] || find_package
[ -z "$source" ] || use_source
[ -n "$fio_path" ] ||
	fail "there is no program $fio: install fio, or name one with FIO="
case $fio_version in
fio-[0-9]*) ;;
*) fail "$fio_path is not fio: its --version is '$fio_version'" ;;
esac

# The directory of the program, if it was built there.
built_in=${fio_path%/*}
[ ! -f "$built_in/fio.h" ] || [ ! -f "$built_in/config-host.h" ] ||
	[ "$(tree_version "$built_in")" != "$fio_version" ] || ! fits "$built_in" ||
	use "$built_in"
if [ -n "$source_package" ]; then
	use_package
else
	tried "no Debian package brought $fio_version"
fi
use_git
fail "no source that matches $fio_version ($fio_path). Tried: $tried." \
	"${work:+(log: $cache/find-fio.log) }$(known_source)With its source at hand: FIO_SRC=/path/to/fio make"
