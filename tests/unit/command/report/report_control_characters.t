#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Text from files and command lines can't move the cursor, break a line or change a
# terminal's colour. Fails if an escape sequence in a job's name reaches the screen.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

escape=$(printf '\033')

write_report "$scratch/a.json" name='job\u001b[2J\u000aread: 5 I/Os'
run report "$scratch/a.json"
is "$status" 0 'a job of such a name is shown'
has_not "$out" "$escape" 'without the escape'
has "$out" 'job?[2J?read:' 'with question marks instead'

# U+009B begins a sequence as ESC [ does.
write_report "$scratch/a.json" name='job\u009b2J'
run report "$scratch/a.json"
has_not "$out" "$(printf '\302\233')" 'nor the one-character form of it'

write_report "$scratch/a.json" verdict=undecided \
	reasons='{"code": "x", "text": "\u001b]0;x\u0007"}'
run report "$scratch/a.json"
has_not "$out" "$escape" 'nor from a reason'

write_report "$scratch/a.json"
sed 's/"queue"/"\\u001b[2J"/' "$scratch/a.json" >"$scratch/b.json"
run report "$scratch/b.json"
has "$out" 'left out: stages.?[2J' 'a stage of such a name is left out, and reported'
has_not "$out" "$escape" 'without the escape'

run report "$scratch/${escape}[2J"
is "$(wc -l <"$err")" 1 'a missing file of such a name'
has_not "$err" "$escape" 'is named without it'

# A byte that is no UTF-8: 0x9b is ESC [ to a terminal of eight bits.
write_report "$scratch/a.json"
write_report "$scratch/c.json" thread=3
mv "$scratch/c.json" "$scratch/$(printf 'b\233.json')"
run report "$scratch/a.json" "$scratch/$(printf 'b\233.json')"
has "$out" 'b?.json' 'a page names a file of no UTF-8 with a question mark'
has_not "$out" "$(printf '\233')" 'and prints no such byte'
run report "$scratch/$(printf '\233')"
has_not "$err" "$(printf '\233')" 'nor does a message'
done_testing
