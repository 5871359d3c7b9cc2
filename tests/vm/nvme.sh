# SPDX-License-Identifier: MIT
#
# For the tests of NVMe, to be sourced after boot.sh: a controller with two
# namespaces, blocks of 512 and of 4096 bytes, and checks of the engine's reports.

# nvme_start GUEST [QEMU-ARGUMENT...]: starts the machine
nvme_start()
{
	truncate -s 64M "$scratch/512.img" "$scratch/4096.img"
	guest=$1
	shift
	start "$guest" \
		-drive "file=$scratch/512.img,if=none,id=nv1,format=raw,cache=unsafe,discard=unmap" \
		-drive "file=$scratch/4096.img,if=none,id=nv2,format=raw,cache=unsafe,discard=unmap" \
		-device nvme,id=nvme0,serial=tickwise,max_ioqpairs=8 \
		-device nvme-ns,drive=nv1,bus=nvme0,nsid=1 \
		-device nvme-ns,drive=nv2,bus=nvme0,nsid=2,logical_block_size=4096,physical_block_size=4096 \
		"$@"
}

# whole LABEL: passes if the job succeeded, the report counts what fio counted, and
# the stages add up to lat
whole()
{
	is "$(cat "$shared/$1.status" 2>/dev/null)" 0 "$1: fio succeeds" ||
		sed 's/^/# /' "$shared/$1.err"
	cp "$shared/$1.fio.json" "$scratch/fio.json" 2>/dev/null
	json "$shared/$1.report.json" '
		my $r = $j; my $fine = 1; my $all = 0;
		open my $f, "<", "'"$scratch"'/fio.json" or die;
		local $/; my $text = <$f>; $text =~ s/\A.*?^(?=\{)//ms;
		my $fio = JSON::PP->new->decode($text)->{jobs}[0];
		for my $d ("read", "write", "trim", "sync") {
			my $n = $r->{ios}{$d}; $all += $n;
			my $m = ($fio->{$d}{clat_ns} //
				$fio->{$d}{lat_ns} // {})->{N} // 0;
			$m = $fio->{sync}{lat_ns}{N} // 0 if $d eq "sync";
			next if !$n && !$m;
			$n == $m or $fine = 0, print "# $d: $n, fio $m\n";
			my $lat = $r->{stages}{lat}{$d};
			my $off = -$lat->{sum_ns};
			$off += $r->{stages}{$_}{$d}{sum_ns} // 0
				for grep { $_ ne "lat" } keys %{$r->{stages}};
			$off == 0 or $fine = 0,
				print "# $d: stages off by $off ns\n";
			$lat->{min_ns} > 0 && $lat->{max_ns} < 60e9 or $fine = 0,
				print "# $d: $lat->{min_ns} to $lat->{max_ns}\n";
		}
		$fine && $all && !grep { $r->{backwards}{$_} || $r->{errors}{$_} }
			keys %{$r->{errors}}'
	ok $? "$1: counts are fio's, the stages add up to lat"
}

# side_by_side LABEL OWN: prints our engine and fio's own (LABEL-OWN) in one line
side_by_side()
{
	for d in read write trim; do
		ours=$(value "$shared/$1.report.json" \
			'int($j->{stages}{lat}{'$d'}{mean_ns} / 1000)')
		[ "$ours" != 0 ] || continue
		lat=$(value "$shared/$1.fio.json" \
			'int($j->{jobs}[0]{'$d'}{lat_ns}{mean} / 1000)')
		own=$(value "$shared/$2.fio.json" \
			'int($j->{jobs}[0]{'$d'}{lat_ns}{mean} / 1000)')
		echo "# $d mean us: our lat $ours, fio's lat of it $lat," \
			"of its own engine $own"
	done
}
