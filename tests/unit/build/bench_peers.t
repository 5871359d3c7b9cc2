#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: what can be tested of tests/bench/peers.sh without the peers and without
# a clock: its command line, the joining of two traces, the median and its interval,
# and that our own clocks compile. Defect: a comparison that nobody can start when
# figures are asked for, reads joined with requests of others, an interval that is
# not 95 %.
. "$(dirname "$0")/../../tap.sh"

bench=$root/tests/bench
peers=$bench/peers

for script in peers.sh fio_figures.sh peers/kernel.sh; do
	sh -n "$bench/$script"
	ok $? "$script is a shell script"
done

# refused TEXT DESCRIPTION ARGUMENT...
refused()
{
	text=$1
	what=$2
	shift 2
	"$bench/peers.sh" "$@" >"$out" 2>"$err"
	is "$?" 64 "$what: exit 64"
	has "$err" "$text" "$what: the message"
}

mkdir -p "$scratch/one" "$scratch/two" "$scratch/none"
touch "$scratch/one/tscns.h" "$scratch/two/tscns.h"
refused 'no such directory' 'a directory that is not there' "$scratch/not-there"
refused 'not a peer' 'a directory without a peer' "$scratch/none"
refused 'is the same peer' 'a peer twice' "$scratch/one" "$scratch/two"
refused 'which FILE_OR_DEVICE?' '--kernel without a file' --kernel
STARTS=0
export STARTS
refused 'at least 1' 'no start'
STARTS=3
WTMLIB_STARTS=4
export WTMLIB_STARTS
refused 'at most STARTS' 'more starts of WTMLIB than of the others'

# The first two reads are nearest to the same request, which is nearest to the first.
# The third has two requests near it. The last request is 5.1 us late.
cat >"$scratch/ours" <<'DATA'
1000000 80000
1004000 85000
2000000 90000
3000000 70000
4000000 75000
DATA
cat >"$scratch/theirs" <<'DATA'
1001000 81000
1998000 50000
2000500 92000
3000000 73000
4005100 75000
DATA
# joined TRACER: prints what was joined
joined()
{
	perl "$peers/join.pl" "$1" 32 "$scratch/ours" "$scratch/theirs" 2>&1
}
perl -c "$peers/join.pl" 2>"$err"
ok $? 'join.pl is a perl script'
is "$(joined blk)" "depth 32  blk             5 reads, ours 5, joined 3: starts\
 p1 +0.00, p99 +0.50; device 81.0 us, ours 80.0, difference +2.00, p1 +1.00, p99 +2.00" \
	'the nearest, both ways, at most 5 us apart'
sed -i 's/^4005100/4005000/' "$scratch/theirs"
is "$(joined blk | sed 's/.*joined \([0-9]*\).*/\1/')" 4 '5 us apart is joined'
# A tracer whose times begin a second later, and that saw one request more
{
	awk '{ print $1 + 1000000000, $2 }' "$scratch/ours"
	echo 1009000000 60000
} >"$scratch/theirs"
is "$(joined blk)" "depth 32  blk             6 reads, ours 5, joined 0: nothing to\
 compare" 'blk has the time of our stamps'
is "$(joined biosnoop)" "depth 32  biosnoop        6 reads, ours 5, joined 5: starts\
 p1 +0.00, p99 +0.00; device 80.0 us, ours 80.0, difference +0.00, p1 +0.00, p99 +0.00" \
	'the shift that joins the most'
: >"$scratch/theirs"
is "$(joined biosnoop)" 'depth 32  biosnoop        0 reads, ours 5, nothing to compare' \
	'no request'

# shellcheck source=tests/bench/fio_figures.sh
. "$bench/fio_figures.sh"
# By the binomial: ranks 1 to 5 of 5 hold the median with 93.8 %, 2 to 8 of 9 with
# 96.1 %, 3 to 12 of 14 with 98.7 % (4 to 11 with 94.3 %), 8 to 18 of 25 with 95.7 %.
is "$(seq 5 | quantiles)" '3 1 5 1 5 5' 'five numbers: the least and the most'
is "$(seq 9 | quantiles)" '5 2 8 2 8 9' 'nine numbers'
is "$(seq 14 | quantiles)" '7.5 3 12 2 13 14' 'fourteen numbers: rounded outward'
is "$(seq 25 | quantiles)" '13 8 18 3 23 25' 'twenty-five numbers'
is "$(printf '10\n9\n2.5\n' | quantiles)" '9 2.5 10 2.5 10 3' 'by their value, not by text'
is "$(seq 5 | quantiles | in_words)" '3.000 (least-most 1.000-5.000)' \
	'five numbers in words'
is "$(seq 9 | quantiles | in_words)" \
	'5.000 (95 % 2.000-8.000), p10-p90 2.000-8.000' 'nine numbers in words'

for program in tickwise system steering; do
	# shellcheck disable=SC2086	# a command
	${CC:-gcc} -std=gnu11 -Wall -Werror -D_GNU_SOURCE -I"$root/core" -fsyntax-only \
		"$peers/$program.c" 2>"$err"
	ok $? "$program.c compiles"
	sed 's/^/# /' "$err"
done
done_testing
