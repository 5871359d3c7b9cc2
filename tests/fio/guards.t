#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: an engine built for another fio refuses with one clear line and a
# failing exit, before anything of fio's is touched. So does one whose headers only
# claim the right version. fits-fio.sh finds the same before an engine is built. Defect: a
# crash, a hang, a run with garbage, or a source that fits and is refused.
. "$(dirname "$0")/fio_tap.sh"

tree=$(head -n 1 "$TW_BUILD/fio.path")
version=$(sed -n 's/^FIO_VERSION *= *//p' "$TW_BUILD/fio.path")

# A symbol that a fio lacks fails at load time, not in the middle of a job.
for engine in "$TICKWISE_SO" "$(dirname "$TICKWISE_SO")/tickwise-cmd.so"; do
	readelf -d "$engine" | grep -q 'FLAGS.* NOW'
	ok $? "$(basename "$engine"): bound when it is loaded"
done

# The version string in the binary, changed to another of the same length.
other=$(printf '%s' "$version" | tr '0-9' '1-90')
perl -pe "BEGIN { undef \$/ } s/\\Q$version\\E(?=\\0)/$other/g" \
	<"$TICKWISE_SO" >other.so
cmp -s "$TICKWISE_SO" other.so
ok $((! $?)) "an engine that says it was built for $other"
"$FIO" --name=a --ioengine=external:./other.so --size=1m >out 2>err
status=$?
[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
ok $? "is refused with a failing exit ($status), not a signal"
[ "$(messages | grep -c '^tickwise: ')" -eq 1 ] && grep -q "$other" err &&
	grep -q "$version" err && grep -q refused err
ok $? "in one line that names both versions"
[ ! -e a.0.0 ]
ok $? "before a file is laid out"
"$FIO" --enghelp=./other.so >out 2>&1
[ $? -lt 128 ]
ok $? "--enghelp on it does not crash either"

# build_moved: moved.so, with the headers in tree/ for the files that fio calls before and
# when a job begins; the rest is the engine's own.
build_moved()
{
	features=$("$root/plugin/fio/fio-features.sh" "$tree")
	awk -f "$root/plugin/fio/fio-options.awk" tree/options.c >fio_options.h
	for source in tickwise fio/fio_layout engine/engine_job; do
		# shellcheck disable=SC2086
		${CC:-gcc} -std=gnu11 -fPIC -fvisibility=hidden -w -I"$root/core" \
			-I"$root/core/latency" -I"$root/plugin" -I. -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
			-DFIO_INTERNAL -DFIO_INC_DEBUG $features -DTW_FIO_VERSION="\"$version\"" \
			-include tree/config-host.h -isystem tree -c -o "${source##*/}.o" \
			"$root/plugin/$source.c" || return
	done
	bpf=
	[ "$(cat "$TW_BUILD/kernel_stages")" != 1 ] || bpf=-lbpf
	${CC:-gcc} -shared -Wl,-z,now -o moved.so tickwise.o fio_layout.o engine_job.o \
		"$TW_BUILD/engine_files.a" "$TW_BUILD/report.a" "$TW_BUILD/libtickwise.a" \
		-luring $bpf -ljansson -lz -lm -pthread
}

is_refused()
{
	for mode in "" --thread=1; do
		# shellcheck disable=SC2086
		"$FIO" --name=m --ioengine=external:./moved.so --size=1m $mode \
			>out 2>err
		status=$?
		[ "$status" -ne 0 ] && [ "$status" -lt 128 ]
		ok $? "is refused too (exit $status) ${mode:-as a process}"
		[ "$(messages | grep -c '^tickwise: ')" -eq 1 ]
		ok $? "in one line"
	done
}

# fits WANTED WHAT: compares fio with tree/, and passes if it fits, or names the reason
fits()
{
	is "$("$root/plugin/fio/fits-fio.sh" "$FIO" tree 2>&1)" "$1" "$2"
}

# Headers that claim the version but lay thread_data out otherwise.
mkdir tree
cp -r "$tree/." tree/ 2>/dev/null
fits '' "fits-fio.sh: the source of this fio"
perl -0pi -e 's/(struct io_u \{\n)/$1\tlong moved_by_the_test;\n/' tree/io_u.h
fits 'its I/Os (struct io_u) have another layout' "fits-fio.sh: a field of an I/O more"
cp "$tree/io_u.h" tree/
sed -i 's/"iodepth"/"iodeqth"/' tree/options.c
mv tree/config-host.h .
fits 'fio has one more option: iodepth' "fits-fio.sh: an option less, without a compiler"
mv config-host.h tree/
cp "$tree/options.c" tree/
perl -0pi -e 's/(\n\t\{\n\t\t\.name\t= )"direct"(.*?\n\t\},)/$1"direct"$2$1"made"$2/s' tree/options.c
fits 'fio lacks option made' "fits-fio.sh: an option more"
cp "$tree/options.c" tree/
perl -0pi -e 's/(struct thread_data \{\n)/$1\tchar moved_by_the_test[512];\n/' \
	tree/fio.h
fits "built for the structures of $version, which are not those of this $version" \
	"fits-fio.sh: fields moved by 512 bytes"
build_moved
ok $? "an engine built with fields moved by 512 bytes"
is_refused

# Swap two options: all else is where it should be. A package whose source had one
# option more than its release was like that.
cp "$tree/fio.h" tree/
perl -0pi -e 's/(\tunsigned int use_thread;\n)(\tunsigned int unlink;\n)/$2$1/' \
	tree/thread_options.h
! cmp -s "$tree/thread_options.h" tree/thread_options.h
ok $? "headers with two options exchanged"
fits 'fio has another place for option unlink' "fits-fio.sh: the same"
build_moved
ok $? "an engine built with them"
is_refused
done_testing
