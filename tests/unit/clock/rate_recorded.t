#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: each window of 20 ms in the recordings of another machine
# (tests/recordings) finds the kernel's rate, and the stated error holds. The
# counter's step of 24.5 ticks is found in windows and probes. A damaged file is
# refused in one line. Defect: a sigma that the wander of the readings exceeds, as
# on this processor before its step was known (error / sigma was 1.6), a wrong rate,
# a step that is rounded.
. "$(dirname "$0")/../../tap.sh"

replay=${TW_BUILD:-$root/build}/tests/bench/rate_replay
recordings=$root/tests/recordings/amd-zen3-kvm
truth='--mult=6860657 --shift=24'

for file in "$recordings"/*.xz; do
	name=${file##*/}
	xz -dc "$file" >"$scratch/${name%.xz}" || exit 1
done
# shellcheck disable=SC2086	# two options
"$replay" $truth "$scratch"/*.txt >"$out" 2>"$err"
ok $? "all recordings are replayed, none wrong, none outside its bounds"
is "$(cat "$err")" "" "nothing on stderr"

# judge TEXT CONDITION: checks %f, the results by file
judge()
{
	perl -MJSON::PP -e '
		local $/;
		my %f = map { $_->{file} =~ s,.*/|\.txt,,gr => $_ }
			@{decode_json(<STDIN>)};
		exit !('"$2"')' <"$out"
	ok $? "$1"
}

judge "38 windows of 20 ms, none failed" \
	'$f{"idle-20ms"}{windows} == 8 && $f{"busy-20ms"}{windows} == 30 &&
	 !grep { $_->{failed} } values %f'
judge "the kernel's rate is accepted in each of them" \
	'$f{"idle-20ms"}{accepted} == 8 && $f{"busy-20ms"}{accepted} == 30 &&
	 $f{"idle-1s"}{accepted} == 2'
# Readings placed on steps give 0.57, 1.59 and 0.005; a fifth more, and 0.01, are allowed.
judge "readings on the counter's steps: 0.7, 1.9, 0.01 ppb" \
	'$f{"idle-20ms"}{rms_ppb} < 0.7 && $f{"busy-20ms"}{rms_ppb} < 1.9 &&
	 $f{"idle-1s"}{rms_ppb} < 0.01'
judge "error / sigma is what a sigma says" \
	'!grep { $_ < 0.5 || $_ > 1.2 }
	 map { $f{$_}{rms_sigmas} } "idle-20ms", "busy-20ms"'
judge "beyond 3 sigma: none of 38" \
	'$f{"idle-20ms"}{beyond_3_sigma} + $f{"busy-20ms"}{beyond_3_sigma} == 0'
judge "every bracket of a loop: the step, too" \
	'$f{"dense-busy-20ms"}{windows} == 1'
judge "the step is 24.5 in all" \
	'6 == grep { abs($_->{step_ticks} - 24.5) < 0.1 } values %f'

# shellcheck disable=SC2086
refused()
{
	"$replay" $truth "$2" >"$out" 2>"$err"
	is "$?" 2 "$1: exit 2"
	is "$(wc -l <"$err")" 1 "$1: one line"
}

head -n 100 "$scratch/busy-20ms.txt" >"$scratch/cut"
refused "a window that is cut off" "$scratch/cut"
echo "window 1 2" >"$scratch/head"
refused "half a header" "$scratch/head"
: >"$scratch/empty"
refused "an empty file" "$scratch/empty"
refused "no file" "$scratch/none"
"$replay" "$scratch/busy-20ms.txt" >"$out" 2>"$err"
is "$?" 2 "windows without a truth: exit 2"
"$replay" --mult=1 "$scratch/busy-20ms.txt" >"$out" 2>"$err"
is "$?" 2 "half a truth: exit 2"
"$replay" "$scratch/cas-idle.txt" >"$out" 2>"$err"
is "$?" 0 "probes need no truth"
done_testing
