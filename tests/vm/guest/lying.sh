# SPDX-License-Identifier: MIT
#
# Makes counters lie, one way after the other; see ../lying.t. lie= on the kernel's
# command line, any number of times, is one of: none; TICKS or PPMppm by which the
# second CPU is ahead or fast; both:... for all CPUs alike.
null_disk

lie()
{
	# Write another file and rename it: the host may be reading.
	echo "$1" >counter.new
	mv counter.new counter
	sleep 0.1
}

# let_run_on MASK: lets fio's processes run only on these CPUs
let_run_on()
{
	for pid in $(pidof fio); do
		taskset -p "$1" "$pid" >/dev/null 2>&1
	done
}

reads()
{
	awk '{ print $1 }' /sys/block/nullb0/stat
}

# The process that starts the others has the lowest number. It ends its jobs.
end_fio()
{
	main=$(pidof fio | tr ' ' '\n' | sort -n | head -n 1)
	[ -z "$main" ] || kill -TERM "$main"
}

# hopping LABEL ENGINE [ARGUMENT...]: moves a job from CPU to CPU once it has begun,
# however long that takes, then lets it run anywhere to its end. $then_lie: the lie
# that begins before the moves. LABEL.hopped exists if the job was not over after
# two rounds of moves.
then_lie=
hopping()
{
	hopper=$1
	before=$(reads)
	fio_job "$@" --rw=randread --time_based=1 --runtime=50 &
	until_more reads "$before" 50 300
	sleep 0.3
	[ -z "$then_lie" ] || lie "$then_lie"
	for round in 1 2 3 4 5; do
		let_run_on 1
		sleep 0.1
		let_run_on 2
		sleep 0.1
		[ $round -ne 2 ] || [ -z "$(pidof fio)" ] || : >"$hopper.hopped"
	done
	let_run_on 3
	end_fio
	wait
}

# during LABEL LIE ENGINE [ARGUMENT...]: runs a job; the lie begins in mid-run
during()
{
	then_lie=$2
	label=$1
	shift 2
	hopping "$label" "$@"
	then_lie=
	lie 'all 0 0'
}

# watch NAME LIE: measures how soon a check every second notices the lie
watch()
{
	while tickwise check --json 2>>"$1.watch.err" | tr -d '\n'; do
		echo
		sleep 1
	done >"$1.watch.json" &
	watcher=$!
	sleep 1.7
	lie "$2"
	wc -l <"$1.watch.json" >"$1.watch.before"
	sleep 2.5
	kill $watcher
	wait $watcher
	lie 'all 0 0'
	echo "watched (at $(cut -d' ' -f1 /proc/uptime) s)"
}

# fault NAME LIE: runs all of this for one lie
fault()
{
	name=$1
	told=$2
	echo "== $name (at $(cut -d' ' -f1 /proc/uptime) s)"
	lie "$told"
	tickwise check --json --time-limit=2000 >"$name.cas.json" \
		2>"$name.cas.err"
	echo $? >"$name.cas.status"
	tickwise check --json --method=switch --time-limit=2000 \
		>"$name.switch.json" 2>"$name.switch.err"
	echo $? >"$name.switch.status"
	timeout -s KILL 20 fio --cpuclock-test >"$name.cpuclock" 2>&1
	echo $? >"$name.cpuclock.status"
	echo "looked at (at $(cut -d' ' -f1 /proc/uptime) s)"
	hopping "$name-before" tickwise --clocksource=clock_gettime
	# It can hang for ever; a small lie does nothing to it.
	fio_seconds=12
	case $name in
	*000000000|1000ppm)
		hopping "$name-stock_before" io_uring --clocksource=cpu
		;;
	esac
	lie 'all 0 0'
	watch "$name" "$told"
	during "$name-stock_during" "$told" io_uring --clocksource=cpu
	fio_seconds=60
	during "$name-during" "$told" tickwise --clocksource=clock_gettime
	cat /sys/devices/system/clocksource/clocksource0/current_clocksource \
		>"$name.clocksource"
}

for fault in $(tr ' ' '\n' </proc/cmdline | sed -n 's/^lie=//p'); do
	case $fault in
	none) fault none '1 0 0' ;;
	both:*ppm) told=${fault#both:}; fault "both_$told" "all 0 ${told%ppm}" ;;
	both:*) fault "both_${fault#both:}" "all ${fault#both:} 0" ;;
	-*) fault "minus_${fault#-}" "1 $fault 0" ;;
	*ppm) fault "$fault" "1 0 ${fault%ppm}" ;;
	*) fault "$fault" "1 $fault 0" ;;
	esac
done
