#!/bin/sh
# SPDX-License-Identifier: MIT
#
# --html writes one well-formed file that needs no other. It has every number of the
# page, and no text of a report becomes markup. Fails if one place forgets to
# escape, if an element is not closed, or if a coordinate is no number. Fails also
# if the file loads anything from outside, or if a direction of the page is missing.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../well_formed.sh"
. "$(dirname "$0")/../../../report_files.sh"

page=$scratch/page.html

# Every text that a file can bring, with markup in it.
bad='<script>alert(1)<\/script>&amp;\u0027\"]]>'
slow='{"job": 0, "offset": 8192, "size": 4096, "ddir": "'$bad'", "ticks": "1", "monotonic_ns": "1",
"stages": {"queue": 5, "kernel": 1500000, "deliver": 100000, "lat": 1600005},
"submitting_call_ns": 4321}'
window='{"start": "1700000000000000000", "read": {"digits": 1, "count": 60, "min_ns": 100,
"max_ns": 1000, "sum_ns": "6900", "sum_squares_ns2": "1590000", "bins": {"103": 59,
"1023": 1}}}'
over_time="{\"width_ns\": 1024000000, \"windows\": [$window]}"
write_report "$scratch/a.json" name="$bad" verdict=unreliable against="$bad" \
	reasons='{"code": "x", "text": "'"$bad"'"}'
# Ampersands have a meaning in sed.
perl -0777 -pe '
	BEGIN { our ($bad, $slow, $over_time) = splice @ARGV, 0, 3 }
	s/"host": "box"/"host": "$bad"/; s/"fio-3.33"/"$bad"/;
	s/"engine": "tickwise"/"engine": "$bad"/; s/"cpu"/"$bad"/;
	s/"source": "kernel"/"source": "$bad"/;
	s/"stages": \{/"stages": {"$bad": {}, /;
	s/"slowest": \[\]/"slowest": [$slow], "over_time": $over_time/;
	' "$bad" "$slow" "$over_time" "$scratch/a.json" >"$scratch/b<b>&.json"
run report --html="$page" "$scratch/b<b>&.json"
is "$status" 0 'a report full of markup is shown'
well_formed "$page" 'with markup in every text'
is "$(grep -c '<script' "$page")" 0 'none of it is markup in the page'
# Name, reason, version, engine, host, 4 of the I/O, 2 against, 2 clocks, and
# the unknown stage.
is "$(grep -o '&#60;script&#62;alert(1)&#60;/script&#62;&#38;amp;&#39;&#34;]]&#62;' \
	"$page" | wc -l)" 11 'all of it is there as text'
has "$page" 'b&#60;b&#62;&#38;.json' "the file's name, too"
has "$page" '<h4>lat over time' 'the run over time'
has "$page" '<tr><td>1.600 ms</td>' 'a slow I/O'
has "$page" '<td>8192</td><td>4096</td><td>5 ns</td><td>1.500 ms</td>'\
'<td>100.0 us</td><td>4.321 us</td><td>1</td>' \
	'with its place, its stages, its submitting call and its job'
has "$page" 'p50 = 100 ns' 'a percentile'

# Nothing is loaded for the display: namespaces and the policy are no requests.
is "$(grep -oE '(src|href|url|@import)[=(][^ >]*' "$page")" '' \
	'nothing is asked from outside'
has "$page" "default-src 'none'" 'and the page forbids itself to ask'

write_report "$scratch/c.json"
write_report "$scratch/d.json" thread=2 slow=1023
write_report "$scratch/e.json" group=1 thread=3 fio_ns=-1e300 fio_ppb=1e300 \
	run_ns=0 name='\u0000x\uffff'
run report --html="$page" "$scratch/c.json"
has "$page" '<h3>read: 100 I/Os</h3>' 'how many'
has "$page" '<dt>IOPS</dt><dd>10.00</dd>' 'the rate'
has "$page" '<tr><th scope="row" class="text">lat</th><td>100</td><td>100 ns</td><td>189 ns</td>'\
'<td>254.6 ns</td><td>100 ns</td><td>900 ns</td><td>900 ns</td><td>-</td>'\
'<td>-</td><td>1.000 us</td></tr>' 'a stage'
has "$page" '<tr><th scope="row" class="text">fio (cpu)</th><td class="text">MONOTONIC_RAW</td>'\
'<td>-74390</td><td>-7439</td><td>25.00</td><td>2.500</td><td>10.00 s</td>' \
	'a clock'
run report --html="$page" "$scratch/c.json" "$scratch/d.json"
has "$page" '<h3>read: 200 I/Os' 'jobs are merged'
has "$page" 'not recorded by all of these jobs: the run over time' 'and what is missing'
run report --html="$page" "$scratch/c.json" "$scratch/d.json" "$scratch/e.json"
is "$status" 65 'a name with a 0 byte is none'
write_report "$scratch/e.json" group=1 thread=3 fio_ns=-1e300 fio_ppb=1e300 \
	run_ns=0 name='\u0001x\uffff\u0085'
run report --html="$page" "$scratch/c.json" "$scratch/d.json" "$scratch/e.json"
well_formed "$page" 'several groups, numbers of any size'
has "$page" 'href="#part2"' 'with a list of them'
has "$page" '?x?????, group 1 of box<' 'control characters are question marks'
is "$(grep -cE '[="LM ](-?nan|-?inf)' "$page")" 0 'every coordinate is a number'

sed 's/"errors": {"read": 0, "write": 0/"errors": {"read": 0, "write": 7/' \
	"$scratch/c.json" >"$scratch/f.json"
run report --html="$page" "$scratch/f.json"
has "$out" '  not among these, nor in fio'"'"'s lat: 7 errors' 'writes that all failed are on the page'
grep -A 1 '^<p>write: no I/O has a latency</p>$' "$page" | grep -q "^<p>not among these, nor in fio&#39;s lat: 7 errors</p>$" "$page"
ok $? 'and in the HTML'
has_not "$page" '<h3>trim' 'but not what was never tried'

# A row has one of TW_PLOT_COLORS. Each is for light and dark, lines and areas.
colors=$(sed -n 's/^#define TW_PLOT_COLORS[^0-9]*//p' "$root/core/command/output/page.h")
lacking=
i=0
while [ $i -lt "${colors:?}" ]; do
	[ "$(grep -o -e "--c$i:#" "$page" | wc -l)" -eq 2 ] &&
		grep -qF ".s$i{stroke:var(--c$i)" "$page" &&
		grep -qF ".f$i{fill:var(--c$i)" "$page" || lacking="$lacking $i"
	i=$((i + 1))
done
is "$lacking" '' 'the style has each colour'

run report "$scratch/c.json"
cp "$out" "$scratch/page"
for option in html percentiles trace; do
	run report --$option="$scratch/none/x" "$scratch/c.json"
	is "$status $(wc -l <"$err")" '74 1' "--$option: what could not be written is reported"
	cmp "$out" "$scratch/page"
	ok $? 'and the page is printed'
done
write_report "$scratch/one.json" pid=901 run='"run": "one",'
write_report "$scratch/two.json" pid=902 run='"run": "two",'
run diff "$scratch/one.json" "$scratch/two.json"
cp "$out" "$scratch/page"
run diff --html="$scratch/none/x" "$scratch/one.json" "$scratch/two.json"
is "$status $(wc -l <"$err") $(cmp "$out" "$scratch/page")" '74 1 ' 'the same for diff'
run report --html="$out" "$scratch/c.json"
is "$status $(cat "$out")" '64 ' 'nothing is printed into the file of --html'
run diff --html="$out" "$scratch/one.json" "$scratch/two.json"
is "$status $(cat "$out")" '64 ' 'nor by diff'
if [ -w /dev/full ]; then
	run report --html=/dev/full "$scratch/c.json"
	is "$status $(wc -l <"$err")" '74 1' 'a full disk'
else
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP no /dev/full"
fi
done_testing
