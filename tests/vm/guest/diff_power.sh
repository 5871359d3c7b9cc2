# SPDX-License-Identifier: MIT
# Makes sets of runs whose difference is known; see ../diff_power.t.
. /guest/fio.sh

sets=$(word tw_sets)
runs=$(word tw_runs)
seconds=$(word tw_seconds)
disks=/sys/kernel/config/nullb

# normal SEED: prints a nearly normal number of deviation 1
normal()
{
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		for (i = 0; i < 12; i++)
			sum += rand()
		print sum - 6
	}'
}

# ns OF SEED TIMES: prints OF times TIMES, varied by 1 % from run to run
ns()
{
	awk -v of="$1" -v normal="$(normal "$2")" -v times="$3" \
		'BEGIN { printf "%d", of * times * (1 + 0.01 * normal) }'
}

# disk NAME NS: makes a disk that takes NS for an I/O
disk()
{
	mkdir $disks/"$1"
	echo 2 >$disks/"$1"/queue_mode
	echo 2 >$disks/"$1"/irqmode
	echo 1 >$disks/"$1"/submit_queues
	echo 1024 >$disks/"$1"/size
	echo "$2" >$disks/"$1"/completion_nsec
	echo 1 >$disks/"$1"/power
}

no_disk()
{
	echo 0 >$disks/"$1"/power
	rmdir $disks/"$1"
}

# disturb SEED: takes the CPU for some milliseconds now and then, as often as its run asks
disturb()
{
	awk -v seed="$1" 'BEGIN {
		srand(seed)
		often = 300000 + 1200000 * rand()
		for (i = 0; i < 100000; i++)
			print int(often * 2 * rand()), int(100 * rand())
	}' | while read -r us loops; do
		usleep "$us"
		while [ "$loops" -gt 0 ]; do
			loops=$((loops - 1))
		done
	done
}

# run_of KIND SET RUN SIDE: makes a run
run_of()
{
	seed=$(($2 * 1000 + $3))
	more=1
	slow=1
	# A short run has enough I/Os for p99.5, too.
	base=1000000
	file=/dev/nullb0
	case $1$4 in
	p50a)	base=4000000 ;;
	p50b)	base=4000000; more=1.05 ;;
	tailb)	slow=5 ;;
	esac
	disk nullb0 "$(ns $base $seed $more)"
	if [ "$1" = tail ]; then
		disk nullb1 "$(ns $base $seed $slow)"
		# 1 % of the blocks are on the other disk.
		dmsetup --noudevsync create both <<END
0 1980000 linear /dev/nullb0 0
1980000 20000 linear /dev/nullb1 0
END
		file=/dev/dm-0
	fi
	disturb $seed &
	by=$!
	fio_job "$1.$2.$3.$4" tickwise --filename=$file --direct=1 --rw=randread \
		--bs=4k --iodepth=1 --time_based --runtime="$seconds" --size=1000000k \
		--norandommap --randseed=$seed
	kill $by
	rm -f "$1.$2.$3.$4.fio.json"
	[ "$1" != tail ] || { dmsetup --noudevsync remove both; no_disk nullb1; }
	no_disk nullb0
}

load dm-mod
load null_blk nr_devices=0
mount -t configfs none /sys/kernel/config
fio_seconds=$((seconds + 60))
for what in $(word tw_kinds | tr ',' ' '); do
	set=0
	while [ $set -lt "$sets" ]; do
		set=$((set + 1))
		run=0
		# The order is A B, B A, A B, as in tickwise run --ab.
		while [ $run -lt $((2 * runs)) ]; do
			case $(((run + run / 2) % 2)) in
			0) run_of "$what" $set $run a ;;
			1) run_of "$what" $set $run b ;;
			esac
			run=$((run + 1))
		done
	done
done
