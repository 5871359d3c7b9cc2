#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: plugin/attach
#
# Behaviour: `tickwise attach` counts the waits of many short processes, also if more end than it
# follows at once, and those of many files that are open at once, also if there are more than it
# names. Its memory does not grow with either.
#
# Defect: processes or threads that are not forgotten when they end, and take the places of later
# ones; waits without a name that are lost; memory for each process or wait.
#
# No time is judged. Of the waits 2 in 100 may lack, as in kernel_attach_waits.t. Memory is
# bounded by what the tables of attach take when they are full.
# shellcheck disable=SC2016	# Perl
. "$(dirname "$0")/fio_tap.sh"
. "$root/tests/fio/kernel_tap.sh"

need_attach
need_kernel
find_disk
[ -n "$disk" ] || { skip "no file system for it:$reasons"; done_testing; }

calls=$TW_BUILD/tests/fio/wait_calls
"$calls" write "$disk/data" 1 >/dev/null

# many KIND COUNT: follows it; the most memory that attach had, in KiB, is in $most_kib
many()
{
	timeout -s KILL $((4 * hung_s)) "$tickwise" attach --interval=0 --output=page --json="$1.json" \
		-- "$calls" "$1" "$disk/data" "$2" >out 2>err &
	attach=$!
	most_kib=0
	while kill -0 $attach 2>/dev/null; do
		for pid in $(cat /proc/$attach/task/*/children 2>/dev/null); do
			kib=$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status" 2>/dev/null)
			[ "${kib:-0}" -le "$most_kib" ] || most_kib=$kib
		done
		sleep 0.1
	done
	wait $attach
	is "$?" 0 "$1: attach ends with it"
	echo "# $1: at most $most_kib KiB"
	ok "$([ "$most_kib" -gt 0 ] && [ "$most_kib" -lt 65536 ]; echo $?)" "$1: bounded memory"
}

sum='sub waits { my $n = 0; $n += $_->{time}{count} for grep { $_->{call} eq "pread64" }
		@{$j->{waits}{rows}}; $n }
	my ($slept) = `cat out` =~ /^(\d+)/; my $missed = $j->{kernel_stages}{missed_runs} // 0;
	print "# ", waits(), " waits of $slept\n";
	$slept && waits() <= $slept && waits() >= 0.98 * $slept - $missed &&
		!$j->{waits}{lost_waits} &&
		!grep { $j->{attached}{$_} } qw(lost_records lost_processes)'
# More than MAX_PROCESSES and MAX_WAITERS.
many forks 17000
json forks.json "$sum"
ok $? 'forks: each wait of each process'
if ! ulimit -n 19600 2>/dev/null; then
	skip 'this many files may not be open here'
	done_testing
fi
many files 19500
json files.json "$sum && @{\$j->{waits}{rows}} <= 1300 && \$j->{attached}{lost_names}"
ok $? 'files: each wait, with a row or in that of a folder'
done_testing
