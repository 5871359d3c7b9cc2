#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the engine does all I/Os of fio, whatever shapes their stream, and its
# report counts exactly what fio counts. Defect: an I/O lost, doubled or left out
# when fio waits, pauses, starts over, syncs, or does not want its own times. With
# sqthread_poll, slat is turned off as fio's own engine does it (3.36 on), and fio then takes
# no start times of the reads that verify: their lat begins with the writes.
. "$(dirname "$0")/fio_tap.sh"

{
	printf '[global]\nioengine=external:%s\nrw=randrw\n' "$TICKWISE_SO"
	printf 'bs=4k\nsize=256k\niodepth=8\ntw_slowest=0\n'
} >jobs.fio
# job NAME OPTION...: runs a job on a file of its own
job()
{
	name=$1
	shift
	printf '%s\n' "[$name]" "filename=$name.data" "$@" >>jobs.fio
}
job rate rate_iops=1000
job rate_poisson rate_iops=1000 rate_process=poisson
job thinktime thinktime=1ms thinktime_blocks=8
job low iodepth_low=2
job batch iodepth_batch=4 iodepth_batch_complete_min=2 \
	iodepth_batch_complete_max=8
job any_time iodepth_batch_complete_min=0 iodepth_batch_complete_max=8
job deeper_batch iodepth=3 iodepth_batch=8
job loops loops=3
job strided zonemode=strided zonesize=32k zonerange=64k zoneskip=32k
job verified verify=crc32c verify_backlog=8 rw=randwrite
for depth in 3 128; do
	job deep_$depth verify=crc32c do_verify=1 rw=randwrite size=1m iodepth=$depth
done
job async_verified verify=md5 verify_async=2 rw=write
job sizes bsrange=512-16k
job mix bssplit=4k/50:8k/50 rwmixread=70
job fsync fsync=4
job fdatasync fdatasync=3 rw=write
# At greater depths fio itself may ask for a range that begins nowhere. When a sync
# ends, fio forgets what was written, also what was queued after the sync.
job range sync_file_range=write:4 rw=write iodepth=1
job at_end end_fsync=1 fsync_on_close=1 rw=write
job limited number_ios=20
job small io_size=64k
job timed time_based=1 runtime=1 rate_iops=1000
job stopping rw=write create_on_open=1 size=64k
job many_files filename=m1.data:m2.data:m3.data openfiles=2
# fio has it from 3.42 on.
! "$FIO" --cmdhelp=all 2>/dev/null | grep -q '^end_syncfs ' ||
	job syncfs end_syncfs=1 rw=write
timeout -s KILL $hung_s "$FIO" jobs.fio --output-format=json --output=out.json \
	>out 2>err
ok $? "one run with $(grep -c '^filename=.' jobs.fio) kinds of job"
[ ! -s err ] || sed 's/^/# /' err
is "$(from_json out.json '
	print join " ", "failed:", map { $_->{jobname} } grep { $_->{error} ||
		!$_->{read}{total_ios} && !$_->{write}{total_ios} } @{$j->{jobs}}
	')" "failed:" "none of them fails"
same_counts
ok $? "each is counted as fio counts it"
json low.*.tickwise.json '$j->{ios}{read} + $j->{ios}{write} == 64'
ok $? "nothing is left behind in the ring"
json range.*.tickwise.json '$j->{ios}{sync} > 0 && !$j->{ios}{read} &&
	$j->{stages}{lat}{sync}{count} == $j->{ios}{sync}'
ok $? "syncs are recorded as that"
# lat is slat + clat, within one whole ns each; an hour in one I/O is a wrong clock.
json out.json '!grep { my $s = $_; $s->{total_ios} && (
	grep({ $s->{$_}{N} != $s->{total_ios} } "slat_ns", "clat_ns") ||
	abs($s->{lat_ns}{mean} - $s->{slat_ns}{mean} - $s->{clat_ns}{mean}) > 2 ||
	$s->{clat_ns}{max} > 3.6e12) }
	map { $_->{read}, $_->{write} } grep { $_->{jobname} =~ /^deep/ } @{$j->{jobs}}'
ok $? "fio's slat, clat and lat are complete"

# fio keeps no times of these, but counts them. Without slat, clat and bw it prints a lat, but
# does not read when an I/O ends.
for less in gtod_reduce disable_clat disable_slat disable_lat disable_bw no_end; do
	printf '[%s]\nioengine=external:%s\nrw=randrw\nbs=4k\nsize=256k\n' \
		"$less" "$TICKWISE_SO"
	printf 'iodepth=4\nfilename=less.data\n'
	case $less in
	no_end) printf 'disable_slat=1\ndisable_clat=1\ndisable_bw=1\n' ;;
	*) printf '%s=1\n' "$less" ;;
	esac
done >less.fio
timeout -s KILL $hung_s "$FIO" less.fio --output-format=json --output=out.json \
	>out 2>err
ok $? "jobs that leave out some of fio's times"
is "$(from_json out.json '
	print "unlike:";
	for my $job (@{$j->{jobs}}) {
		open my $f, "<", glob "$job->{jobname}.*.tickwise.json";
		my $r = decode_json(<$f>);
		print " $job->{jobname}" if exists $r->{fio_lat} ==
			$job->{jobname} =~ /gtod_reduce|disable_lat|no_end/;
		for ("read", "write") {
			print " $job->{jobname}" if $r->{ios}{$_} !=
				$job->{$_}{total_ios};
			my ($lat, $own) = ($job->{$_}{lat_ns}, $r->{fio_lat});
			# The sum is rounded to a nanosecond.
			print " lat of $job->{jobname}" if $own && (
				$lat->{N} != $own->{count}{$_} || abs($lat->{N} *
				$lat->{mean} - $own->{sum_ns}{$_}) > 1);
		}
	}')" "unlike:" "the report has all of theirs, and fio's own lat as fio prints it"

rm -f ./*.tickwise.json
run_fio --name=g --filename=g.data --rw=randrw --bs=4k --size=256k --iodepth=4 \
	--numjobs=4 --group_reporting=1 --thread=1
ok $? "four jobs reported as one"
is "$(ls g.*.tickwise.json | wc -l)" 4 "a report of each"
same_counts
ok $? "their sum is fio's"

rm -f ./*.tickwise.json
run_fio --name=w --filename=w.data --rw=randrw --bs=4k --size=256k --iodepth=4 \
	--write_iolog=log --tw_report=none
run_fio --name=w --read_iolog=log --iodepth=4
ok $? "a recorded run, replayed"
same_counts
ok $? "the replay is counted as fio counts"

mkdir aux
rm -f ./*.tickwise.json
run_fio --aux-path=aux --name=x --filename=w.data --rw=randread --bs=4k \
	--size=256k
ok $? "with --aux-path"
is "$(cd aux && ls ./*.tickwise.json | sed 's/\.[0-9]*\.tickwise/.PID.tickwise/')" \
	./x.1.PID.tickwise.json "the report is there: JOB.N.PID.tickwise.json"
is "$(ls ./*.tickwise.json 2>&1 | grep -c '^\./')" 0 "and not here"

head -c 262144 /dev/urandom >kept.data
cp kept.data before.data
run_fio --readonly --name=r --filename=kept.data --rw=randrw --bs=4k \
	--size=256k >out
[ $? -ne 0 ] && cmp -s kept.data before.data
ok $? "--readonly: nothing is written"
chmod 444 kept.data
rm -f ./*.tickwise.json
run_fio --readonly --name=r --filename=kept.data --rw=randread --bs=4k \
	--size=256k --iodepth=4
ok $? "--readonly: reading works"
same_counts
ok $? "and is counted"

# With sqthread_poll, fio's lat of the reads that verify what was written is that of the
# reads. At most 8 I/Os are in flight at any time: their times together are at most that
# many times the whole (of which fio gives milliseconds, rounded down). Start times that are
# not renewed make it half of one I/O's share: 512 of 1024.
run_fio --name=v --rw=randwrite --bs=4k --size=4m --iodepth=8 --verify=crc32c \
	--do_verify=1 --filename=v.data --sqthread_poll=1
status=$?
if grep -q 'forbidden\|not permitted' err; then
	skip "no submission thread here: $(head -n 1 err)"
else
	ok $status "verified, submitted by a thread of the kernel"
	json out.json 'my $r = $j->{jobs}[0]{read};
		$r->{lat_ns}{N} == 1024 && $r->{lat_ns}{mean} * $r->{lat_ns}{N} <=
			8 * ($r->{runtime} + 1) * 1e6'
	ok $? "lat of the reads fits into their time"
	json out.json '!$j->{jobs}[0]{read}{slat_ns}{N} &&
		!$j->{jobs}[0]{write}{slat_ns}{N}'
	ok $? "no slat: telling it apart would cost what it takes"
fi
done_testing
