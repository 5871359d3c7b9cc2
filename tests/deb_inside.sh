#!/bin/sh
# SPDX-License-Identifier: MIT
#
# What tests/deb.sh runs in a fresh system, as root:
#
#	tests/deb_inside.sh build FIO-SOURCE NEWEST-FIO-SOURCE [ARCHITECTURE]
#	tests/deb_inside.sh use
#	tests/deb_inside.sh use_emulated
#
# build: `make deb` builds the packages twice, in two folders and without a network. Both
# results must have the same bytes, and lintian and blhc find no error. use: those in debs/
# are installed, used, upgraded and purged. /root/fio is the source of their fio, /root/newest
# that of the newest release. use_emulated: the same of arm64, as far as qemu's user mode gets.
TICKWISE=/bin/true
. "$(dirname "$0")/tap.sh"
unset TICKWISE_KERNEL TICKWISE_KERNEL_SOCKET
cd "$root" || exit 1
echo "# $1"
works=$scratch/works

# seconds: prints the time since $begun
seconds()
{
	echo $(($(date +%s) - begun))
}

# shell DESCRIPTION TEXT: passes if a line of shell does
shell()
{
	works "$1" sh -c "$2"
}

# build_in FOLDER SOURCE NEWEST-SOURCE
build_in()
{
	begun=$(date +%s)
	works "make deb without a network in $1" unshare --net make -C "$1" deb FIO_SRC="$2" \
		FIO_SOURCES="$3" ${arch:+DEB_HOST_ARCH="$arch"}
	echo "# $(seconds) s"
}

test_build()
{
	arch=${3-}
	mkdir -p /root/another/place
	cp -a . /root/another/place/copy
	cp -a "$1" /root/another/fio
	cp -a "$2" /root/another/newest
	find /root/another/place -exec touch -d 2001-01-01 {} +
	build_in "$root" "$1" "$2" || return
	umask 077
	build_in /root/another/place/copy /root/another/fio /root/another/newest
	umask 022
	for deb in build/deb/*.deb; do
		works "the same bytes: ${deb##*/}" cmp "$deb" /root/another/place/copy/"$deb"
	done
	# debian/changelog names a release of Debian, also where this is Ubuntu.
	shell 'lintian: no error' \
		'lintian --profile debian --allow-root --fail-on error build/deb/*.changes'
	# Programs for the kernel are not linked by gcc.
	works 'blhc: each compile and link has the flags of hardening' blhc --all --debian \
		--ignore-line '.*-target bpf.*' build/deb/build.log
}

# job NAME ENGINE: writes NAME.fio
job()
{
	printf '%s\n' '[global]' "filename=$root/data" size=16m rw=randread direct=0 runtime=2 \
		time_based "[$1]" "ioengine=$2" >"$1.fio"
}

# changed VERSION NAME...: writes these packages with another version into
# debs-VERSION
changed()
{
	version=$1
	shift
	mkdir -p "debs-$version"
	for package; do
		rm -rf work
		dpkg-deb -R debs/"$package"_*.deb work &&
			sed -i "s/^Version: .*/Version: $version/
				s/tickwise\(0\?\) (= [^)]*)/tickwise\1 (= $version)/g" \
				work/DEBIAN/control &&
			dpkg-deb -b work "debs-$version/${package}_$version.deb" || return
	done
}

# leftovers: lists the files that no package owns, without what installing and removing
# packages writes
leftovers()
{
	cat /var/lib/dpkg/info/*.list | sort -u >"$scratch/owned"
	find / -xdev \( -path /root -o -path /tmp -o -path /proc -o -path /sys -o -path /dev \
		-o -path /var/cache -o -path /var/log -o -path /var/lib/dpkg \
		-o -path /var/lib/apt \) -prune -o -print | sort | comm -23 - "$scratch/owned"
}

test_names()
{
	for engine in tickwise tickwise-cmd tickwise-memory; do
		works "fio knows fio-$engine.so" fio "--enghelp=fio-$engine.so"
		has "$works" tw_ 'and its options'
	done
	job named fio-tickwise.so
	job path '${ENG}'
	shell 'ioengine=fio-tickwise.so' 'fio named.fio && tickwise report named.*.json'
	has "$works" 'read: largest stage' 'leaves a report'
	works 'which tickwise run leaves as it is' tickwise run named.fio
	shell 'ioengine=external: with the path of tickwise engine' \
		'ENG=external:$(tickwise engine) fio path.fio && tickwise report path.*.json'
}

test_library()
{
	shell 'the library is installed' 'apt-get -q -y install --no-install-recommends \
		./debs/libtickwise*.deb gcc libc6-dev pkg-config'
	printf '%s\n' '#include <stdio.h>' '#include <tickwise.h>' \
		'int main(void) { puts(tw_ticks() ? TW_VERSION : ""); return 0; }' >use.c
	shell 'programs are built with the library' \
		'gcc -o use use.c $(pkg-config --cflags --libs tickwise) && ./use'
	shell 'and with its hooks' 'gcc -finstrument-functions -o hooked use.c \
		$(pkg-config --cflags --libs tickwise tickwise-profile) &&
		tickwise profile -- ./hooked'
	has "$works" main 'which record'
	works 'LD_PRELOAD=libtickwise-preload.so needs no path' env TICKWISE_PRELOAD=verbose \
		LD_PRELOAD=libtickwise-preload.so date
	has "$works" tickwise 'and works'
	for page in tickwise.1 tickwise-build-engine.1 tw_ticks_end.3 tickwise-report.5; do
		works "manual: $page" test -e "/usr/share/man/man${page##*.}/$page.gz"
	done
}

test_upgrade()
{
	# shellcheck disable=SC2086	# a list
	works 'packages of a next version' changed 0.1+next $packages
	shell 'an upgrade of all packages' \
		'apt-get -q -y install ./debs-0.1+next/*.deb && tickwise run mine.fio'
	(cd debs && apt-get -q download fio) >"$out" 2>&1
	works 'a next fio' changed 99 fio
	works 'can be installed' apt-get -s install ./debs-99/fio_99.deb
	has "$works" 'Remv fio-tickwise' 'and takes the engines along'
}

# A fio of the user's own: the installed one with another version of the same length.
test_other_fio()
{
	version=$(fio --version)
	other=$(echo "$version" | tr '0-9' '1-90')
	mkdir -p /opt/own
	perl -pe "s/\\Q$version\\E(?=\\0)/$other/g" </usr/bin/fio >/opt/own/fio
	chmod 755 /opt/own/fio
	tickwise run --fio=/opt/own/fio mine.fio >"$out" 2>&1
	has "$out" "built for $version, loaded into $other. Type: \
tickwise build-engine --fio=/opt/own/fio" 'a fio that the engine is not for: the command'
	build_engine='tickwise build-engine --fio=/opt/own/fio --source=/root/fio'
	$build_engine >"$out" 2>&1
	has "$out" 'type: apt-get install liburing-dev libjansson-dev zlib1g-dev libbpf-dev' \
		'tickwise build-engine: one line with the missing packages'
	shell 'which can be installed' \
		"$(sed -n 's/.*as root, type: \(apt-get install\)/\1 -q -y/p' "$out")"
	tickwise build-engine --fio=/opt/own/fio --source=/root/newest >"$out" 2>&1
	is "$? $(grep -c 'newest is not the source of' "$out") $(wc -l <"$out")" '66 1 1' \
		'another source: refused in one line'
	printf 'FIO_VERSION = %s\n' "$other" >/root/fio/FIO-VERSION-FILE
	begun=$(date +%s)
	# shellcheck disable=SC2086	# a command
	works 'it builds without a network' unshare --net $build_engine
	echo "# $(seconds) s"
	has_not "$works" 'kernel: without' 'with the stages inside the kernel'
	works 'tickwise run finds what it built' tickwise run --report --fio=/opt/own/fio mine.fio
	has "$works" 'read: largest stage' 'and uses it'
	works 'the installed fio keeps its own' fio --enghelp=fio-tickwise.so
	rm -rf /opt/own
	shell 'the newest fio' 'cd /root/newest && ./configure --disable-native && make -j"$(nproc)" fio'
	works 'tickwise run finds the engine that is ready for it' tickwise run --report \
		--fio=/root/newest/fio mine.fio
	has "$works" 'read: largest stage' 'and uses it'
	works 'tickwise engine' tickwise engine --fio=/root/newest/fio
	has "$works" "/tickwise/engines/$(/root/newest/fio --version)-" 'prints its path'
}

before_use()
{
	rm -rf debs/*-dbgsym* debs/tickwise-*/
	packages='tickwise fio-tickwise libtickwise0 libtickwise-dev'
	job mine io_uring
	apt-get -q update >"$out" 2>&1
	leftovers >"$scratch/before"
}

after_use()
{
	# shellcheck disable=SC2086	# a list
	works 'apt-get purge' apt-get -q -y purge $packages
	leftovers >"$scratch/after"
	comm -13 "$scratch/before" "$scratch/after" | grep tickwise >"$scratch/left"
	empty "$scratch/left" 'nothing is left'
}

test_use()
{
	before_use
	# What a user types: two commands, for a job file that is there.
	begun=$(date +%s)
	shell 'apt-get install' \
		'apt-get -q -y install ./debs/tickwise_*.deb ./debs/fio-tickwise_*.deb'
	works 'tickwise run --report' tickwise run --report mine.fio
	[ "$(seconds)" -le 120 ]
	ok $? "from packages to that report in $(seconds) s"
	has "$works" 'read: largest stage' "a job's report"
	has "$works" deliver 'with its stages'
	test_names
	test_library
	test_upgrade
	test_other_fio
	after_use
}

# What there is in qemu's user mode, which has no io_uring and no programs in the kernel.
test_use_emulated()
{
	before_use
	begun=$(date +%s)
	shell 'apt-get install' 'apt-get -q -y install --no-install-recommends ./debs/*.deb'
	echo "# $(seconds) s"
	works 'tickwise --version' tickwise --version
	for package in $packages; do
		is "$(dpkg-query -W -f '${Architecture}' "$package")" "$(dpkg --print-architecture)" \
			"$package is of this architecture"
	done
	works 'manual' test -e /usr/share/man/man1/tickwise-build-engine.1.gz
	for engine in tickwise tickwise-cmd tickwise-memory; do
		works "fio knows fio-$engine.so" fio "--enghelp=fio-$engine.so"
		has "$works" tw_ 'and its options'
	done
	works 'tickwise engine' tickwise engine
	tickwise doctor >"$out" 2>&1
	has "$out" 'this kernel has none' 'tickwise doctor: no io_uring'
	has "$out" 'tickwise.so, loads' 'and an engine that fio loads'
	tickwise run mine.fio >"$out" 2>&1
	has "$out" 'this kernel has no io_uring' 'tickwise run: the same, from the engine'
	# Their verdict may be "undecided" (2) or bad (1).
	for command in 'bench --seconds=0.2' 'calibrate --window=200' check \
		'memlat --max=64k --curves=random --point=5'; do
		shell "tickwise $command" "tickwise $command; [ \$? -le 2 ]"
	done
	printf '%s\n' '[memory]' ioengine=fio-tickwise-memory.so rw=randread size=64k bs=64k \
		loops=9 >memory.fio
	works 'a job of the memory engine' fio memory.fio
	shell 'and its report' 'test -s memory.*.json'
	works 'LD_PRELOAD=libtickwise-preload.so' env TICKWISE_PRELOAD=verbose \
		LD_PRELOAD=libtickwise-preload.so date
	has "$works" 'another program translates this one' 'which does not trust an emulator'
	after_use
}

what=$1
shift
"test_$what" "$@"
done_testing
