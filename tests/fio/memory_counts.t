#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/memory_engine
#
# Behaviour: size, bs, numjobs, loops and their like mean for the memory engine what
# fio's users expect. size bytes are walked in size / bs I/Os of bs / 64 loads each.
# Each job has memory of its own, in threads as in processes. The report has what
# fio counts, and only that. Defect: I/Os that are missing, counted twice or in the
# ramp time; one memory for all; pages other than those asked for.
#
# What the memory engine writes agrees with tickwise-memory(7), and what it writes of the job
# and the counter agrees with tickwise-report(5). Every key is in the manual with its type, and
# every key that should be there is. Defect: a report that grows or loses a key and a manual
# that does not; a figure that memlat calls otherwise.
. "$(dirname "$0")/memory_tap.sh"

# Each line: a job, its I/Os and reports, its options, and what its first report has.
page=$(getconf PAGESIZE)
cat >cases <<CASES
one_pass|16|1||\$load->{loads_per_batch} == 1024 && \$load->{size_bytes} == 1 << 20 && \
	\$load->{elements} == 1 << 14 && \$load->{footprint_bytes} == 1 << 20 && \
	\$kind eq "random" && \$memory->{seed} == 1 && \$j->{unaccounted} == 0 && \
	\$j->{job}{engine} eq "tickwise-memory" && \$fio->{io_bytes} == 1 << 20
two_processes|32|2|numjobs=2 thread=0|1
two_threads|32|2|numjobs=2 thread=1|1
loops|48|1|loops=3|1
number_ios|5|1|number_ios=5|1
io_size|64|1|io_size=4m|1
sequential|16|1|rw=read|\$kind eq "sequential"
single_loads|64|1|bs=64 size=4k|\$load->{loads_per_batch} == 1
no_whole_turns|10|1|bs=6464 size=64640|\$load->{loads_per_batch} == 101
repeated|16|1|tw_repeat=7|\$load->{loads_per_batch} == 7 * 1024
pages|16|1|tw_pattern=page|\$kind eq "page" && \$load->{elements} * $page == 1 << 20
windows|16|1|tw_pattern=window tw_window=64k tw_seed=9|\$kind eq "window" && \
	\$memory->{window_bytes} == 65536 && \$memory->{seed} == 9
a_rate|16|1|rate_iops=2000|1
think_time|16|1|thinktime=100|1
CASES
printf '[global]\nioengine=external:%s\nrw=randread\nsize=1m\nbs=64k\nstonewall\n' \
	"$memory_so" >jobs.fio
awk -F '|' 'NF > 3 { gsub(/ /, "\n", $4); printf "[%s]\n%s\n", $1, $4 }' cases >>jobs.fio
timeout $hung_s "$FIO" "$plain_clock" --output-format=json --output=out.json jobs.fio >out 2>err
status=$?
perl -MJSON::PP -e '
	sub parsed {
		local $/; open my $f, "<", shift;
		return decode_json(<$f> =~ s/\A.*?^(?=\{)//msr);
	}
	my (%ios, $fio);
	$ios{$_->{jobname}} += $_->{read}{clat_ns}{N}, $fio //= $_->{read}
		for @{parsed("out.json")->{jobs}};
	while (<STDIN>) {
		my ($name, $ios, $reports, undef, $true) = split /\|/, $_, 5;
		my @reports = map { parsed($_) } sort glob "$name.*.memory.json";
		my ($j) = @reports;
		my ($load, $memory, $kind) = ($j->{load}, $j->{memory}, $j->{memory}{kind});
		my $counted = 0;
		$counted += $_->{load}{batches} + $_->{load}{disturbed} for @reports;
		print "$name $ios{$name} $counted ", scalar(@reports), eval $true ? "" : " $true",
			"\n" unless $ios{$name} == $ios && $counted == $ios &&
				@reports == $reports && eval $true;
	}' <cases >wrong 2>&1
is "$status $(cat wrong)" '0 ' "fio and the reports count the I/Os of $(grep -c '^\[[^g]' jobs.fio) jobs"

json one_pass.*.memory.json '$j->{memory}{huge_bytes} == 0 &&
	$j->{memory}{huge_bytes_at_end} == 0 &&
	$j->{memory}{page_bytes} == '"$page"
ok $? "small pages: not one is huge, by smaps at both ends"
memory_fio --tw_pages=transparent --size=4m
if [ "$status" -eq 0 ]; then
	json m.1.*.memory.json '$j->{memory}{huge_bytes} > 0'
	ok $? "transparent pages: some are huge"
else
	skip "$(cat err)"
fi

# fio reads its clock twice at the end of the ramp time: one I/O may be on either side.
memory_fio --time_based=1 --runtime=100ms --ramp_time=500ms
is "$status" 0 "a ramp time"
apart=$(($(value out.json '$j->{jobs}[0]{read}{clat_ns}{N}') -
	$(value "$(ls m.1.*.memory.json)" '$j->{load}{batches} + $j->{load}{disturbed}')))
[ "$apart" -ge -1 ] && [ "$apart" -le 1 ]
ok $? "what fio counts is recorded ($apart apart)"
json m.1.*.memory.json '$j->{unaccounted} > 0'
ok $? "and what it does not is not"

# Whatever the times of these I/Os are, fio ends the job with a window of its own.
memory_fio --time_based=1 --runtime=60 --latency_target=1000s --latency_window=50ms \
	--latency_percentile=1
is "$status $(value out.json '$j->{jobs}[0]{read}{clat_ns}{N}')" \
	"0 $(value "$(ls m.1.*.memory.json)" '$j->{load}{batches} + $j->{load}{disturbed}')" \
	"latency_target: only the last window is recorded"
json m.1.*.memory.json '$j->{unaccounted} > 0'
ok $? "and the I/Os before are counted apart"

# ---- the manual ----

[ -z "$no_schema" ] || { skip "$no_schema"; done_testing; }
man=$root/core/man
{
	cat "$man/tickwise-memory.7"
	sed -n '/^\.SS Jobs/,/^\.EE/p' "$man/tickwise-report.5" | grep -v '^\.BR jobs ' |
		grep -E '^(\.|run |name|groupid|thread_|subjob_|pid|host|start |fio_|engine)'
	sed -n '/^\.SS The counter/,/^\.SS Single/p' "$man/tickwise-report.5"
} >page.7
# A report has no digits apart from texts, and a number may be a whole one.
schema keys page.7 | sed 's/ digits/ string/; s/ count/ number/' | sort -u >known
sed 's/, always//' known | sort -u >types

# as_in_manual DESCRIPTION: compares the keys of report.json
as_in_manual()
{
	schema keys report.json | sed 's/ count/ number/' | sort -u >found
	is "$(comm -23 found types)" '' "$1: its keys and their types are in the manual"
	is "$(sed 's/, always$//' always | sort | comm -23 - found)" '' "$1: none is missing"
}
schema keys "$man/tickwise-memory.7" | sed -n 's/ count/ number/; /, always$/p' |
	sort -u >always

memory_fio --size=256k --tw_report=report.json
is "$status" 0 'a job'
as_in_manual 'its report'
memory_fio --size=64k --bs=64k --tw_node=0 --tw_report=report.json
if [ "$status" -eq 0 ]; then
	as_in_manual 'of one I/O on node 0, without figures'
	json report.json '!exists $j->{load}{min_ns} && $j->{memory}{node} == 0'
	ok $? 'they are missing, and not 0'
else
	skip "$(cat err)"
fi

# memlat's names for the same figures: those of its points are among ours, whichever
# figures a disturbed point has.
run_calibrated memlat --min=256K --max=256K --pages=small --curves=random \
	--point=1 --json
from_json "$out" 'print "$_\n" for sort grep { !/warm_passes/ }
	keys %{$j->{curves}[0]{points}[0]}' >theirs
sed -n 's/^\.BR load\.\([a-z_0-9]*\) .*/\1/p' "$man/tickwise-memory.7" | sort >ours
[ -s theirs ]
ok $? 'a point of memlat'
is "$(comm -23 theirs ours)" '' "load has a point's names"
done_testing
