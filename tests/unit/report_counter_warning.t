#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where the counter is not known to be good, or was not used, the first line of
# the page says so, with the reasons. Fails if such a report looks like a good
# one, or a good one like such.
. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/report_files.sh"

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

write_report "$a"
run report "$a"
has_not "$out" WARNING 'a reliable counter: no warning'

write_report "$a" verdict=unreliable "reasons=$reason"
run report "$a"
is "$(first)" \
	'WARNING: the counter is unreliable: CPU 1 is ahead of CPU 0.' \
	'an unreliable counter'
write_report "$a" verdict=undecided
run report "$a"
is "$(first | cut -c 1-44)" \
	'WARNING: the counter may or may not be good:' 'undecided'
write_report "$a" verdict=unchecked
run report "$a"
is "$(first | cut -c 1-37)" 'WARNING: the counter was not checked:' 'unchecked'
write_report "$a" fallback=true
run report "$a"
is "$(first | cut -c 1-33)" 'WARNING: the counter is not used:' 'a fallback'
flatten
has "$page" "All times here are the system clock's, not the counter's" 'and what it means'

write_report "$a"
write_report "$b" thread=2 verdict=unreliable fallback=true \
	"reasons=$reason, $reason"
run report "$a" "$b"
is "$(first | cut -c 1-59)" \
	'WARNING: the counter is unreliable: CPU 1 is ahead of CPU 0' \
	'one bad job of two: the worst counts'
is "$(grep -o 'CPU 1 is ahead' "$out" | wc -l)" 1 'a reason is said once'
flatten
has "$page" 'In 1 of 2 jobs' 'and how many it concerns'
done_testing
