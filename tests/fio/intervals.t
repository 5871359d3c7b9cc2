#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/interval.c plugin/interval.h plugin/filling.h
#
# Behaviour: with tw_interval each job leaves a file of lines that add up to its
# report, bin by bin. Each I/O is in one line, with all of its stages. So it is for
# processes and threads, and with fio's own status lines at the same time. A job that is
# killed leaves whole lines. A file that can't be written costs a line in the log and
# nothing else. The lines have the keys of tickwise-report(5).
#
# Defect: an I/O in no line or in two, or a part of it; two jobs in one file, half a line,
# a job that ends with its file. Also a thread on the CPU that the job was given.
. "$(dirname "$0")/fio_tap.sh"

# Perl for lines of intervals: each($text) returns the header and the lines. whole($line)
# dies if a line has a part of an I/O. All I/Os of these tests go through the ring.
# shellcheck disable=SC2034
lines='
	use strict; use warnings; use JSON::PP; use List::Util qw(min max sum0);
	use Math::BigInt;
	my @directions = qw(read write trim sync);
	sub slurp { local $/; open my $f, "<", $_[0] or die "$_[0]: $!\n"; <$f> }
	sub at {
		my ($at, $path) = @_;
		$at = ref $at eq "HASH" ? $at->{$_} : undef for split /\./, $path;
		return $at;
	}
	sub lines_of {
		my ($header, @lines) = map { decode_json($_) } grep { /\n\z/ }
			split /^/, slurp($_[0]);
		my ($n, $at) = (0, 0);
		for (@lines) {
			++$n == $_->{interval} && $at == $_->{from_ns} &&
				$at <= $_->{to_ns} or die "line $n\n";
			$_->{end} && $n < @lines and die "line $n is the end\n";
			$at = $_->{to_ns};
			whole($_);
		}
		return ($header, @lines);
	}
	sub whole {
		my ($line) = @_;
		my $n = "line $line->{interval}";
		for my $d (@directions) {
			my $ios = $line->{ios}{$d};
			my %of = map { $_ => $line->{stages}{$_}{$d} }
				grep { $line->{stages}{$_}{$d} } keys %{$line->{stages}};
			my $lat = delete $of{lat} // {count => 0, sum_ns => 0};
			my @windows = @{$line->{over_time}{windows}};
			$lat->{count} == $ios or die "$n: lat of other I/Os\n";
			$ios == sum0(map { $_->{$d}{count} // 0 } @windows)
				or die "$n: other I/Os over time\n";
			next unless exists $line->{stages}{queue};
			$lat->{sum_ns} == sum0(map { $_->{sum_ns} } values %of)
				or die "$n: $d: the stages are not lat\n";
			$ios == sum0(map { $_->{ios} } @{$line->{stages_by_lat}{$d}})
				or die "$n: other I/Os by lat\n";
			my $split = at($line, "kernel_stages.split.$d") // 0;
			my %wanted = (queue => $ios, deliver => $ios,
				kernel => $ios - $split);
			(($of{$_} // {})->{count} // 0) == $wanted{$_}
				or die "$n: $d: $_\n" for keys %wanted;
			$_ > $ios and die "$n: $d: too many of a stage\n"
				for map { $_->{count} } values %of;
		}
	}
'

# adds_up REPORT: passes if its lines are whole and in order, the last is marked as
# the last, and the report is their sum: counts, bins, sums, squares and extremes
adds_up()
{
	perl -e "$lines"'
		my ($name) = @ARGV;
		my $report = decode_json(slurp($name));
		$name =~ s/\.tickwise\.json$/.tickwise/;
		$name .= ".intervals.jsonl";
		slurp($name) =~ /\n\z/ or die "half a line\n";
		my ($header, @lines) = lines_of($name);
		my ($job, $of) = map { $_->{jobs}[0] } $report, $header;
		$header->{kind} eq "intervals" && $of->{pid} == $job->{pid} &&
			$of->{thread_number} == $job->{thread_number}
			or die "header\n";
		$lines[-1]{end} or die "no end\n";
		my %largest = map { $_ => 1 } qw(batches.largest_tail
			kernel_stages.clock_error_ns response.resolution_ns);
		my $json = JSON::PP->new->canonical;
		sub histogram {
			my ($path, $right, @of) = @_;
			my %sum = (count => 0, sum_ns => 0);
			my $squares = Math::BigInt->new(0);
			for my $h (@of) {
				$sum{$_} += $h->{$_} for qw(count sum_ns);
				$squares->badd($h->{sum_squares_ns2});
				$sum{bins}{$_} += $h->{bins}{$_} for keys %{$h->{bins}};
			}
			$sum{min_ns} = min map { $_->{min_ns} } @of;
			$sum{max_ns} = max map { $_->{max_ns} } @of;
			$squares->bcmp($right->{sum_squares_ns2}) and die "$path: squares\n";
			for (keys %sum) {
				my ($is, $wanted) = map { ref $_ ? $json->encode($_) : "$_" }
					$sum{$_}, $right->{$_};
				$is eq $wanted or die "$path: $_\n$is\n$wanted\n";
			}
		}
		sub check {
			my ($path, $right) = @_;
			my @of = grep { defined } map { at($_, $path) } @lines;
			if (ref $right && exists $right->{bins}) {
				histogram($path, $right, @of);
			} elsif (ref $right) {
				check("$path.$_", $right->{$_}) for keys %$right;
			} else {
				my $is = $largest{$path} ? max(@of) : sum0(@of);
				$is == $right or die "$path: $is, not $right\n";
			}
		}
		for my $key (qw(ios bytes errors short empty requeued unaccounted backwards
				batches negative_stages stages submitting_call
				kernel_stages writer fio_times response)) {
			next unless exists $report->{$key};
			for my $part (keys %{ref $report->{$key} ? $report->{$key} : {}}) {
				# They are known at the end.
				next if $part =~ /^(missed_runs|slip_at_end_ns)$/;
				check("$key.$part", $report->{$key}{$part});
			}
			check($key, $report->{$key}) unless ref $report->{$key};
		}
		$lines[-1]{run_ns} == $job->{run_ns} &&
			$lines[-1]{first_ns} == $job->{first_ns}
			or die "runs for another time\n";
		$report->{ios}{read} or die "no I/O\n"' "$1" >why 2>&1 || {
		cut -c1-2000 why | sed 's/^/# /'
		return 1
	}
}

ios='--filename=data --size=4m --rw=randrw --bs=4k --iodepth=8
	--iodepth_batch_submit=4 --fsync=64'
# shellcheck disable=SC2086
job()
{
	rm -f ./*.tickwise.json ./*.jsonl
	run_fio $ios "$@"
}
long='--time_based=1 --runtime=600ms --tw_interval=100ms'

for thread in 0 1; do
	# shellcheck disable=SC2086
	job --name=two --numjobs=2 --thread=$thread $long
	ok $? "thread=$thread: two jobs with intervals"
	is "$(ls two.[12].*.tickwise.json two.[12].*.tickwise.intervals.jsonl |
		wc -l)" 4 "thread=$thread: each has a file of its own"
	for n in 1 2; do
		adds_up two.$n.*.tickwise.json
		ok $? "thread=$thread: job $n: the lines are the report"
	done
done
same_counts
ok $? 'which is what fio counts'

# same_page: passes if tickwise report tells the same of the reports as of the files of
# intervals, but for what lines do not have: clocks, the verdict on the counter, the slowest,
# fio's own lat. Parts of the run that meet add up to the whole.
same_page()
{
	"$tickwise" report --json ./*.tickwise.json >reports &&
	"$tickwise" report --json ./*.jsonl >lines || return 1
	at=$(perl -MJSON::PP -e '
		my @lines = map { decode_json($_) } <>;
		print $lines[3]{to_ns}' "$(find . -name '*.1.*.jsonl')")
	"$tickwise" report --json --to="${at}ns" ./*.1.*.jsonl >first &&
	"$tickwise" report --json --from="${at}ns" ./*.1.*.jsonl >second &&
	"$tickwise" report --json ./*.1.*.jsonl >all || return 1
	perl -MJSON::PP -e '
		use strict; use warnings;
		my ($reports, $lines, $first, $second, $all) = map {
			open my $f, "<", $_ or die "$_: $!\n";
			local $/;
			decode_json(<$f>) } @ARGV;
		my $json = JSON::PP->new->canonical;
		my @keys = qw(ios bytes errors short empty requeued unaccounted backwards
			batches stages stages_by_lat submitting_call fio_times);
		for my $key (grep { exists $reports->{$_} } @keys) {
			my ($is, $wanted) = map { $json->encode([$_->{$key}]) }
				$lines, $reports;
			$is eq $wanted or die "$key:\n$is\n$wanted\n";
		}
		@{$lines->{jobs}} == @{$reports->{jobs}} or die "jobs\n";
		for my $part (qw(bins sum_ns count)) {
			my ($a, $b, $sum) = map { $_->{stages}{lat}{read}{$part} }
				$first, $second, $all;
			($a, $b, $sum) = map { { n => $_ } } $a, $b, $sum
				unless ref $sum;
			($a->{$_} // 0) + ($b->{$_} // 0) == $sum->{$_} or
				die "$part $_\n" for keys %$sum;
		}' reports lines first second all >why 2>&1 || {
		cut -c1-2000 why | sed 's/^/# /'
		return 1
	}
}
same_page
ok $? 'a page of the lines is the page of the reports, and parts of it add up'

# shellcheck disable=SC2086
job --name=s $long --status-interval=200ms --tw_stages=0 --ramp_time=200ms
adds_up s.1.*.tickwise.json
ok $? 'without stages, with a ramp time, and with --status-interval'
job --name=short --tw_interval=1 --tw_report=one.json
adds_up one.json
ok $? 'tw_report=FILE: FILE.intervals.jsonl; of a job that is shorter, too'
head -n 1 one.json.intervals.jsonl >header
json header '$j->{interval_ns} == 1e9'
ok $? 'tw_interval=1 is a second'
job --name=g --tw_interval=1h --tw_report=g.json --numjobs=2
adds_up g.json.1 && adds_up g.json.2
ok $? 'FILE.N: FILE.N.intervals.jsonl'
job --name=d --tw_interval=1h --tw_report=/dev/null
is "$(ls ./*.jsonl)" "$(ls ./d.1.*.tickwise.intervals.jsonl)" \
	'without a device: under its own name'
job --name=n --tw_interval=1h --tw_report=none
is "$(ls ./*.jsonl 2>/dev/null)" '' 'tw_report=none: none'
job --name=n
is "$(ls ./*.jsonl 2>/dev/null)" '' 'nor without tw_interval'

job --name=x --tw_interval=99ms
[ $? -eq 1 ] && [ "$(grep -c tw_interval err)" -eq 1 ]
ok $? 'an interval of less than 100 ms is refused'
has err 'tickwise: x: tw_interval is 99000 us, the shortest is 100 ms' \
	'in one line'

# The header is written, or not, before the job begins.
rm -f full.json* f.1.*
ln -s /dev/full full.json.intervals.jsonl
# shellcheck disable=SC2086
run_fio $ios --name=f --tw_interval=1h --tw_report=full.json
ok $? 'a full disk: the job goes on'
json full.json '$j->{ios}{read} > 0'
ok $? 'and has its report'
is "$(messages)" "tickwise: f: the intervals can't be written to their place: No space \
left on device; they are in $(ls f.1.*.tickwise.intervals.jsonl)" 'and the log has one line of it'
# A file may have 512 bytes, which the message is below and the header is not.
rm -f full.json* f.1.*
(
	ulimit -f 1
	# shellcheck disable=SC2086
	TMPDIR=/nonexistent run_fio $ios --name=f --tw_interval=1h --tw_report=none.json \
		--output=/dev/null
)
has err "tickwise: f: none.json.intervals.jsonl: no intervals are written: File too large" \
	'no disk at all: the log has one line of it'

# The keys of all lines, each under its name in the manual.
# Not all that is in /dev is a device.
if shared=$(mktemp -d /dev/shm/tickwise.XXXXXX 2>/dev/null); then
	job --name=m --tw_interval=1h --tw_report="$shared/m.json" --tw_test_nop=1
	is "$(ls "$shared")" 'm.json
m.json.intervals.jsonl' 'in /dev/shm the intervals are next to the report'
	rm -r "$shared"
else
	skip 'no /dev/shm'
fi

job --name=k --tw_interval=1h --tw_report=keys.json --tw_test_nop=1
perl -MJSON::PP -e '
	my @lines = map { decode_json($_) } <>;
	print encode_json({ header => $lines[0], line => $lines[-1] })' \
	keys.json.intervals.jsonl >keys
head -n 1 keys.json.intervals.jsonl >header
sed 1d keys.json.intervals.jsonl >rest
# The header lacks what a report has at its end.
is "$(for file in header rest; do
	perl "$root/tests/report_keys.pl" \
		"${TW_BUILD:-$root/build}/man/tickwise-report.5" $file
done | grep -vE '^(ios|stages|clocks|counter) is missing')" '' \
	'the lines are as in the manual'
is_valid intervals keys.json.intervals.jsonl
json keys '$j->{line}{stages}{lat}{read}{count} == $j->{line}{ios}{read} &&
	$j->{header}{interval_ns} == 3600e9 && $j->{header}{digits} == 3'
ok $? 'with what belongs there'

# Kill it when it has written four lines or more. It has one CPU; there may be others.
rm -f ./*.jsonl
cpu=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\).*/\1/p' \
	/proc/self/status)
# shellcheck disable=SC2086
run_fio $ios --name=k --time_based=1 --runtime=600 --tw_interval=100ms \
	--cpus_allowed="$cpu" &
fio=$!
perl -e '
	use strict; use warnings;
	my ($cpu) = @ARGV;
	sub cpus {
		my ($file) = @_;
		my %cpu;
		open my $f, "<", $file or return;
		my ($list) = do { local $/; <$f> } =~
			/^Cpus_allowed_list:\s*(\S+)/m;
		for (split /,/, $list) {
			my ($from, $to) = split /-/;
			$cpu{$_} = 1 for $from .. $to // $from;
		}
		return sort { $a <=> $b } keys %cpu;
	}
	sub lines {
		my ($file) = glob "k.1.*.intervals.jsonl";
		open my $f, "<", $file // return 0 or return 0;
		return scalar grep { /\n\z/ } <$f>;
	}
	my $waited = 0;
	select undef, undef, undef, 0.1 while lines() < 5 && $waited++ < 1200;
	my ($pid) = (glob "k.1.*.intervals.jsonl")[0] =~ /k\.1\.(\d+)\./;
	my $right = join ",", grep { $_ != $cpu } cpus("/proc/self/status");
	for my $task (glob "/proc/$pid/task/*") {
		open my $f, "<", "$task/comm" or next;
		next unless <$f> eq "tw_interval\n";
		print "cpus ", join(",", cpus("$task/status")) eq
			($right eq "" ? $cpu : $right) ? "right" : "wrong", "\n";
	}
	print "lines ", lines(), "\n";
	kill 9, $pid' "$cpu" >seen
wait $fio
has err 'got signal' 'a job that is killed'
has seen 'cpus right' 'its thread was not on the CPU of the job, if there are others'
perl -e "$lines"'
	my (undef, @lines) = lines_of($ARGV[0]);
	exit 1 if grep { $_->{end} } @lines;
	exit 2 unless sum0(map { $_->{ios}{read} + $_->{ios}{write} } @lines);
	print 1 + @lines' k.1.*.intervals.jsonl >whole
ok $? 'its lines are whole, one after the other, without half an I/O or an end'
[ "$(cat whole)" -ge "$(sed -n 's/^lines //p' seen)" ] && [ "$(cat whole)" -ge 5 ]
ok $? "all that were there when it was killed"
"$tickwise" report --json k.1.*.intervals.jsonl >page &&
	json page '$j->{stages}{lat}{read}{count} > 0'
ok $? 'tickwise report shows them'
"$tickwise" report k.1.*.intervals.jsonl >page
has page 'WARNING: the job was killed' 'and that the job was killed'
done_testing
