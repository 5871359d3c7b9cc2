#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Tests the RPM packages: builds them with `make rpm`, and installs, uses, installs again and
# removes them in a root of its own. This system's rpm database stays as it is. rpmbuild
# itself fails if an installed file is in no package.
#
#	tests/rpm.sh
#
# Needs root, for rpm --root. Exit 0, 1 if a test failed, 69 if nothing could be tried.
. "$(dirname "$0")/tap.sh"

for program in rpmbuild rpm busybox; do
	command -v $program >/dev/null || { echo "no $program"; exit 69; }
done
[ "$(id -u)" = 0 ] || { echo 'rpm --root needs root'; exit 69; }
cd "$root" || exit 1
works "make rpm" make -s rpm || done_testing

# Scripts of packages run in the root, by its own shell.
other=$scratch/root
mkdir -p "$other/bin" "$other/var/lib/tickwise"
for name in busybox sh rm; do
	cp "$(command -v busybox)" "$other/bin/$name"
done
# rpm_there ARGUMENT...
rpm_there()
{
	rpm --root "$other" --dbpath /var/lib/rpm "$@"
}
rpm_there --initdb
packages=$(ls build/rpm/RPMS/*/*.rpm)
fio_version=$(fio --version | sed 's/^fio-//')

# shellcheck disable=SC2086	# names without spaces
{
	rpm_there -i $packages >"$scratch/out" 2>&1
	[ $? -ne 0 ] && grep -q "fio = $fio_version is needed by fio-tickwise" "$scratch/out"
	ok $? 'the engines need their very fio' || shows "$scratch/out"
	# The root has none of the libraries.
	works 'install' rpm_there -i --nodeps $packages || done_testing
}
works 'each file is as it was packed' rpm_there -Va --nodeps
is "$(rpm_there -qa | wc -l)" 3 'three packages'
libdir=$(dirname "$(find "$other/usr" -name 'libtickwise.so.0')")
is "$("$other/usr/bin/tickwise" --version)" "$("$tickwise" --version)" 'the program'
works 'fio runs a job' fio --name=rpm --ioengine=external:"$libdir/tickwise/tickwise.so" \
	--filename="$scratch/file" --size=64k --rw=write --tw_report="$scratch/report.json" \
	--output="$scratch/fio.txt"
works 'and the program reads its report' "$other/usr/bin/tickwise" report \
	"$scratch/report.json"
is "$(grep -rlF -e "$root/build" "$other/usr")" '' \
	'no file has the name of the folder that it was built in'
# shellcheck disable=SC2086
works 'install again' rpm_there -U --replacepkgs --nodeps $packages
[ -d "$other/var/lib/tickwise" ]
ok $? 'what build-engine has built is still there'
works 'remove' rpm_there -e fio-tickwise tickwise-devel tickwise
is "$(cd "$other" && find usr var/lib/tickwise ! -type d 2>/dev/null)" '' 'no file is left'
is "$(find "$other" -name '*tickwise*')" '' 'and no folder'
done_testing
