#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: whichever two options decide what fio counts, our engine does the I/Os that
# fio's own io_uring engine does, and its report is of those that fio counts in the same
# run: their number, their bytes, and the sum of their lat. Where fio measures no lat, the
# report has none of fio's. Defect: I/Os before a reset of fio's statistics
# (latency_target, ramp_time) in the report; a lat of fio's that fio did not measure.
#
# The jobs run on the device and in the simulated time of preload/ring_device.c, so the sums
# are the same to the nanosecond, and so are the jobs that end by time.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# NAME OPTION...: a row is joined with each row after it. Of an option that both have, the
# later one counts. Trims take no time on this device, so windows of latency_target would not
# end. A job that trims has a second file, a block device. Each file is a whole number of blocks.
# If a part of a block is left, the engines end trimwrite differently: there our trims are system
# calls, fio's own go through the ring from 3.38 on, and fio stops by the bytes of what is queued.
cat >options <<'END'
mixed rw=randrw
ramp ramp_time=300us
target latency_target=1000s latency_window=300us latency_percentile=1 io_size=64m
no_lat disable_lat=1
no_clat disable_clat=1
no_slat disable_slat=1
no_end disable_slat=1 disable_clat=1 disable_bw=1
gtod gtod_reduce=1
unified unified_rw_reporting=1
both unified_rw_reporting=2
deep iodepth=8 iodepth_batch=4 iodepth_batch_complete_max=8
limited number_ios=37
loops loops=2
thread thread=1
stages tw_stages=0
sync rw=write fsync=4 end_fsync=1
verify rw=write verify=crc32c
backlog rw=write verify=crc32c verify_backlog=8
trim rw=randtrim
trimwrite rw=trimwrite
END
# From 3.42 on a thread of fio's own ends the ramp time, by real time.
! fio_is_from_3_42 || sed -i /^ramp/d options

# jobs ENGINE: prints all pairs for an engine. Some run at a time: rings are locked memory.
jobs()
{
	printf '[global]\nioengine=%s\nbs=4k\nsize=256k\nrw=read\nnew_group=1\ndisk_util=0\n' "$1"
	awk -v ours="${1#io_uring}" '
		{ name[NR] = $1; $1 = ""; options[NR] = $0 }
		END {
			for (i = 1; i <= NR; i++)
				for (j = i + 1; j <= NR; j++)
					if (name[i] name[j] != "targettrim")
						job(name[i] "_" name[j], options[i] options[j])
		}
		function job(name, options, n, part) {
			print "[" name "]\nfilename=" name ".data" \
				(options ~ /rw=[a-z]*trim/ ? ":" name ".trim" : "")
			if (ours)
				print "tw_report=" name ".json"
			if (jobs++ % 16 == 0)
				print "stonewall"
			n = split(options, part, " ")
			for (i_ = 1; i_ <= n; i_++)
				if (ours || part[i_] !~ /^tw_/)
					print part[i_]
		}' ../options
}
# run FOLDER ENGINE
run()
{
	mkdir "$1" && cd "$1" || exit 1
	jobs "$2" >jobs.fio
	awk -F '[][]' '/^\[/ && !/global/ { print $2 }' jobs.fio |
		while read -r name; do
			truncate -s 256K "$name.data" "$name.trim"
		done
	settings="DEVICE_READ_NS=0 DEVICE_FIO_NS=100 DEVICE_SERIAL_US=10 DEVICE_BLOCK=.trim"
	# shellcheck disable=SC2086
	timeout -s KILL $hung_s env LD_PRELOAD="$TW_BUILD/tests/fio/preload/ring_device.so" \
		$settings "$FIO" --output-format=json --output=out.json \
		$plain_clock jobs.fio 2>err
	echo $? >status
}
(run stock io_uring) &
(run ours "external:$TICKWISE_SO")
wait
is "$(cat ours/status)" "$(cat stock/status)" "both engines end alike"

cat >compare.pl <<'END'
use strict; use warnings;
use JSON::PP;
sub jobs {
	my ($file) = @_;
	local $/;
	open my $f, "<", $file or die "$file: $!\n";
	my ($text) = <$f> =~ /^(\{.*)/ms;
	return map { $_->{jobname} => $_ } @{decode_json($text)->{jobs}};
}
# The sum of both directions where fio reports one.
sub of {
	my ($job, $key) = @_;
	my @kinds = $job->{mixed} ? "mixed" : ("read", "write", "trim");
	return join " ", map { my $is = $job->{$_};
		$key eq "lat_ns" ? $is->{lat_ns}{N} // "none" : $is->{$key} } @kinds;
}
my %stock = jobs("stock/out.json");
my %ours = jobs("ours/out.json");
for my $name (sort keys %ours) {
	my ($job, $other) = ($ours{$name}, $stock{$name});
	# Both engines enter the kernel as often as they like: where time ends something, one of
	# them may do an I/O more.
	for my $key ($name =~ /ramp|target/ ? () : qw(total_ios io_bytes short_ios drop_ios lat_ns)) {
		my ($is, $was) = map { of($_, $key) } $job, $other;
		print "$name: $key $is, stock $was\n" if $is ne $was;
	}
	print "$name: error $job->{error}, stock $other->{error}\n"
		if $job->{error} != $other->{error};
	open my $f, "<", (glob "ours/$name.json*")[0] or die "$name: no report\n";
	local $/;
	my $report = decode_json(<$f>);
	my $lat = $report->{stages}{lat};
	my (%n, %sum_ns, %fio_n, %fio_ns);
	my @kinds = $job->{mixed} ? ("mixed") : ("read", "write", "trim");
	for my $kind ("read", "write", "trim") {
		my $as = $job->{mixed} ? "mixed" : $kind;
		$n{$as} += $report->{ios}{$kind};
		$sum_ns{$as} += $lat->{$kind}{sum_ns} // 0;
		next unless $report->{fio_lat};
		$fio_n{$as} += $report->{fio_lat}{count}{$kind};
		$fio_ns{$as} += $report->{fio_lat}{sum_ns}{$kind};
	}
	my $measures = $name !~ /no_lat|gtod|no_end|no_slat_(verify|backlog)/;
	print "$name: has fio_lat, or not\n" if $measures != exists $report->{fio_lat};
	for my $as (@kinds) {
		my ($fio, $clat) = map { $job->{$as}{$_} } "lat_ns", "clat_ns";
		my $count = $fio->{N} || $clat->{N};
		$count = $job->{$as}{total_ios} if $name =~ /gtod|no_lat/ && !$count;
		print "$name: $as: $n{$as}, fio has $count\n"
			if $n{$as} != $count && $name !~ /ramp_(no_lat|gtod)/;
		next unless $measures && $fio->{N};
		my $fio_ns = $fio->{mean} * $fio->{N};
		print "$name: $as: fio's sum is $fio_ns, in the report $fio_ns{$as}\n"
			if $fio->{N} != $fio_n{$as} || abs($fio_ns - $fio_ns{$as}) > 1;
		printf "%s: %s: lat %.1f ns, fio's %.1f\n", $name, $as, $sum_ns{$as} / $n{$as},
			$fio->{mean} if $n{$as} && abs($sum_ns{$as} - $fio_ns) > $fio->{N};
	}
}
print scalar(keys %ours), " pairs\n";
END
rows=$(grep -c . options)
is "$(perl compare.pl 2>&1)" "$((rows * (rows - 1) / 2 - 1)) pairs" \
	"each pair is counted as fio counts it, and done as by fio's own engine"
done_testing
