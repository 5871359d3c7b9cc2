# SPDX-License-Identifier: MIT
#
# For the tests that compare fio's own lat of single I/Os with the sum of their
# stages; to be sourced. fio's log has each I/O, and so has the report with enough
# tw_slowest.

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
