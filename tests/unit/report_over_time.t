#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Jobs whose intervals over time have different widths, such as a longer and a
# shorter job, are merged in the wider ones. Where intervals do not fit into each
# other, nothing is made up. Fails if an interval is counted twice, not at all, or
# in a part of the run where it does not belong.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

# intervals NUMBER FROM-OVER-COUNT...: writes those of the job with this number
intervals() {
	number=$1
	shift
	write_report "$scratch/plain.json" thread="$number"
	{
		sed '/"slowest"/d' "$scratch/plain.json"
		echo '"over_time": ['
		comma=
		for interval; do
			echo "$interval" | {
				IFS=- read -r from over n
				echo "$comma{\"from_ns\": $from, \"over_ns\": $over"
				[ "$n" = 0 ] || echo ", \"read\": {\"count\": $n,
				\"sum_ns\": $((n * 7)), \"min_ns\": $((10 - n)),
				\"max_ns\": $((10 + n))}"
			}
			echo '}'
			comma=,
		done
		echo ']}'
	} >"$scratch/$number.json"
}

# merged FILE...: prints "FROM-OVER-COUNT" of each, min and max of all
merged() {
	run report --json "$@"
	perl -MJSON::PP -e '
		local $/; my $o = decode_json(<STDIN>)->{groups}[0]{over_time};
		print $o ? join(" ", map { my $r = $_->{read} // {};
			"$_->{from_ns}-$_->{over_ns}-" . ($r->{count} // 0) .
			($r->{count} ? "-$r->{sum_ns}-$r->{min_ns}-$r->{max_ns}"
			: "") } @$o) : "none"' <"$out"
}

# Intervals of 4 until 24, and of 1 until 5.
intervals 1 0-4-1 4-4-0 8-4-2 12-4-0 16-4-0 20-3-1
intervals 2 1-1-1 2-1-2 3-1-0 4-1-3 5-1-0 6-1-1
wide='0-4-4-28-8-12 4-4-4-28-7-13 8-4-2-14-8-12 12-4-0 16-4-0 20-3-1-7-9-11'
is "$(merged "$scratch/1.json" "$scratch/2.json")" "$wide" \
	'narrow intervals go into wide ones'
intervals 3 22-1-5
is "$(merged "$scratch/3.json" "$scratch/2.json" "$scratch/1.json")" \
	"$(echo "$wide" | sed 's/20-3.*/20-3-6-42-5-15/')" 'of whichever job'
intervals 3 40-4-5
is "$(merged "$scratch/1.json" "$scratch/3.json")" '0-4-1-7-9-11 4-4-0 '\
'8-4-2-14-8-12 12-4-0 16-4-0 20-4-1-7-9-11 24-4-0 28-4-0 32-4-0 36-4-0 '\
'40-4-5-35-5-15' 'where nobody has one there is an empty one'
intervals 3 4-4-2 8-4-1
intervals 2 0-4-1 4-2-1
is "$(merged "$scratch/2.json" "$scratch/3.json")" \
	'0-4-1-7-9-11 4-4-3-21-8-12 8-4-1-7-9-11' 'one that began later'
intervals 2 1-4-1 5-4-1
intervals 3 1-4-1 5-2-1
is "$(merged "$scratch/2.json" "$scratch/3.json")" \
	'1-4-2-14-9-11 5-4-2-14-9-11' 'one that ended earlier, within an interval'
intervals 2 5-3-1 8-4-2 12-1-1
intervals 3 6-2-1 8-4-1
is "$(merged "$scratch/2.json" "$scratch/3.json")" \
	'5-3-2-14-9-11 8-4-3-21-8-12 12-1-1-7-9-11' \
	'ramp times that end within an interval: the first begins with the earlier'
intervals 3 6-2-1 8-2-1 10-2-1
is "$(merged "$scratch/3.json" "$scratch/2.json")" \
	'5-3-2-14-9-11 8-4-4-28-8-12 12-1-1-7-9-11' 'also in intervals of different widths'
intervals 2 0-4-1
sed 's/"sum_ns": 7/"sum_ns": "18446744073709551610"/' "$scratch/2.json" \
	>"$scratch/sum.json"
intervals 3 0-4-1
run report "$scratch/sum.json" "$scratch/3.json"
is "$status $(wc -l <"$err")" '65 1' 'a sum beyond 64 bits is refused'
intervals 2 0-4-1 4-4-2
intervals 3 3-2-1 5-3-2
is "$(merged "$scratch/2.json" "$scratch/3.json")" none \
	'across an edge of the wide ones: not merged'
intervals 3 9223372036854775800-4-1
is "$(merged "$scratch/2.json" "$scratch/3.json")" none 'not more than a run can be'
run report --html="$scratch/page" "$scratch/2.json" "$scratch/3.json"
has "$scratch/page" 'intervals over time differ' 'and that is reported'
intervals 1 3-2-1 5-3-2
is "$(merged "$scratch/1.json")" '3-2-1-7-9-11 5-3-2-14-8-12' \
	'one job alone has the intervals that it has'

intervals 1 0-4-1 '"18446744073709551612"-4-1'
run report "$scratch/1.json"
is "$status" 65 'an interval that ends beyond 64 bits is refused'
has "$err" 'over_time[].over_ns is too large' 'with that reason'

# Some 10 I/Os a second, but for what was cut: as many in a millionth of one.
intervals 1 0-1000000000-10 1000000000-1000000000-9 2000000000-1000-10
run report --html="$scratch/page" "$scratch/1.json"
perl -ne '/<h4>I.Os over time/ ... /<\/svg>/ and
	/class="s20" d="([^"]*)"/ and print scalar(() = $1 =~ /[ML]/g)' \
	"$scratch/page" >"$scratch/points"
is "$(cat "$scratch/points")" 2 'a last interval cut short makes no rate'
intervals 1 999999000-1000-10 1000000000-1000000000-10 2000000000-1000000000-9
run report --html="$scratch/page" "$scratch/1.json"
perl -ne '/<h4>I.Os over time/ ... /<\/svg>/ and /aria-label="([^"]*)"/ and print $1' \
	"$scratch/page" >"$scratch/label"
is "$(grep -c '10000000' "$scratch/label")" 0 'nor does a first one, after a ramp time'

# ---- in text: at most 12 rows, and no percentile that bounds nothing ----

# with_p99 NUMBER P99...: writes intervals of 200 reads and 100 writes; 0: not known
with_p99() {
	number=$1
	shift
	write_report "$scratch/plain.json" thread="$number"
	sed -i '/"slowest"/d' "$scratch/plain.json"
	at=0 comma=
	for p99; do
		known=", \"percentiles\": {\"99.000000\": $p99}"
		[ "$p99" != 0 ] || known=
		echo "$comma{\"from_ns\": $at, \"over_ns\": 1000000000, \"read\":
			{\"count\": 200, \"sum_ns\": 20000, \"min_ns\": 50, \"max_ns\":
			$((at / 1000000 + 500))$known}, \"write\": {\"count\": 100,
			\"sum_ns\": 90000, \"min_ns\": 50, \"max_ns\": 950}}"
		at=$((at + 1000000000))
		comma=,
	done >"$scratch/intervals"
	{ cat "$scratch/plain.json"; echo '"over_time": ['; cat "$scratch/intervals"
		echo ']}'; } >"$scratch/$number.json"
}

# table FILE...: prints the table of the run over time
table() {
	run report "$@"
	sed -n '/^over time/,/^$/p' "$out" | sed '1d;$d'
}

with_p99 1 300 0
is "$(table "$scratch/1.json")" "\
                                     read                            write
 from, s     IOPS    mean     p99     max     IOPS    mean     p99     max
   0.000    200.0   100ns   300ns   500ns    100.0   900ns       -   950ns
   1.000    200.0   100ns       - 1.500us    100.0   900ns       -   950ns" 'a row each'
run report --html="$scratch/page" "$scratch/1.json"
has "$scratch/page" '<details><summary>over time, from the start of each job</summary>' \
	'in HTML it is folded'
has "$scratch/page" '<tr><th scope="row">0.000</th><td>200.0</td><td>100 ns</td><td>300 ns</td>'\
'<td>500 ns</td><td>100.0</td><td>900 ns</td><td>-</td><td>950 ns</td></tr>' 'with the same numbers'
with_p99 2 400 400
is "$(table "$scratch/1.json" "$scratch/2.json" | awk '{ print $4 }' | tr '\n' ' ')" \
	' mean 400ns 1.500us ' 'of two jobs the larger one, and the maximum of one without'
has "$out" ' p99 <=' 'which is a bound'
run report --json "$scratch/1.json" "$scratch/2.json"
is "$(grep -o '"p99_of_worst_job_ns": [0-9]*' "$out" | sed 's/.* //' | tr '\n' ' ')" \
	'400 950 1500 950 ' 'in the JSON, too'
with_p99 1 $(seq 100 125)
is "$(table "$scratch/1.json" | awk 'NR > 2 { print $1 ":" $2 ":" $4 }' | tr '\n' ' ')" \
	'0.000:200.0:102ns 3.000:200.0:105ns 6.000:200.0:108ns 9.000:200.0:111ns '\
'12.000:200.0:114ns 15.000:200.0:117ns 18.000:200.0:120ns 21.000:200.0:123ns '\
'24.000:200.0:125ns ' 'of 26 intervals nine rows'
is "$(table "$scratch/1.json" | awk 'NR > 2 { print $8 }' | sort -u)" 950ns \
	'of intervals of 100 I/Os the bound is their maximum'
has "$out" ' p99 <=' 'whose p99 is a bound'
is "$(awk 'length > 79' "$out")" '' 'in 79 columns'
done_testing
