#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where the counter is bad, or was not used, the page begins with that and with the
# reasons, and so does the HTML. What could only not be checked is a line below.
# Fails if such a report resembles a good one, or a good one resembles it. Fails
# also if the two forms differ, or if an undecided check is called a warning.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

a=$scratch/a.json
b=$scratch/b.json
reason='{"code": "offset", "text": "CPU 1 is ahead of CPU 0"}'

first() {
	head -n 1 "$out"
}

# The page as one line: warnings may be broken anywhere.
page=$scratch/page
flatten() {
	tr -s ' \n' ' ' <"$out" >"$page"
}

# alike DESCRIPTION: passes if the page of these reports and the HTML agree; the
# page's paragraph ends where the job's name begins
alike() {
	run report --html="$scratch/page.html" "$@"
	flatten
	is "$(sed -n 's/^<p[^>]*>\(Warning\)/\1/; T; s/&#39;/'"'/g"'
		s/<\/p>$//; s/^Warning/WARNING/; p' "$scratch/page.html")" \
		"$(sed 's/ randread: .*//' "$page")" 'the HTML says the same'
}

write_report "$a"
run report "$a"
has_not "$out" WARNING 'a reliable counter: no warning'
run report --html="$scratch/page.html" "$a"
is "$(grep -c 'Warning\|Note:' "$scratch/page.html")" 0 'nor in the HTML'

write_report "$a" verdict=unreliable "reasons=$reason"
run report "$a"
is "$(first)" \
	'WARNING: the counter is unreliable: CPU 1 is ahead of CPU 0.' \
	'an unreliable counter'
alike "$a"
has "$scratch/page.html" '<p class="warn">Warning: the counter is unreliable' \
	'as a warning'
write_report "$a" verdict=undecided
run report "$a"
note='counter: nothing was found against it, but not all could be checked:'
flatten
has "$page" "$note no reason is given." 'undecided: a line'
is "$(first | cut -c 1-9)" randread: 'which the page does not begin with'
run report --html="$scratch/page.html" "$a"
has "$scratch/page.html" "<p>$note no reason is given.</p>" 'in the HTML, too'
has_not "$scratch/page.html" 'class="warn"' 'and no warning'
write_report "$a" verdict=undecided \
	'reasons={"code": "statistics", "text": "too few switches"}'
run report "$a"
flatten
has "$page" "$note too few switches." 'a check that was too short: a line'
has_not "$out" WARNING 'and no warning'
write_report "$a" verdict=undecided \
	'reasons={"code": "clocksource", "text": "the kernel keeps time by acpi_pm"}'
run report "$a"
is "$(first | cut -c 1-8)" WARNING: 'something that speaks against it: a warning'
write_report "$a" verdict=unchecked
run report "$a"
is "$(first | cut -c 1-37)" 'WARNING: the counter was not checked:' 'unchecked'
alike "$a"
write_report "$a" fallback=true
run report "$a"
is "$(first | cut -c 1-33)" 'WARNING: the counter is not used:' 'a fallback'
flatten
has "$page" "All times here are the system clock's, not the counter's" 'and what it means'
alike "$a"
write_report "$a" "reasons=$reason"
run report "$a"
is "$(first)" \
	"WARNING: the CPUs' counters agree, but CPU 1 is ahead of CPU 0." \
	'a reliable counter that something speaks against'
alike "$a"
write_report "$a" verdict=undecided fallback=true
run report "$a"
is "$(first | cut -c 1-8)" WARNING: 'undecided, and not used: a warning'

write_report "$a"
write_report "$b" thread=2 verdict=unreliable fallback=true \
	"reasons=$reason, $reason"
run report "$a" "$b"
is "$(first | cut -c 1-59)" \
	'WARNING: the counter is unreliable: CPU 1 is ahead of CPU 0' \
	'one bad job of two: the worst counts'
is "$(grep -o 'CPU 1 is ahead' "$out" | wc -l)" 1 'a reason is printed once'
flatten
has "$page" 'In 1 of 2 jobs' 'and how many it concerns'
alike "$a" "$b"

write_report "$a" fallback=true
write_report "$b" thread=2 fallback=true
run report "$a" "$b"
flatten
has "$page" "All times here are the system clock's" 'two of two'
write_report "$scratch/c.json" thread=3
run report "$a" "$b" "$scratch/c.json"
flatten
has "$page" 'In 2 of 3 jobs' 'two of three'
done_testing
