#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Several threads read many reports, and the result does not show it: the sums are
# the same each time, and of several bad files the first is named. Fails if a file
# is lost or read twice, or if the fault depends on which thread was faster.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac

write_report first.json run='"run": "1",' slow=901
mkdir many
i=100
while [ $i -lt 300 ]; do
	sed "s/\"thread_number\": 1,/\"thread_number\": $i,/" first.json \
		>many/$i.json
	i=$((i + 1))
done
run report many/*.json
is "$status" 0 'many reports'
has "$out" 'iodepth 32, 200 jobs,' 'are one group'
has "$out" 'read: 20000 I/Os' 'with all their I/Os'
has "$out" 'many/103.json, and 196' 'the first are named'
cp "$out" page
run report --html=page.html many/*.json
is "$(grep -o 'many/[0-9]*.json' page.html | sort -u | wc -l)" 200 'in the HTML each is'

for _ in 1 2 3 4 5; do
	run report many/*.json
	cmp -s page "$out" || break
done
is "$(cat "$out")" "$(cat page)" 'the same each time'

# The first fault is behind a long text; the later ones are found at once.
awk 'BEGIN { for (i = 0; i < 200000; i++) printf "            "; print "x" }' \
	>many/150.json
for i in 151 152 153 154 155 156 157 158; do
	echo '[]' >many/$i.json
done
for _ in 1 2 3 4 5; do
	run report many/*.json
	grep -q 150.json "$err" || break
done
is "$status $(wc -l <"$err") $(wc -c <"$out")" '65 1 0' 'bad ones are refused'
has "$err" 'many/150.json: not JSON' 'and the first of them is named'
mv many/150.json many/151.json
echo '[]' >many/150.json
for _ in 1 2 3 4 5; do
	run report many/*.json
	grep -q 150.json "$err" || break
done
has "$err" 'many/150.json: not a report' 'also when it is the shortest'
done_testing
