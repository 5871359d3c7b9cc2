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
bpftool=$(PATH=$PATH:/usr/sbin:/sbin command -v bpftool)
account=/proc/sys/kernel/bpf_stats_enabled
before=$(cat "$account")
scratch=$(mktemp -d)
trap 'exec 9>&-; echo "$before" >"$account"; wait; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM
cd "$scratch"

cat >empty.bpf.c <<'END'
#define EMPTY(point, name) __attribute__((section("tp_btf/" point), used)) \
	int name(void *arguments) { return 0; }
EMPTY("sched_switch", e_switched)
EMPTY("sched_waking", e_waking)
EMPTY("sched_wakeup", e_wakeup)
EMPTY("irq_handler_entry", e_hard_begins)
EMPTY("irq_handler_exit", e_hard_ends)
EMPTY("softirq_entry", e_soft_begins)
EMPTY("softirq_exit", e_soft_ends)
char LICENSE[] __attribute__((section("license"), used)) = "GPL";
END
cat >empty.c <<'END'
#include <bpf/libbpf.h>
#include <stdio.h>
int main(void)
{
	struct bpf_object *object = bpf_object__open_file("empty.bpf.o", 0);
	struct bpf_program *program;

	if (!object || bpf_object__load(object))
		return 1;
	bpf_object__for_each_program(program, object)
		if (!bpf_program__attach(program))
			return 1;
	puts("loaded");
	fclose(stdout);
	getchar();		/* until the script closes the pipe */
	return 0;
}
END
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
clang -g -O2 -target bpf -c empty.bpf.c -o empty.bpf.o
cc -o empty empty.c -lbpf
cc -O2 -o pass pass.c
mkfifo end

# Print the programs that the job's process, or fio's above it, has links to, and the
# empty ones.
cat >programs.sh <<'END'
above=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$PPID/status)
{
	sed -n 's/^prog_id:[^0-9]*//p' "/proc/$PPID/fdinfo/"* \
		"/proc/$above/fdinfo/"* "/proc/$(cat empty.pid)/fdinfo/"* 2>/dev/null
} | sort -un | while read -r id; do
	"$1" -j prog show id "$id"
done
END

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
	exec 9<>end
	rm -f empty.out
	./empty <end 9>&- >empty.out &
	echo $! >empty.pid
	while ! [ -s empty.out ]; do sleep 0.1; done
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
