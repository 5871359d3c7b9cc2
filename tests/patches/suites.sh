#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Runs fio's own test suites on several builds of fio, and compares them:
#
#	tests/patches/suites.sh BUILD...
#
# BUILD is a directory of fio's source in which fio and its tests are built. The
# suites are t/run-fio-tests.py, t/latency_percentiles.py and t/verify.py of each
# build. They take some 15 minutes a build on a quiet CPU, and more on a busy one.
# The first BUILD is fio without patches; the others are compared with it. Prints for
# each build how many tests passed, failed and were skipped, and below what differs.
# Exit 1 if something does.
# A test of run-fio-tests.py that fails is run again, twice at most: on a busy machine
# fio without patches misses the rate of test 11, too. Test 1005 needs four minutes of
# CPU time, and fails after ten minutes.
#
# RESULTS names a directory that keeps what was seen: a file of results for each
# build, named after its directory. A build whose file is there does not run again.
#
# A test that no build can do here is skipped for all of them: those of null_blk
# without modprobe. fio itself skips what needs an NVMe device or four CPUs. Test 6
# of verify.py is skipped, too: fio without patches loops there for ever now and then
# (patches/upstream/README.md). Needs python3 with statsmodels and scipy
# (python3-statsmodels, python3-scipy).
set -eu

python3 -c 'import statsmodels, scipy' 2>/dev/null || PATH=/usr/bin:$PATH
python3 -c 'import statsmodels, scipy'
export PATH PYTHONUNBUFFERED=1 PYTHONWARNINGS=ignore

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
results=${RESULTS:-$scratch/results}
mkdir -p "$results"
results=$(cd "$results" && pwd)

# Tests 1010 and 1017 of run-fio-tests.py are the other two suites.
skip='1010 1017'
command -v modprobe >/dev/null || skip="$skip 1007 1008 1018"

# A result is a line "SUITE TEST RESULT".
fio_tests()
{
	rm -rf "$scratch/fio-tests"
	python3 t/run-fio-tests.py -c -a "$scratch/fio-tests" "$@" 2>&1 |
		sed -n 's/^Test \([0-9]*\) \([A-Z]*\).*/run-fio-tests \1 \2/p'
}

# verify.py repeats its tests with other options, which it prints before as "name: value,
# ...".
suites()
{
	# shellcheck disable=SC2086
	fio_tests --skip $skip >"$scratch/tests"
	for _ in 1 2; do
		failed=$(sed -n 's/.* \([0-9]*\) FAILED$/\1/p' "$scratch/tests")
		[ -n "$failed" ] || break
		# shellcheck disable=SC2086
		fio_tests --run-only $failed >"$scratch/again"
		awk 'NR == FNR { last[$2] = $3; next }
			{ print $1, $2, $2 in last ? last[$2] : $3 }' \
			"$scratch/again" "$scratch/tests" >"$scratch/new"
		mv "$scratch/new" "$scratch/tests"
	done
	cat "$scratch/tests"
	python3 t/latency_percentiles.py -f "$PWD/fio" -a "$scratch/percentiles" 2>&1 |
		sed -n 's/^\**Test \([0-9]*\) \([A-Z]*\)\**$/latency_percentiles \1 \2/p'
	python3 t/verify.py -f "$PWD/fio" -a "$scratch/verify" -s 6 2>&1 | awk '
		/^(ddir|mangle block size|mode|pattern): / {
			options = $0
			gsub(/[^A-Za-z0-9]+/, "_", options)
		}
		/^Test [0-9]+ [A-Z]+/ { sub(":", "", $3); print "verify", options "." $2, $3 }'
}

first=
differs=0
for build; do
	file=$results/$(basename "$(cd "$build" && pwd)")
	[ -s "$file" ] || (cd "$build" && suites | sort) >"$file"
	echo "${file##*/}: $(cut -d' ' -f3 "$file" | sort | uniq -c | xargs)"
	first=${first:-$file}
	diff "$first" "$file" || differs=1
done
exit $differs
