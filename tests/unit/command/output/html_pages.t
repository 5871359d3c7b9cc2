#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Opens the HTML pages in chromium, 400 and 1400 pixels wide, in light and dark.
# Nothing extends beyond the page or its own place, and no plot is empty. All labels
# are inside of their plot and cover no other one. The colours are those of light or
# dark. Words on bars differ enough from what is behind them. Tables have headings and scroll
# without a mouse.
#
# The pages are those that tests/golden expects, one with large numbers and long
# names, one with stalls, one of several jobs, and those that are named, without spaces in their
# names. Fails if a label or a table is wider than there is room for, if a plot
# shows nothing, if a colour is faint, or if an element is empty.
#
#	tests/unit/command/output/html_pages.t [PAGE.html...]
#
# make check skips it without chromium, which takes a minute to install; `make
# check-html` installs it.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

browser=$(command -v chromium || command -v chromium-browser ||
	command -v google-chrome) || {
	echo '1..0 # SKIP no chromium; make check-html installs it'
	exit 0
}

here=$(dirname "$0")
more=$*

# ---- a page with large numbers and long names ----

long=$(printf 'a-job-with-a-name-that-is-as-long-as-a-name-can-be-%s' "$(seq -s- 30)")
# over_time: prints an hour of windows, each slower than the one before
over_time()
{
	i=0 comma= width=65536000000
	while [ $i -lt 55 ]; do
		printf '%s{"start": "%d", "read": %s}' "$comma" \
			$((1700000000000000000 / width * width + i * width)) \
			"$(digits=1; counted 100 166665 $((1000 + i * 600000)) 1)"
		comma=', '
		i=$((i + 1))
	done
}
many="100 8900000 900 999000 9000 90000 90000 9990 9000000 999 900000000 10 90000000000 1"
# shellcheck disable=SC2086	# values and their counts
lat=$(counted $many)
write_report "$scratch/plain.json" name="$long" run_ns=3600000000000
perl -0777 -pe 's/"stages": .*?(?="submitting_call")//s; s/"slowest": \[\]\}\s*$//;
	s/"ios": \{"read": 100/"ios": {"read": 10000000/' \
	"$scratch/plain.json" >"$scratch/$long.json"
cat >>"$scratch/$long.json" <<END
"stages": {"queue": {"read": $lat}, "lat": {"read": $lat}},
"over_time": {"width_ns": 65536000000, "windows": [$(over_time)]}, "slowest": []}
END
run report --html="$scratch/long.html" "$scratch/$long.json"
is "$status$(cat "$err")" 0 'a report with large numbers and long names'

# ---- and one with stalls ----

write_report "$scratch/stalls.json"
write_intervals "$scratch/stalls.jsonl"
run report --html="$scratch/stalls.html" "$scratch/stalls.json" "$scratch/stalls.jsonl"
is "$status$(cat "$err")" 0 'a report with intervals'

# ---- and one that compares jobs, with parts and bars of all widths ----

write_report "$scratch/fast.json" name=fast split=all
write_report "$scratch/slow.json" name="slow-$long" slow=20000 queue=9000 deliver=9000
run report --html="$scratch/jobs.html" "$scratch/fast.json" "$scratch/slow.json" \
	"$scratch/stalls.json"
is "$status$(cat "$err")" 0 'a report of several jobs'

# ---- in the browser ----

# Put the pages unchanged into strings of a script that measures them.
# shellcheck disable=SC2086	# names
driver()
{
	perl -MJSON::PP -e '
		my @pages = map {
			local $/;
			open my $file, "<:utf8", $_ or die "$_: $!";
			[ m{([^/]+)\.html$}, <$file> ];
		} @ARGV;
		my $pages = JSON::PP->new->canonical->encode(\@pages);

		$pages =~ s{</}{<\\/}g;
		binmode STDOUT, ":utf8";
		print "<!DOCTYPE html><meta charset=\"utf-8\"><pre id=\"result\"></pre>\n",
			"<script>const isDark = $ENV{is_dark}, pages = $pages;</script>\n";
	' "$scratch/long.html" "$scratch/stalls.html" "$scratch/jobs.html" $more \
		"$root"/tests/golden/expected/*.html
	echo '<script>'
	cat "$here/html_pages.js"
	echo '</script>'
}

# open_pages SCHEME SETTING: prints the lines that the script leaves. The network is
# not used: what the browser would load for itself is turned off.
open_pages()
{
	is_dark=$2 driver >"$scratch/$1.html"
	timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu \
		--disable-background-networking --disable-component-update \
		--no-first-run --host-resolver-rules='MAP * ~NOTFOUND' \
		--user-data-dir="$scratch/profile" --window-size=1500,900 \
		--blink-settings=preferredColorScheme=$((1 - $2)) \
		--virtual-time-budget=60000 --dump-dom "file://$scratch/$1.html" \
		2>"$scratch/$1.err" |
		sed -n '/<pre id="result">/,/^end/ {
			s/.*<pre id="result">//
			/ at [0-9]*: /p
		}'
}

for scheme in light dark; do
	open_pages $scheme "$([ $scheme = dark ] && echo 1 || echo 0)" \
		>"$scratch/$scheme.lines"
	while read -r line; do
		is "${line#*: }" good "${line%%: *} pixels, $scheme"
	done <"$scratch/$scheme.lines"
	# shellcheck disable=SC2086
	pages=$(ls "$root"/tests/golden/expected/*.html $more | wc -l)
	is "$(wc -l <"$scratch/$scheme.lines")" $((2 * pages + 6)) \
		"all pages were opened, $scheme"
done
done_testing
