#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/job_report/job_intervals.c plugin/job_report/job_report.h plugin/record/double_buffer.h
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

# adds_up REPORT: passes if tickwise report tells the same of the lines as of the report, but
# for what lines do not have: clocks, the verdict on the counter, the slowest, fio's own lat.
# The last line is the end, and the lines are in order.
adds_up()
{
	lines=${1%.json}.intervals.jsonl
	[ -e "$lines" ] || lines=$1.intervals.jsonl
	"$tickwise" report --json "$1" >report && "$tickwise" report --json "$lines" >all &&
		same report all && perl -MJSON::PP -e '
		my ($report, $header, @lines) = map { decode_json($_) } <>;
		my ($job, $at) = ($report->{jobs}[0], 0);
		$lines[-1]{$_} == $job->{$_} or die "$_\n" for "first_ns", "run_ns";
		for (0 .. $#lines) {
			my $line = $lines[$_];
			$line->{interval} == $_ + 1 && $line->{from_ns} == $at &&
				!$line->{end} == ($_ < $#lines) or die "line $_\n";
			$at = $line->{to_ns};
		}' "$1" "$lines"
}

# same REPORT OTHER: passes if both merged reports have the same numbers
same()
{
	perl -MJSON::PP -e '
		use strict; use warnings;
		my ($report, $other) = map {
			open my $f, "<", $_ or die "$_: $!\n";
			local $/;
			decode_json(<$f>) } @ARGV;
		my $json = JSON::PP->new->canonical;
		for my $key (qw(ios bytes errors short empty requeued unaccounted backwards
				batches negative_stages stages stages_by_lat
				submitting_call fio_times)) {
			my ($is, $wanted) = map { $json->encode([$_->{$key}]) }
				$other, $report;
			$is eq $wanted or die "$key:\n$is\n$wanted\n";
		}
		my ($is, $wanted) = map { $json->encode([map { [@$_{qw(pid
			thread_number start)}] } @{$_->{jobs}}]) } $other, $report;
		$is eq $wanted or die "jobs:\n$is\n$wanted\n";
		$report->{ios}{read} or die "no I/O\n"' "$1" "$2" >why 2>&1 || {
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
long='--time_based=1 --runtime=600ms --tw_interval=100ms --rate_iops=1000'

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

"$tickwise" report --json ./*.tickwise.json >reports
"$tickwise" report --json ./*.jsonl >lines
same reports lines
ok $? 'a page of the lines is the page of the reports'
# Parts of the run that meet add up to the whole: up to the end of the first line with a
# read, and from there on. A busy machine may have left nothing for the second part.
# read_by FILE: prints when the first of its lines with a read ends, in ns
read_by()
{
	perl -MJSON::PP -e 'while (<>) { my $l = decode_json($_);
		print($l->{to_ns}), last if $l->{interval} && $l->{ios}{read} }' "$1"
}
at=$(read_by ./*.1.*.jsonl)
for part in "--to=${at}ns" "--from=${at}ns" --from=0; do
	"$tickwise" report --json $part ./*.1.*.jsonl >part
	from_json part 'my $of = $j->{stages}{lat}{read};
		print $of->{count} // 0, " ", $of->{sum_ns} // 0, " "'
done >parts
awk '{ exit !($1 && $1 + $3 == $5 && $2 + $4 == $6) }' parts
ok $? "and parts of it add up: $(cat parts)"

# shellcheck disable=SC2086
job --name=s $long --status-interval=200ms --tw_stages=0 --ramp_time=200ms
adds_up s.1.*.tickwise.json
ok $? 'without stages, with a ramp time, and with --status-interval'
# Whatever the times of these I/Os are, fio doubles the depth until it is 8, and forgets all
# before the last window, but for the times of syncs.
# shellcheck disable=SC2086
job --name=l --fsync=0 --time_based --runtime=60 --tw_interval=100ms --latency_target=1000s \
	--latency_window=250ms --latency_percentile=1
adds_up l.1.*.tickwise.json && same_counts
ok $? 'with latency_target: the lines since the reset are what fio counts'
"$tickwise" report --json --to="$(read_by l.1.*.jsonl)ns" l.1.*.jsonl >part
json l.1.*.tickwise.json '$j->{unaccounted}{read} > 0' && grep -q '"restart":true' l.1.*.jsonl &&
	json part '$j->{ios}{read} > 0'
ok $? 'those before tell what they had'
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
is_valid intervals keys.json.intervals.jsonl
json keys '$j->{line}{stages}{lat}{read}{count} == $j->{line}{ios}{read} &&
	$j->{header}{interval_ns} == 3600e9 && $j->{header}{digits} == 3'
ok $? 'with what belongs there'

# Kill it when it has written four lines or more. It has one CPU; there may be others. It
# sleeps longer than an interval, so that the thread does not wait for it.
rm -f ./*.jsonl
cpu=$(sed -n 's/^Cpus_allowed_list:[[:blank:]]*\([0-9]*\).*/\1/p' \
	/proc/self/status)
# shellcheck disable=SC2086
run_fio $ios --name=k --time_based=1 --runtime=600 --tw_interval=100ms \
	--cpus_allowed="$cpu" --thinktime=250ms --thinktime_blocks=64 &
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
		open $f, "<", "$task/status";
		my ($mask) = do { local $/; <$f> } =~ /^SigBlk:\s*(\S+)/m;
		print "signals $mask\n";
	}
	print "lines ", lines(), "\n";
	kill 9, $pid' "$cpu" >seen
wait $fio
has err 'got signal' 'a job that is killed'
has seen 'cpus right' 'its thread was not on the CPU of the job, if there are others'
# All but SIGKILL, SIGSTOP, and two that the C library keeps for itself.
has seen 'signals fffffffe7ffbfeff' 'and took no signals'
perl -MJSON::PP -e '
	my ($header, @lines) = map { decode_json($_) } <>;
	exit 1 if grep { $_->{end} } @lines;
	exit 2 unless grep { $_->{ios}{read} } @lines;
	print 1 + @lines' k.1.*.intervals.jsonl >whole
ok $? 'its lines are whole, without an end'
[ "$(cat whole)" -ge "$(sed -n 's/^lines //p' seen)" ] && [ "$(cat whole)" -ge 5 ]
ok $? "all that were there when it was killed"
"$tickwise" report --json k.1.*.intervals.jsonl >page &&
	json page '$j->{stages}{lat}{read}{count} > 0'
ok $? 'tickwise report shows them'
"$tickwise" report k.1.*.intervals.jsonl >page
has page 'WARNING: the job was killed' 'and that the job was killed'
done_testing
