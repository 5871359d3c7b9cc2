#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: what does not go as planned reaches fio as from its own engine, and is
# in the report apart from the latencies: short transfers, errors, I/Os that fio has
# to submit again. A kernel that takes fewer than it is given, or none for the
# moment, costs no I/O. Defect: a short transfer counted as a whole one, an error in
# the histogram, an I/O lost between two submissions.
. "$(dirname "$0")/fio_tap.sh"
need ring_watch

# trouble SETTINGS OPTION...: runs 128 I/Os, 8 in the ring, 4 at a time
trouble()
{
	settings=$1
	shift
	rm -f ./*.tickwise.json
	watched "$settings" --name=t --filename=t.data --bs=4k --size=512k \
		--iodepth=8 --iodepth_batch=4 "$@"
}
# both KIND: prints the report's count, reads and writes
both()
{
	from_json t.1.*.tickwise.json "print \$j->{$1}{read} + \$j->{$1}{write}"
}
# fio_both: prints fio's count, of the only job, both directions
fio_both()
{
	from_json out.json "my \$job = \$j->{jobs}[0];
		print \$job->{read}{$1} + \$job->{write}{$1}"
}

trouble "" --rw=write
is "$(both ios) $(both short) $(both errors) $(both requeued)" "128 0 0 0" \
	"nothing goes wrong: nothing is counted apart"

for rw in read write randrw; do
	trouble RING_SHORT=10 --rw=$rw
	ok $? "$rw: every tenth transfer is only half done"
	[ "$(both short)" -ge 12 ]
	ok $? "$rw: counted apart: $(both short)"
	is "$(both short)" "$(fio_both short_ios)" "$rw: as many as fio saw"
	same_counts
	ok $? "$rw: those that ended are recorded, as fio does"
done

# fio takes a cut transfer for two and so never gets to the end of the file. It also
# makes data anew for the rest of a transfer that it wants to verify later. So there
# is one buffer that stays as it is, and the first half of the file.
rm t.data
trouble RING_SHORT=3 --rw=write --scramble_buffers=0 --iodepth=1 \
	--iodepth_batch=1
is "$(head -c 262144 t.data | perl -e 'local $/ = \4096; my %seen;
	$seen{$_}++ while <>; print join " ", values %seen')" 64 \
	"the rest of a cut write goes where it belongs"
run_fio --name=t --filename=t.data --bs=4k --size=512k --rw=randwrite \
	--verify=crc32c --do_verify=0 --tw_report=none
trouble RING_SHORT=3 --rw=randwrite --verify=crc32c --verify_only=1
ok $? "the rest of a cut read comes to where it belongs"

for error in 5:EIO 28:ENOSPC 61:ENODATA; do
	trouble "RING_ERROR=16:${error%:*}" --rw=randread \
		--continue_on_error=all
	# fio can go on only after the error of a bad medium.
	[ "$error" = 5:EIO ] && seen=8 || seen=1
	is "$(both errors)" "$seen" "${error#*:}: counted apart"
	same_counts
	ok $? "${error#*:}: and not recorded"
	trouble "RING_ERROR=16:${error%:*}" --rw=randread
	[ $? -eq 1 ]
	ok $? "${error#*:}: ends a job that was not told to go on"
	json out.json "\$j->{jobs}[0]{error} == ${error%:*}"
	ok $? "${error#*:}: with this error"
done

for refusal in RING_BUSY=2 RING_TAKE=1 RING_TAKE=3; do
	for verify in "" --verify=crc32c; do
		trouble $refusal --rw=randwrite $verify
		ok $? "a kernel that takes less ($refusal) $verify"
		same_counts
		ok $? "$refusal: none is lost, none twice $verify"
	done
done
is "$(both requeued)" 0 "and fio need not come again"
done_testing
