#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: the kernel keeps time by hpet, acpi_pm or its own ticks, or the counter
# has no invariant bit or can't be read with its CPU. The program answers, its rate
# is that of the host's counter within its bounds, and the engine's latencies are
# real ones. Defect: a clock of steps taken for a fine one, an instruction the
# processor does not have, a bound that the truth is not in.
. "$(dirname "$0")/boot.sh"

# The emulated counter is the host's own.
"$tickwise" calibrate --json --window=500 >"$scratch/host.json" 2>/dev/null
host_hz=$(value "$scratch/host.json" '$j->{hz}')

# The guest's clock is the host's CLOCK_MONOTONIC, which NTP may have bent by 500
# ppm, or what the kernel made of that in its first milliseconds. A clock of coarse
# steps may not suffice, and then the program tells so.
rate_of()
{
	if [ "$wanted" = refined-jiffies ] &&
	   [ "$(cat "$shared/calibrate.status")" -ge 64 ]; then
		grep -q '^tickwise calibrate: ' "$shared/calibrate.err"
		ok $? "$1: $(tail -n 1 "$shared/calibrate.err")"
		return
	fi
	if [ "$(cat "$shared/calibrate.status")" -eq 70 ]; then
		skip "$1: $(tail -n 1 "$shared/calibrate.err")"
		return
	fi
	json "$shared/calibrate.json" '
		my $ppb = ($j->{hz} / '"$host_hz"' - 1) * 1e9;
		printf "# off %.0f ppb, bound %.0f\n", $ppb, $j->{bound_ppb};
		abs($ppb) <= $j->{bound_ppb} + 500e3'
	ok $? "$1: calibrate finds the host's rate"
}

# In the kernel's coarse steps a latency can be 0. The report then tells so, and
# fio's stderr does.
latencies_of()
{
	is "$(cat "$shared/job-tickwise.status")" 0 "$1: the engine runs"
	json "$shared/job-tickwise.report.json" '
		my $t = $j->{stages}{lat}{read};
		my $coarse = grep { $_->{code} eq "coarse_clock" }
			@{$j->{counter}{reasons}};
		$t->{count} > 100 && $t->{max_ns} < 5e9 && ($t->{min_ns} > 0 ||
			($coarse && $j->{jobs}[0]{fallback}))'
	ok $? "$1: no latency is 0, or the report names the steps"
	json "$shared/job-tickwise.report.json" '!$j->{jobs}[0]{fallback}' ||
		grep -q 'tickwise: .*instead' "$shared/job-tickwise.err"
	ok $? "$1: the clock used instead of the counter is reported"
}

# on NAME CLOCKSOURCE [QEMU-ARGUMENT...]: tests a machine
on()
{
	name=$1
	wanted=$2
	shift 2
	boot clocksource "$@"
	ok $? "$name: the machine ran"
	is "$(cat "$shared/clocksource")" "$wanted" \
		"$name: the kernel keeps time by $wanted"
	works "$name: check answers" test "$(cat "$shared/check.status")" -le 2
	rate_of "$name"
	latencies_of "$name"
	row "clocksource $wanted ($name)" \
		"an answer; a rate in its bounds; no latency of 0 ns" \
		"check: $(value "$shared/check.json" '$j->{verdict}'), engine: \
$(value "$shared/job-tickwise.report.json" '"$j->{counter}{verdict}, " .
	($j->{jobs}[0]{fallback} ? "fallback" : "counter") .
	", from $j->{stages}{lat}{read}{min_ns} ns"')" \
		"lat from $(value "$shared/job-io_uring.fio.json" \
			'$j->{jobs}[0]{read}{lat_ns}{min}') ns"
	sed 's/^/# /' "$shared/job-tickwise.err"
}

append="clocksource=hpet tsc=nowatchdog"
on hpet hpet
append="clocksource=acpi_pm tsc=nowatchdog"
on acpi_pm acpi_pm
append=
cpu=max
on "not invariant" hpet
cpu=max,+invtsc,x-force-features=on,-rdtscp
append="tsc=reliable"
on "no rdtscp" tsc
is "$(cat "$shared/rdtscp")" 0 "no rdtscp: the processor has none"
# Without other timers the kernel can keep time by its own ticks.
cpu=max
append="clocksource=refined-jiffies highres=off nohz=off tsc=unstable"
on "ticks" refined-jiffies
done_testing
