#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Counts a hundred million I/Os that do nothing (tw_test_nop=1): is one lost or
# counted twice on its way?
#
#	tests/bench/engine_count.sh [COUNT [NUMJOBS]]
#
# Prints what fio issued and sampled, what the engine counted, and what its
# histograms and their bins hold. Ends with 1 if any of them differ.
set -eu

count=${1:-100000000}
jobs=${2:-1}
build=$(realpath "${TW_BUILD:-build}")
fio=${FIO:-fio}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

cd "$scratch"
head -c 1048576 /dev/zero >data
"$fio" --name=n --ioengine="external:$build/tickwise.so" --tw_test_nop=1 \
	--filename=data --rw=read --bs=512 --size=1m \
	--io_size=$((count / jobs * 512)) --numjobs="$jobs" --iodepth=128 \
	--iodepth_batch_submit=32 --iodepth_batch_complete_min=1 \
	--iodepth_batch_complete_max=32 --output-format=json \
	--output=out.json 2>err || {
	cat err >&2
	exit 1
}
perl -MJSON::PP -e '
	use strict; use warnings; local $/;
	my ($wanted, $jobs, @files) = @ARGV;
	my @stages = ("queue", "kernel", "deliver", "lat");
	my %n = map { ($_ => 0) } "fio: issued", "fio: samples", "engine: I/Os",
		map { ("$_: histogram", "$_: bins") } @stages;
	sub read_json {
		open my $f, "<", $_[0] or die "$_[0]: $!\n";
		my $text = <$f>;
		$text =~ s/\A.*?^(?=\{)//ms;
		return decode_json($text);
	}
	for my $job (@{read_json("out.json")->{jobs}}) {
		$n{"fio: issued"} += $job->{read}{total_ios};
		$n{"fio: samples"} += $job->{read}{lat_ns}{N};
	}
	@files == $jobs or die @files . " reports of $jobs jobs\n";
	for my $report (map { read_json($_) } @files) {
		$n{"engine: I/Os"} += $report->{ios}{read};
		for my $stage (@stages) {
			my $h = $report->{stages}{$stage}{read} or die "no $stage\n";
			$n{"$stage: histogram"} += $h->{count};
			$n{"$stage: bins"} += $_ for values %{$h->{bins}};
		}
	}
	my $bad = 0;
	for my $what (sort keys %n) {
		my $off = $n{$what} - $wanted;
		printf "%-20s %12d%s\n", $what, $n{$what},
			$off ? sprintf("  (%+d)", $off) : "";
		$bad = 1 if $off;
	}
	print $bad ? "they differ\n" : "all the same\n";
	exit $bad' "$((count / jobs * jobs))" "$jobs" n.*.tickwise.json
