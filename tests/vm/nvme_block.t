#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: on an NVMe block device every way of submitting and of completing
# that fio's io_uring engine has works with ours, data is verified, counts are
# fio's own and stages add up, also where a thread watches the completions.
# Defect: a polled ring that is waited for as if it were not (a hang), buffers
# or files registered under another number, a trim that goes elsewhere, a stamp
# that is another I/O's.
. "$(dirname "$0")/boot.sh"
. "$(dirname "$0")/nvme.sh"

seconds=300
nvme_start nvme_block
wait_end
ok $? "the machine ran"
is "$(cat "$shared/io_poll")" 1 "the device polls"
for mode in plain vectored hipri fixedbufs registerfiles sqthread_poll all \
		trim large_blocks sync; do
	whole $mode-tickwise
	is "$(cat "$shared/$mode-io_uring.status")" 0 \
		"$mode: fio's own engine, too"
	beside $mode-tickwise $mode-io_uring
done
# Two engines, 1024 I/Os each; all but a few without an interrupt.
[ "$(cat "$shared/hipri.interrupts")" -lt 100 ]
ok $? "hipri: $(cat "$shared/hipri.interrupts") interrupts in 2048 I/Os"
# 512 bytes of a device with blocks of 4096: the kernel's to refuse.
for engine in tickwise io_uring; do
	is "$(cat "$shared/too_small-$engine.status")" 1 \
		"less than a block: $engine fails"
	grep -q 'Invalid argument' "$shared/too_small-$engine.fio.json" \
		"$shared/too_small-$engine.err"
	ok $? "less than a block: $engine says EINVAL"
done

# refused LABEL: before Linux 6.5 the first of the deferred completions is the
# newest, so the flag that goes up with the oldest is of no use: the job is told.
refused()
{
	grep -q '^tickwise: .*tw_watch_cpu: .*newest first' "$shared/$1.err" ||
		return 1
	[ "$(cat "$shared/$1.status")" = 1 ] &&
		[ "$(grep -c '^tickwise:' "$shared/$1.err")" = 1 ]
	ok $? "$1: refused in one line"
	skip "$1: Linux $(cat "$shared/kernel") hands over the newest first"
}

# watched LABEL: every I/O is there, stamped or not; each stage is rounded
watched()
{
	report=$shared/$1.report.json
	! refused "$1" || return 0
	is "$(cat "$shared/$1.status" 2>/dev/null)" 0 "$1: fio is content"
	sed 's/^/# /' "$shared/$1.err"
	if json "$report" 'defined $j->{watch}{why_not}'; then
		grep -q 'nobody watches' "$shared/$1.err"
		ok $? "$1: nobody watches, and that is said"
		skip "$1: $(value "$report" '$j->{watch}{why_not}')"
		return
	fi
	json "$report" '
		my $s = $j->{stages}; my $n = $j->{ios}{read};
		my $sum = sub { my $h = $s->{$_[0]}{read};
			$h ? $h->{count} * $h->{mean_ns} : 0 };
		my $w = $j->{watch}; my $stamped = $w->{stamped}{read};
		print "# $stamped of $n stamped, unproved $w->{unproved}, ",
			"late $w->{late}, away $w->{away_ns} ns\n";
		my $off = $sum->("queue") + $sum->("inflight") +
			$sum->("reap_delay") - $sum->("total");
		$n == 2048 && $s->{total}{read}{count} == $n &&
			$s->{inflight}{read}{count} == $n &&
			($s->{reap_delay}{read}{count} // 0) == $stamped &&
			$stamped <= $n && abs($off) <= 2 * $n'
	ok $? "$1: none is lost, the stages' sums are the total's"
	# The machine's CPUs share those of a busy host.
	if json "$report" '$j->{watch}{away_ns} > $j->{job}{run_ns} / 50'; then
		skip "$1: something else had the watcher's CPU"
	else
		json "$report" '$j->{watch}{stamped}{read} > 0'
		ok $? "$1: it is seen when they are done"
	fi
}

# happened LABEL: in a few words
happened()
{
	if [ "$(cat "$shared/$1.status")" != 0 ]; then
		sed -n 's/^tickwise: [^:]*: //p' "$shared/$1.err" | head -n 1
		return
	fi
	value "$shared/$1.report.json" 'my $w = $j->{watch};
		$w->{why_not} ? "nobody watched: $w->{why_not}" :
		"$w->{stamped}{read} of $j->{ios}{read} stamped, " .
		"$w->{unproved} unproved, $w->{late} late"'
}

for mode in taskrun taskrun_deep cq cq_deep; do
	watched watch_$mode-tickwise
	case $mode in
	*_deep) jobs="8 I/Os at a time" ;;
	*) jobs="one I/O at a time" ;;
	esac
	row "a thread watches completions: ${mode%_deep}, $jobs" \
		"none lost, stages add up; refused before Linux 6.5 (taskrun)" \
		"$(happened watch_$mode-tickwise)" "does not watch"
done
done_testing
