#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/memory core/memory/command
#
# Compares all that tickwise memlat prints, with memory that takes what is recorded.
# Fails if a character of it changes.
. "$(dirname "$0")/golden.sh"

golden_on reliable help memlat --help
golden_on reliable page memlat
golden_on unreliable guest memlat --max=64M --steps=1 --html=guest.html
# A line for each curve, a border for each level, and tables with all points.
is "$(grep -oE 'class="s[0-9]|<h2|<table|>(L1|L2|memory)<|Latency over memory' guest.html |
	tr -d '"' | sort | uniq -c | xargs)" \
	'3 <h2 4 <table 2 >L1< 2 >L2< 3 >memory< 1 Latency over memory 2 class=s0 2 class=s1 2 class=s2 2 class=s3 2 class=s4 2 class=s7' \
	'HTML has each part'
golden_on reliable json memlat --json --max=4M --steps=1
golden_on reliable csv memlat --csv --max=64M --steps=1 --curves=random,page \
	--pages=small,transparent
golden_on undecided no_caches memlat --max=1M --curves=window --cpu=1 --node=0 \
	--pages=small,transparent
golden_on unreliable node_json memlat --json --max=16K --steps=1 --node=1 \
	--curves=sequential
golden_on reliable seed_table memlat --seed-table
golden_on many_cpus large_cache memlat --steps=1 --curves=sequential --pages=small
golden_on too_busy too_busy memlat
golden_on disabled disabled memlat
# The mapping that is beyond what is available kills it.
TW_MACHINE=reliable
for available in 5000000 10000000 27000000 60000000 92000000 250000000; do
	TW_AVAILABLE=$available "$recorded" memlat --steps=1 >out 2>err
	is "$? $(cat err)" '0 ' "$available bytes are available: it takes no more"
done
is "$(grep -c 'The sizes end at .* as no more memory is available' out)" 0 'enough memory'
is "$(TW_AVAILABLE=10000000 "$recorded" memlat --steps=1 |
	grep 'as no more memory is available')" \
	'The sizes end at 4.77M, as no more memory is available: the last level may be a' 'too little'
is "$(TW_AVAILABLE=2000 "$recorded" memlat 2>&1; echo $?)" \
	"tickwise memlat: 4K of memory are wanted and 1.95K are available
70" 'too little for the smallest size'
echo kept >kept
usage_errors memlat <<'LINES'
--jsn
file
--min=0
--max=0
--max=1X
--max=-1M
--max=nan
--min=2M --max=1M
--stride=0
--stride=12
--window=5000
--passes=65
--steps=2.5
--point=0
--batch=9
--cpu=-1
--cpu=9
--node=x
--node=5
--curves=random,rnadom
--pages=
--pages=reserved
--max=64T --html=kept
--min=64T
--seed-table --json
--seed-table --cpu=9
--seed-table --node=5
--html=none/page.html
LINES
is "$(cat kept)" kept 'an earlier page is kept if nothing is measured'
golden_done
