#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin plugin/collect
#
# Behaviour: the report lists the slowest I/Os, slowest first, with place, size,
# stages and the time their lat began, on clocks that other programs use, too.
# Defect: one that is missing, stages that don't add up, a time of another clock, an
# I/O that was not done.
. "$(dirname "$0")/fio_tap.sh"

# now: prints CLOCK_MONOTONIC, ns
now()
{
	perl -MTime::HiRes=clock_gettime,CLOCK_MONOTONIC -e '
		printf "%.0f", clock_gettime(CLOCK_MONOTONIC) * 1e9'
}

before=$(now)
run_fio --name=s --rw=randrw --bs=4k --size=4m --iodepth=8 \
	--iodepth_batch_submit=4 --loops=4 --tw_slowest=50
ok $? 'a mixed job'
after=$(now)
json s.*.tickwise.json '@{$j->{slowest}} == 50'
ok $? 'lists as many as were asked for'
json s.*.tickwise.json 'my $t = 1e18; my $fine = 1;
	for (@{$j->{slowest}}) {
		$fine = 0 if $_->{stages}{lat} > $t;
		$t = $_->{stages}{lat};
	}
	$fine'
ok $? 'the slowest first'
json s.*.tickwise.json 'my ($max) = sort { $b <=> $a } map
	{ $j->{stages}{lat}{$_}{max_ns} } "read", "write";
	$j->{slowest}[0]{stages}{lat} == $max'
ok $? 'the first is the maximum'
# The 50th slowest is above the percentile that leaves out 50 I/Os and more.
json s.*.tickwise.json 'my $n = $j->{ios}{read} + $j->{ios}{write};
	my $least = $j->{slowest}[-1]{stages}{lat}; my $above = 0;
	for my $d ("read", "write") {
		my $h = $j->{stages}{lat}{$d};
		# 3 digits: 1 ns wide below 2048, twice as wide each octave.
		for my $high (keys %{$h->{bins}}) {
			my $wide = 1;
			$wide *= 2 while $high >= 2048 * $wide;
			$above += $h->{bins}{$high} if $high - $wide >= $least;
		}
	}
	$above <= 50'
ok $? 'no more I/Os are slower than the last'
json s.*.tickwise.json '!grep {
	my $s = $_->{stages};
	my $sum = 0;
	$sum += $s->{$_} for grep { $_ ne "lat" } keys %$s;
	$sum != $s->{lat} || $_->{submitting_call_ns} > $s->{lat} - $s->{queue} }
	@{$j->{slowest}}'
ok $? 'the stages of each add up, and its submitting call is no longer'
json s.*.tickwise.json '!grep { $_->{size} != 4096 || $_->{offset} % 4096 ||
	$_->{offset} >= 4 << 20 || $_->{ddir} !~ /^(read|write)$/ }
	@{$j->{slowest}}'
ok $? 'each is one of the job'
# Compare to a millisecond: the engine's clock is another one, a little off over the job.
json s.*.tickwise.json '!grep { my $ns = $_->{monotonic_ns};
	$ns > '"$after"' + 1e6 || $ns < '"$before"' - 1e6 } @{$j->{slowest}}'
ok $? 'began while the job ran, by CLOCK_MONOTONIC'
json s.*.tickwise.json '!grep { $_->{ticks} !~ /^\d+$/ || $_->{raw_ns} !~
	/^\d+$/ } @{$j->{slowest}}'
ok $? 'ticks and times are digits'

rm -f ./*.tickwise.json
run_fio --name=s --rw=randread --bs=4k --size=4m --io_size=40k \
	--tw_slowest=50
json s.*.tickwise.json '@{$j->{slowest}} == 10'
ok $? 'ten I/Os: ten'
rm -f ./*.tickwise.json
run_fio --name=s --rw=randread --bs=4k --size=4m --io_size=40k --tw_slowest=0
json s.*.tickwise.json '!exists $j->{slowest} && $j->{ios}{read} == 10'
ok $? 'tw_slowest=0: none'

rm -f ./*.tickwise.json
run_fio --name=s --rw=randread --bs=4k --size=4m --iodepth=4 --tw_stages=0
json s.*.tickwise.json 'join(" ", sort keys %{$j->{stages}}) eq "lat" &&
	!exists $j->{submitting_call} &&
	$j->{stages}{lat}{read}{count} == 1024'
ok $? 'tw_stages=0: only lat, of all I/Os'
json s.*.tickwise.json '!grep { join(" ", keys %{$_->{stages}}) ne "lat" }
	@{$j->{slowest}}'
ok $? 'and of the slowest'
same_counts
ok $? 'none is lost'
done_testing
