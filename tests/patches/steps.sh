# SPDX-License-Identifier: GPL-2.0
#
# One series for fio, patch by patch: each applies to the one before, builds
# without a warning that was not there, passes fio's own unit tests and its clock
# test. With all of them, every engine of this fio that could do a small job
# before still can, and reports the same fields. Sourced, with $series set.
#
# Compiled without optimisation, through ccache where there is one: it is about
# what a patch says, not about what it gains (tests/bench/fio_patched.sh).

. "$(dirname "$0")/../tap.sh"

trap 'exit 130' INT
trap 'exit 143' TERM

tree=$scratch/tree
jobs=$(nproc)
cc=gcc
! command -v ccache >/dev/null || cc='ccache gcc'

configure()
{
	(cd "$tree" && ./configure --disable-native --disable-optimizations \
		--cc="$cc") >"$scratch/configure.log" 2>&1
}

# build: objects of tests don't know what they depend on
build()
{
	rm -f "$tree"/unittests/*.o "$tree"/unittests/*/*.o
	make -C "$tree" -j"$jobs" >"$scratch/build.log" 2>&1 &&
		! grep -q 'warning: ' "$scratch/build.log" && return
	grep -E 'warning: |error|undefined' "$scratch/build.log" | head -n 20 |
		sed 's/^/# /'
	return 1
}

unit_tests()
{
	[ -x "$tree/unittests/unittest" ] || return 0
	(cd "$tree" && timeout 60 ./unittests/unittest) \
		>"$scratch/unit.log" 2>&1 &&
		! grep -q 'FAILED\|[1-9][0-9]* *failures' "$scratch/unit.log" &&
		return
	sed 's/^/# /' "$scratch/unit.log"
	return 1
}

# A machine whose counters are out of order is not the patch's fault.
clock_test()
{
	timeout 120 "$tree/fio" --cpuclock-test >"$scratch/clock.log" 2>&1
	grep -q '^cs: \(Pass!\|CPU clock mismatch\)' "$scratch/clock.log"
}

# short_job OUTPUT ARGUMENT...
short_job()
{
	output=$1
	shift
	rm -rf "$scratch/job" && mkdir "$scratch/job" &&
		(cd "$scratch/job" && timeout 60 "$tree/fio" --name=j \
		--size=256k --bs=4k --output-format=json --output="$output" \
		"$@") >"$scratch/job.log" 2>&1 && [ -s "$output" ]
}

# fields FILE: the names of everything in a report, without what depends on the
# disk and on which percentiles and buckets there are
fields()
{
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or exit 2;
		my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		my $j = eval { JSON::PP->new->decode($text) } or exit 3;
		my %seen;
		my $walk; $walk = sub {
			my ($v, $at) = @_;
			if (ref $v eq "HASH") {
				for (keys %$v) {
					next if /^(disk_util|bins|percentile)$/;
					$walk->($v->{$_}, "$at.$_");
				}
			} elsif (ref $v eq "ARRAY") {
				$walk->($_, "$at\[]") for @$v;
			} else { $seen{$at} = 1 }
		};
		$walk->($j, "");
		print map { "$_\n" } sort keys %seen;' "$1"
}

engine_names()
{
	"$tree/fio" --enghelp 2>/dev/null | sed -n 's/^\t\([a-z0-9_]*\).*/\1/p'
}

# Engines that are not about files, or want a device of their own.
engine_job()
{
	engine=$1
	output=$2
	case $engine in
	cpuio) set -- --cpuload=50 --time_based --runtime=1 ;;
	exec) set -- --program=/bin/true ;;
	net|netsplice|rdma|sg|e4defrag|libblkio) return 1 ;;
	filecreate|filestat|filedelete) set -- --nrfiles=4 ;;
	*) set -- --rw=randrw --verify=crc32c --iodepth=4 ;;
	esac
	short_job "$output" --ioengine="$engine" "$@"
}

before()
{
	for engine in $(engine_names); do
		engine_job "$engine" "$scratch/before.$engine" ||
			rm -f "$scratch/before.$engine"
	done
}

after()
{
	for engine in $(engine_names); do
		[ -s "$scratch/before.$engine" ] || continue
		engine_job "$engine" "$scratch/after.$engine" &&
			fields "$scratch/before.$engine" >"$scratch/fields" &&
			fields "$scratch/after.$engine" |
			diff "$scratch/fields" - >"$scratch/fields.diff"
		status=$?
		ok $status "$engine: a job passes, and reports the same fields"
		[ $status = 0 ] || cat "$scratch/job.log" "$scratch/fields.diff" |
			sed 's/^/# /'
	done
}

if ! "$root/patches/source.sh" "$series" "$tree" 2>"$scratch/why"; then
	echo "1..0 # SKIP $(sed 's/^source: //' "$scratch/why")"
	exit 0
fi
if ! configure || ! make -C "$tree" -j"$jobs" >"$scratch/build.log" 2>&1; then
	echo "1..0 # SKIP $series itself does not build here"
	exit 0
fi
before

for patch in "$root/patches/$series"/0*.patch; do
	name=$(basename "$patch" .patch)
	[ "${name%%-*}" != 0000 ] || continue
	git -C "$tree" apply --index --whitespace=nowarn "$patch" \
		2>"$scratch/apply"
	status=$?
	ok $status "$name: applies"
	[ $status = 0 ] || { sed 's/^/# /' "$scratch/apply"; break; }
	! grep -q '^+++ b/configure' "$patch" || configure
	build
	ok $? "$name: builds without warnings"
	unit_tests
	ok $? "$name: fio's unit tests"
	clock_test
	ok $? "$name: fio's clock test"
done
after
done_testing
