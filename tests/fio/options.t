#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin
#
# Behaviour: a job keeps the options that it has with fio's own io_uring engine.
# Every name is known, the table in fio-tickwise(7) is right about each option, and
# what is "done" reaches the kernel. Defect: a job that ends over an unknown name,
# an option that is accepted and ignored, data that is damaged on the way.
. "$(dirname "$0")/fio_tap.sh"
need ring_device

"$FIO" --enghelp=io_uring 2>/dev/null | awk '/ : / { print $1 }' | sort >fio.names
"$FIO" --enghelp="$TICKWISE_SO" 2>/dev/null | awk '/ : / { print $1 }' |
	sort >our.names
grep -v '^tw_' our.names >their.names
# The table's third column tells what the option does here, the fourth in the other
# engine.
page=$root/core/man/fio-tickwise.7
awk -F'  +' '/^[a-z_]+  +3[.]/ && NF == 4 { print $1, $3 }' "$page" | sort >table
cut -d' ' -f1 table >table.names
[ -s fio.names ] && [ -z "$(comm -23 fio.names our.names)" ]
ok $? "every option of this fio's io_uring is known: $(wc -l <fio.names)"
is "$(comm -3 their.names table.names)" "" \
	"the table has exactly the engine's options"
is "$(sed -n 's/^\.BI \(tw_[a-z_]*\)= .*/\1/p' "$page" | sort -u)" \
	"$(grep '^tw_' our.names)" "and our own"

# A part of the I/Os has the class RT by default, which not every user may use.
class=
ionice -c 1 true 2>/dev/null || class=cmdprio_class=2

# value NAME: prints a value that is not the default
value()
{
	case $1 in
	cmd_type) echo nvme ;;
	write_mode) echo zeroes ;;
	verify_mode) echo compare ;;
	read_mode) echo prefetch ;;
	cmdprio_bssplit) echo 4k/50 ;;
	pi_chk) echo GUARD ;;
	cmdprio_class) echo 2 ;;
	sqthread_poll_cpu | pi_act) echo 0 ;;
	cdb_len) echo 16 ;;
	*) echo 1 ;;
	esac
}

# Run one job for each name in one fio. A refused one has a fio of its own.
job_file()
{
	printf '[global]\nioengine=external:%s\nrw=randrw\nbs=4k\n' "$TICKWISE_SO"
	printf 'size=64k\nfilename=o.data\ntw_report=none\n%s\n' "$class"
}
head -c 65536 /dev/zero >o.data
job_file >all.fio
while read -r name becomes; do
	case $name in
	cmdprio_hint) grep -q "^$name\$" fio.names || becomes=refused ;;
	md_per_io_size) becomes=refused ;;	# A file has no metadata.
	esac
	[ "$becomes" = refused ] || {
		# These need what not every file system or kernel has; see below.
		case $name in hipri | nowait | uncached) continue ;; esac
		printf '[%s]\n%s=%s\n' "$name" "$name" "$(value "$name")" >>all.fio
		continue
	}
	{ job_file; printf '[o]\n%s=1\n' "$name"; } >one.fio
	"$FIO" "$plain_clock" one.fio >out 2>err
	status=$?
	[ "$status" -ne 0 ] && [ "$status" -lt 128 ] &&
		[ "$(grep -c "^tickwise: \(o: \)*$name: " err)" -eq 1 ]
	ok $? "$name: refused, by name"
done <table
timeout -s KILL $hung_s "$FIO" "$plain_clock" all.fio --output-format=json --output=out.json \
	>out 2>err
ok $? "all that are not refused: a job each"
[ ! -s err ] || sed 's/^/# /' err
is "$(from_json out.json '
	print join " ", "failed:", map { $_->{jobname} } grep { $_->{error} ||
		$_->{read}{total_ios} + $_->{write}{total_ios} != 16 }
		@{$j->{jobs}}')" "failed:" "every job does all of its I/O"
run_fio --name=o --filename=o.data --size=64k --rw=read --md_per_io_size=0 \
	--tw_report=none
ok $? "no metadata is not refused"

# Check what each asks of the kernel, with 64 writes that are read back and
# verified: the setup flags, and "opcode flags rw_flags ioprio count" of some entry.
{
	printf '[global]\nioengine=external:%s\nrw=randwrite\n' "$TICKWISE_SO"
	printf 'bs=4k\nsize=256k\niodepth=4\nverify=crc32c\n'
} >asks.fio
: >asks
# asks WHAT PATTERN OPTION...: passes if the ring's log matches
asks()
{
	what=$1
	pattern=$2
	shift 2
	job=a$(wc -l <asks)
	printf '%s\t%s\t%s\t%s\n' "$job" "$pattern" "$*" "$what" >>asks
	printf '[%s]\n' "$job" >>asks.fio
	printf '%s\n' "filename=$job.data" "$@" >>asks.fio
}
asks "plain reads and writes" '^17 0 0 0 64'
asks "with iovecs" '^2 0 0 0 64' nonvectored=0
asks "registered buffers" '^5 0 0 0 64' fixedbufs=1
asks "registered files" '^17 1 0 0 64' registerfiles=1
asks "every fourth of 64" '^17 10 0 0 16' force_async=4
asks "the job's own priority" '^17 0 0 4003 64' prioclass=2 prio=3
asks "another priority" '^17 0 0 4005 64' cmdprio_percentage=100 \
	cmdprio_class=2 cmdprio=5
asks "not for the other part" '^17 0 0 0 [1-6]' cmdprio_percentage=50 $class
asks "by block size" '^17 0 0 4006 64' cmdprio_bssplit=4k/100/2/6 iodepth=2
asks "a kernel thread submits" '^setup [0-9a-f]*[2367abef] cpu 0' \
	sqthread_poll=1
watched "" asks.fio
ok $? "a job for each of these: written, read back and verified"
same_counts
ok $? "counted as fio counts"
while IFS='	' read -r job pattern options what; do
	pid=$(ls "$job".*.tickwise.json | cut -d. -f3)
	grep -qE "$pattern" "ring.$pid" || { sed 's/^/# /' "ring.$pid"; false; }
	ok $? "${options:-no options}: $what"
done <asks

# asks_once WHAT PATTERN SETTINGS OPTION...: the same for reads of a small file
asks_once()
{
	what=$1
	pattern=$2
	shift 2
	watched "$@" --name=o --filename=o.data --size=64k --rw=read --bs=4k \
		--tw_report=none --invalidate=0
	cat ring.[0-9]* | grep -qE "$pattern" ||
		{ sed 's/^/# /' err ring.[0-9]*; false; }
	ok $? "$what"
}
# asks_once takes run_fio's arguments before the job's.
asks_once "nowait: RWF_NOWAIT" '^16 0 8 0' "" --nowait=1
# The kernel may not know the flag; then the reads fail.
asks_once "uncached: RWF_DONTCACHE" '^16 0 80 0' "" --uncached=1
# CQSIZE, then COOP_TASKRUN as well.
asks_once "a ring before Linux 6.1" '^setup 108 cpu' RING_NO_SETUP=0x3000
asks_once "and before 5.19" '^setup 8 cpu' RING_NO_SETUP=0x3100
if has_direct o.data; then
	asks_once "hipri: a polled ring" '^setup [0-9a-f]*[13579bdf] cpu' "" \
		--hipri=1 --direct=1
else
	skip 'this file system has no direct I/O: hipri'
fi
# An entry for each I/O, and places that last.
asks_once "one at a time: one entry, 64 places" '^sizes 1 64$' ""
asks_once "iodepth=128: 128 entries, 256 places" '^sizes 128 256$' "" \
	--iodepth=128
asks_once "iodepth=100: 128 as well" '^sizes 128 256$' "" --iodepth=100 \
	--iodepth_batch_submit=16
cpu=$(awk -F'[-,]' '/Cpus_allowed_list/ { print $NF }' /proc/self/status |
	tr -dc 0-9)
asks_once "sqthread_poll_cpu" "^setup .* cpu $cpu\$" "" --sqthread_poll=1 \
	--sqthread_poll_cpu="$cpu"

run_fio --name=o --filename=o.data --size=64k --rw=read --sqthread_poll=1 \
	--sqthread_poll_cpu=100000 --tw_report=none
[ $? -eq 1 ] && [ "$(grep -c '^tickwise: .*sqthread_poll_cpu' err)" -eq 1 ]
ok $? "a CPU that is not there: one line that names the option"
run_fio --name=o --size=64k --rw=write --bs=4k --nrfiles=3 --openfiles=2 \
	--registerfiles=1
[ $? -eq 1 ] && [ "$(grep -c '^tickwise: .*registerfiles' err)" -eq 1 ]
ok $? "registered files that can't all be open: one line that names it"
rm -f ./*.tickwise.json
run_fio --name=f --size=192k --rw=randwrite --bs=4k --nrfiles=3 --iodepth=4 --loops=2 \
	--registerfiles=1 --verify=crc32c --fsync=8 --numjobs=2 --thread=1
ok $? "several registered files, several loops, syncs"
same_counts
ok $? "counted as fio counts"

# Polling needs a device that can poll; without one both engines fail alike.
polled()
{
	timeout $hung_s "$FIO" "$plain_clock" --ioengine="$1" --output-format=json \
		--output=out.json --name=h --filename=o.data --size=64k \
		--rw=read --bs=4k --direct=1 --hipri=1 >out 2>err
}
polled io_uring
stock=$?
polled "external:$TICKWISE_SO"
is $? "$stock" "hipri ends as with fio's engine (exit $stock)"
done_testing
