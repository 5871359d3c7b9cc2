#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the parts of each sync (fdatasync through io_uring) add up to the stage kernel,
# and are the times that its device takes. The device takes 200 ms for a write and 160 or 240
# for a flush, and time is virtual. `flush` is that times the
# number of flushes by the kernel's own trace, to 5 %. `data` is a write, and so is `journal` if the
# thread of ext4's journal wrote. With the longer flush, the other parts stay as they are. A
# device without a cache has no flush. The delays are short enough for the kernel's timers
# to be right to a jiffy (4 ms). `attach` splits fdatasync(2) likewise. A process that
# has handles in each commit is named in 95 of 100 waits for one; a job alone names nobody. ext4,
# XFS and the device itself; written blocks and new ones; the kernels of Debian 12 and 13.
# With data=journal and fast commits the same holds. A sync that waits for a commit that was running
# has that apart, without its flush: next to a process that syncs, too, most wait for a flush alone.
# The bytes are those of the trace.
#
# A direct write with O_DSYNC or O_SYNC has the same parts in the stage complete, which they add
# up to: by the trace from its last completion on. Where the device has FUA, an O_DSYNC write to
# written blocks has no sync, nor has one to the device. A buffered write has the parts in kernel.
# Defect: a commit that the sync asked for, counted as one that was running (Linux 6.1 begins it
# before the sync sleeps); a boundary at the wrong place; a flush of the journal's thread that is
# not seen, or one that is counted twice; a name that had no part.
. "$(dirname "$0")/boot.sh"

[ -x "$TW_BUILD/tickwise-kernel-helper" ] || {
	skip 'no programs were built: no clang, bpftool or libbpf-dev'
	done_testing
}
cpus=1
memory=2048
accel=tcg,thread=single
seconds=900

# Where the parts of all syncs of the job NAME are: a list @s of {p: parts, k: the stage that has
# them, b: bytes, c: its commits, and by the trace f and j: ms with a flush, and of the journal
# without one, d: whether it wrote data, w: bytes of data, r: ms of a commit that was running
# already, without flushes}.
syncs='
	sub device { my %of = map { split } do { local @ARGV = ($shared . "/devices"); <> };
		$of{$_[0]} }
	# Where the sync of a write may begin: after its data.
	sub before { my $s = $_[0]{stages}; my $ns = 0;
		$ns += $_ // 0 for @$s{qw(queue submit blockq device)}; $ns }
	# How many ms of a span are in one of these spans.
	sub covered { my ($at, $to, @of) = @_; my $ns = 0;
		for (sort { $a->[0] <=> $b->[0] } @of) {
			my ($begin, $end) = ($_->[0] > $at ? $_->[0] : $at, $_->[1] < $to ? $_->[1] : $to);
			($ns, $at) = ($ns + $end - $begin, $end) if $end > $begin;
		}
		$ns / 1e6 }
	sub syncs { my ($name, $ms) = @_; my @trace;
		my $device = device($name =~ s/-.*//r);
		open my $f, "<", "$shared/trace" or die; local $/ = "\n";
		while (<$f>) {
			next unless /^\s*(.*)-\d+\s+\[\d+\].*?\s(\d+\.\d+): block_bio_queue: (\d+,\d+) (\w+) \d+ \+ (\d+)/;
			push @trace, [$2 * 1e9, $1, $4, $5] if !defined $device || $3 eq $device;
		}
		map { my ($s, $d, $w, @f, @j) = ($_, 0, 0);
			my $p = $s->{sync} // $s->{complete};
			my ($from, $to) = ($s->{monotonic_ns}, $s->{monotonic_ns} + $s->{stages}{lat});
			$from += before($s) if $s->{complete};
			# The sync of a direct write may begin within the flush of another.
			my $since = $from - ($s->{complete} ? 1e9 : 0);
			for (grep { $_->[0] <= $to } @trace) {
				my ($at, $who, $how, $blocks) = @$_;
				next unless $how =~ /W/;
				my $is_flush = $how =~ /^F/ || $how =~ /W.*F/;
				my $end = $at + 1e6 * (($how =~ /^F/ ? $ms : 0) + ($blocks ? 200 : 0));
				next if $at < $since;
				push @f, [$at, $end] if $is_flush;
				push @j, [$at, $end] if $is_flush || $who =~ /jbd2/;
				next if $is_flush || $who =~ /jbd2/ || $how =~ /M/ || $s->{complete};
				$d = 1;
				$w += 512 * $blocks if $who =~ /^(iou-wrk|fio)/;
			}
			my $f = covered($from, $to, @f);
			{ p => $p, f => $f, d => $d,
			  j => covered($from, $to, @j) - $f,
			  k => $s->{stages}{$s->{complete} ? "complete" : "kernel"},
			  lat => $s->{stages}{lat},
			  b => $s->{written_bytes} // $w, w => $w }
		} grep { $_->{ddir} eq "sync" || $name =~ /-d/ } @{$j->{slowest}};
	}
	sub near { my ($is, $ms) = @_; abs($is / 1e6 - $ms) <= ($ms > 20 ? $ms / 20 : 10) }
	sub mean { my ($part) = @_; my $h = $j->{sync}{$part}{sync} //
		$j->{complete}{$part}{write} // $j->{sync}{$part}{write}; $h->{mean_ns} / 1e6 }
	our $shared = "'"$shared"'";
'

# of NAME: prints the means of its parts, in ms
of()
{
	value "$shared/$1.json" "$syncs"'join "+", map { sprintf "%.0f", mean($_) }
		qw(worker data journal flush wake)'
}

# adds_up NAME LEAST: its parts are known of each sync, at least LEAST of them, and add up
adds_up()
{
	json "$shared/$1.json" "$syncs"'my @s = syncs("'"$1"'", 0);
		@s >= '"$2"' && !grep { my $p = $_->{p}; my $sum = 0;
			$sum += $_ for values %$p; !$p || $sum != $_->{k} } @s'
	ok $? "$suite, $1: the parts of each sync add up: $(of "$1") ms"
}

# delayed NAME MS LEAST: its parts are what the trace and the delays say. XFS writes its log from
# time to time, so one in ten may have a part of that.
delayed()
{
	json "$shared/$1.json" "$syncs"'my @s = syncs("'"$1"'", '"$2"');
		my $bad = 0;
		for (@s) {
			my ($p, $no) = ($_->{p}, "");
			# From Linux 6.8 on data that is in the journal is written to its place afterwards.
			@$_{qw(d j)} = (0, 200 * $_->{d} + $_->{j}) if "'"$suite $1"'" =~
				/^(trixie|noble) journal/;
			$no .= " flush $_->{f}" unless $_->{f} && near($p->{flush}, $_->{f});
			$no .= " data $_->{d}" unless near($p->{data}, 200 * $_->{d});
			$no .= " journal $_->{j}" unless near($p->{journal}, $_->{j});
			$no .= " bytes $_->{w}, is $_->{b}" unless $_->{w} == $_->{b};
			next unless $no;
			$bad++;
			print "# by the trace:$no; ", join(" ", map { "$_ $p->{$_}" } sort keys %$p), "\n";
		}
		@s >= '"$3"' && $bad * 10 <= @s'
	ok $? "$suite, $1: flush, data and journal are what the trace says"
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_sync -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	succeeds jobs "$suite: fio succeeds"
	succeeds modes "$suite: fio succeeds on ext4 in other modes"
	happened=
	while read -r name; do
		adds_up "$name" 19
		happened="$happened${happened:+; }$name $(of "$name")"
		case $name in
		*160*) delayed "$name" 160 19 ;;
		*240*) delayed "$name" 240 19 ;;
		*)	json "$shared/$name.json" "$syncs"'mean("flush") == 0'
			ok $? "$suite, $name: nothing is flushed" ;;
		esac
	done <<-END
	$(cat "$shared/jobs.names" "$shared/modes.names")
	END
	succeeds writes "$suite: fio succeeds with synced writes"
	while read -r name; do
		adds_up "$name" 10
		happened="$happened; $name $(of "$name")"
		case $name in
		*-dfua)
			json "$shared/$name.json" "$syncs"'my @s = syncs("'"$name"'", 0);
				!grep { my $p = $_->{p}; !near($_->{lat}, 200) ||
					grep { $p->{$_} } qw(worker data journal flush) } @s'
			ok $? "$suite, $name: with FUA there is no sync" ;;
		*-ddeep) ;;
		*) delayed "$name" "$(echo "$name" | tr -dc 0-9 | tail -c 3)" 10 ;;
		esac
	done <"$shared/writes.names"
	succeeds alone "$suite: fio succeeds alone"
	# The job before had a write after its last sync.
	json "$shared/alone.json" 'my (undef, @c) = map { $_->{commit} // () }
			sort { $a->{monotonic_ns} <=> $b->{monotonic_ns} } @{$j->{slowest}};
		my @named = grep { $_->{who} } @c;
		print "# ", scalar(@c), " waits, named: ", scalar(@named), "\n";
		@c >= 20 && !@named'
	ok $? "$suite: a job alone has nobody else in its commits"
	succeeds who "$suite: fio succeeds next to another process"
	named=$(value "$shared/who.json" 'my @c = map { $_->{commit} // () } @{$j->{slowest}};
		(grep { $_->{who} && $_->{who}{id} == '"$(cat "$shared/other")"' } @c) . " " . @c')
	works "$suite: the other process is named in 95 of 100 waits for a commit: $named" \
		perl -e 'exit !($ARGV[1] >= 50 && $ARGV[0] * 100 >= 95 * $ARGV[1])' $named
	succeeds call-who "$suite: attach next to another process"
	named=$(value "$shared/call-who.json" 'my ($most) = @{$j->{commits} // []};
		$most->{who}{id} == '"$(cat "$shared/other")"' ?
			"$most->{ios} $j->{sync}{journal}{sync}{count}" : "0 0"')
	works "$suite: attach names it in 95 of 100 waits for a commit: $named" \
		perl -e 'exit !($ARGV[1] >= 50 && $ARGV[0] * 100 >= 95 * $ARGV[1])' $named
	for name in ext4160-over ext4160-new xfs160-over xfs160-new raw160; do
		long=$(echo $name | sed 's/160/240/')
		before=$(value "$shared/$name.json" "$syncs"'mean("data") . " " . mean("journal")')
		after=$(value "$shared/$long.json" "$syncs"'mean("data") . " " . mean("journal")')
		works "$suite, $name: data and journal do not depend on the flush: $before, $after" \
			perl -e 'my ($d, $j, $d2, $j2) = @ARGV;
			exit !(@ARGV == 4 && abs($d - $d2) <= $d / 50 + 1 && abs($j - $j2) <= $j / 50 + 1)' \
			$before $after
	done
	for name in call-ext4240 call-xfs240 call-raw240; do
		succeeds $name "$suite: attach"
		json "$shared/$name.json" "$syncs"'my @s = syncs("'$name'", 240);
			my @sums = map { my $sum = 0; $sum += $_ for values %{$_->{p}}; $sum } @s;
			my $h = $j->{stages}{kernel}{sync};
			$j->{ios}{sync} >= 9 && $h->{count} == $j->{ios}{sync} && @s &&
			!$j->{sync}{not_split}{sync} &&
			!(grep { $sums[$_] != $s[$_]{k} } keys @s) &&
			!(grep { $_ eq "worker" } keys %{$j->{sync}}) &&
			abs(mean("data") - 200) <= 10 && abs(mean("flush") - 240) <= 12 &&
			mean("journal") <= 10'
		ok $? "$suite, $name: fdatasync(2) has the same parts: $(of $name | \
			sed 's/^0+//')"
	done
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), a device that \
takes 200 ms for a write, 160 or 240 ms for a flush, or has no cache; virtual time" \
		"flush, data and journal are these times by the kernel's trace" \
		"worker+data+journal+flush+wake, ms: $happened" "has no stages"
done
done_testing
