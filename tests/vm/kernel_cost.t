#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: where each I/O is split, the programs in the kernel take no more than a known
# number of instructions for it, on the kernels of Debian 12 and 13. Time is virtual (every
# instruction takes a nanosecond), so the kernel's own account of its programs (bpf_stats)
# counts instructions, and is the same on each machine. Programs that leave at once, as no
# ring is followed, are taken off: what remains is the work on the I/O. So it is for an I/O
# that is not chosen to be split, and for another job's. Defect: a program that became more
# expensive; a way that is cheap on one kernel alone.
. "$(dirname "$0")/boot.sh"

[ -x "$TW_BUILD/tickwise-kernel-helper" ] || {
	skip 'no programs were built: no clang, bpftool or libbpf-dev'
	done_testing
}
cpus=1
accel=tcg,thread=single
seconds=300

# parts NAME BEFORE: prints "PROGRAM INSTRUCTIONS" of each program that ran for the I/Os of
# the job NAME, whose account follows that of the job BEFORE
parts()
{
	perl -MJSON::PP -e '
		sub account {
			open my $file, "<", "'"$shared"'/$_[0].postrun.txt" or die;
			local $/;
			map { my $name = $_->{name} // "";
			      $name =~ s/^submit_(req|sqe)$/submit/;
			      ($name, $_) } @{decode_json(<$file>)}
		}
		sub mean {
			my ($of, $less) = @_;
			my $runs = $of->{run_cnt} - ($less->{run_cnt} // 0);
			$runs < 1000 ? undef :
				($of->{run_time_ns} - ($less->{run_time_ns} // 0)) / $runs
		}
		my %of = account($ARGV[0]);
		my %before = account($ARGV[1]);
		my %none = account("none");
		for (qw(submit issue done complete)) {
			my $mean = mean($of{$_}, $before{$_}) // next;
			printf "%s %.0f\n", $_, $mean - mean($none{$_});
		}' "$1" "$2"
}

# costs NAME BEFORE MOST PROGRAMS: passes if exactly these programs ran for its I/Os, and
# take MOST instructions for an I/O together, at most
costs()
{
	parts "$1" "$2" >"$scratch/$1"
	is "$(sed 's/ .*//' "$scratch/$1" | tr '\n' ' ')" "$4 " "$suite, $1: these ran"
	sum=$(awk '{ sum += $2 } END { print sum + 0 }' "$scratch/$1")
	works "$suite, $1: $sum instructions ($(tr '\n' ' ' <"$scratch/$1")), not above $3" \
		test "$sum" -le "$3"
	happened="$happened${happened:+, }$1 $sum"
}

for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_cost -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	succeeds cost "$suite: fio succeeds"
	happened=
	# A quarter more than was seen: compilers and updates of the kernel differ.
	case $suite in
	bookworm) set -- 1800 450 1300 760 ;;
	*) set -- 830 255 500 250 ;;
	esac
	all='submit issue done complete'
	costs direct none "$1" "$all"
	costs cache direct "$2" 'submit complete'
	costs unchosen cache "$3" "$all"
	costs others unchosen "$4" "$all"
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"), virtual time" \
		"the programs take no more than a known number of instructions for an I/O" \
		"$happened" "has no stages"
done
done_testing
