#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Before its stages, the page has the mean of lat as their sum: in one unit, and the
# printed parts add up. fio's own mean comes first. Where it is not the sum of all
# stages, or is unknown, the line tells so. Fails if a sum is wrong, if a number is
# called fio's that is not, or if the HTML differs.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

in_html() {
	grep -qF -e "<p>${2-}$(echo "$1" | sed "s/'/\&#39;/g")</p>" "$scratch/page" ||
		echo "not in the HTML: "
}

# sum FILE...: prints the line on the page; the HTML must have it, too
sum() {
	run report --html="$scratch/page" "$@"
	line=$(sed -n '/^read: .*lat .*mean/,/^$/p' "$out" | grep -v '^read: p' |
		tr -s ' \n' ' ' | sed 's/^read: //; s/ $//')
	in_html "$line" 'read: '
	echo "$line"
}

# call FILE...: prints the line of the submitting call
call() {
	sum "$@" >/dev/null
	line=$(grep 'of which' "$out" | sed 's/^ *//')
	in_html "$line"
	echo "$line"
}

a=$scratch/a.json
b=$scratch/b.json
write_report "$a"
is "$(sum "$a")" \
	'lat mean 189.0 ns = queue 25.4 + kernel 133.8 + deliver 29.8' \
	'the mean, of which fio is not asked'
is "$(call "$a")" \
	'of which inside the submitting call: mean 5.850 ns (of 100 I/Os)' \
	'the submitting call has its own line'
grep -v '^"submitting_call"' "$a" >"$b"
run report "$b"
has_not "$out" 'of which' 'and none where it was not recorded'

# Each part has 0.04 ns too much to be seen: 25.44, 133.84, 29.84.
write_report "$a" queue=54 deliver=204 slow=1012
is "$(sum "$a")" \
	'lat mean 189.1 ns = queue 25.4 + kernel 133.9 + deliver 29.8' \
	'rounded so that the parts add up'

# ---- inside the kernel ----

write_report "$a" split=all
is "$(sum "$a")" 'lat mean 189.0 ns = queue 25.4 + submit 7.7 + blockq 15.1 '\
'+ device 81.9 + complete 19.4 + reap 9.7 + deliver 29.8' 'every I/O split'
write_report "$b" split=most
is "$(sum "$b")" 'lat mean 189.0 ns = queue 25.4 + submit 7.5 + blockq 14.9 '\
'+ device 75.6 + complete 18.9 + reap 9.4 + kernel 7.5 + deliver 29.8' \
	'means are of all I/Os, also of stages that some have'
sed -i 's/"thread_number": 1/"thread_number": 2/' "$b"
is "$(sum "$a" "$b" | sed 's/.*reap/reap/')" 'reap 9.6 + kernel 3.7 + deliver 29.8' \
	'merged'
sed '/^"reap"/,/^"deliver"/{/^"deliver"/!d;}' "$a" >"$b"
is "$(sum "$b")" \
	'lat mean 189.0 ns; its stages are not known of all I/Os' \
	'without one of the five there is no sum'

# ---- any unit ----

# The slowest decides the unit, and how many digits there are.
bad=
for slow in 1000 80000 85000 1009999 9999999 99982500 123456789; do
	for split in 'none 3' 'most 8' 'all 7'; do
		write_report "$a" slow=$slow queue=$((slow / 7)) \
			deliver=$((slow / 3)) split="${split% *}"
		sum "$a" >"$scratch/line"
		perl -ne 'my ($lat, @parts) = /(\d+\.\d+)/g;
			my $sum = 0; $sum += $_ for @parts;
			exit(@parts != '"${split#* }"' || abs($sum - $lat) > 1e-9)' \
			"$scratch/line" || bad="$bad $slow:$split"
	done
done
is "$bad" '' 'for any unit'
is "$(sed 's/ =.*//' "$scratch/line")" 'lat mean 1234.75 us' 'the last of them'
write_report "$a" slow=2000000
is "$(sum "$a")" \
	'lat mean 20.18 us = queue 0.03 + kernel 20.12 + deliver 0.03' \
	'the small ones in the unit of the largest'

# Parts of nanoseconds of a lat of milliseconds are in microseconds. Some have more
# decimals than the sum needs.
write_report "$a" slow=200000000
is "$(sum "$a")" 'lat mean 2000.18 us = queue 0.03 + kernel 2000.12 + deliver 0.03' \
	'no part of some milliseconds becomes 0.000'
write_report "$a" slow=90000000
is "$(sum "$a")" 'lat mean 900.18 us = queue 0.03 + kernel 900.12 + deliver 0.03' \
	'nor 0.0 of some microseconds'
write_report "$a" slow=20000000000
is "$(sum "$a" | sed 's/ =.*//')" 'lat mean 200.000 ms' 'a longer one stays in ms'

# ---- tw_event_time ----

write_report "$a" event_time=true
is "$(sum "$a")" "lat without deliver: mean 159.2 ns = queue 25.4 + kernel 133.8; deliver \
29.8 ns is not in fio's lat (tw_event_time=1)" 'fio sees no deliver'
write_report "$a" event_time=true slow=2000000 deliver=1999000
is "$(sum "$a")" "lat without deliver: mean 0.16 us = queue 0.03 + kernel 0.13; deliver \
20.02 us is not in fio's lat (tw_event_time=1)" 'the unit serves deliver, too'
write_report "$a" event_time=true
write_report "$b" thread=2
is "$(sum "$a" "$b")" "lat mean 189.0 ns = queue 25.4 + kernel 133.8 + deliver \
29.8; this is not fio's lat, which lacks deliver in 1 of 2 jobs \
(tw_event_time=1)" 'of jobs that differ neither is'
write_report "$b" thread=2 event_time=true
is "$(sum "$a" "$b" | sed 's/ =.*//')" 'lat without deliver: mean 159.2 ns' 'two of two'

# ---- fio's own lat ----

# own COUNT SUM FILE: puts fio's own count and sum into a report
own() {
	sed -i "s/^\"clocks\"/\"fio_lat\": {\"count\": $(counts "$1" moves),\
\"sum_ns\": $(counts "$2" moves)},\n&/" "$3"
}

write_report "$a"
own 100 19060 "$a"
is "$(sum "$a")" 'fio lat mean 190.6 ns; sum of stages 189.0 ns (2 ns less) = queue 25.4 '\
'+ kernel 133.8 + deliver 29.8' "fio's own mean, and how far the sum is off it"
write_report "$b" thread=2
own 100 18020 "$b"
is "$(sum "$a" "$b" | sed 's/ =.*//')" \
	'fio lat mean 185.4 ns; sum of stages 189.0 ns (4 ns more)' 'of two jobs'
write_report "$b" thread=2
is "$(sum "$a" "$b" | sed 's/ =.*//')" 'lat mean 189.0 ns' 'none of one of two'
write_report "$a" backwards=1
own 101 19251 "$a"
is "$(sum "$a" | sed 's/ =.*//; s/^not in the HTML: *//' | sed '/^$/d')" \
	'fio lat mean 190.6 ns of 101 I/Os; sum of stages 189.0 ns (2 ns less)' \
	'of other I/Os'
write_report "$a" event_time=true
own 100 16020 "$a"
is "$(sum "$a")" "fio lat mean 160.2 ns; sum of stages 159.2 ns (1 ns less) = queue 25.4 \
+ kernel 133.8; deliver 29.8 ns is not in fio's lat (tw_event_time=1)" \
	'fio sees no deliver'
sed '/^"stages"/,/^"lat"/{/^"lat"/!d;}; s/^"lat"/"stages": {&/' "$a" >"$b"
sed -i 's/"event_time": true/"event_time": false/' "$b"
is "$(sum "$b")" 'fio lat mean 160.2 ns; lat by Tickwise 189.0 ns (29 ns more); its stages '\
'are not known of all I/Os' 'of lat alone there is no sum of stages'

# ---- unknown stages ----

write_report "$a"
sed '/^"stages"/,/^"lat"/{/^"lat"/!d;}; s/^"lat"/"stages": {&/' "$a" >"$b"
is "$(sum "$b")" \
	'lat mean 189.0 ns; its stages are not known of all I/Os' \
	'lat alone, as with tw_stages=0'
is "$(sed '/^What the words/,$d' "$out" | grep -c '^lat ') \
$(sed '/^What the words/,$d' "$out" | grep -cE '^(queue|kernel|deliver) ')" \
	'1 0' 'which is a row'
sed -i 's/"thread_number": 1/"thread_number": 2/' "$b"
is "$(sum "$a" "$b")" \
	'lat mean 189.0 ns; its stages are not known of all I/Os' \
	'one of two jobs'
is "$(sed '/^What the words/,$d' "$out" | grep -c '^kernel')" 0 'whose stages are left out'
sed 's/"kernel"/"lunch"/' "$a" >"$b"
is "$(sum "$b")" \
	'lat mean 189.0 ns; its stages are not known of all I/Os' \
	'a stage that this version does not know'
sed -i 's/"event_time": false/"event_time": true/' "$b"
is "$(sum "$b")" "lat mean 189.0 ns; its stages are not known of all I/Os; this \
is not fio's lat, which lacks deliver in 1 of 1 jobs (tw_event_time=1)" \
	'then nobody knows what fio prints'

# ---- a part of the I/Os ----

sed '/^"submitting_call"/,/^"clocks"/{/^"clocks"/!d;}
	s/"ios": {"read": 100/"ios": {"read": 150/' "$a" |
	sed 's/^"clocks"/"submitting_call": {"read": {"digits": 3, "count": 2,\
	"min_ns": 3, "max_ns": 5, "sum_ns": "8", "sum_squares_ns2": "34",\
	"bins": {"3": 1, "5": 1}}},\
	&/' >"$b"
is "$(call "$b")" \
	'of which inside the submitting call: mean 4 ns (of 2 I/Os)' \
	'a submitting call of some I/Os'
done_testing
