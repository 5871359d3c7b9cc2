#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: in real time fio's own lat of single I/Os is queue + kernel + deliver
# within two readings of fio's clock, at depth 1, 8 and 128, in processes and
# threads. The figures are shown. Only a share below half is a failure, as other
# programs can run between our stamp and fio's reading. After a wait for a device
# the readings take longer, since code and data have left the caches. Defect: a
# stage that begins or ends elsewhere than fio's lat.
#
# A reading of fio's clock takes as long as fio's clat of an I/O that does nothing
# (ioengine=null).
. "$(dirname "$0")/../fio/fio_tap.sh"

# lat_differences LOG REPORT: prints fio's lat minus the sum of the stages, ns, for
# each I/O of the log, sorted. Dies if the report lacks an I/O or its stages are not
# its lat. The file's offsets must be different for each I/O of a direction.
lat_differences()
{
	from_json "$2" '
		my %sum;
		for my $io (@{$j->{slowest}}) {
			my $s = $io->{stages};
			my $sum = $s->{queue} + $s->{deliver};
			$sum += $s->{$_} for grep !/^(queue|deliver|lat)$/,
				keys %$s;
			die "stages are $sum, lat is $s->{lat}" if $sum != $s->{lat};
			$sum{"$io->{ddir} $io->{offset}"} = $sum;
		}
		local $/ = "\n";
		open my $log, "<", "'"$1"'" or die;
		my @apart;
		while (<$log>) {
			my (undef, $lat, $ddir, undef, $offset) = split /, */;
			my $io = ("read", "write", "trim")[$ddir] . " $offset";
			die "no $io" unless defined $sum{$io};
			push @apart, $lat - $sum{$io};
		}
		print map { "$_\n" } sort { $a <=> $b } @apart'
}

"$FIO" --name=n --ioengine=null --rw=read --bs=4k --size=1g \
	--output-format=json --output=null.json
reading=$(from_json null.json '
	my $p = $j->{jobs}[0]{read}{clat_ns}{percentile};
	print $p->{"99.000000"}')
echo "# a reading of fio's clock: at most $reading ns in 99 % of I/Os"

# shares FROM ARGUMENT...: prints the share for each depth
shares()
{
	from=$1
	shift
	for depth in 1 8 128; do
		rm -f s_lat.1.log s.json
		run_fio --name=s --filename=s.data --bs=4k --size=64m \
			--rw=randread --iodepth=$depth --tw_slowest=100000 \
			--write_lat_log=s --log_offset=1 --tw_report=s.json \
			"$@" || cat err
		lat_differences s_lat.1.log s.json >apart
		awk -v limit=$((2 * reading)) -v what="$from, depth $depth $*" '
			{ ns[NR] = $1; within += $1 <= limit && $1 >= -limit }
			END {
				printf "# %s: %d I/Os, %.2f %% within %d ns; " \
					"fio - ours: p1 %d, median %d, p99 %d ns\n",
					what, NR, 100 * within / (NR ? NR : 1), limit,
					ns[int(NR / 100) + 1], ns[int(NR / 2) + 1],
					ns[int(NR * 99 / 100)]
				exit within * 2 < NR || NR != 16384
			}' apart
		ok $? "$from, depth $depth, $*: lat is the sum of the stages"
	done
}

head -c 67108864 /dev/zero >s.data
for more in --thread=0 --thread=1; do
	shares "page cache" $more --invalidate=0
	shares disk $more --invalidate=1
done
done_testing
