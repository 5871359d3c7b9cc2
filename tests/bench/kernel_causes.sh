#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what following threads (tw_causes=1) costs tasks that nobody follows, and what
# it costs the job itself. Run it as root.
#
#	tests/bench/kernel_causes.sh FILE [ROUNDS]
#
# FILE, of 64 MB at least, is only read. CPU=(the last one) is that of the tasks, and
# OTHER=(a tickwise.so: one from before, to compare) may be set.
#
# The kernel measures the programs (bpf_stats) next to empty ones at the same tracepoints, in
# two arms:
#
#	others	Two processes on that CPU pass a byte to and fro by UDP. Each byte is a
#		softirq, a wake-up and a switch. The job, on CPU 0, reads once in a second.
#	job	The job reads one at a time on that CPU.
#
# "before" is the same with OTHER. Prints ns of each program net of the empty one: the median
# of the rounds, with p10 and p90.
set -eu
file=$(realpath "$1")
rounds=${2:-9}
so=$(realpath "${TW_BUILD:-build}/tickwise.so")
other=${OTHER:+$(realpath "$OTHER")}
cpu=${CPU:-$(($(nproc) - 1))}
# shellcheck source=tests/bench/program_costs.sh
. "$(dirname "$0")/program_costs.sh"

make_empty sched_switch e_switched sched_waking e_waking sched_wakeup e_wakeup \
	irq_handler_entry e_hard_begins irq_handler_exit e_hard_ends \
	softirq_entry e_soft_begins softirq_exit e_soft_ends
cat >pass.c <<'END'
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#define BYTES 100000
static int end(struct sockaddr_in *at)
{
	socklen_t size = sizeof(*at);
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	*at = (struct sockaddr_in) {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	bind(fd, (struct sockaddr *)at, size);
	getsockname(fd, (struct sockaddr *)at, &size);
	return fd;
}
int main(void)
{
	struct sockaddr_in here, there;
	int parent = end(&here), child = end(&there), i;
	char byte = 0;

	if (connect(parent, (struct sockaddr *)&there, sizeof(there)) ||
	    connect(child, (struct sockaddr *)&here, sizeof(here)))
		return 1;
	if (!fork()) {
		for (i = 0; i < BYTES; i++)
			if (recv(child, &byte, 1, 0) != 1 || send(child, &byte, 1, 0) != 1)
				return 1;
		return 0;
	}
	for (i = 0; i < BYTES; i++)
		if (send(parent, &byte, 1, 0) != 1 || recv(parent, &byte, 1, 0) != 1)
			return 1;
	return 0;
}
END
cc -O2 -o pass pass.c

# job ENGINE ARGUMENT...: has fio read
job()
{
	engine=$1
	shift
	"${FIO:-fio}" --name=job --ioengine="external:$engine" --filename="$file" \
		--size=64m --readonly --rw=randread --bs=4k --time_based=1 \
		--tw_report=none --tw_kernel=require --tw_causes=1 \
		--exec_postrun="sh programs.sh $bpftool" --output=job.out "$@" \
		>/dev/null 2>&1
}

# bodies ARM ENGINE: prints "PROGRAM NS" of each program, while the two processes run, or
# while the job reads
bodies()
{
	begin_empty
	echo 1 >"$account"
	if [ "$1" = job ]; then
		job "$2" --cpus_allowed="$cpu" --runtime=2 --direct=1
	else
		job "$2" --cpus_allowed=0 --rate_iops=1 --runtime=3 &
		job_pid=$!
		sleep 1.5
		taskset -c "$cpu" ./pass
		wait "$job_pid"
	fi
	echo "$before" >"$account"
	exec 9>&-
	wait
	perl -MJSON::PP -e '
		my (%runs, %ns);
		while (<>) {
			my $p = decode_json($_);
			$runs{$p->{name}} = $p->{run_cnt} or next;
			$ns{$p->{name}} = $p->{run_time_ns} / $p->{run_cnt};
		}
		for (qw(switched waking wakeup hard_begins hard_ends soft_begins soft_ends)) {
			printf "%s %.1f\n", $_, $ns{$_} - $ns{"e_$_"}
				if ($runs{$_} // 0) > 10 && $ns{"e_$_"};
		}' job.postrun.txt
}

# medians: of the last column, by the columns before
medians()
{
	sort | perl -ane '
		my $v = pop @F;
		push @{$v{"@F"}}, $v;
		END {
			for (sort keys %v) {
				my @v = sort { $a <=> $b } @{$v{$_}};
				printf "%-24s %.0f (p10-p90 %.0f-%.0f)\n", $_,
					map { $v[$#v * $_] } 0.5, 0.1, 0.9;
			}
		}'
}

round=0
while [ "$round" -lt "$rounds" ]; do
	for what in others job; do
		bodies "$what" "$so" | sed "s/^/$what /" >>runs
		[ -z "$other" ] || bodies "$what" "$other" | sed "s/^/$what-before /" >>runs
	done
	round=$((round + 1))
done
medians <runs
