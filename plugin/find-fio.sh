#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Find the source of the installed fio, and make its headers usable. An external engine
# must be compiled against exactly the fio that will load it: fio checks only a version
# number, which does not change with the layout of its structures.
#
#	plugin/find-fio.sh [--fio=PROGRAM] [--source=DIR] --cache=DIR
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
# The system's apt lists, caches and sources do not change. A tree of the user is not
# written to, and fio itself is not built.
set -u
LC_ALL=C GIT_TERMINAL_PROMPT=0
export LC_ALL GIT_TERMINAL_PROMPT
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

fio=fio source='' cache=''
git_url=${FIO_GIT:-https://github.com/axboe/fio}
cc=${CC:-gcc}
me=find-fio
work='' child='' tried='' program=''

say()
{
	echo "$me: $*" >&2
}

fail()
{
	say "$*"
	exit 1
}

note_tried()
{
	tried="${tried:+$tried; }$1"
}

# shellcheck disable=SC2317	# reached through the trap
leave()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	if [ -n "$child" ]; then
		kill -s KILL -- "-$child" 2>/dev/null
		wait "$child" 2>/dev/null
	fi
	if [ -n "$work" ]; then
		[ "$status" = 0 ] || mv -f "$work/log" "$cache/$me.log"
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
	echo "+ $*" >>"$work/log"
	setsid "$@" >>"$work/log" 2>&1 </dev/null 9>&- &
	child=$!
	wait "$child"
	logged_status=$?
	child=
	return "$logged_status"
}

# Print the last error in the log, for the one line of a failure.
last_error()
{
	sed -n 's/^E: //p; s/^W: Failed/failed/p; s/^fatal: //p; s/.*error: //p' \
		"$work/log" | tail -n 1 | cut -c 1-200
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

# file_name TEXT: print it as one part of a path, without characters special to make
file_name()
{
	printf '%s' "$1" | tr -c 'A-Za-z0-9.+~_-' _
}

# ---- the cache ----

# ready ENTRY: true if this entry is complete and for this fio
ready()
{
	[ -f "$1/config-host.h" ] && grep -qxF "fio: $fio_version" "$1/tickwise-stamp" 2>/dev/null
}

use()
{
	echo "$1"
	exit 0
}

# The usual case, which should be fast: the program is the same as last time.
use_known_program()
{
	for known in "$cache"/*/tickwise-stamp; do
		! grep -qsxF "program: $program" "$known" || ! ready "${known%/*}" ||
			use "${known%/*}"
	done
}

# One call at a time makes entries. What another one has made meanwhile is used.
start_work()
{
	[ -z "$work" ] || return 0
	mkdir -p "$cache" 2>/dev/null
	[ -d "$cache" ] && exec 9<"$cache" && flock 9 &&
		work=$(mktemp -d "$cache/.new.XXXXXX" 2>/dev/null) ||
		fail "can't write to the cache directory $cache"
	: >"$work/log"
	# Remove what an earlier call left that was killed.
	find "$cache" -maxdepth 1 -name '.new.*' ! -path "$work" -exec rm -rf {} +
	command -v "${cc%% *}" >/dev/null ||
		fail "no C compiler ($cc): install gcc, or set CC"
	[ -n "$source" ] || use_known_program
}

# keep VERSION ENTRY ROUTE: configure the tree in work, stamp it, and move it into the cache
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
		sed 's/^/    /' "$tree/config.log" >>"$work/log" 2>/dev/null
		fail "fio's configure failed; its output is in $cache/$me.log" \
			"(is libc6-dev installed?)"
	fi
	# With these two, fio.h includes libaio.h and numa.h, which may be uninstalled
	# later. They change no layout: the largest member of the only union that they
	# affect is always there.
	sed -i '/^#define CONFIG_\(LIBAIO\|LIBNUMA\)$/d' "$tree/config-host.h"
	echo "FIO_VERSION = $1" >"$tree/FIO-VERSION-FILE"
	printf '%s\n' "version: $1" "route: $3" "fio: $fio_version" "program: $program" \
		>"$tree/tickwise-stamp"
	rm -rf "$2" "$cache/$me.log"
	mv -T "$tree" "$2" || fail "can't put the finished tree in $2"
	use "$2"
}

# ---- a tree that the user names ----

# Some packages contain a later fio than their version names. Set commit, the commit of
# fio's git of which the program's package is made, and added, an option that the release
# lacks. Both are empty for any other fio.
find_commit()
{
	commit='' added=''
	[ -n "$fio_path" ] && find_package || return
	case "$source_package $source_version" in
	'fio 3.39-1' | 'fio 3.39-1'[!0-9]*)
		commit=58818df7b0948d36ba9743160a1f570700d2347d
		added=verify_header_seed
		;;
	esac
}

# Print how to get the source of that package.
recipe()
{
	[ -z "$commit" ] || printf '%s %s %s. ' "$package $binary_version is made of commit" \
		"$commit of fio's git. In a clone:" \
		"git archive --prefix=fio/ $commit | tar -x -C /path/to"
}

use_source()
{
	given=$(cd "$source" 2>/dev/null && pwd) ||
		fail "there is no directory $source (FIO_SRC)"
	[ -f "$given/fio.h" ] ||
		fail "$given (FIO_SRC) is not fio's source: it has no fio.h"
	version=$(tree_version "$given")
	find_commit
	if [ -n "$commit" ] && [ "$version" = "$fio_version" ] &&
		! grep -q "$added" "$given/options.c"; then
		fail "$given (FIO_SRC) is the release $version, which $fio_path is not." \
			"$(recipe)Then: FIO_SRC=/path/to/fio make"
	fi
	# git describes this commit by another name.
	[ -z "$commit" ] || [ "$(git -C "$given" rev-parse HEAD 2>/dev/null)" != "$commit" ] ||
		version=$fio_version
	if [ -z "$fio_version" ]; then
		say "no program $fio here to compare $given ($version) with"
	elif [ "$version" != "$fio_version" ]; then
		say "warning: $given is $version, but $fio_path is $fio_version:" \
			"an engine built for one does not run in the other"
	fi
	[ ! -f "$given/config-host.h" ] || [ ! -f "$given/FIO-VERSION-FILE" ] ||
		[ "$(tree_version "$given")" != "$version" ] || use "$given"

	sum=$(printf '%s' "$given" | cksum)
	entry=$cache/source-$(file_name "$version")-${sum%% *}
	! ready "$entry" || [ -n "$(find "$given" \( -name '*.h' -o -name configure \) \
		-newer "$entry/tickwise-stamp" | head -n 1)" ] || use "$entry"
	start_work
	say "copying $given, to configure the copy"
	mkdir "$work/tree"
	logged tar -C "$given" --exclude=./.git --exclude='*.o' -cf "$work/tar" . &&
		logged tar -C "$work/tree" -xf "$work/tar" ||
		fail "can't copy $given to $cache"
	keep "$version" "$entry" "copy of $given"
}

# Use the directory of the program, if the program was built there.
use_tree_of_program()
{
	built_in=$(dirname "$fio_path")
	[ ! -f "$built_in/fio.h" ] || [ ! -f "$built_in/config-host.h" ] ||
		[ ! -f "$built_in/FIO-VERSION-FILE" ] ||
		[ "$(tree_version "$built_in")" != "$fio_version" ] || use "$built_in"
}

# ---- the source package ----

# Find the package that the program belongs to. Set package, binary_version,
# source_package, source_version and upstream. False if there is none, or if the program is
# not the package's.
find_package()
{
	package=
	command -v dpkg-query >/dev/null || return 1
	# On a system with merged /usr the database may know it as /bin/fio.
	package=$(dpkg-query -S "$fio_path" "${fio_path#/usr}" 2>/dev/null |
		sed -n '/^diversion /d; s/: .*//p' | head -n 1)
	facts=$(dpkg-query -W -f '${Version} ${source:Package} ${source:Version}' \
		"${package:-no package}" 2>/dev/null) || return 1
	binary_version=${facts%% *}
	source_version=${facts##* }
	source_package=${facts#* }
	source_package=${source_package% *}
	upstream=${source_version#*:}
	upstream=${upstream%-*}
	# Another program may have replaced that of the package.
	case "fio-$upstream" in
	"$fio_version" | "$fio_version"[+~.]*) ;;
	*) return 1 ;;
	esac
}

# Make a private apt: the system's settings (proxies, passwords, keys) and repositories,
# the latter for source packages, but own lists and caches and none of the hooks.
private_apt()
{
	mkdir -p "$work/apt/sources.d" "$work/apt/lists/partial" "$work/apt/cache" \
		"$work/apt/state"
	main='' source_list='' source_parts=''
	eval "$(apt-config shell main Dir::Etc::main/f source_list Dir::Etc::sourcelist/f \
		source_parts Dir::Etc::sourceparts/d)"
	for file in "$source_list" "$source_parts"*.list; do
		[ ! -r "$file" ] || sed -nE '/cdrom:/d; s/^deb(-src)?[ \t]/deb-src /p' "$file" \
			>"$work/apt/sources.d/$(file_name "${file##*/}").list"
	done
	for file in "$source_parts"*.sources; do
		[ ! -r "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" \
			>"$work/apt/sources.d/$(file_name "${file##*/}")"
	done
	{
		[ ! -r "${APT_CONFIG-}" ] || echo "#include \"$APT_CONFIG\";"
		echo "Dir::Etc::main \"$work/apt/main.conf\";"
	} >"$work/apt/first.conf"
	# apt reads this file last.
	{
		[ ! -f "$main" ] || echo "#include \"$main\";"
		cat <<-END
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
		#clear Dir::Etc::sourcelist;
		Dir::Etc::sourcelist "/dev/null";
		Dir::Etc::sourceparts "$work/apt/sources.d";
		Dir::State "$work/apt/state";
		Dir::State::lists "$work/apt/lists";
		Dir::Cache "$work/apt/cache";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		APT::Sandbox::User "root";
		APT::Get::Only-Source "true";
		Acquire::Languages "none";
		Acquire::http::Timeout "30";
		Acquire::https::Timeout "30";
		END
	} >"$work/apt/main.conf"
}

# Set offered to the wanted version, or else to the newest of the same upstream release.
choose_version()
{
	versions=$(APT_CONFIG=$work/apt/first.conf apt-cache showsrc --only-source \
		"$source_package" 2>/dev/null | sed -n 's/^Version: //p')
	offered=$(echo "$versions" | grep -xF -e "$source_version" ||
		echo "$versions" | grep -E "^([0-9]+:)?$upstream-[^-]*\$")
	offered=$(echo "$offered" | head -n 1)
	[ -n "$offered" ]
}

use_package()
{
	find_package || {
		note_tried "no Debian package brought $fio_version"
		return
	}
	entry=$cache/package-$(file_name "$source_version")
	! ready "$entry" || use "$entry"
	start_work
	say "fetching the source package of $source_package $source_version" \
		"(once; the system's apt settings stay as they are)"
	private_apt
	logged env APT_CONFIG="$work/apt/first.conf" apt-get -q update
	choose_version || {
		reason=$(last_error)
		note_tried "source package $source_package $source_version (${reason:-not \
offered by the apt sources})"
		return
	}
	[ "$offered" = "$source_version" ] ||
		say "source $source_version is not offered any more; using" \
			"$offered, of the same fio release"
	mkdir "$work/package"
	logged env -C "$work/package" APT_CONFIG="$work/apt/first.conf" \
		apt-get -q source "$source_package=$offered" || {
		command -v dpkg-source >/dev/null || echo 'E: install dpkg-dev' >>"$work/log"
		note_tried "source package $source_package $offered ($(last_error))"
		return
	}
	mv "$work"/package/*/ "$work/tree"
	keep "$fio_version" "$entry" "Debian source $source_package $offered"
}

# ---- git ----

clone_git()
{
	# Ask for HEAD first, with a short limit: a clone may take minutes, but an
	# unreachable host should not.
	logged timeout 30 git ls-remote --exit-code "$git_url" HEAD || return 1
	case $fio_version,$commit in
	*-g* | *,?*)
		logged timeout 900 git clone -q --no-checkout --filter=blob:none \
			"$git_url" "$work/tree" &&
			logged timeout 300 git -C "$work/tree" checkout -q --detach \
				"${commit:-$fio_version}"
		;;
	*)
		logged timeout 600 git clone -q --depth 1 --branch "$fio_version" \
			"$git_url" "$work/tree"
		;;
	esac
}

use_git()
{
	entry=$cache/git-$(file_name "$fio_version")
	! ready "$entry" || use "$entry"
	find_commit
	case $fio_version in
	*-dirty)
		note_tried "git has no $fio_version: it was built from a changed tree"
		return
		;;
	esac
	if ! command -v git >/dev/null; then
		note_tried "no git to fetch $fio_version with"
		return
	fi
	start_work
	say "fetching ${commit:-$fio_version} from $git_url"
	if ! clone_git; then
		note_tried "git $git_url $fio_version ($(last_error))"
		return
	fi
	rm -rf "$work/tree/.git"
	keep "$fio_version" "$entry" "git $git_url ${commit:-$fio_version}"
}

# ---- main ----

for argument; do
	case $argument in
	--fio=*) fio=${argument#*=} ;;
	--source=*) source=${argument#*=} ;;
	--cache=*) cache=$(realpath -m "${argument#*=}") ;;
	*)
		fail "what is '$argument'? usage:" \
			"$me.sh [--fio=PROGRAM] [--source=DIR] --cache=DIR"
		;;
	esac
done
[ -n "$cache" ] || fail "--cache=DIR is missing"

trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fio_version=
fio_path=$(command -v "$fio") && fio_path=$(readlink -f "$fio_path") &&
	fio_version=$("$fio_path" --version 2>/dev/null | head -n 1)
[ -z "$fio_path" ] || program="$fio_path $(stat -c '%s %Y %i' "$fio_path")"
[ -z "$source" ] || use_source
[ -n "$fio_path" ] ||
	fail "there is no program $fio: install fio, or name one with FIO="
case $fio_version in
fio-[0-9]*) ;;
*) fail "$fio_path is not fio: its --version is '$fio_version'" ;;
esac

use_known_program
use_tree_of_program
use_package
use_git
fail "no source that matches $fio_version ($fio_path). Tried: $tried." \
	"${work:+(log: $cache/$me.log) }$(recipe)With its source at hand: FIO_SRC=/path/to/fio make"
