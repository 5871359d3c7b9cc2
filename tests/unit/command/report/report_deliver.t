#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Where deliver is a tenth of lat or more, the page names the option of fio's that
# makes it smaller. Fails if it names one for a job whose options do not explain it,
# or if it is silent where they do.
. "$(dirname "$0")/../../../tap.sh"
. "$(dirname "$0")/../../../report_files.sh"

# shellcheck disable=SC2086	# $large is several assignments

# page OPTIONS [variable=value]...: prints the sentence on the page of a job with @OPTIONS
page() {
	options=$1
	shift
	write_report "$scratch/job.json" "$@"
	sed -i "s/^\"slowest\"/\"options\": {$options},\n&/; s/^\"iodepth\"/\"options\": {}, &/" \
		"$scratch/job.json"
	run report "$scratch/job.json"
	tr '\n' ' ' <"$out" | sed 's/  */ /g' |
		grep -o 'deliver is large.*all that are there' | sed 's/.*With //'
}

# 52.8 us of lat's 117.9 us are in deliver.
large="depth=16 slow=100000 deliver=50000"
is "$(page '"bs": "4k"' $large)" \
	'iodepth_batch_complete_max=16 in the job it takes all that are there' \
	'a large deliver and the default'
is "$(page '"iodepth_batch_complete_max": "1"' $large)" \
	'iodepth_batch_complete_max=16 in the job it takes all that are there' \
	'the default, given'
is "$(page '"iodepth_batch_complete_max": "8"' $large)" '' \
	'several are taken at a time'
is "$(page '"iodepth_batch_complete_min": "8"' $large)" '' \
	'several are waited for'
is "$(page '"iodepth_batch_complete": "8"' $large)" '' \
	'the same by its other name'
is "$(page '"bs": "4k"' $large depth=1)" '' 'one I/O at a time'
is "$(page '"bs": "4k"' slow=1000000 queue=900000)" '' 'a small deliver'
done_testing
