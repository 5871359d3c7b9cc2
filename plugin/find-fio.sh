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
LC_ALL=C
export LC_ALL
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

fio=fio
source=
cache=
git_url=${FIO_GIT:-https://github.com/axboe/fio}
me=find-fio
stamp_name=tickwise-stamp
work=
child=
tried=
stamp_program=

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

# ---- running things so that a signal leaves nothing behind ----

# shellcheck disable=SC2317	# reached through the trap
stop_child()
{
	if [ -n "$child" ]; then
		kill -s KILL -- "-$child" 2>/dev/null
		wait "$child" 2>/dev/null
		child=
	fi
}

# shellcheck disable=SC2317
leave()
{
	status=$?
	trap - EXIT
	trap '' INT TERM HUP
	stop_child
	if [ -n "$work" ]; then
		if [ "$status" -ne 0 ] && [ -f "$work/log" ]; then
			mv -f "$work/log" "$cache/$me.log"
		fi
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
	setsid "$@" >>"$work/log" 2>&1 </dev/null &
	child=$!
	wait "$child"
	logged_status=$?
	child=
	return "$logged_status"
}

# Print the last error in the log, for the one line of a failure.
last_error()
{
	tail -n 20 "$work/log" |
		sed -n 's/^E: //p; s/^W: Failed/failed/p; s/^fatal: //p
			s/.*error: //p' |
		tail -n 1 | cut -c 1-200
}

start_work()
{
	[ -z "$work" ] || return 0
	mkdir -p "$cache" 2>/dev/null
	work=$(mktemp -d "$cache/.new.XXXXXX" 2>/dev/null) ||
		fail "can't write to the cache directory $cache"
	: >"$work/log"
	# Remove what an earlier call left that was killed.
	find "$cache" -maxdepth 1 -name '.new.*' -mmin +120 \
		-exec rm -rf {} + 2>/dev/null
	command -v "${cc%% *}" >/dev/null ||
		fail "no C compiler ($cc): install gcc, or set CC"
}

# ---- what exists already ----

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

# ready ENTRY: true if this entry of the cache is complete and for this fio
ready()
{
	[ -f "$1/config-host.h" ] && [ -f "$1/FIO-VERSION-FILE" ] &&
		grep -qxF "fio: $fio_version" "$1/$stamp_name" 2>/dev/null
}

# The usual case, which should be fast: the program is the same as last time.
use_known_program()
{
	for known in "$cache"/*/"$stamp_name"; do
		[ -f "$known" ] || continue
		grep -qxF "program: $stamp_program" "$known" || continue
		ready "${known%/*}" || continue
		echo "${known%/*}"
		exit 0
	done
}

# ---- a tree becomes an entry of the cache ----

check_compile()
{
	cat >"$work/check.c" <<-END
	#include "fio.h"
	#include "optgroup.h"
	int version = FIO_IOOPS_VERSION;
	int size = sizeof(struct thread_data) + sizeof(struct io_u);
	END
	# $CC may be several words: "ccache gcc".
	# shellcheck disable=SC2086
	logged env -C "$1" $cc -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-DFIO_INTERNAL -DFIO_INC_DEBUG -include config-host.h -I. -w \
		-c -o "$work/check.o" "$work/check.c"
}

# configure_tree TREE
configure_tree()
{
	if [ ! -f "$1/config-host.h" ]; then
		say "configuring it"
		# The user's flags are for the engine, not for configure's tests.
		# TMPDIR: configure's temporary files are removed with the tree.
		logged env -C "$1" TMPDIR=. CFLAGS= LDFLAGS= CC="$cc" \
			sh ./configure --disable-native
	fi
	if [ ! -f "$1/config-host.h" ]; then
		sed 's/^/    /' "$1/config.log" >>"$work/log" 2>/dev/null
		fail "fio's configure failed; its output is in $cache/$me.log" \
			"(is libc6-dev installed?)"
	fi
	# With these two, fio.h includes libaio.h and numa.h, which may be uninstalled
	# later. They change no layout: the largest member of the only union that they
	# affect is always there.
	sed -i '/^#define CONFIG_\(LIBAIO\|LIBNUMA\)$/d' "$1/config-host.h"
	[ -f "$1/FIO-VERSION-FILE" ] ||
		echo "FIO_VERSION = $(tree_version "$1")" >"$1/FIO-VERSION-FILE"
	check_compile "$1" ||
		fail "fio.h of this source can't be compiled here; the compiler's" \
			"output is in $cache/$me.log (is libc6-dev installed?)"
}

# keep TREE ENTRY ROUTE: configure the tree, stamp it, and move it into the cache
keep()
{
	# A copy of the user's tree may be complete, but outdated.
	outdated=0
	! ready "$2" || outdated=1
	configure_tree "$1"
	cat >"$1/$stamp_name" <<-END
	version: $(tree_version "$1")
	route: $3
	fio: $fio_version
	program: $stamp_program
	END
	mv -f "$work/log" "$1/tickwise-log"
	# Another call may have been faster; then its tree is used.
	if [ "$outdated" = 1 ] || ! ready "$2"; then
		[ ! -e "$2" ] || mv -T "$2" "$work/old" 2>/dev/null
		mv -T "$1" "$2" 2>/dev/null || ready "$2" ||
			fail "can't put the finished tree in $2"
	fi
	rm -f "$cache/$me.log"
	echo "$2"
	exit 0
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
		say "warning: $given is $version, but $fio_path is" \
			"$fio_version: an engine built for one does not run in" \
			"the other"
	fi
	if [ -f "$given/config-host.h" ] && [ -f "$given/FIO-VERSION-FILE" ] &&
		[ "$(tree_version "$given")" = "$version" ]; then
		echo "$given"
		exit 0
	fi

	sum=$(printf '%s' "$given" | cksum)
	entry=$cache/source-$(file_name "$version")-${sum%% *}
	newer=$(find "$given" \( -name '*.h' -o -name configure \) \
		-newer "$entry/$stamp_name" 2>/dev/null | head -n 1)
	if ready "$entry" && [ -z "$newer" ]; then
		echo "$entry"
		exit 0
	fi
	start_work
	say "copying $given, to configure the copy"
	mkdir "$work/tree"
	{
		logged tar -C "$given" --exclude=./.git --exclude='*.o' \
			-cf "$work/tar" . &&
			logged tar -C "$work/tree" -xf "$work/tar"
	} || fail "can't copy $given to $cache"
	rm -f "$work/tar"
	echo "FIO_VERSION = $version" >"$work/tree/FIO-VERSION-FILE"
	keep "$work/tree" "$entry" "copy of $given"
}

# Use the directory of the program, if the program was built there.
use_tree_of_program()
{
	built_in=$(dirname "$fio_path")
	[ -f "$built_in/fio.h" ] && [ -f "$built_in/config-host.h" ] &&
		[ -f "$built_in/FIO-VERSION-FILE" ] &&
		[ "$(tree_version "$built_in")" = "$fio_version" ] || return 0
	echo "$built_in"
	exit 0
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
	for path in "$fio_path" "${fio_path#/usr}"; do
		package=$(dpkg-query -S "$path" 2>/dev/null |
			sed -n '/^diversion /d; s/: .*//p' | head -n 1)
		[ -z "$package" ] || break
	done
	[ -n "$package" ] || return 1
	facts=$(dpkg-query -W -f '${Version} ${source:Package} ${source:Version}' \
		"$package" 2>/dev/null) || return 1
	binary_version=${facts%% *}
	source_version=${facts##* }
	source_package=${facts#* }
	source_package=${source_package% *}
	upstream=${source_version#*:}
	upstream=${upstream%-*}
	# Another program may have replaced that of the package.
	case "fio-$upstream" in
	"$fio_version" | "$fio_version"[+~.]*) return 0 ;;
	esac
	package=
	return 1
}

# source_entries URI SUITE FILE...: write the entries of FILEs, which are apt's sources, as
# entries for source packages. Only those of URI and SUITE; an empty argument means all.
source_entries()
{
	wanted_uri=$1 wanted_suite=$2
	shift 2
	for file; do
		[ -r "$file" ] || continue
		case $file in
		*.sources) form=stanzas ;;
		*) form=lines ;;
		esac
		target=$work/apt/sources.d/$(file_name "${file##*/}")
		[ "$form" = stanzas ] || target=${target%.list}.list
		awk -v form="$form" -v uri="$wanted_uri" \
			-v suite="$wanted_suite" "$entries_awk" "$file" >"$target"
		[ -s "$target" ] || rm -f "$target"
	done
}

# It handles both forms of apt's sources, see sources.list(5). A stanza keeps all fields
# (Signed-By may be a whole key) except those that choose what to fetch.
# shellcheck disable=SC2016
entries_awk='
function plain(u)
{
	sub(/\/+$/, "", u)
	sub(/:\/+/, ":/", u)
	return u
}
function matching(list, wish, is_uri,   n, i, part, found)
{
	n = split(list, part, /[ \t]+/)
	for (i = 1; i <= n; i++) {
		if (part[i] == "" || part[i] ~ /^cdrom:/)
			continue
		if (wish == "" || part[i] == wish ||
		    (is_uri && plain(part[i]) == plain(wish)))
			found = found " " part[i]
	}
	return found
}
function end_stanza(   uris, suites)
{
	uris = matching(field["uris"], uri, 1)
	suites = matching(field["suites"], suite, 0)
	if (field["types"] != "" && uris != "" && suites != "")
		printf "Types: deb-src\nURIs:%s\nSuites:%s\n%s\n",
			uris, suites, rest
	rest = ""
	name = ""
	split("", field)
}
form == "stanzas" && /^#/ { next }
form == "stanzas" && /^[ \t]*$/ { end_stanza(); next }
form == "stanzas" {
	if ($0 !~ /^[ \t]/) {
		name = tolower($0)
		sub(/:.*/, "", name)
		value = $0
		sub(/^[^:]*:/, "", value)
	} else
		value = $0
	if (name == "types" || name == "uris" || name == "suites")
		field[name] = field[name] " " value
	else
		rest = rest $0 "\n"
	next
}
$1 == "deb" || $1 == "deb-src" {
	sub(/[ \t]#.*/, "")
	options = ""
	line = $0
	sub(/^[ \t]*deb(-src)?[ \t]+/, "", line)
	if (match(line, /^\[[^]]*\][ \t]*/)) {
		options = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
	}
	split(line, part, /[ \t]+/)
	if (matching(part[1], uri, 1) != "" && matching(part[2], suite, 0) != "")
		print "deb-src " options line
}
END { if (form == "stanzas") end_stanza() }
'

# Write the configuration of a private apt. It has the system's settings (proxies,
# passwords, keys), but its own lists, cache and sources, and none of the system's hooks.
private_apt()
{
	mkdir -p "$work/apt/sources.d" "$work/apt/lists/partial" \
		"$work/apt/cache/archives/partial" "$work/apt/state" \
		"$work/download"
	main='' source_list='' source_parts=''
	eval "$(apt-config shell main Dir::Etc::main/f \
		source_list Dir::Etc::sourcelist/f \
		source_parts Dir::Etc::sourceparts/d)"
	{
		[ -z "${APT_CONFIG-}" ] || [ ! -r "$APT_CONFIG" ] ||
			echo "#include \"$APT_CONFIG\";"
		echo "Dir::Etc::main \"$work/apt/main.conf\";"
		echo "Acquire::http::Timeout \"30\";"
		echo "Acquire::https::Timeout \"30\";"
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
		Dir::Cache::archives "archives";
		Dir::Cache::pkgcache "";
		Dir::Cache::srcpkgcache "";
		APT::Sandbox::User "root";
		APT::Get::Only-Source "true";
		Acquire::Languages "none";
		END
	} >"$work/apt/main.conf"
}

own_apt()
{
	logged env -C "$work/download" APT_CONFIG="$work/apt/first.conf" \
		apt-get -q "$@"
}

# offered_versions: print the versions that the private apt could fetch, newest first
offered_versions()
{
	APT_CONFIG=$work/apt/first.conf apt-cache showsrc --only-source \
		"$source_package" 2>/dev/null | sed -n 's/^Version: //p' | uniq
}

# choose_version: set offered to the wanted version, or else to the newest of the same
# upstream release
choose_version()
{
	offered=
	for candidate in $(offered_versions); do
		other=${candidate#*:}
		if [ "$candidate" = "$source_version" ]; then
			offered=$candidate
			return 0
		elif [ "${other%-*}" = "$upstream" ] && [ -z "$offered" ]; then
			offered=$candidate
		fi
	done
	[ -n "$offered" ]
}

# download_package: set offered, and fill download/
download_package()
{
	private_apt
	# Where the installed version comes from, as "URI SUITE/COMPONENT".
	origin=$(apt-cache madison "$package" 2>/dev/null |
		awk -F ' *[|] *' -v version="$binary_version" \
			'$2 == version && $3 !~ / Sources$/ { print $3; exit }')
	origin_uri=${origin%% *}
	origin_suite=${origin#* }
	origin_suite=${origin_suite%% *}
	case $origin_suite in
	*/ | '') ;;
	*) origin_suite=${origin_suite%/*} ;;
	esac
	# Try only the repository of the binary first, and then all of them, because a
	# suite's list of sources has ten megabytes.
	for scope in origin all; do
		rm -f "$work/apt/sources.d"/*
		if [ "$scope" = all ]; then
			origin_uri='' origin_suite=''
		elif [ -z "$origin" ]; then
			continue
		fi
		source_entries "$origin_uri" "$origin_suite" "$source_list" \
			"$source_parts"*.list "$source_parts"*.sources
		rmdir "$work/apt/sources.d" 2>/dev/null &&
			mkdir "$work/apt/sources.d" && continue
		own_apt update
		choose_version || continue
		own_apt source --download-only \
			"$source_package=$offered" && return 0
	done
	return 1
}

# unpack_package: unpack download/ into tree/
unpack_package()
{
	if command -v dpkg-source >/dev/null; then
		logged dpkg-source --no-check -x "$work"/download/*.dsc \
			"$work/tree" && return 0
		rm -rf "$work/tree"
	fi
	# dpkg-dev is missing: unpack the upstream archive, and apply Debian's patches.
	mkdir "$work/tree"
	rm -f "$work"/download/*.asc
	logged tar -C "$work/tree" --strip-components=1 -xf \
		"$work"/download/*.orig.tar.* || return 1
	logged tar -C "$work/tree" -xf "$work"/download/*.debian.tar.* ||
		return 1
	while read -r change; do
		case $change in
		'' | '#'*) continue ;;
		esac
		logged patch -d "$work/tree" -p1 -f \
			-i "debian/patches/${change%%[ #]*}" || return 1
	done <"$work/tree/debian/patches/series"
}

use_package()
{
	if ! find_package; then
		note_tried "no Debian package brought $fio_version"
		return
	fi
	entry=$cache/package-$(file_name "$source_version")
	if ready "$entry"; then
		echo "$entry"
		exit 0
	fi
	if ! command -v apt-get >/dev/null; then
		note_tried "no apt-get to fetch the source of $package with"
		return
	fi
	start_work
	say "fetching the source package of $source_package $source_version" \
		"(once; the system's apt settings stay as they are)"
	if ! download_package; then
		reason=$(last_error)
		reason=${reason:-not offered by the apt sources}
		note_tried "source package $source_package $source_version ($reason)"
		return
	fi
	[ "$offered" = "$source_version" ] ||
		say "source $source_version is not offered any more; using" \
			"$offered, of the same fio release"
	if ! unpack_package; then
		reason="install dpkg-dev"
		! command -v dpkg-source >/dev/null || reason=$(last_error)
		note_tried "source package $source_package $offered, not unpacked ($reason)"
		rm -rf "$work/tree"
		return
	fi
	rm -rf "$work/apt" "$work/download"
	version=$(tree_version "$work/tree")
	if [ "$version" != "$fio_version" ]; then
		note_tried "source package $source_package $offered, which is $version"
		rm -rf "$work/tree"
		return
	fi
	keep "$work/tree" "$entry" "Debian source $source_package $offered"
}

# ---- git ----

# git_commit: print the commit of $fio_version in the clone. A version such as
# fio-3.42-15-gabcd has only four digits of the commit. If several commits begin with
# these, take the one that git describes by that name.
git_commit()
{
	case $fio_version in
	*-g*) ;;
	*)
		git -C "$work/tree" rev-parse --verify -q \
			"refs/tags/$fio_version^{commit}"
		return
		;;
	esac
	for commit in $(git -C "$work/tree" rev-parse \
		--disambiguate="${fio_version##*-g}"); do
		[ "$(git -C "$work/tree" cat-file -t "$commit")" = commit ] ||
			continue
		# Compare without the digits, whose number depends on the clone.
		name=$(git -C "$work/tree" describe --match 'fio-[0-9]*' \
			"$commit" 2>/dev/null)
		if [ "${name%-g*}" = "${fio_version%-g*}" ]; then
			echo "$commit"
			return 0
		fi
	done
	return 1
}

clone_git()
{
	# Ask for HEAD first, with a short limit: a clone may take minutes, but an
	# unreachable host should not.
	logged timeout 30 git ls-remote --exit-code "$git_url" HEAD || return 1
	case $fio_version,$commit in
	*-g* | *,?*)
		logged timeout 900 git clone -q --no-checkout \
			--filter=blob:none "$git_url" "$work/tree" || return 1
		[ -n "$commit" ] || commit=$(git_commit) || {
			echo "fatal: no commit there is $fio_version" >>"$work/log"
			return 1
		}
		logged timeout 300 git -C "$work/tree" checkout -q --detach \
			"$commit"
		;;
	*)
		logged timeout 600 git clone -q --depth 1 \
			--branch "$fio_version" "$git_url" "$work/tree"
		;;
	esac
}

use_git()
{
	entry=$cache/git-$(file_name "$fio_version")
	if ready "$entry"; then
		echo "$entry"
		exit 0
	fi
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
	GIT_TERMINAL_PROMPT=0
	export GIT_TERMINAL_PROMPT
	if ! clone_git; then
		reason=$(last_error)
		note_tried "git $git_url $fio_version${reason:+ ($reason)}"
		rm -rf "$work/tree"
		return
	fi
	rm -rf "$work/tree/.git"
	echo "FIO_VERSION = $fio_version" >"$work/tree/FIO-VERSION-FILE"
	keep "$work/tree" "$entry" "git $git_url ${commit:-$fio_version}"
}

# ---- main ----

for argument; do
	case $argument in
	--fio=*) fio=${argument#*=} ;;
	--source=*) source=${argument#*=} ;;
	--cache=*) cache=${argument#*=} ;;
	*)
		fail "what is '$argument'? usage:" \
			"$me.sh [--fio=PROGRAM] [--source=DIR] --cache=DIR"
		;;
	esac
done
[ -n "$cache" ] || fail "--cache=DIR is missing"
case $cache in
/*) ;;
*) cache=$(pwd)/$cache ;;
esac
cc=${CC:-gcc}

trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

fio_version=
fio_path=$(command -v "$fio") && fio_path=$(readlink -f "$fio_path") &&
	fio_version=$("$fio_path" --version 2>/dev/null | head -n 1)
[ -z "$source" ] || use_source
[ -n "$fio_path" ] ||
	fail "there is no program $fio: install fio, or name one with FIO="
case $fio_version in
fio-[0-9]*) ;;
*) fail "$fio_path is not fio: its --version is '$fio_version'" ;;
esac
stamp_program="$fio_path $(stat -c '%s %Y %i' "$fio_path")"

use_known_program
use_tree_of_program
use_package
use_git
log=
[ -z "$work" ] || log=" (log: $cache/$me.log)"
fail "no source that matches $fio_version ($fio_path). Tried: $tried.$log" \
	"$(recipe)With its source at hand: FIO_SRC=/path/to/fio make"
