#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Tests each patch of patches/upstream/ alone, as it would be sent to fio. It
# applies to the commit of patches/fio-HEAD, and builds without warnings with gcc
# and clang. Its own tests pass with it and fail without it. It has a cover note and
# no sign-off. A patch that patches/series/ has under the same name changes fio's
# code in the same way. The calibration has at most 100 changed lines,
# without tests.
#
# A patch's own tests are those that it adds to t/run-fio-tests.py, and its unit
# tests. "Without it" means that a fio without the patch runs the patch's tests. Such
# a fio refuses a new option, so any test of it would fail there. So these tests must
# also fail on the patched fio with the option off. The patch of unittest itself has
# no test. Instead, a unit test is broken, and unittest must fail.
# Arguments name patches to test instead of all.

. "$(dirname "$0")/../tap.sh"

trap 'exit 130' INT
trap 'exit 143' TERM

series=fio-HEAD
tree=$scratch/tree
stock=$scratch/stock
jobs=$(nproc)
ccache=
! command -v ccache >/dev/null || ccache='ccache '

# configure DIR COMPILER: runs fio's configure there
configure()
{
	(cd "$1" && ./configure --disable-native --disable-optimizations \
		--cc="$ccache$2") >"$scratch/configure.log" 2>&1
}

# build DIR [TARGET]: removes the objects of unit tests, which lack their
# dependencies, and builds
build()
{
	rm -f "$1"/unittests/*.o "$1"/unittests/*/*.o
	make -C "$1" -j"$jobs" ${2-} >"$scratch/build.log" 2>&1 &&
		! grep -q 'warning: ' "$scratch/build.log" && return
	grep -E 'warning: |error|undefined' "$scratch/build.log" | head -n 20 |
		sed 's/^/# /'
	return 1
}

# fresh: resets the tree to fio's own
fresh()
{
	git -C "$tree" reset -q --hard && git -C "$tree" clean -q -f -d
}

apply()
{
	git -C "$tree" apply --index --whitespace=nowarn "$@" 2>"$scratch/apply" ||
		shows "$scratch/apply"
}

# code: prints what the tree changes in fio itself
code()
{
	git -C "$tree" diff HEAD -- '*.c' '*.h' ':!t' ':!unittests'
}

# as_in_the_series NAME: compares the change with that of the series
as_in_the_series()
{
	code >"$scratch/code"
	fresh
	apply "$root/patches/series/$1.patch" &&
		code | diff "$scratch/code" - >"$scratch/diff"
	status=$?
	sed 's/^/# /' "$scratch/diff"
	fresh
	return $status
}

# run_fio_tests FIO: runs the tests $ids of the tree; the log has a line for each
run_fio_tests()
{
	rm -rf "$scratch/artifacts"
	# shellcheck disable=SC2086
	(cd "$tree" && timeout 300 $python t/run-fio-tests.py -f "$1" \
		-a "$scratch/artifacts" --run-only $ids) >"$scratch/log" 2>&1
}

# each RESULT: true if all tests $ids have it
each()
{
	for id in $ids; do
		grep -q "^Test $id $1" "$scratch/log" && continue
		grep "^Test $id " "$scratch/log" | sed 's/^/# /'
		return 1
	done
}

# unit_tests: runs them; passes if unittest exits with 0. fio's own does so when a test
# fails, too
unit_tests()
{
	timeout 60 "$tree/unittests/unittest" >"$scratch/log" 2>&1
}

# a_unit_test_failed: true if one did in the run before
a_unit_test_failed()
{
	grep -q 'FAILED' "$scratch/log"
}

python=
for candidate in python3 /usr/bin/python3; do
	$candidate -c 'import statsmodels' 2>/dev/null || continue
	python="$candidate -W ignore"
	break
done

# own_job_tests NAME: checks the tests that the patch adds to t/run-fio-tests.py
own_job_tests()
{
	if [ -z "$python" ]; then
		ok 0 "$1: its tests # SKIP python3 has no statsmodels"
		return
	fi
	run_fio_tests "$tree/fio" && each PASSED
	ok $? "$1: its tests pass: $ids"
	run_fio_tests "$stock/fio"
	each FAILED
	ok $? "$1: they fail without the patch"
	jobs_with_option=$(grep -ls '^event_timestamps=1$' "$tree"/t/jobs/*)
	[ -n "$jobs_with_option" ] || return 0
	# shellcheck disable=SC2086
	sed -i 's/^\(event_timestamps\)=1$/\1=0/' $jobs_with_option
	run_fio_tests "$tree/fio"
	each FAILED
	ok $? "$1: they fail with the option turned off"
}

# own_unit_tests NAME: checks the unit tests of the patch. Without the patch: its code
# is taken out, its tests and their Makefile stay.
own_unit_tests()
{
	if [ ! -x "$tree/unittests/unittest" ]; then
		ok 0 "$1: its unit tests # SKIP fio found no CUnit"
		return
	fi
	unit_tests && ! a_unit_test_failed
	ok $? "$1: its unit tests pass"
	apply -R --exclude='unittests/*' --exclude='t/*' --exclude=Makefile \
		"$patch" && build "$tree" unittests/unittest &&
		{ unit_tests; a_unit_test_failed; }
	ok $? "$1: they build and fail without the patch"
}

# exit_code NAME: checks that unittest fails if a test does, and only with the patch
exit_code()
{
	if [ ! -x "$tree/unittests/unittest" ]; then
		ok 0 "$1: unittest's exit code # SKIP fio found no CUnit"
		return
	fi
	unit_tests && ! a_unit_test_failed
	ok $? "$1: unittest exits with 0"
	sed -i 's/CU_ASSERT_EQUAL/CU_ASSERT_NOT_EQUAL/' \
		"$tree/unittests/lib/memalign.c"
	build "$tree" unittests/unittest && ! unit_tests && a_unit_test_failed
	ok $? "$1: unittest exits with another code if a test fails"
	apply -R "$patch" && build "$tree" unittests/unittest && unit_tests &&
		a_unit_test_failed
	ok $? "$1: without the patch it exits with 0"
}

# small PATCH LINES: passes if the patch adds and removes at most LINES lines,
# without tests
small()
{
	git apply --numstat --exclude='unittests/*' --exclude='t/*' "$1" |
		awk -v most="$2" '
		{ lines += $1 + $2 }
		END { print "# " lines " changed lines"; exit lines > most }'
}

if ! "$root/patches/source.sh" "$series" "$tree" 2>"$scratch/why"; then
	echo "1..0 # SKIP $(sed 's/^source: //' "$scratch/why")"
	exit 0
fi
cp -R "$tree" "$stock"
if ! configure "$stock" gcc || ! build "$stock"; then
	echo "1..0 # SKIP $series itself does not build here"
	exit 0
fi
have_clang=
! command -v clang >/dev/null || have_clang=1

[ $# -gt 0 ] || set -- "$root"/patches/upstream/*.patch
for patch; do
	name=$(basename "$patch" .patch)
	patch=$(realpath "$patch")
	fresh
	[ -s "$root/patches/upstream/$name.md" ]
	ok $? "$name: has a cover note"
	! grep -qi '^Signed-off-by:' "$patch"
	ok $? "$name: leaves the sign-off to who sends it"
	case $name in *per-second*)
		small "$patch" 100
		ok $? "$name: at most 100 changed lines"
	esac

	apply "$patch"
	ok $? "$name: applies alone"
	if [ -e "$root/patches/series/$name.patch" ]; then
		as_in_the_series "$name"
		ok $? "$name: makes the same of fio as in patches/series"
		apply "$patch"
	fi
	if [ -n "$have_clang" ]; then
		configure "$tree" clang && build "$tree"
		ok $? "$name: builds without warnings with clang"
		make -C "$tree" clean >/dev/null 2>&1
	else
		ok 0 "$name: with clang # SKIP no clang"
	fi
	configure "$tree" gcc && build "$tree"
	ok $? "$name: builds without warnings with gcc"

	ids=$(sed -n "s/^+ *'test_id': *\([0-9]*\),/\1/p" "$patch" | xargs)
	units=$(sed -n 's,^+++ b/unittests/,,p' "$patch")
	[ -n "$ids$units" ]
	ok $? "$name: has tests of its own"
	[ -z "$ids" ] || own_job_tests "$name"
	case $units in
	'') ;;
	unittest.c) exit_code "$name" ;;
	*) own_unit_tests "$name" ;;
	esac
done
done_testing
