#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with tw_interval each job leaves a file of lines that add up to its
# report. So it is for processes and threads, and with fio's own status lines at the
# same time. A job that is killed leaves whole lines. A file that can't be written
# costs a line in the log and nothing else. The lines have the keys of
# tickwise-report(5).
#
# Defect: an I/O in no line or in two, two jobs in one file, half a line, a job that
# ends with its file. Also a thread on the CPU that the job was given.
. "$(dirname "$0")/fio_tap.sh"

# adds_up REPORT: passes if its lines are whole and in order, the last is marked as
# the last, and all numbers that add up are those of the report
adds_up()
{
	perl -MJSON::PP -e '
		use strict; use warnings;
		my ($name) = @ARGV;
		local $/;
		open my $f, "<", $name or die "$name: $!\n";
		my $report = decode_json(<$f>);
		$name =~ s/\.tickwise\.json$/.tickwise/;
		$name .= ".intervals.jsonl";
		open $f, "<", $name or die "$name: $!\n";
		my $text = <$f>;
		$text =~ /\n\z/ or die "half a line\n";
		my ($header, @lines) = map { decode_json($_) }
			split /\n/, $text;
		$header->{kind} eq "intervals" &&
			$header->{job}{pid} == $report->{job}{pid} &&
			$header->{job}{thread_number} ==
			$report->{job}{thread_number} or die "header\n";
		$lines[-1] = $lines[-1]{end} or die "no end\n";
		my %left_out = map { $_ => 1 } qw(digits min_ns max_ns mean_ns
			stddev_ns sum_squares_ns2 percentiles clock_error_ns
			negative_within negative_beyond missed_runs state);
		sub add {
			my ($into, $from) = @_;
			for (grep { !$left_out{$_} } keys %$from) {
				if (ref $from->{$_}) {
					add($into->{$_} //= {}, $from->{$_});
				} else {
					$into->{$_} += $from->{$_};
				}
			}
		}
		my @parts = qw(ios errors short empty requeued unaccounted
			backwards stages submitting_call);
		push @parts, "kernel_stages"
			if $report->{kernel_stages}{state} eq "on";
		sub parts {
			my ($from) = @_;
			return { map { $_ => $from->{$_} }
				grep { exists $from->{$_} } @parts };
		}
		my ($sum, $right, $n, $at) = ({}, {}, 0, 0);
		for (@lines) {
			++$n == $_->{interval} && $at == $_->{from_ns} &&
				$at <= $_->{to_ns} or die "line $n\n";
			$at = $_->{to_ns};
			add($sum, parts($_));
		}
		$lines[-1]{run_ns} == $report->{job}{run_ns}
			or die "runs for another time\n";
		add($right, parts($report));
		my $json = JSON::PP->new->canonical;
		my ($is, $wanted) = map { $json->encode($_) } $sum, $right;
		$is eq $wanted or die "the sum is another\n$is\n$wanted\n";
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

# same_page OF: passes if tickwise report tells the same of the reports as of the
# files of intervals OF. Left out is what lines do not have: clocks, the slowest,
# and what follows from the sum of squares. Parts of the run that meet add up to the
# whole.
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
			my $groups = decode_json(<$f>)->{groups};
			@$groups == 1 or die "$_: groups\n";
			$groups->[0] } @ARGV;
		my $json = JSON::PP->new->canonical;
		my @keys = qw(ios bytes errors short empty requeued unaccounted backwards
			stages submitting_call fio_times unknown);
		for my $key (grep { exists $reports->{$_} } @keys) {
			for ($reports, $lines) {
				my $part = $_->{$key};
				$part = { lat => $part } if $key eq "submitting_call";
				next if $key !~ /stages|call/;
				delete @$_{"stddev_ns", "sum_squares_ns2"}
					for map { values %$_ } values %$part;
			}
			my ($is, $wanted) = map { $json->encode([$_->{$key}]) }
				$lines, $reports;
			$is eq $wanted or die "$key:\n$is\n$wanted\n";
		}
		$lines->{job}{jobs} == $reports->{job}{jobs} or die "jobs\n";
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
	print encode_json({ header => $lines[0], line => $lines[-1]{end} })' \
	keys.json.intervals.jsonl >keys
is "$(perl "$root/tests/unit/report_keys.pl" \
	"${TW_BUILD:-$root/build}/man/tickwise-report.5" keys | grep -E '^(header|line)\b')" '' \
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
perl -MJSON::PP -e '
	my @whole = grep { /\n\z/ } <>;
	my (undef, @lines) = map { decode_json($_) } @whole;
	my $at = 0;
	for (@lines) {
		exit 1 if $_->{end} || $_->{from_ns} != $at;
		$at = $_->{to_ns};
		$ios += $_->{ios}{read} + $_->{ios}{write};
	}
	exit 2 unless $ios;
	print scalar @whole' k.1.*.intervals.jsonl >whole
ok $? 'its lines are whole, one after the other, without an end'
[ "$(cat whole)" -ge "$(sed -n 's/^lines //p' seen)" ] && [ "$(cat whole)" -ge 5 ]
ok $? "all that were there when it was killed"
"$tickwise" report --json k.1.*.intervals.jsonl >page &&
	json page '$j->{groups}[0]{stages}{lat}{read}{count} > 0'
ok $? 'tickwise report shows them'
"$tickwise" report k.1.*.intervals.jsonl >page
has page 'WARNING: the job was killed' 'and that the job was killed'
done_testing
