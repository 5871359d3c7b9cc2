#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: time is virtual, and two busy loops have the job's CPU while it could run. With
# tw_causes=1 the loops are named for the time in which a read waited for the CPU: both, and no
# other process for a tenth of it. The pieces of each stage add up to it. This is on the kernels
# of Debian 12 and 13. Defect: a switch that is missed, a record that is read before it is
# written, a turn of another time.
. "$(dirname "$0")/boot.sh"
. "$root/tests/fio/kernel_tap.sh"

cpus=1
accel=tcg,thread=single
seconds=300
for suite in $suites; do
	on_kernel $suite || { skip "$no_kernel"; continue; }
	boot kernel_causes -icount shift=0,sleep=off
	ok $? "$suite: the machine ran"
	tar -x -C "$shared" -f "$shared/results.tar"
	report=$shared/causes.json
	succeeds causes "$suite: fio succeeds"
	if json "$report" '$j->{jobs}[0]{kernel}{state} eq "off" &&
			$j->{jobs}[0]{kernel}{why} =~ /built without/'; then
		skip "$(value "$report" '$j->{jobs}[0]{kernel}{why}')"
		continue
	fi
	from_json "$report" '
		my ($reads, $named, $wrong, %had) = (0, 0, 0);
		for (@{$j->{slowest}}) {
			my ($c, $loops, $sum) = ($_->{causes}, 0, 0);
			next if !exists $c->{waited_ns};
			$sum += $c->{$_ . "_ns"} for "ran", "waited", "interrupts",
				"woken_late", "asleep", "unexplained";
			$wrong += $sum != $_->{stages}{$c->{stage}};
			next if $c->{waited_ns} < 2e6;
			for my $by (@{$c->{had_cpu}}) {
				$had{$by->{name} // $by->{kind}} += $by->{ns};
				$loops += $by->{ns} if ($by->{name} // "") =~ /^loop_[ab]$/;
			}
			$reads++;
			$named += $loops >= 0.9 * $c->{waited_ns};
		}
		print "$reads $named $wrong ", join(", ", map {
			sprintf "%s %.0f ms", $_, $had{$_} / 1e6 }
			sort { $had{$b} <=> $had{$a} } keys %had), "\n"' >"$scratch/causes"
	read -r reads named wrong had <"$scratch/causes"
	works "$suite: $named of $reads reads waited for the loops" \
		test "$reads" -ge 100 -a $((named * 100)) -ge $((reads * 95))
	is "$wrong" 0 "$suite: the pieces of each stage add up to it"
	case $had in
	loop_[ab]*,*loop_[ab]*) both=0 ;;
	*) both=1 ;;
	esac
	ok $both "$suite: both loops had the CPU ($had)"
	row "kernel $(sed 's/^Linux version \([^ ]*\).*/\1/' "$shared/version"): two busy loops on \
the job's CPU; virtual time" "95 of 100 reads that wait name them" \
		"$named of $reads: $had" "has no causes"
done
done_testing
