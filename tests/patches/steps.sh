# SPDX-License-Identifier: GPL-2.0
#
# Tests one series for fio, patch by patch; to be sourced with $series set. Each
# patch applies to the one before, builds without a new warning, and passes fio's
# own unit tests and its clock test. The patches that upstream would take first
# apply to this fio alone. clocksource=tickwise needs no kernel's rate.
#
# With all patches, every engine of this fio that could do a small job before still
# can, and reports the same fields. fio takes the completion times of an engine that
# tells them, and serves other engines as before. Our own engine builds against it
# and tells its times. With libtickwise, clocksource=tickwise builds and does a job.
#
# fio is compiled without optimisation, through ccache if there is one: this tests
# what a patch does, not what it gains (patches/README.md).

. "$(dirname "$0")/../tap.sh"

trap 'exit 130' INT
trap 'exit 143' TERM

library=${TW_BUILD:-$root/build}
tree=$scratch/tree
pc=$scratch/pc
jobs=$(nproc)
cc=gcc
! command -v ccache >/dev/null || cc='ccache gcc'

# configure: runs fio's configure, which finds libtickwise if $pc has been filled
configure()
{
	(cd "$tree" && PKG_CONFIG_PATH=$pc ./configure --disable-native --disable-optimizations \
		--cc="$cc") >"$scratch/configure.log" 2>&1
}

# build: removes the objects of tests, which lack their dependencies, and builds
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
	(cd "$tree" && timeout 60 ./unittests/unittest) \
		>"$scratch/unit.log" 2>&1 &&
		! grep -q 'FAILED\|[1-9][0-9]* *failures' "$scratch/unit.log" ||
		shows "$scratch/unit.log"
}

# A machine whose counters are out of order is no fault of the patch.
clock_test()
{
	timeout 120 "$tree/fio" --cpuclock-test >"$scratch/clock.log" 2>&1
	grep -q '^cs: \(Pass!\|CPU clock mismatch\)' "$scratch/clock.log"
}

# try NAME: builds the tree and tests it
try()
{
	build
	ok $? "$1: builds without warnings"
	if [ -x "$tree/unittests/unittest" ]; then
		unit_tests
		ok $? "$1: fio's unit tests"
	else
		ok 0 "$1: fio's unit tests # SKIP fio found no CUnit"
	fi
	clock_test
	ok $? "$1: fio's clock test"
}

# short_job OUTPUT ARGUMENT...: runs a short job
short_job()
{
	output=$1
	shift
	rm -rf "$scratch/job" && mkdir "$scratch/job" &&
		(cd "$scratch/job" && timeout 60 "$tree/fio" --name=j \
		--size=256k --bs=4k --output-format=json --output="$output" \
		"$@") >"$scratch/job.log" 2>&1 && [ -s "$output" ]
}

# report FILE... -- PERL: runs code, where $r[0] and so on are the reports in these files;
# fio prints notes before its report
report()
{
	perl -MJSON::PP -e '
		my $code = pop; pop;
		our @r = map {
			local $/; open my $f, "<", $_ or exit 2;
			JSON::PP->new->decode(<$f> =~ s/\A.*?^(?=\{)//msr)
		} @ARGV;
		exit !eval $code' "$@"
}

# fields FILE: prints the names of all fields of a report, without what depends on
# the disk and on the present percentiles and buckets
fields()
{
	report "$1" -- '
		my %seen;
		my $walk; $walk = sub {
			my ($v, $at) = @_;
			if (ref $v eq "HASH") {
				/^(disk_util|bins|percentile)$/ or $walk->($v->{$_}, "$at.$_")
					for keys %$v;
			} elsif (ref $v eq "ARRAY") {
				$walk->($_, "$at\[]") for @$v;
			} else { $seen{$at} = 1 }
		};
		$walk->($r[0], "");
		print map { "$_\n" } sort keys %seen'
}

engine_names()
{
	"$tree/fio" --enghelp 2>/dev/null | sed -n 's/^\t\([a-z0-9_]*\).*/\1/p'
}

# Leave out engines that do no I/O on files, or need a device of their own.
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
		ok $? "$engine: a job passes, and reports the same fields" ||
			shows "$scratch/job.log" "$scratch/fields.diff"
	done
}

# known_time FLAGS TELLS: runs a job of 16 I/Os on the engine of known_time.c
known_time()
{
	rm -f "$scratch/known.json"
	$cc -std=gnu11 -w -fPIC -shared -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 \
		-DFLAGS="$1" -DTELLS="$2" -I"$tree" \
		-include "$tree/config-host.h" -o "$scratch/known.so" \
		"$root/tests/patches/known_time.c" >"$scratch/job.log" 2>&1 &&
		short_job "$scratch/known.json" --size=64k --iodepth=4 \
			--iodepth_batch_submit=4 --iodepth_batch_complete_min=4 \
			--ioengine="external:$scratch/known.so" --rw=read
}

# clat PERL: tests an expression, where $c is the completion latencies of that job
clat()
{
	report "$scratch/known.json" -- "
		our \$c = \$r[0]{jobs}[0]{read}{clat_ns};
		print qq(# \$c->{N} of \$c->{min} to \$c->{max} ns, mean \$c->{mean}\\n);
		$1"
}

# Times that the engine made up are exact. fio's own times exceed the millisecond
# that the engine waits for, and are below an hour.
completion_times()
{
	known_time FIO_SETS_COMPLETE_TIME ISSUE &&
		clat '$c->{N} == 16 && $c->{min} == 1000 &&
			$c->{max} == 4000 && $c->{mean} == 2500'
	ok $? 'the completion times that an engine tells are taken as they are' ||
		shows "$scratch/job.log"
	known_time FIO_SETS_COMPLETE_TIME FUTURE &&
		clat '$c->{N} == 16 && $c->{min} >= 1e6 && $c->{max} < 3600e9'
	ok $? 'one that has not come yet is not believed'
	known_time FIO_SETS_COMPLETE_TIME NOTHING &&
		clat '$c->{N} == 16 && $c->{min} >= 1e6'
	ok $? 'an engine that may tell and does not: what fio sees'
	known_time 0 ISSUE && clat '$c->{N} == 16 && $c->{min} >= 1e6'
	ok $? 'an engine without the flag: what fio sees'
}

# lat_gap: prints fio's mean lat minus the engine's lat without deliver, and both
# counts
lat_gap()
{
	report "$scratch/ours.json" "$scratch"/job/j.*.tickwise.json -- '
		my $fio = $r[0]{jobs}[0]{read}{lat_ns};
		my $own = $r[1]{stages}{lat}{read};
		my $gap = $fio->{mean} - $own->{mean_ns} +
			$r[1]{stages}{deliver}{read}{mean_ns};
		print "# $fio->{N} and $own->{count} I/Os, fio $gap ns more\n";
		$fio->{N} == $own->{count} && $fio->{N} > 0 && abs($gap) <= 20000'
}

# Test our engine on this fio. Between its stamps and fio's are the end of ->prep()
# and a reading of fio's clock: hundreds of instructions. 20 us in the mean of 1024
# I/Os leave room for other programs on the CPU.
our_engine()
{
	env -u MAKEFLAGS -u MAKELEVEL make -C "$root" -j"$jobs" plugin \
		"$scratch/engine/tests/fio/have_io_uring" \
		B="$scratch/engine" CC="$cc" FIO="$tree/fio" FIO_SRC="$tree" \
		>"$scratch/build.log" 2>&1
	ok $? 'our engine builds against it' || {
		tail -n 20 "$scratch/build.log" | sed 's/^/# /'
		return
	}
	if ! "$scratch/engine/tests/fio/have_io_uring" >"$scratch/why" 2>&1; then
		ok 0 "and tells each I/O's end # SKIP no io_uring here"
		return
	fi
	short_job "$scratch/ours.json" --size=4m --rw=randread --iodepth=16 \
		--iodepth_batch_submit=16 --iodepth_batch_complete_min=16 \
		--ioengine="external:$scratch/engine/tickwise.so" \
		--tw_event_wait=1 --tw_event_time=1 && lat_gap
	ok $? "and tells each I/O's end" || shows "$scratch/job.log"
}

# Build the same tree once more, with the library.
tickwise_clock()
{
	mkdir "$pc"
	if ! "$root/patches/pc.sh" "$library" >"$pc/tickwise.pc" ||
	    ! configure || ! grep -q CONFIG_TICKWISE "$tree/config-host.h"; then
		ok 1 'configure finds libtickwise'
		return
	fi
	try 'with libtickwise'
	short_job "$scratch/clock.json" --ioengine=null \
		--clocksource=tickwise &&
		report "$scratch/clock.json" -- '$r[0]{jobs}[0]{read}{total_ios} == 64'
	ok $? 'clocksource=tickwise: all I/Os of a job' || shows "$scratch/job.log"
}

# applies PATCH: true if it applies to the present tree
applies()
{
	git -C "$tree" apply --check --index "$1" 2>"$scratch/apply" ||
		shows "$scratch/apply"
}

if ! "$root/patches/source.sh" "$series" "$tree" 2>"$scratch/why"; then
	echo "1..0 # SKIP $(sed 's/^source: //' "$scratch/why")"
	exit 0
fi
if ! configure || ! make -C "$tree" -j"$jobs" >"$scratch/build.log" 2>&1; then
	echo "1..0 # SKIP $series itself does not build here"
	exit 0
fi
for name in io_u-read-the-clock-for-each-latency-that-is-measured \
	    gettime-borrow-before-dividing-in-utime_since \
	    gettime-calibrate-the-CPU-clock-once-and-only-if-it-may-be-used \
	    gettime-thread-hand-out-the-monotonic-clock; do
	applies "$root/patches/series/$name.patch"
	ok $? "$name: applies without the others"
done
before

"$root/patches/list.sh" "$series" >"$scratch/series"
while read -r patch <&3; do
	name=$(basename "$patch" .patch)
	case $name in *the-kernel-s-own-rate*)
		applies "$(tail -n 1 "$scratch/series")"
		ok $? "clocksource=tickwise applies without $name"
	esac
	git -C "$tree" apply --index --whitespace=nowarn "$patch" \
		2>"$scratch/apply"
	ok $? "$name: applies" || { shows "$scratch/apply"; break; }
	! grep -q '^+++ b/configure' "$patch" || configure
	try "$name"
done 3<"$scratch/series"
after
completion_times
our_engine
tickwise_clock
done_testing
