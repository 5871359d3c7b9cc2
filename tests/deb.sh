#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the Debian packages in fresh systems of Debian 12 and 13:
#
#	tests/deb.sh [debian-12] [debian-13]
#
# `make deb` builds the packages twice in one system, in two folders and without a
# network. Both results must have the same bytes, and lintian and blhc find no
# error. In another system they are installed, used, upgraded and purged. Each line
# of the output is one test, as in TAP.
#
# tests/distros.sh explains how systems are made and kept, and the variables
# TW_DISTROS, TW_DEBIAN_MIRROR and FIO_GIT. Here the systems are NAME/deb-build,
# where the packages stay, and NAME/deb-use. NAME/deb.log has the output of all
# commands.
#
# Needs root. Exit 0, 1 if a test failed, 69 if nothing could be tried.
# shellcheck disable=SC2016	# what is quoted is for the shell in the system
set -u
LC_ALL=C
export LC_ALL

root=$(cd "$(dirname "$0")/.." && pwd)
distros=${TW_DISTROS:-$root/build/distros}
fio_git=${FIO_GIT:-https://github.com/axboe/fio}
child=
count=0
failed=0
skipped=0

fail()
{
	echo "deb: $*" >&2
	exit 69
}

# shellcheck source=tests/distros_common.sh
. "$root/tests/distros_common.sh"

# ok STATUS WHAT
ok()
{
	count=$((count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $count - $name: $2"
	else
		failed=$((failed + 1))
		echo "not ok $count - $name: $2 (see $log)"
	fi
}

# here COMMAND...: runs a command in the system, and keeps its output in $out as
# well
here()
{
	all=$log
	log=$dir/deb.out
	: >"$log"
	echo "+ $*" >>"$all"
	inside "$dir" "$@"
	here_status=$?
	cat "$log" >>"$all"
	log=$all
	return "$here_status"
}

# shell TEXT: runs a line of shell in the system
shell()
{
	here sh -c "$1"
}

# printed TEXT: checks that the last command printed this text
printed()
{
	grep -qF -e "$1" "$dir/deb.out"
}

# new_system NAME: sets $dir/root to a fresh system, kept as NAME
new_system()
{
	rm -rf --one-file-system "$dir/root" "${dir:?}/$1"
	if ! cp -a "$dir/base" "$dir/$1" || ! ln -sfn "$1" "$dir/root" ||
		! mkdir -p "$dir/root/root/tickwise"; then
		fail "no room for $name in $distros"
	fi
	settings
}

packages='tickwise fio-tickwise libtickwise0 libtickwise-dev'

# ---- building ----

# Set fio_src to the source of the distribution's fio, by its package or by git.
find_fio_source()
{
	fio_src=
	if here plugin/find-fio.sh --cache=/root/fio-cache; then
		fio_src=$(tail -n 1 "$dir/deb.out")
	else
		source_from_git "$revision"
	fi
}

# build FOLDER SOURCE: runs make deb without a network
build()
{
	shell "cd $1 && unshare --net make deb FIO_SRC=$2"
}

test_build()
{
	new_system deb-build
	git clone -q --no-hardlinks "$root" "$dir/root/root/tickwise" ||
		fail "can't clone to $dir"
	here make packages-deb
	ok $? 'what the build needs is installed'
	here apt-get -q -y install --no-install-recommends lintian blhc
	if ! find_fio_source; then
		why='the source of its fio can not be had'
		return 1
	fi
	shell 'mkdir -p /root/another/place && cp -a . /root/another/place/copy'
	shell "cp -a $fio_src /root/another/fio"
	begun=$(date +%s)
	build /root/tickwise "$fio_src"
	built=$?
	ok "$built" "make deb without a network: $(($(date +%s) - begun)) s"
	[ "$built" = 0 ] || return 0
	shell 'umask 077; find /root/another/place -exec touch -d 2001-01-01 {} +'
	build /root/another/place/copy /root/another/fio
	ok $? 'again in another folder'
	same=0
	for deb in "$dir"/root/root/tickwise/build/deb/*.deb; do
		cmp "$deb" "$dir/root/root/another/place/copy/build/deb/${deb##*/}" \
			>>"$log" 2>&1 || same=1
	done
	ok "$same" "the same bytes, $(find "$dir/root/root/tickwise/build/deb/" \
		-name '*.deb' | wc -l) packages"
	shell 'lintian --allow-root --fail-on error build/deb/*.changes'
	ok $? "lintian: no error, $(grep -c '^W:' "$dir/deb.out") warnings"
	# Programs for the kernel are not linked by gcc.
	shell 'blhc --all --debian --ignore-line ".*-target bpf.*" build/deb/build.log'
	ok $? 'blhc: each compile and link has the flags of hardening'
}

# ---- using ----

# changed VERSION NAME...: writes these packages with another version into
# debs-VERSION
changed()
{
	version=$1
	shift
	for package; do
		shell "mkdir -p debs-$version && rm -rf work &&
			dpkg-deb -R debs/${package}_*.deb work &&
			sed -i 's/^Version: .*/Version: $version/;
				s/tickwise\(0\?\) (= [^)]*)/tickwise\1 (= $version)/g' \
				work/DEBIAN/control &&
			dpkg-deb -b work debs-$version/${package}_$version.deb" || return 1
	done
}

# List the files that no package owns, without what installing and removing packages
# writes.
leftovers()
{
	shell 'cat /var/lib/dpkg/info/*.list | sort -u >/tmp/owned
		find / -xdev \( -path /root -o -path /tmp -o -path /proc -o -path /sys \
			-o -path /dev -o -path /var/cache -o -path /var/log \
			-o -path /var/lib/dpkg -o -path /var/lib/apt \) -prune -o -print |
			sort | comm -23 - /tmp/owned
		rm /tmp/owned'
	cat "$dir/deb.out"
}

write_jobs()
{
	{
		echo '[global]'
		echo 'filename=/root/tickwise/data'
		echo 'size=16m'
		echo 'rw=randread'
		echo 'direct=0'
		echo 'runtime=2'
		echo 'time_based'
		echo '[mine]'
		echo 'ioengine=io_uring'
	} >"$dir/root/root/tickwise/mine.fio"
	sed 's/io_uring/fio-tickwise.so/; s/mine/named/' \
		"$dir/root/root/tickwise/mine.fio" >"$dir/root/root/tickwise/named.fio"
	# shellcheck disable=SC2016	# fio's
	sed 's/io_uring/${ENG}/; s/mine/path/' \
		"$dir/root/root/tickwise/mine.fio" >"$dir/root/root/tickwise/path.fio"
}

# Type what a user types: two commands, for a job file that is there.
test_first_report()
{
	begun=$(date +%s)
	shell 'apt-get -q -y install ./debs/tickwise_*.deb ./debs/fio-tickwise_*.deb'
	ok $? 'apt-get install'
	here tickwise run --report mine.fio
	status=$?
	seconds=$(($(date +%s) - begun))
	printed 'fio lat mean' && printed 'deliver' || status=1
	ok "$status" "tickwise run --report: a job's report with its stages"
	[ "$seconds" -le 120 ]
	ok $? "from packages to that report in $seconds s"
}

test_names()
{
	for engine in tickwise tickwise-cmd tickwise-memory; do
		here fio "--enghelp=fio-$engine.so"
		printed 'tw_'
		ok $? "fio knows fio-$engine.so"
	done
	here fio named.fio && shell 'tickwise report named.*.tickwise.json'
	printed 'fio lat mean'
	ok $? 'ioengine=fio-tickwise.so'
	here tickwise run named.fio
	ok $? 'which tickwise run leaves as it is'
	shell 'ENG=external:$(tickwise engine) fio path.fio && tickwise report path.*.json'
	printed 'fio lat mean'
	ok $? 'ioengine=external: with the path of tickwise engine'
}

test_library()
{
	shell 'apt-get -q -y install --no-install-recommends ./debs/libtickwise*.deb \
		gcc libc6-dev pkg-config'
	printf '%s\n' '#include <stdio.h>' '#include <tickwise.h>' \
		'int main(void) { puts(tw_ticks() ? TW_VERSION : ""); return 0; }' \
		>"$dir/root/root/tickwise/use.c"
	shell 'gcc -o use use.c $(pkg-config --cflags --libs tickwise) && ./use &&
		gcc -finstrument-functions -o hooked use.c \
			$(pkg-config --cflags --libs tickwise tickwise-profile) &&
		tickwise profile -- ./hooked'
	status=$?
	printed main || status=1
	ok "$status" 'programs are built with the library and with its hooks'
	shell 'LD_PRELOAD=libtickwise-preload.so TICKWISE_PRELOAD=verbose date'
	printed tickwise
	ok $? 'LD_PRELOAD=libtickwise-preload.so needs no path'
	shell 'for page in tickwise tickwise-build-engine tw_ticks_end tickwise-report; do
		find /usr/share/man -name "$page.[1-9].gz" | grep . || exit 1; done'
	ok $? 'manual pages'
}

test_upgrade()
{
	# shellcheck disable=SC2086	# a list
	changed 0.1+next $packages &&
		shell 'apt-get -q -y install ./debs-0.1+next/*.deb && tickwise run mine.fio &&
			dpkg-query -W -f "\${Version}\n" tickwise fio-tickwise'
	ok $? 'an upgrade of all packages'
	shell 'apt-get download fio && mv fio_*.deb debs/' &&
		changed 99 fio &&
		here apt-get -s install ./debs-99/fio_99.deb
	printed 'Remv fio-tickwise'
	ok $? 'an upgrade of fio takes the engines along'
}

# Make a fio of the user's own: the installed one with another version of the same
# length.
test_other_fio()
{
	version=$(chroot "$dir/root" fio --version)
	other=$(echo "$version" | tr '0-9' '1-90')
	shell "mkdir -p /opt/own && perl -pe 's/\\Q$version\\E(?=\\0)/$other/g' \
		</usr/bin/fio >/opt/own/fio && chmod 755 /opt/own/fio"
	here tickwise run --fio=/opt/own/fio mine.fio
	tail -n 1 "$dir/deb.out" | grep -q "built for $version, loaded into $other\. Type: \
tickwise build-engine --fio=/opt/own/fio\$"
	ok $? 'a fio that the engine is not for: one line with the command'
	here tickwise build-engine --fio=/opt/own/fio --source=/root/fio
	printed 'as root, type: apt-get install liburing-dev libjansson-dev zlib1g-dev'
	ok $? 'tickwise build-engine: one line with the missing packages'
	shell "$(sed -n 's/.*as root, type: \(apt-get install\)/\1 -q -y/p' "$dir/deb.out")"
	cp -a "$dir/deb-build$fio_src" "$dir/root/root/fio" &&
		printf 'FIO_VERSION = %s\n' "$other" >"$dir/root/root/fio/FIO-VERSION-FILE"
	begun=$(date +%s)
	here unshare --net tickwise build-engine --fio=/opt/own/fio --source=/root/fio
	ok $? "tickwise build-engine, without a network: $(($(date +%s) - begun)) s"
	here tickwise run --report --fio=/opt/own/fio mine.fio
	printed 'fio lat mean'
	ok $? 'tickwise run finds what it built'
	here fio --enghelp=fio-tickwise.so
	printed tw_report
	ok $? 'and the installed fio keeps its own'
}

test_use()
{
	new_system deb-use
	cp -a "$dir/deb-build/root/tickwise/build/deb" "$dir/root/root/tickwise/debs"
	rm -f "$dir"/root/root/tickwise/debs/*-dbgsym*
	# shellcheck disable=SC2115
	rm -rf "$dir"/root/root/tickwise/debs/tickwise-*/
	write_jobs
	here apt-get -q update
	leftovers >"$dir/before"
	test_first_report
	test_names
	test_library
	test_upgrade
	test_other_fio
	# shellcheck disable=SC2086	# a list
	here apt-get -q -y purge $packages
	ok $? 'apt-get purge'
	rm -rf "$dir/root/opt/own"
	leftovers >"$dir/after"
	left=$(comm -13 "$dir/before" "$dir/after" | grep tickwise)
	[ -z "$left" ]
	ok $? 'nothing is left'
	echo "$left" >>"$log"
}

[ "$(id -u)" = 0 ] || fail "needs root, to mount and to change the root"
for program in debootstrap git unshare; do
	type "$program" >/dev/null 2>&1 || fail "$program is missing: install it"
done
[ $# -gt 0 ] || set -- debian-12 debian-13
mkdir -p "$distros" || exit 69
distros=$(cd "$distros" && pwd)
apart true || fail "no namespaces here: unshare --mount --pid fails"
[ -z "$(git -C "$root" status --porcelain)" ] ||
	echo "deb: what is not committed is not tried" >&2
debian=${TW_DEBIAN_MIRROR:-$(mirror Debian)}
for name; do
	# Take the same revisions of fio as tests/distros.sh.
	case $name in
	debian-12) suite=bookworm revision=fio-3.33 ;;
	debian-13) suite=trixie revision=58818df7b0948d36ba9743160a1f570700d2347d ;;
	*) fail "what is '$name'? There are debian-12, debian-13" ;;
	esac
	dir=$distros/$name
	log=$dir/deb.log
	mkdir -p "$dir/archives/partial"
	: >"$log"
	why=
	built=1
	if ! base Debian "$suite" main "$debian" debian-archive-keyring.gpg ||
		! test_build; then
		skipped=$((skipped + 1))
		echo "# SKIP $name: ${why:-see $dir/base.log}"
		continue
	fi
	[ "$built" != 0 ] || test_use
done
echo "$((count - failed)) passed, $failed failed, $skipped skipped"
[ "$count" -gt 0 ] || exit 69
[ "$failed" = 0 ]
