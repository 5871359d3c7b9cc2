#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Are fio's latency distributions the same with the patches? Compares lat, clat and
# slat of ioengine=null, which has no latency of its own: only the clock shows.
#
#	tests/bench/fio_distributions.sh STOCK PATCHED
#
# Stock, patched and stock once more alternate; each round begins with another one.
# For each kind and each quantile it prints medians over the rounds, with the range
# of the rounds, in ns. They are stock's value, patched minus stock and, as a
# control, the second stock minus stock in the same round.
#
# fio's bins are 1 ns wide below 128, 2 below 256, and so on. A latency on null I/O
# holds one or two readings of the clock, so "equal within the clock's own cost" is
# a difference of at most that. ROUNDS=9, SECONDS_EACH=1 (whole), CPU=(the last),
# CLOCK=cpu. slat is 0 there: fio does not measure it for I/Os that end at once.
set -eu

[ $# -eq 2 ] || { echo "usage: $0 STOCK PATCHED" >&2; exit 64; }
rounds=${ROUNDS:-9}
seconds=${SECONDS_EACH:-1}
cpu=${CPU:-$(($(nproc) - 1))}
clock=${CLOCK:-cpu}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

# job PROGRAM FILE: runs the job
job()
{
	taskset -c "$cpu" "$1" --name=j --ioengine=null --size=1t --rw=read \
		--time_based --runtime="$seconds" --clocksource="$clock" \
		--lat_percentiles=1 --clat_percentiles=1 --slat_percentiles=1 \
		--output-format=json+ --output="$2" 2>/dev/null
}

round=0
while [ "$round" -lt "$rounds" ]; do
	for turn in 0 1 2; do
		case $(((turn + round) % 3)) in
		0) job "$1" "$scratch/$round.stock" ;;
		1) job "$2" "$scratch/$round.patched" ;;
		2) job "$1" "$scratch/$round.again" ;;
		esac
	done
	round=$((round + 1))
done

perl -MJSON::PP -e '
	my ($dir, $rounds) = @ARGV;
	my @at = (0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 0.9999);
	my (%q, %n);
	for my $round (0 .. $rounds - 1) {
		for my $arm (qw(stock patched again)) {
			local $/;
			open my $f, "<", "$dir/$round.$arm" or die "$arm: $!\n";
			my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
			my $read = JSON::PP->new->decode($text)->{jobs}[0]{read};
			for my $kind (qw(lat clat slat)) {
				my $bins = $read->{"${kind}_ns"}{bins};
				my @ns = sort { $a <=> $b } keys %$bins;
				my ($total, $sum, $i) = (0, 0, 0);
				$total += $_ for values %$bins;
				$n{$arm} += $total if $kind eq "lat";
				for my $p (@at) {
					$sum += $bins->{$ns[$i++]}
						while $sum < $p * $total;
					$q{$kind}{$p}{$arm}[$round] = $ns[$i - 1];
				}
			}
		}
	}
	sub median { my @s = sort { $a <=> $b } @_;
		     ($s[$#s / 2] + $s[@s / 2]) / 2 }
	sub spread { my @s = sort { $a <=> $b } @_;
		     sprintf "%+6g (%+g to %+g)", median(@s), $s[0], $s[-1] }
	printf "%d, %d and %d I/Os in %d rounds\n", @n{qw(stock patched again)},
		$rounds;
	printf "%-5s %8s %6s  %-24s %s\n", qw(kind quantile stock),
		"patched - stock", "stock again - stock";
	for my $kind (qw(lat clat slat)) {
		for my $p (@at) {
			my $of = $q{$kind}{$p};
			my @d = map { my $arm = $_; [map {
				$of->{$arm}[$_] - $of->{stock}[$_]
				} 0 .. $rounds - 1] } qw(patched again);
			printf "%-5s %8g %6g  %-24s %s\n", $kind, $p,
				median(@{$of->{stock}}), map { spread(@$_) } @d;
		}
	}' "$scratch" "$rounds"
