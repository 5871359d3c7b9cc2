#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the stages inside the kernel with the kernel's own trace. tracefs (clock
# mono) records 6000 direct reads while the stages are measured. Each point that
# ends a stage is compared with the event of the same I/O.
#
#	tests/bench/kernel_witness.sh FILE [READS]
#
# FILE, on ext4 or XFS, or a device, of 64 MB at least, is only read. Run it as
# root. DEPTHS="1 32" and UNDER="chrt -f 1" (so that other programs do not take the
# CPU) may be set. Other programs may use the disk: the events are those of the
# job's thread, and completions are those of its requests.
#
# A point of an I/O and the nearest event are a pair; I/Os that lack a stamp are
# left out. The bar: 99 % of all differences are within 2 us, either way. Times in a
# trace are cut to microseconds, so half a microsecond is added to them.
set -eu

file=$(realpath "$1")
reads=${2:-6000}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
scratch=$(mktemp -d)
tracing=/sys/kernel/tracing
mounted=
[ -d $tracing/instances ] || {
	tracing=$scratch/tracing
	mkdir "$tracing"
	mount -t tracefs nodev "$tracing"
	mounted=1
}
instance=$tracing/instances/tickwise-witness.$$
clean()
{
	[ ! -d "$instance" ] || {
		echo 0 >"$instance/events/enable" || :
		rmdir "$instance"
	}
	[ -z "$mounted" ] || umount "$tracing"
	rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 130' INT TERM
mkdir "$instance"
cd "$scratch"
echo mono >"$instance/trace_clock"
echo 16384 >"$instance/buffer_size_kb"
submit=io_uring_submit_req
[ -d "$instance/events/io_uring/$submit" ] || submit=io_uring_submit_sqe
for event in io_uring/$submit block/block_rq_issue block/block_rq_complete \
		io_uring/io_uring_complete; do
	echo 1 >"$instance/events/$event/enable"
done

for depth in ${DEPTHS:-1 32}; do
	: >"$instance/trace"
	# shellcheck disable=SC2086
	${UNDER-} "${FIO:-fio}" --name=w --ioengine="external:$so" --readonly \
		--filename="$file" --size=64m --rw=randread --bs=4k --direct=1 \
		--norandommap=1 --iodepth="$depth" --number_ios="$reads" \
		--io_size=100t --tw_kernel=require --tw_slowest="$reads" \
		--tw_report=w.json --output=w.out
	cp "$instance/trace" trace
	perl -MJSON::PP -e '
		my ($depth, $submit) = @ARGV;
		local $/;
		open my $report, "<", "w.json" or die;
		my $j = decode_json(<$report>);
		open my $trace, "<", "trace" or die;
		my (%event, %sector);
		for (split /\n/, <$trace>) {
			/-(\d+)\s+\[\d+\]\s\S+\s+(\d+)\.(\d{6}): (\w+): (.*)/ or next;
			my ($pid, $ns, $name, $text) =
				($1, ($2 * 1e6 + $3) * 1e3 + 500, $4, $5);
			my $place = $text =~ /(\d+,\d+) .* (\d+) \+ \d+/ ?
				"$1 $2" : "";
			$sector{$place}++ if $name eq "block_rq_issue" &&
				$pid == $j->{jobs}[0]{pid};
			next if $name eq "block_rq_complete" ?
				!$sector{$place} : $pid != $j->{jobs}[0]{pid};
			$sector{$place}-- if $name eq "block_rq_complete";
			push @{$event{$name}}, $ns;
		}
		my (@point, @all);
		for my $io (@{$j->{slowest}}) {
			my $at = $io->{monotonic_ns} + $io->{stages}{queue};
			next if exists $io->{stages}{kernel};
			my $i = 0;
			push @{$point[$i++]}, $at += $io->{stages}{$_}
				for "submit", "blockq", "device", "complete";
		}
		my $bad = 0;
		for my $i (0 .. 3) {
			my $name = ($submit, "block_rq_issue",
				"block_rq_complete", "io_uring_complete")[$i];
			my @ours = sort { $a <=> $b } @{$point[$i]};
			my @its = sort { $a <=> $b } @{$event{$name} // []};
			printf "depth %-3d end of %-8s %-19s ", $depth,
				("submit", "blockq", "device", "complete")[$i],
				$name;
			my $at = 0;
			my @nearest;
			for my $ns (@its ? @ours : ()) {
				$at++ while $at < $#its && abs($its[$at + 1] -
					$ns) <= abs($its[$at] - $ns);
				push @nearest, $ns - $its[$at];
			}
			if (!@nearest) {
				print "none\n";
				$bad++;
				next;
			}
			my @off = sort { $a <=> $b } @nearest;
			my @size = sort { $a <=> $b } map { abs } @off;
			my $p99 = $size[$#size * .99];
			$bad += $p99 > 2000;
			printf "%d: median %+.2f us, p1 %+.2f, p99 %+.2f, " .
				"largest %.2f; 99 %% within %.2f us%s\n",
				scalar @off, map({ $_ / 1e3 } $off[$#off / 2],
				$off[$#off * .01], $off[$#off * .99],
				$size[-1], $p99), $p99 > 2000 ? ": NOT reached" : "";
		}
		printf "depth %-3d bar 2 us: %s\n", $depth,
			$bad ? "NOT reached" : "reached";
	' "$depth" "$submit"
done
