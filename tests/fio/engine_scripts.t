#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: on a device of scripted behaviour, in simulated time, each job has the
# report and fio's figures that are in expected/NAME.txt. Completions are inline,
# late, out of order, short, empty, failed and hidden. Calls are refused,
# interrupted, and take less than they are given. I/Os come again. Defect: a
# rewritten engine that does any of this in another way.
#
# preload/ring_device.c knows nothing of the engine's inside, so it runs any engine.
# Time passes when the kernel is entered, by sleeping, by the device, and by 100 ns
# between two I/Os that fio queues. An engine may read its clock as often as it
# wants.
#
# Not here: sqthread_poll, rates, runtimes and other waiting by reading a clock (the
# device can't do that), and commands (they need a device). Nor are syncfs (not
# every fio has it), and stamps of the CPU's counter (its time is not simulated).
#
# The files are the same for fio 3.33, 3.36 and 3.39. Nothing is random here because
# these versions draw different offsets.
#
#	TW_EXPECT=1 make test TEST=tests/fio/engine_scripts.t
#
# writes the expected files anew. In the commit that changes them, explain each line
# that `git diff` then shows.
. "$(dirname "$0")/fio_tap.sh"
need ring_device
here=$root/tests/fio

# on SETTINGS: sets how the device behaves for the scripts that follow
on()
{
	runs=$((runs + 1))
	mkdir $runs
	cd $runs || exit 1
	device=$1
	echo "$device" >settings
	jobs=
}
# script NAME ARGUMENT...: adds 128 I/Os of a file of its own
script()
{
	name=$1
	shift
	truncate -s 512K "$name.data"
	scripts="$scripts $runs/$name"
	jobs="$jobs --name=$name --filename=$name.data --size=512k \
		--tw_report=$name.json $*"
}
# run: runs all scripts of one device together, and some devices: fio sleeps much
run()
{
	# shellcheck disable=SC2086
	on_device "DEVICE_READ_NS=0 DEVICE_FIO_NS=100 $device" \
		"external:$TICKWISE_SO" --bs=4k --disk_util=0 --tw_slowest=3 \
		$jobs &
	cd ..
	[ $((runs % 4)) -ne 0 ] || wait
}
# compare RUN/NAME: compares the job with the expected file
compare()
{
	name=${1#*/}
	case " $other_fio " in
	*" $name "*)
		skip "$name: this fio ends the job or the ramp time otherwise"
		return
		;;
	esac
	[ -z "${TW_EXPECT-}" ] || cp "$1.txt" "$here/expected/$name.txt"
	diff "$here/expected/$name.txt" "$1.txt" >differences 2>&1
	status=$?
	ok $status "$name: $(cat "${1%/*}/settings")"
	[ "$status" -eq 0 ] || sed 's/^/# /' differences
}
runs=0
scripts=
# From 3.42 on fio ends ramp times by the real clock, and a job with an error in
# another order.
other_fio=
if fio_is_from_3_42; then
	other_fio='serial_ramp empty_ramp error_order wait_ebusy_batches'
	other_fio="$other_fio wait_ebusy_whole refuse_enomem"
fi

batches='--iodepth=32 --iodepth_batch=8 --iodepth_batch_complete_min=1
	--iodepth_batch_complete_max=8'
whole='--iodepth=32 --iodepth_batch=32 --iodepth_batch_complete_min=32'
eight='--iodepth=8 --iodepth_batch=4 --iodepth_batch_complete_min=1
	--iodepth_batch_complete_max=8'

on ''
script inline_read --rw=read
script inline_write --rw=write
script inline_8 --rw=read --iodepth=8
script inline_batches --rw=read $batches
script inline_whole --rw=write $whole
script inline_one_by_one --rw=read --iodepth=32 --iodepth_batch=32 \
	--iodepth_batch_complete_max=1
script inline_low --rw=read --iodepth=16 --iodepth_batch=16 --iodepth_low=4
script inline_poll --rw=read --iodepth=8 --iodepth_batch_complete_min=0
script inline_mixed --rw=rw $eight
script inline_verify --rw=write --verify=crc32c --do_verify=1 $eight
script inline_no_stages --rw=read --tw_stages=0
script inline_no_stages_8 --rw=read --tw_stages=0 $eight
script inline_event_time --rw=read --tw_event_time=1 $eight
script inline_no_slat --rw=read --disable_slat=1 $eight
script inline_fsync --rw=write --fsync=8
script inline_odd_depth --rw=read --iodepth=5 \
	--iodepth_batch=5
run

on DEVICE_DUE_US=100
script order_1 --rw=read
script order_8 --rw=read --iodepth=8
script order_batches --rw=read $batches
script order_whole --rw=read $whole
script order_whole_wait --rw=read $whole --tw_event_wait=1
script order_whole_time --rw=read $whole --tw_event_time=1
script order_whole_both --rw=read $whole --tw_event_time=1 --tw_event_wait=1
script order_time --rw=read $eight --tw_event_time=1
script order_write --rw=write $eight
script order_mixed --rw=rw $eight
script order_no_stages --rw=rw --tw_stages=0 $eight
script order_few --rw=read --iodepth=32 --iodepth_batch=8 \
	--iodepth_batch_complete_min=2 --iodepth_batch_complete_max=3
script order_poll --rw=read --iodepth=8 --iodepth_batch_complete_min=0
script order_verify --rw=write --verify=crc32c --do_verify=1 $eight
script order_backlog --rw=write --verify=crc32c --verify_backlog=16 $eight
script order_fsync --rw=write --fsync=8
script order_fdatasync --rw=write --fdatasync=4
script order_range --rw=write --sync_file_range=write:8
script order_fixedbufs --rw=rw --fixedbufs=1 $eight
script order_files --rw=read --registerfiles=1 \
	--filename=order_files.more $eight
script order_both_fixed --rw=write --registerfiles=1 --fixedbufs=1 $eight
script order_vectored --rw=rw --nonvectored=0 $eight
script order_sizes --rw=rw --bs=4k,16k $eight
script order_async --rw=rw --force_async=3 $eight
script order_thread --rw=rw --thread=1 $eight
script order_thread_verify --rw=write --thread=1 --verify=crc32c $batches
script order_slowest --rw=read --tw_slowest=20 --tw_digits=2 $eight
run

# These write a log, since fio's versions put flushes at other places among writes
# in flight.
on DEVICE_SERIAL_US=50
{
	echo 'fio version 2 iolog'
	echo 'serial_replay.data add'
	echo 'serial_replay.data open'
	for block in 3 1 4 15 9 2 6 5; do
		echo "serial_replay.data read $((block * 4096)) 4096"
		echo "serial_replay.data write $((block * 8192)) 8192"
		echo "serial_replay.data sync 0 0"
		echo "serial_replay.data write $((block * 4096)) 4096"
		echo "serial_replay.data datasync 0 0"
	done
	echo 'serial_replay.data close'
} >iolog
script serial_replay --rw=read --read_iolog=iolog --replay_no_stall=1 $eight
script serial_1 --rw=write
script serial_8 --rw=read --iodepth=8
script serial_batches --rw=read $batches
script serial_whole --rw=read $whole
script serial_whole_both --rw=read $whole --tw_event_time=1 \
	--tw_event_wait=1
script serial_low --rw=read --iodepth=16 --iodepth_batch=16 --iodepth_low=4
script serial_mixed --rw=rw $eight
script serial_ramp --rw=read --ramp_time=2ms $eight
script serial_loops --rw=read --loops=3 $eight
script serial_nop --rw=read --tw_test_nop=1 $eight
script serial_thread --rw=read --thread=1 --iodepth=8
run

on DEVICE_SHORT=5
script short_1 --rw=read
script short_write --rw=write $eight
script short_mixed --rw=rw $eight
script short_vectored --rw=read --nonvectored=0
run
on 'DEVICE_SHORT=5 DEVICE_DUE_US=100'
script short_order --rw=read $eight
script short_order_event --rw=read --tw_event_time=1 --tw_event_wait=1 $eight
script short_order_no_stages --rw=write --tw_stages=0 $eight
run

on DEVICE_NONE=5
script empty_read --rw=read
script empty_mixed --rw=rw $eight
run
on 'DEVICE_NONE=5 DEVICE_SERIAL_US=50'
script empty_serial --rw=write $eight
script empty_ramp --rw=read --ramp_time=2ms $eight
run

on DEVICE_ERROR=7:5
script error --rw=read
script error_on --rw=read --continue_on_error=all
script error_on_mixed --rw=rw --continue_on_error=all $eight
run
on 'DEVICE_ERROR=7:5 DEVICE_DUE_US=100'
script error_order --rw=read $eight
script error_order_on --rw=rw --continue_on_error=all $eight
script error_order_both --rw=read --continue_on_error=all --tw_event_time=1 \
	--tw_event_wait=1 $eight
script error_order_thread --rw=write --continue_on_error=all --thread=1 \
	$eight
run
on 'DEVICE_ERROR=20:28 DEVICE_SERIAL_US=50'
script error_full --rw=write $eight
run
on 'DEVICE_GONE=30:19 DEVICE_SERIAL_US=50'
script gone --rw=read $eight
script gone_on --rw=rw --continue_on_error=all $eight
run

# A call for a trim waits for the writes before it.
on DEVICE_BLOCK=.data
script trim_1 --rw=trim
script trim_batches --rw=trim $batches
script trim_requeued --rw=trimwrite $eight
run
on 'DEVICE_BLOCK=.data DEVICE_DUE_US=100'
script trim_order --rw=trim $eight
script trim_requeued_late --rw=trimwrite $eight
script trim_requeued_both --rw=trimwrite $eight --tw_event_time=1 \
	--tw_event_wait=1
run
on 'DEVICE_BLOCK=.data DEVICE_TRIM=9:95 DEVICE_DUE_US=100'
script trim_by_call --rw=trim $eight
run
on 'DEVICE_BLOCK=.data DEVICE_TRIM=9:5 DEVICE_DUE_US=100'
script trim_error --rw=trim $eight --continue_on_error=all
run

for refusal in 11:eagain 4:eintr 16:ebusy; do
	on "DEVICE_REFUSE=3:${refusal%:*}"
	script "refuse_${refusal#*:}" --rw=read
	script "refuse_${refusal#*:}_batches" --rw=rw $batches
	run
	on "DEVICE_REFUSE=3:${refusal%:*} DEVICE_DUE_US=100"
	script "refuse_${refusal#*:}_late" --rw=rw $eight
	run
	on "DEVICE_WAIT=3:${refusal%:*} DEVICE_DUE_US=100"
	script "wait_${refusal#*:}" --rw=read
	script "wait_${refusal#*:}_batches" --rw=rw $batches
	script "wait_${refusal#*:}_whole" --rw=read $whole --tw_event_time=1 \
		--tw_event_wait=1
	run
done
on 'DEVICE_REFUSE=7:12 DEVICE_DUE_US=100'
script refuse_enomem --rw=read $eight
run
on 'DEVICE_WAIT=7:12 DEVICE_DUE_US=100'
script wait_enomem --rw=read $eight
run

for count in 1 3; do
	on DEVICE_TAKE=$count
	script take_$count --rw=rw $batches
	run
	on "DEVICE_TAKE=$count DEVICE_DUE_US=100"
	script take_${count}_late --rw=rw $batches
	run
	on DEVICE_OVERFLOW=$count
	script overflow_$count --rw=rw $whole
	run
	on "DEVICE_OVERFLOW=$count DEVICE_DUE_US=100"
	script overflow_${count}_late --rw=rw $whole
	script overflow_${count}_few --rw=read $batches
	run
done

wait
perl "$here/engine_scripts.pl" [0-9]*
for script in $scripts; do
	compare "$script"
done
# shellcheck disable=SC2012,SC2086
is "$(ls "$here/expected" | wc -l)" "$(echo $scripts | wc -w)" \
	'and there is no file without a script'
done_testing
