#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: of a million I/Os none is lost and none is counted twice. fio's count
# of what it issued, its latency samples, the engine's count and the histograms'
# agree exactly, whichever way the I/Os come through the ring. tw_test_nop=1 tests
# nothing but the engine: stderr and the report tell so, and no data is touched.
# tests/bench/engine_count.sh does a hundred million.
#
# Defect: a completion that is taken twice or skipped at the end of the ring, a bin
# that overflows, a stage added without its I/O, nops taken for reads.
. "$(dirname "$0")/fio_tap.sh"

head -c 1048576 /dev/urandom >n.data
before=$(cksum <n.data)

# nops COUNT ARGUMENT...: runs a job of nops
nops()
{
	count=$1
	shift
	rm -f ./*.tickwise.json
	run_fio --name=n --filename=n.data --bs=512 --size=1m \
		--io_size=$((count * 512)) --tw_test_nop=1 "$@"
}
# all_equal COUNT: compares fio's issues and samples, and our counts
all_equal()
{
	is "$(perl -MJSON::PP -e 'local $/; my ($fio, $tw) = map {
		open my $f, "<", $_ or die; my $t = <$f>;
		$t =~ s/\A.*?^(?=\{)//ms; decode_json($t) }
			"out.json", glob "n.1.*.tickwise.json";
		my $j = $fio->{jobs}[0]; my @n;
		for my $d ("read", "write") {
			my $h = $tw->{stages}{lat}{$d};
			my $bins = 0;
			$bins += $_ for values %{$h->{bins} // {}};
			$n[0] += $j->{$d}{total_ios};
			$n[1] += $j->{$d}{lat_ns}{N};
			$n[2] += $tw->{ios}{$d};
			$n[3] += $h->{count} // 0;
			$n[4] += $bins;
		}
		print "@n"')" "$1 $1 $1 $1 $1" "$2: fio's I/Os and samples, \
the engine's I/Os, histogram and bins"
}

million=1000000
nops $million --rw=read --iodepth=128 --iodepth_batch_submit=32 \
	--iodepth_batch_complete_min=1 --iodepth_batch_complete_max=32
ok $? 'a million nops in batches'
has err 'tw_test_nop=1: no data is read or written' 'it is told on stderr'
json n.1.*.tickwise.json '$j->{jobs}[0]{test_nop}'
ok $? 'and in the report'
all_equal $million 'batches'
json n.1.*.tickwise.json '!grep { $j->{stages}{$_}{read}{count} != 1e6 }
	"queue", "kernel", "deliver"'
ok $? 'a million of each stage'

# A depth that does not fill the ring, both directions.
nops 100000 --rw=randrw --norandommap=1 --iodepth=5 --iodepth_batch=5 --registerfiles=1 \
	--fixedbufs=1 --nonvectored=0 --nowait=1 --uncached=1 --force_async=7
ok $? 'five in a ring of eight, with options that a nop has no place for'
all_equal 100000 'those'
is "$(cksum <n.data)" "$before" 'no byte of the file has changed'

run_fio --name=n --filename=n.data --rw=read --bs=4k --tw_report=r.json
has_not err tw_test_nop 'without it nothing is told'
json r.json '!exists $j->{jobs}[0]{test_nop}'
ok $? 'nor reported'
done_testing
