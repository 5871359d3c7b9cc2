#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: errors reach fio as from its own io_uring engine on the same device:
# errors of single I/Os, transfers that move half or nothing, a device that goes
# away, system calls that fail, completions that do not fit in the ring. fio ends
# with the same exit code and the same text, and has counted the same: error,
# total_err, first_error, I/Os, bytes, short and dropped ones. Where a job ends
# early with other I/Os in flight, as many of them are done by then. All of it goes
# by simulated time (preload/ring_device.c), on a device that does one I/O after
# another, so that nothing depends on the moment.
#
# System calls that fail for good are the exception. fio's engine reads errno for
# them, which its own way into the kernel does not set, so that it may go on after
# any error. Ours ends the job with the error. Defect: an error that is swallowed or
# changed, a short transfer taken for a whole one, a job that goes on where fio's
# engine gives up, or hangs.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

# Some versions of fio's own engine do wait for ever.
hung_s=60

# outcome STATUS: prints all that a user sees of the errors, without the names of a
# process or a place in a source, and without what only ours reports (empty I/Os; that
# there is no counter in simulated time)
outcome()
{
	echo "exit $1"
	{
		cat err
		sed '/^{/,$d' out.json
	} | grep -v 'moved nothing\|latencies are taken from' |
		grep '^fio: \|^tickwise: ' | sed 's/pid=[0-9]*/pid/;
		s/file:[^,]*,/file,/; s/^fio: io_u error on file [^:]*/fio: io_u/'
	from_json out.json 'my $job = $j->{jobs}[0];
		print "$_ ", $job->{$_} // "-", "\n"
			for "error", "total_err", "first_error";
		for my $d ("read", "write") {
			print "$d";
			print " $_ ", $job->{$d}{$_} for "total_ios",
				"io_bytes", "short_ios", "drop_ios";
			print " samples ", $job->{$d}{clat_ns}{N} // 0, "\n";
		}' 2>&1
}

# with_both SETTINGS ARGUMENT...: runs the job with fio's engine and ours; true if
# they are alike
with_both()
{
	settings=$1
	shift
	for engine in io_uring "external:$TICKWISE_SO"; do
		rm -f e.data r.json out.json
		head -c 262144 /dev/zero >e.data
		report=
		[ "$engine" = io_uring ] || report=--tw_report=r.json
		# shellcheck disable=SC2086
		on_device "$settings" "$engine" --name=e --filename=e.data \
			--bs=4k --size=256k --iodepth=8 $report "$@"
		outcome $? >"outcome.${engine%%:*}"
	done
	cmp -s outcome.io_uring outcome.external
}

# True if fio's own engine waited until it was killed.
stock_hangs()
{
	grep -q '^exit 137' outcome.io_uring
}

# alike WORDS SETTINGS ARGUMENT...: passes if both end alike
alike()
{
	words=$1
	shift
	with_both "$@"
	# There is nothing to compare with; ours has to end in any case.
	if stock_hangs; then
		is "$(head -n 1 outcome.external)" 'exit 0' \
			"$words: fio's own engine waits for ever"
		return
	fi
	cmp -s outcome.io_uring outcome.external
	ok $? "$words: $(sed -n 's/^exit/exit/p; s/^error/error/p' \
		outcome.io_uring | paste -sd' ')"
	cmp -s outcome.io_uring outcome.external ||
		diff outcome.io_uring outcome.external | sed 's/^/# /'
}

alike 'nothing goes wrong' "" --rw=randrw
is "$(sed -n 1,2p outcome.io_uring | tr '\n' ' ')" 'exit 0 error 0 ' \
	'on a device that does what it should'

alike 'EIO in the 21st read, eight at a time' \
	'DEVICE_ERROR=21:5 DEVICE_SERIAL_US=20' --rw=randread
alike 'EAGAIN in the 21st write, eight at a time' \
	'DEVICE_ERROR=21:11 DEVICE_SERIAL_US=20' --rw=randwrite
# fio goes on only after a bad medium.
alike 'EIO in every fifth, and on' DEVICE_ERROR=5:5 --rw=randrw \
	--continue_on_error=all --iodepth=1
is "$(sed -n 's/^total_err //p' outcome.external)" 12 'of 64: 12 have failed'
json r.json '$j->{errors}{read} + $j->{errors}{write} == 12'
ok $? 'and so says the report'
alike 'ENOSPC, and on' DEVICE_ERROR=21:28 --rw=randwrite \
	--continue_on_error=all --iodepth=1
alike 'half of every fourth' DEVICE_SHORT=4 --rw=randrw --iodepth=1
alike 'nothing of every fourth' DEVICE_NONE=4 --rw=randrw
has err 'tickwise: e: 16 of its reads and writes moved nothing' 'which only ours tells'
alike 'the device goes away' DEVICE_GONE=30:19 --rw=randread --iodepth=1
alike 'and fio goes on' DEVICE_GONE=30:19 --rw=randread --iodepth=1 \
	--continue_on_error=all
# One at a time: fio's engine loses completions if EAGAIN comes.
alike 'every third submission is refused' DEVICE_REFUSE=3:11 --rw=randrw --iodepth=1
alike 'every third wait ends early' 'DEVICE_WAIT=3:4 DEVICE_DUE_US=10' --rw=randread

# ends_with WORDS TEXT SETTINGS: passes if the job ends with the errno of the setting
ends_with()
{
	number=${3##*:}
	on_device "$3 DEVICE_DUE_US=10" "external:$TICKWISE_SO" --name=e \
		--filename=e.data --bs=4k --size=256k --rw=randread \
		--output-format=normal --output=normal
	is $? 1 "$1: the job ends"
	grep -q "err= *$number (.*func=$2," normal
	ok $? "with $number, and says where: $2"
}
ends_with 'the 7th submission fails' 'io_uring_enter submit' DEVICE_REFUSE=7:12
ends_with 'the 7th wait fails' io_uring_enter DEVICE_WAIT=7:77

alike 'a ring of completions with room for three' DEVICE_OVERFLOW=3 --rw=randrw \
	--iodepth_batch_submit=8 --iodepth_batch_complete_min=8
is "$(awk '/samples/ { n += $NF } END { print n }' outcome.external)" 64 \
	'and none is lost'
# A file that loses its end between its set-up and the job, on the real kernel. One read
# of it comes back short, which fio sends again. Those after it come back empty, which fio
# counts.
echo 'truncate -s 2097664 shrinks.data' >shrink.sh
for engine in io_uring "external:$TICKWISE_SO"; do
	rm -f r.json out.json
	head -c 4194304 /dev/zero >shrinks.data
	report=
	[ "$engine" = io_uring ] || report=--tw_report=r.json
	# shellcheck disable=SC2086
	timeout -s KILL $hung_s "$FIO" "$plain_clock" --ioengine="$engine" --output-format=json \
		--output=out.json --name=h --rw=read --bs=4k --size=4m \
		--filename=shrinks.data --number_ios=1000 \
		--exec_prerun='sh shrink.sh' --invalidate=0 --iodepth=4 $report >err 2>&1
	outcome $? | grep -v 'moved nothing' >"outcome.${engine%%:*}"
done
is "$(cat outcome.external)" "$(cat outcome.io_uring)" \
	"a file that shrinks ends as with fio's engine"
json r.json '$j->{short_ios}{read} == 1 && $j->{zero_byte}{read} == 488'
ok $? "512 reads are whole and one is half done, of the 1000 the rest is nothing"
done_testing
