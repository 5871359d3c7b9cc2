#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/fio/find-fio.sh
#
# plugin/fio/find-fio.sh gives the source tree of exactly the installed fio, once, and
# leaves nothing else. Fails if an engine would be built against the headers of
# another fio (which crashes in the user's job), or refused one that fits. Fails also if a tree of the user's
# or the system's apt is written to, or if a broken half tree is taken for a
# finished one.
#
# There is no network and no real fio: a program that prints a version, a source of
# two headers, a git repository and a Debian archive are in the scratch directory.
# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch" || exit 1

# guards.t has the comparison with a real fio. Here a source fits unless it tells why not.
mkdir -p plugin/fio
cp "$root/plugin/fio/find-fio.sh" plugin/fio/
cat >plugin/fio/fits-fio.sh <<'END'
[ ! -f "$2/misfit" ] || cat "$2/misfit"
END
find_fio=$scratch/plugin/fio/find-fio.sh
cache=$scratch/cache
FIO_GIT=$scratch/no-such-repository
CC=${CC:-gcc}
GIT_CONFIG_GLOBAL=/dev/null
export FIO_GIT CC GIT_CONFIG_GLOBAL
unset APT_CONFIG DPKG_ADMINDIR

# program VERSION: makes the fio that is installed
program()
{
	printf '#!/bin/sh\necho %s\n' "$1" >fio.new
	chmod +x fio.new
	mv fio.new fio
}

# source_tree DIR VERSION: makes what fio.sh needs of a source of fio
source_tree()
{
	mkdir -p "$1"
	cat >"$1/fio.h" <<-END
	#define FIO_IOOPS_VERSION 1
	struct thread_data { int made_for_$(echo "$2" | tr -c 'a-z0-9\n' _); };
	struct io_u { int configured[CONFIGURED]; };
	END
	: >"$1/optgroup.h"
	echo "DEF_VER=$2" >"$1/FIO-VERSION-GEN"
	cat >"$1/configure" <<-'END'
	#!/bin/sh
	[ ! -e "$HOOK" ] || . "$HOOK"
	[ "$*" = --disable-native ] || exit 1
	printf '#define CONFIGURED 1\n#define CONFIG_LIBAIO\n' >config-host.h
	END
}

# look ARGUMENT...: runs find-fio.sh; sets $status, $out and $err (files)
HOOK=$scratch/hook
export HOOK
look()
{
	"$find_fio" --fio="$scratch/fio" --cache="$cache" "$@" >"$out" 2>"$err"
	status=$?
}

# left: lists what the cache holds, but for the log of a failure
left()
{
	find "$cache" -mindepth 1 -maxdepth 1 ! -name find-fio.log \
		-printf '%f\n' | sort | tr '\n' ' '
}

fingerprint()
{
	(cd "$1" && find . -type f -exec cksum {} + | sort)
}

# ---- the user's own tree ----

program fio-9.99
source_tree mine fio-9.99
fingerprint mine >before
look --source=mine
is $status 0 "FIO_SRC: a tree that is not configured is accepted"
tree=$(cat "$out")
[ -f "$tree/config-host.h" ]
ok $? "FIO_SRC: what is printed is a configured tree"
has "$tree/FIO-VERSION-FILE" "FIO_VERSION = fio-9.99" \
	"FIO_SRC: the tree has its version"
fingerprint mine >after
cmp -s before after
ok $? "FIO_SRC: the user's tree is as it was"
has_not "$err" warning "FIO_SRC: no warning about the matching version"

look --source=mine
is "$(cat "$out" "$err")" "$tree" "FIO_SRC: the copy is used again, in silence"

echo 'extern int added;' >>mine/fio.h
touch -d '1 minute' mine/fio.h
look --source=mine
has "$(cat "$out")/fio.h" added "FIO_SRC: a changed header is copied again"

echo '#define CONFIGURED 1' >mine/config-host.h
echo 'FIO_VERSION = fio-9.99' >mine/FIO-VERSION-FILE
look --source=mine
is "$(cat "$out")" "$scratch/mine" "FIO_SRC: a configured tree is used in place"

program fio-9.98
was=$(left)
look --source=mine
is "$status $(wc -l <"$err") $(left)" "1 1 $was" "FIO_SRC: another release is refused"
has "$err" "(fio-9.98): it is fio-9.99." "FIO_SRC: in one line with both versions"
program fio-9.99-7-gabcd-dirty
look --source=mine
is $status 0 "FIO_SRC: what fits is accepted, whatever its version"
has "$(cat "$out")/FIO-VERSION-FILE" "fio-9.99-7-gabcd-dirty" "FIO_SRC: it gets that of fio"
echo 'fio lacks option a' >mine/misfit
touch -d '2 minutes' mine/fio.h
look --source=mine
is "$status $(wc -l <"$err")" "1 1" "FIO_SRC: what does not fit is refused, before a copy"
has "$err" "gabcd-dirty): fio lacks option a." "FIO_SRC: in one line with the reason"
rm mine/misfit mine/config-host.h mine/FIO-VERSION-FILE
echo 'echo "fio has another place for option b" >misfit' >hook
look --source=mine
is "$status $(tail -n 1 "$err" | grep -c 'another place for option b')" "1 1" \
	"FIO_SRC: so is what fits only until it is configured"
rm -f hook

look --source="$scratch/nowhere"
is "$status $(wc -l <"$err")" "1 1" "FIO_SRC: a missing directory: one line"
rm -rf "$cache" mine

# ---- git ----

source_tree upstream fio-9.99
git_do()
{
	git -C upstream -c user.name=t -c user.email=t@example.org "$@" \
		>>git.log 2>&1
}
git_do init -q
git_do add .
git_do commit -q -m 9.99
git_do tag -a -m x fio-9.99
source_tree upstream fio-9.100
git_do commit -q -a -m 9.100
git_do tag -a -m x fio-9.100
echo 'extern int after_the_release;' >>upstream/fio.h
git_do commit -q -a -m later
described=$(git -C upstream describe --match 'fio-[0-9]*' --abbrev=4)
FIO_GIT=$scratch/upstream

program fio-9.99
look
is $status 0 "git: the tag of the installed version is found"
first=$(cat "$out")
has "$first/fio.h" made_for_fio_9_99 "git: it is that version's header"
has_not "$first/config-host.h" CONFIG_LIBAIO \
	"headers that may go away are not asked for"
has "$first/tickwise-stamp" "git $FIO_GIT fio-9.99" "the route is on record"

FIO_GIT=$scratch/no-such-repository
look
is "$status $(cat "$out" "$err")" "0 $first" \
	"the second call asks nobody and says nothing"
FIO_GIT=$scratch/upstream

program fio-9.100
look
second=$(cat "$out")
has "$second/fio.h" made_for_fio_9_100 "another fio gets another tree"

program "$described"
look
has "$(cat "$out")/fio.h" after_the_release "git: a version between two releases"
has "$(cat "$out")/FIO-VERSION-FILE" "$described" \
	"git: it keeps the name that fio has"

program fio-9.99
echo 'echo "fio lacks option c" >misfit' >hook
rm -rf "$cache"
look
is "$status $(wc -l <"$out") $(grep -c 'fio lacks option c' "$err") $(left)" "1 0 1 " \
	"git: a revision that does not fit"
rm hook
look
first=$(cat "$out")

program fio-9.100-dirty
look
is "$status $(grep -c 9_100 "$(cat "$out")/fio.h")" "0 1" "of a changed tree: what fits it"

program fio-9.99
rm "$first/tickwise-stamp"
echo 'broken(' >"$first/fio.h"
look
has "$(cat "$out")/fio.h" made_for_fio_9_99 "a tree without its stamp is made anew"
rm "$first/config-host.h"
look
[ -f "$(cat "$out")/config-host.h" ]
ok $? "so is one that has lost config-host.h"

rm -rf "$cache"
look &
first_call=$!
"$find_fio" --fio="$scratch/fio" --cache="$cache" >out2 2>err2
second_status=$?
wait $first_call
is "$second_status $(cat out2) $(left)" "0 $cache/git-fio-9.99 git-fio-9.99 " \
	"two calls at once leave one tree"

# ---- failures ----

program fio-9.97
look
is "$status $(wc -l <"$out")" "1 0" "a version that is nowhere: exit 1"
is "$(grep -c 'no source that matches fio-9.97' "$err")" 1 "one line names it"
has "$err" "FIO_SRC=" "and what the user can do"
is "$(left)" "git-fio-9.99 " "nothing else is left in the cache"

rm -rf "$cache"
program fio-9.99
echo 'echo the reason; exit 1' >hook
look
is "$status $(left)" "1 " "configure fails: exit 1, nothing is left"
has "$cache/find-fio.log" "the reason" "its output is kept"
has "$err" "$cache/find-fio.log" "and named"

# shellcheck disable=SC2016	# it is for the configure script
echo 'echo >"$HOOK.started"; sleep 1200; :' >hook
"$find_fio" --fio="$scratch/fio" --cache="$cache" >"$out" 2>"$err" &
call=$!
tries=0
while [ ! -e hook.started ] && [ $tries -lt 1200 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
kill -s TERM $call
killed_s=$(date +%s)
wait $call
is "$? $(left)" "143 " "SIGTERM in mid-configure: nothing is left"
# A second is usual. The point is that it does not wait for the child's 1200 s.
[ $(($(date +%s) - killed_s)) -lt 600 ]
ok $? "without waiting for the child"
# A killed process needs a CPU to end.
tries=0
while running=$(readlink /proc/[0-9]*/cwd 2>/dev/null | grep -c "^$cache")
      [ "$running" != 0 ] && [ $tries -lt 600 ]; do
	sleep 0.1
	tries=$((tries + 1))
done
is "$running" 0 "and nothing goes on running"
rm -f hook hook.started

CC=$scratch/no-compiler look
is "$status $(wc -l <"$err") $(left)" "1 1 " "no compiler: one line"

printf '#!/bin/sh\necho hello\n' >fio
look
has "$err" "is not fio" "a program that is not fio is refused"

# ---- a Debian source package ----

if ! command -v apt-get >/dev/null || ! command -v dpkg-source >/dev/null; then
	skip "the source package: no apt-get and dpkg-source here"
	done_testing
fi

# archive VERSION: makes an apt repository with the source fio VERSION alone
archive()
{
	rm -rf repository fio-src
	mkdir repository
	source_tree fio-src/fio "fio-${1%-*}"
	tar -C fio-src -czf "repository/fio_${1%-*}.orig.tar.gz" fio
	mkdir -p fio-src/debian/patches
	cat >fio-src/debian/patches/layout <<-END
	--- a/optgroup.h
	+++ b/optgroup.h
	@@ -0,0 +1 @@
	+#define DEBIAN_CHANGE 1
	END
	echo layout >fio-src/debian/patches/series
	tar -C fio-src -cJf "repository/fio_$1.debian.tar.xz" debian
	cat >header <<-END
	Format: 3.0 (quilt)
	Source: fio
	Version: $1
	Binary: fio
	Architecture: any
	Maintainer: T <t@example.org>
	END
	{
		cat header
		sums
	} >fio.dsc
	mv fio.dsc "repository/fio_$1.dsc"
	{
		sed 's/^Source:/Package:/' header
		echo "Directory: ."
		sums
	} >Sources
	mv Sources repository
}

# sums: prints the fields that list the repository's files
sums()
(
	cd repository || exit
	echo "Checksums-Sha256:"
	sha256sum fio_* | while read -r sum name; do
		echo " $sum $(wc -c <"$name") $name"
	done
	echo "Files:"
	md5sum fio_* | while read -r sum name; do
		echo " $sum $(wc -c <"$name") $name"
	done
)

# package VERSION: makes dpkg report that it installed our program
package()
{
	mkdir -p dpkg/info dpkg/updates
	cat >dpkg/status <<-END
	Package: fio
	Status: install ok installed
	Maintainer: T <t@example.org>
	Architecture: all
	Version: $1
	Description: test
	END
	printf '/.\n%s\n' "$scratch/fio" >dpkg/info/fio.list
	echo 1 >dpkg/info/format
}

# The system's settings, as far as the script can see: sources in both forms, one
# with an archive of another kind, and hooks.
mkdir -p apt/parts apt/lists/partial empty
cat >apt/parts/one.sources <<-END
	# comment
	Types: deb
	URIs: file:$scratch/repository/ file:$scratch/empty
	Suites: ./
	Trusted: yes
END
echo "deb [trusted=yes arch=amd64] file:$scratch/empty ./ # comment" \
	>apt/parts/two.list
cat >apt.conf <<-END
	Dir::Etc::sourcelist "/dev/null";
	Dir::Etc::sourceparts "$scratch/apt/parts";
	Dir::State::lists "$scratch/apt/lists";
	APT::Update::Post-Invoke { "touch $scratch/hook-ran"; };
END
: >empty/Sources
APT_CONFIG=$scratch/apt.conf
DPKG_ADMINDIR=$scratch/dpkg
export APT_CONFIG DPKG_ADMINDIR
FIO_GIT=$scratch/no-such-repository
fingerprint apt >before

archive 9.99-3
program fio-9.99
package 9.99-3
look
is "$status $(cat "$out")" "0 $cache/package-9.99-3" \
	"the source of the program's package"
has "$cache/package-9.99-3/optgroup.h" DEBIAN_CHANGE \
	"with the distribution's changes"
fingerprint apt >after
cmp -s before after && [ ! -e hook-ran ]
ok $? "the system's apt lists, sources and hooks are left alone"

package 9.99-4
program fio-9.99
look
is "$status $(cat "$out")" "0 $cache/package-9.99-4" "a revision that has gone: the newest"
has "$cache/package-9.99-4/tickwise-stamp" "fio (the newest)" "which is on record"

package 9.96-1
program fio-9.96
look
is "$status $(grep -c 'Debian source fio (the newest): it is fio-9.99' "$err")" "1 1" \
	"another release of fio is not taken for it"

package 9.99-3
program fio-9.95
look
is "$status $(grep -c 'Debian source fio 9.99-3: it is fio-9.99' "$err")" "1 1" \
	"nor the package's source for a program copied over it"
is "$(left)" "package-9.99-3 package-9.99-4 " "nothing else is left"

# ---- Debian's 3.39, which is made of a commit after the release ----

package 3.39-1
program fio-3.39
source_tree release fio-3.39
echo 'fio has one more option: x' >release/misfit
look --source=release
is "$status $(wc -l <"$err")" "1 1" "the source of the release is refused"
has "$err" "source package fio 3.39-1, and is commit 58818df7b0948d36ba9743160a1f570700d2347d of" \
	"in one line with the package and the commit"
# ---- make demo ----

# Where this search needs no package, it comes before any is installed. `make check FIO_SRC=DIR`
# gives its tests that source, in which nothing would be searched for.
if command -v git >/dev/null && command -v dpkg-source >/dev/null; then
	program fio-9.99
	env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u FIO_SRC make --no-print-directory -C "$root" demo \
		B="$scratch/b" FIO="$scratch/fio" FIO_CACHE="$scratch/demo" INSTALL=no >"$out" 2>"$err"
	is "$? $(grep -c '^find-fio: no source that matches fio-9.99' "$err") $(wc -c <"$out")" '2 1 0' \
		'make demo: without a source nothing is installed or built'
	has "$err" 'demo: with the source of this fio in DIR, type: make demo FIO_SRC=DIR' \
		'and what to type is printed'
else
	skip 'there is no git or no dpkg-source'
fi
done_testing
