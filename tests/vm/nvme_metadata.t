#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: with metadata and protection information, and with each write_mode and
# verify_mode, the engine for commands does what fio's own does: each reads what the other
# wrote, a wrong tag fails both, zeroes reach the right blocks, and the device finds a
# changed byte. The engine for block devices does, too, on a kernel that has their metadata.
# Counts are fio's and stages add up. A fio without these options has them refused by name,
# and so has a kernel without them. Defect: a guard of other data, a tag that is not sent,
# metadata of another I/O, a command that transfers data and should not.
#
# fio's own scripts t/nvmept_pi.py and t/io_uring_pi.py need Python in the machine; results.md
# tells what they found.
. "$(dirname "$0")/boot.sh"

seconds=500
# With one CPU the kernel never replaces an instruction that qemu runs at the same time.
cpus=1
# namespace NUMBER SETTINGS: adds the arguments of one to $namespaces
namespaces=
namespace()
{
	truncate -s 16M "$scratch/$1.img"
	namespaces="$namespaces -drive file=$scratch/$1.img,if=none,id=nv$1,format=raw"
	namespaces="$namespaces -device nvme-ns,drive=nv$1,bus=nvme0,nsid=$1$2"
}
# The metadata of the first is apart, of the second in the same buffer; the third's is more
# than the protection information.
namespace 1 ,ms=8,pi=1
namespace 2 ,ms=8,pi=1,mset=1
namespace 3 ,ms=16,pi=3
namespace 4 ''
# shellcheck disable=SC2086	# no spaces in them
boot nvme_metadata -device nvme,id=nvme0,serial=tickwise,max_ioqpairs=8 $namespaces
ok $? "the machine ran"

# fails LABEL: passes if the job ended with an error, and not by a signal
fails()
{
	status=$(cat "$shared/$1.status" 2>/dev/null || echo none)
	[ "$status" = 1 ]
	ok $? "$1: fails (exit $status)"
}

# both LABEL: passes if the job succeeded with both engines
suffix_cmd=-cmd
both()
{
	whole "$1-tickwise$suffix_cmd"
	succeeds "$1-io_uring$(echo "$suffix_cmd" | tr - _)" "$1: fio's own engine, too"
}

# refused LABEL OPTION
refused()
{
	fails "$1"
	grep -q "$2: refused" "$shared/$1.err"
	ok $? "$1: $2 is refused by name"
}

if [ -e "$shared/has_metadata" ]; then
	for n in 1 2 3; do
		for act in 0 1; do
			both "write$act-$n"
			both "read$act-$n"
			for engine in tickwise-cmd io_uring_cmd; do
				fails "wrong_tag$act-$n-$engine"
			done
		done
		both "other_door-$n"
	done
	for mode in verified mixed fixedbufs vectored; do
		both "$mode"
	done
	is "$(cat "$shared/small_md-tickwise-cmd.err" | grep -c md_per_io_size)" 1 \
		"too little room for metadata: one line that names the option"
else
	refused no_metadata-tickwise-cmd md_per_io_size
	skip "this fio has no metadata (3.36 has)"
fi
if [ -e "$shared/has_modes" ]; then
	for mode in zeroes verify compare; do
		both "$mode"
	done
	for engine in tickwise-cmd io_uring_cmd; do
		fails "compare_changed-$engine"
		grep -q 0x85 "$shared/compare_changed-$engine.err"
		ok $? "compare_changed-$engine: by the device"
		# qemu's device has no such command.
		fails "uncor-$engine"
		is "$(cat "$shared/kept-$engine")" 1001 \
			"zeroes-$engine: where they belong, and nowhere else"
	done
	refused zeroes_hipri-tickwise-cmd hipri
else
	refused no_modes-tickwise-cmd write_mode
	skip "this fio has no write_mode (3.38 has)"
fi
if [ -e "$shared/has_mix" ]; then
	both mix
	is "$(value "$shared/mix-tickwise-cmd.report.json" \
		'$j->{ios}{write} + $j->{ios}{read}')" 1024 "a mix: all is written and verified"
fi

fio_has=$("$FIO" --version | awk -F '[-.]' '{ print ($2 * 1000 + $3 >= 3041) }')
kernel_has()
{
	basename "${kernel%/*}"/lib/modules/* | awk -F . '{ exit ($1 * 1000 + $2 < 6017) }'
}
if [ "$fio_has" = 0 ]; then
	refused no_blocks-tickwise md_per_io_size
	skip "this fio has no metadata of block devices (3.41 has)"
	suites=
elif ! kernel_has; then
	fails no_blocks-tickwise
	is "$(grep -c 'md_per_io_size: .*Linux 6.17' "$shared/no_blocks-tickwise.err")" 1 \
		"a kernel without metadata of block devices: one line tells it"
fi
suffix_cmd=
for suite in $suites; do
	on_kernel "$suite" || { skip "$no_kernel"; continue; }
	kernel_has || { skip "$suite: no metadata of block devices (Linux 6.17)"; continue; }
	# shellcheck disable=SC2086	# no spaces in them
	boot block_metadata -device nvme,id=nvme0,serial=tickwise,max_ioqpairs=8 $namespaces
	ok $? "$suite: the machine ran"
	for n in 1 3; do
		for job in write read other_door verified mixed options; do
			both "$job-$n"
		done
		for engine in tickwise io_uring; do
			fails "wrong_tag-$n-$engine"
		done
	done
	for job in small_md no_information masked; do
		fails $job-tickwise
		is "$(grep -c "^tickwise: .*\(md_per_io_size\|apptag_mask\): " \
			"$shared/$job-tickwise.err")" 1 "$job: one line that names the option"
	done
done
done_testing
