#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Times of all magnitudes have four significant digits, and rounding carries
# into the next unit. Fails if 999999 ns become "1000 us" or 1000.0 us, or if
# 584 years break the table.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# histogram_of VALUE HIGH: prints one value, and where its bin ends with 5 digits
histogram_of() {
	cat <<-END
	{"digits": 5, "count": 1, "min_ns": "$1", "max_ns": "$1", "sum_ns": "$1",
	"sum_squares_ns2": "$(square_added 0 "$1" 1)",
	"bins": {"$2": 1}}
	END
}

# shows_in VALUE HIGH TEXT: passes if the page has TEXT
shows_in() {
	write_report "$scratch/a.json"
	sed -e '/"stages"/,/^"clocks"/{/^"clocks"/!d;}' "$scratch/a.json" |
		sed "s/^\"clocks\"/\"stages\": {\"lat\": {\"read\": \
$(histogram_of "$1" "$2" | tr '\n' ' ')}},\n&/" >"$scratch/b.json"
	run report "$scratch/b.json"
	is "$(awk '$1 == "lat" { print $2; exit }' "$out")" "$3" \
		"$1 ns are $3"
	is "$(awk 'length > 80' "$out")" '' 'nothing wider than 80 columns'
}

# shows VALUE OCTAVE TEXT: the same; bins of that octave are 2^OCTAVE wide
shows() {
	shows_in "$1" $(($1 | ((1 << $2) - 1))) "$3"
}

shows 0 0 '0ns'
shows 999 0 '999ns'
shows 1000 0 '1.000us'
shows 9999 0 '9.999us'
shows 99999 0 '100.0us'
shows 123449 0 '123.4us'
shows 999949 2 '999.9us'
shows 999999 2 '1.000ms'
shows 59999999999 18 '60.00s'
shows 9999400000000 26 '9999s'
shows 9999600000000 26 '2.778h'
shows_in 18446744073709551615 18446744073709551615 '584.5y'
done_testing
