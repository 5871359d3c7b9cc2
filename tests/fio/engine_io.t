#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: data goes to its place and comes back, at any depth, in processes and
# threads, with every kind of sync. fio's own statistics are complete, and the
# report counts exactly what fio counted. Defect: a completion matched with the
# wrong io_u, a lost or doubled one, an issue time not set (clat of centuries), slat
# left out, ramp time recorded.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# all_of NAME: passes if fio and the report counted all, and slat and clat are whole
statistics='
my $n = 0; my $fine = 1;
for my $job (@{$j->{jobs}}) {
	for my $d ("read", "write") {
		my $s = $job->{$d};
		$n += $s->{total_ios};
		next unless $s->{total_ios};
		$fine = 0 if $s->{slat_ns}{N} != $s->{total_ios};
		$fine = 0 if $s->{clat_ns}{N} != $s->{total_ios};
		# lat is slat + clat, within one whole ns each
		$fine = 0 if abs($s->{lat_ns}{mean} - $s->{slat_ns}{mean} -
			$s->{clat_ns}{mean}) > 2;
		# an hour in one I/O is a wrong clock
		$fine = 0 if $s->{clat_ns}{max} > 3.6e12;
	}
}
$fine && $n > 0'

for depth in 1 3 32 128; do
	rm -f ./*.tickwise.json
	run_fio --name=v --rw=randwrite --bs=4k --size=4m --iodepth="$depth" \
		--verify=crc32c --do_verify=1 --filename=v.data
	ok $? "depth $depth: random writes read back and verified"
	json out.json "$statistics"
	ok $? "depth $depth: fio's slat, clat and lat are complete"
	same_counts
	ok $? "depth $depth: the report counts what fio counted"
done

rm -f ./*.tickwise.json
run_fio --name=p --rw=randrw --bs=512 --size=1m --iodepth=8 --numjobs=3
ok $? "three processes"
[ "$(ls p.*.tickwise.json | wc -l)" -eq 3 ]
ok $? "three reports"
same_counts
ok $? "their counts together are fio's"

rm -f ./*.tickwise.json
run_fio --name=t --rw=randrw --bs=512 --size=1m --iodepth=8 --numjobs=3 \
	--thread=1
ok $? "three threads"
same_counts
ok $? "their counts together are fio's"

rm -f ./*.tickwise.json
run_fio --name=b --rw=randread --bs=4k --size=2m --iodepth=32 \
	--iodepth_batch_submit=16 --iodepth_batch_complete_min=8 \
	--iodepth_batch_complete_max=16
ok $? "batched submission and completion"
json b.1.*.tickwise.json '$j->{batches}{enters} < $j->{ios}{read}'
ok $? "batches are fewer than I/Os"

for sync in fsync fdatasync sync_file_range=write; do
	rm -f ./*.tickwise.json
	# At greater depths fio itself may ask for a range that begins nowhere.
	case $sync in
	*=*) option=--$sync:8 depth=1 ;;
	*) option=--$sync=8 depth=4 ;;
	esac
	run_fio --name=s --rw=write --bs=4k --size=1m --iodepth=$depth "$option"
	ok $? "$sync every 8 writes"
	same_counts
	ok $? "$sync: write counts are fio's"
	json s.1.*.tickwise.json '$j->{ios}{sync} > 0 &&
		$j->{stages}{lat}{sync}{count} == $j->{ios}{sync}'
	ok $? "$sync: recorded as sync"
done

rm -f ./*.tickwise.json
# A tenth of a second of each, in simulated time.
on_device DEVICE_SERIAL_US=100 "external:$TICKWISE_SO" --name=r --rw=randread \
	--bs=4k --size=2m --iodepth=4 --time_based=1 --ramp_time=100ms \
	--runtime=100ms
ok $? "ramp time"
same_counts
ok $? "ramp time is not recorded, the same I/Os as in fio"
json r.1.*.tickwise.json '$j->{unaccounted}{read} > 0'
ok $? "but counted apart"

rm -f ./*.tickwise.json
run_fio --name=g --rw=randread --bs=4k --size=2m --iodepth=4 --gtod_reduce=1
ok $? "gtod_reduce"
json g.1.*.tickwise.json '$j->{ios}{read} == 512'
ok $? "the engine's own stamps need none of fio's clock"

# A file that loses its end between its set-up and the job. One read of it comes
# back short, which fio sends again. Those after it come back empty, which fio
# counts.
echo 'truncate -s 2097664 shrinks.data' >shrink.sh
# shrink ENGINE: prints how the job ends, and what fio has counted
shrink()
{
	rm -f ./*.tickwise.json
	head -c 4194304 /dev/zero >shrinks.data
	timeout -s KILL $hung_s "$FIO" --ioengine="$1" --output-format=json \
		--output=out.json --name=h --rw=read --bs=4k --size=4m \
		--filename=shrinks.data --number_ios=1000 \
		--exec_prerun='sh shrink.sh' --invalidate=0 --iodepth=4 \
		>out 2>&1
	echo "exit $?, $(from_json out.json 'my $r = $j->{jobs}[0]{read};
		print "$r->{total_ios} I/Os, $r->{io_bytes} bytes, ",
			"$r->{short_ios} short, $r->{clat_ns}{N} samples"')"
}
stock=$(shrink io_uring)
is "$(shrink "external:$TICKWISE_SO")" "$stock" \
	"a file that shrinks ends as with fio's engine: $stock"
json h.1.*.tickwise.json '$j->{short}{read} == 1 && $j->{empty}{read} == 488'
ok $? "512 reads are whole and one is half done, of the 1000 the rest is nothing"
same_counts
ok $? "reads of nothing are counted as fio counts them"
done_testing
