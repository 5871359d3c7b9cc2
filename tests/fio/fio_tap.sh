# SPDX-License-Identifier: MIT
#
# For the shell tests that run a real fio; to be sourced. It adds to tests/tap.sh:
# the test runs in $scratch, and asks questions to JSON files.
#
# `make check` sets TICKWISE_SO, TW_BUILD and FIO; by hand they default to what
# `make` built.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/../schema.sh"

TW_BUILD=${TW_BUILD:-$root/build}
TICKWISE_SO=${TICKWISE_SO:-$TW_BUILD/tickwise.so}
FIO=${FIO:-fio}

trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch" || exit 1

# Replaces tap.sh's: checks that the reports that a test leaves, at most 20 of them,
# match the schema.
done_testing()
{
	# shellcheck disable=SC2046
	set -- $(grep -ls '^{"schema": "tickwise-report"' "$scratch"/*.json | head -n 20)
	if [ $# != 0 ]; then
		is_valid report "$@"
		# Some tests leave two reports of one job.
		! "$tickwise" report --json "$@" >merged.json 2>&1 ||
			is_valid report merged.json
	fi
	echo "1..$tap_count"
	exit "$tap_failed"
}

# messages: prints stderr (err) without the line that depends on the machine and on
# other programs: that the counter is not good enough, or could not be calibrated in
# time
messages()
{
	grep -v '^tickwise: .*; latencies are taken from CLOCK' err
}

# A fio that has not ended by then never will. The jobs here take a second or two on
# an idle machine, and some may take a hundred times as long.
hung_s=300

# For a fio whose own clock is not tested: it compares no counters of CPUs when it starts,
# which takes a fifth of the CPU time of a short job.
plain_clock=--clocksource=clock_gettime

# Runs fio with the engine; out.json is its output, err its stderr. A lost
# completion makes fio wait for ever: then it is ended.
run_fio()
{
	timeout -s KILL $hung_s "$FIO" --ioengine="external:$TICKWISE_SO" "$plain_clock" \
		--output-format=json --output=out.json "$@" 2>err
}

# Jobs that are to be interrupted have --exec_prerun="$begin". has_begun JOBS PID
# then waits until this number of jobs are about to do their first I/O. It also
# waits until they have used the CPU for three ticks of the kernel's, 30 ms or 12:
# by then they have done many. PID is the program that runs them. The wait has no
# limit: a busy machine is slow.
begin='sh begin.sh'
has_begun()
{
	begun_waited=0
	while [ "$(wc -l <begun)" -lt "$1" ] && [ $begun_waited -lt 1200 ]; do
		sleep 0.1
		begun_waited=$((begun_waited + 1))
	done
	# Add up all threads of the process and of what it has started, recursively.
	perl -e '
		use strict; use warnings;
		my ($jobs, $top) = @ARGV;
		sub ticks {
			my (%parent, %ticks);
			for my $file (glob "/proc/[0-9]*/task/*/stat") {
				open my $f, "<", $file or next;
				my ($stat) = (<$f> // "") =~ /.*\) (.*)/ or next;
				my ($pid) = $file =~ m{/proc/(\d+)/};
				my @field = split " ", $stat;
				$parent{$pid} = $field[1];
				$ticks{$file} = [$pid, $field[11] + $field[12]];
			}
			for my $file (keys %ticks) {
				my $pid = $ticks{$file}[0];
				$pid = $parent{$pid} // 0
					while $pid && $pid != $top;
				$ticks{$file} = $ticks{$file}[1];
				delete $ticks{$file} unless $pid;
			}
			return \%ticks;
		}
		my $before = ticks();
		for (1 .. 600) {
			select undef, undef, undef, 0.1;
			my $now = ticks();
			exit if $jobs <= grep { $now->{$_} -
				($before->{$_} // 0) >= 3 } keys %$now;
		}' "$1" "$2"
}
# may_begin: to be called before the jobs
may_begin()
{
	: >begun
	echo 'echo >>begun' >begin.sh
}

# same_counts: compares the reports of this directory with the latency samples in
# out.json, for each job name; and their stages add up to lat. (total_ios counts
# issues instead: I/Os in flight when the ramp time ends are in the samples, but not
# in total_ios.)
same_counts()
{
	perl -MJSON::PP -e '
		local $/; my (%ours, %fios, $all);
		for my $file (glob "*.tickwise.json") {
			open my $f, "<", $file; my $r = decode_json(<$f>);
			for my $d ("read", "write", "trim", "sync") {
				my $n = $r->{ios}{$d};
				$ours{"$r->{jobs}[0]{name} $d"} += $n;
				$all += $n;
				my $s = $r->{stages};
				my $lat = $s->{lat}{$d};
				$n == ($lat->{count} // 0)
					or die "$file: $d: stages and count";
				my @parts = map { $s->{$_}{$d} // () }
					grep { $_ ne "lat" } keys %$s;
				my $sum = 0;
				$sum += $_->{sum_ns} for @parts;
				!@parts || $sum == $lat->{sum_ns}
					or die "$file: $d: stages and lat";
			}
		}
		open my $f, "<", "out.json"; my $text = <$f>;
		$text =~ s/\A.*?^(?=\{)//ms;
		my $j = decode_json($text);
		# A client adds a sum of all jobs.
		for my $job (@{$j->{jobs} // $j->{client_stats}}) {
			next if $job->{jobname} eq "All clients";
			$fios{"$job->{jobname} $_"} += $job->{$_}{clat_ns}{N} // 0
				for "read", "write", "trim";
			$fios{"$job->{jobname} sync"} +=
				$job->{sync}{lat_ns}{N} // 0;
		}
		my $bad = !$all;
		for my $key (sort keys %{{%ours, %fios}}) {
			my ($n, $m) = map { $_->{$key} // 0 } \%ours, \%fios;
			next if $n == $m;
			print "# $key: report $n, fio $m\n";
			$bad = 1;
		}
		exit $bad'
}

# watched SETTINGS ARGUMENT...: as run_fio; ring.PID has what each job asks of the
# kernel. SETTINGS and format are those of preload/ring_device.c.
watched()
{
	settings=$1
	shift
	rm -f ring.[0-9]*
	# shellcheck disable=SC2086
	timeout -s KILL $hung_s env \
		LD_PRELOAD="$TW_BUILD/tests/fio/preload/ring_device.so" \
		RING_WATCH=ring $settings "$FIO" \
		--ioengine="external:$TICKWISE_SO" --output-format=json \
		--output=out.json "$plain_clock" "$@" 2>err
}

# on_device SETTINGS ENGINE ARGUMENT...: runs fio with any io_uring engine on the
# device and in the simulated time of preload/ring_device.c. Only our engine writes
# a report.
on_device()
{
	settings=$1
	engine=$2
	shift 2
	# shellcheck disable=SC2086
	timeout -s KILL $hung_s env \
		LD_PRELOAD="$TW_BUILD/tests/fio/preload/ring_device.so" \
		$settings "$FIO" --ioengine="$engine" --output-format=json \
		--output=out.json "$plain_clock" "$@" 2>err
}

# has_direct FILE: true if its file system takes direct I/O
has_direct()
{
	dd if="$1" of=/dev/null bs=4096 count=1 iflag=direct 2>/dev/null
}

# fio_is_from_3_42: true if a thread of fio's own ends the ramp time (356e1ca9),
# which is not in simulated time
fio_is_from_3_42()
{
	"$FIO" --version | awk -F '[-.]' '{ exit !($2 > 3 || $3 >= 42) }'
}

# need NAME: ends a test where preload/NAME.c cannot do its work
need()
{
	env LD_PRELOAD="$TW_BUILD/tests/fio/preload/$1.so" true 2>why || skip_all "$(cat why)"
}

[ -z "${TW_SANITIZE-}" ] || skip_all "a sanitized engine can't be loaded by a stock fio"
"$TW_BUILD/tests/fio/have_io_uring" 2>why || skip_all "no io_uring here: $(cat why)"
# Rings and registered buffers of all jobs of a user without CAP_IPC_LOCK (bit 14)
# are locked memory; root in a container may be such a user. 1 MB is the most that a
# test needs, and other tests run at the same time.
locked=$(ulimit -H -l)
ulimit -S -l "$locked"
capable=$(sed -n 's/^CapEff:[[:blank:]]*/0x/p' /proc/self/status)
if [ $((${capable:-0} >> 14 & 1)) = 0 ] && [ "$locked" != unlimited ] &&
   [ "$locked" -lt 4096 ]; then
	skip_all "this user may lock $locked kB of memory, 4096 are needed"
fi
