# SPDX-License-Identifier: MIT
# Runs jobs while the kernel counts what its programs take; see ../kernel_cost.t.
cat /proc/version >/tmp/version
device cost 10000
head -c 1048576 /dev/zero >/tmp/data
echo 1 >/proc/sys/kernel/bpf_stats_enabled

# job NAME EVERY [OPTION...]: adds a job to the next fio, after those before it. EVERY is
# tw_kernel_every, or nothing for fio's own engine.
job()
{
	cat <<-END
	[$1]
	stonewall
	filename=/dev/cost
	direct=1
	rw=randread
	norandommap
	bs=4k
	size=64m
	number_ios=1000
	ioengine=${2:+external:/tickwise.so
	tw_kernel=require
	tw_report=/tmp/$1.json
	tw_kernel_every=}${2:-io_uring}
	exec_postrun=bpftool -j prog show
	END
	shift 2
	[ $# = 0 ] || printf '%s\n' "$@"
}

# After each job fio writes the kernel's account to NAME.postrun.txt.
cd /tmp || exit
{
	job none ''
	job direct 1
	job cache 1 filename=/tmp/data direct=0 bs=512 size=1m
	job unchosen 1048576
	job idle 1 rate_iops=1
	job others '' exitall | grep -v stonewall
} | run cost
cd /out || exit
# shellcheck disable=SC2046
hand_over $(cd /tmp && echo version *.json* *.postrun.txt *.err *.status)
