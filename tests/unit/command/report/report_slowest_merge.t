#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Of several jobs' slowest I/Os the slowest of all are shown: as many as the job that
# kept the fewest, and equal ones in the order of their jobs. Fails if a fast one is
# shown and a slow one is not, or if the order depends on the order of the arguments.
# Fails also if a sync of a whole file has a place in it.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# kept FILE THREAD LAT:OFFSET...: writes a job that kept these
kept() {
	file=$scratch/$1 thread=$2
	shift 2
	write_report "$scratch/plain.json" thread="$thread"
	{
		sed '/"slowest"/d' "$scratch/plain.json"
		printf '"slowest": ['
		comma=
		for io; do
			printf '%s{"job": 0, "offset": %s, "size": 1, "ddir": "read",
				"stages": {"lat": %s}}' "$comma" "${io#*:}" \
				"${io%:*}"
			comma=,
		done
		echo ']}'
	} >"$file"
}

# merged FILE...: prints "LAT:OFFSET of THREAD" of each that is shown, as on the page
merged() {
	run report --json "$@"
	of_json 'join " ", map { "$_->{stages}{lat}:$_->{offset}/" .
		$r->{jobs}[$_->{job}]{thread_number} } @{$r->{slowest}}'
}

cd "$scratch" || exit 1
case $tickwise in /*) ;; *) tickwise=$OLDPWD/$tickwise ;; esac
kept a.json 1 500:1 400:2 300:3
kept b.json 2 450:4 200:5 100:6
is "$(merged a.json b.json)" '500:1/1 450:4/2 400:2/1' \
	'three, as each kept three: the slowest of both'
is "$(merged b.json a.json)" '500:1/1 450:4/2 400:2/1' 'in whatever order'
kept b.json 2 450:4 200:5
is "$(merged a.json b.json)" '500:1/1 450:4/2' \
	'two, as one kept two: its third may have been slower'
kept a.json 1 500:9 500:5 500:7
kept b.json 2 500:8 500:6 500:4
is "$(merged a.json)" '500:5/1 500:7/1 500:9/1' 'equal ones in one order, too'
is "$(merged b.json a.json)" '500:5/1 500:7/1 500:9/1' 'those of the first job first'
kept b.json 2
is "$(merged b.json a.json)" '' 'of a job that kept none none are known'
write_report plain.json thread=2
sed '/^"slowest"/d; s/"reasons": \[\]},/"reasons": []}}/' plain.json >b.json
is "$(merged b.json a.json)$(of_json '"@{$r->{lacks}}"')" slowest 'nor of one that has no list'
kept b.json 2
is "$(merged b.json)" '' 'and of it alone'
# ---- a sync of a whole file has no offset and no size ----

kept c.json 1 500:4096 400:8192
sed -i '/"offset": 4096/ { s/"size": 1/"size": 0/; s/"read"/"sync"/ }' c.json
run report --html=page c.json
is "$(awk '$1 ~ /^[0-9]/ && $2 == "ns" && $4 ~ /sync|read/ { print $4, $5, $6 }' "$out" | xargs)" \
	'sync - - read 1 8192' 'in text'
has page '<td class="text">sync</td><td>-</td><td>-</td>' 'in HTML'
done_testing
