#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/clock
#
# tickwise calibrate on this machine, against either clock and by the samples alone.
# Fails if a documented key is missing, or if the page lacks a hint of the object.
# tests/golden/calibrate.t compares what it prints.

. "$(dirname "$0")/../../../tap.sh"

for options in --against=raw --against=monotonic --kernel-rate=off; do
	run_calibrated calibrate --window=50 $options --json
	if [ "$status" = 70 ]; then
		skip 'the counter can not be calibrated here, or not now'
		continue
	fi
	is "$status $(wc -c <"$err")" '0 0' "$options: calibrated"
	name=CLOCK_MONOTONIC_RAW
	case $options in *monotonic) name=CLOCK_MONOTONIC ;; esac
	is "$(perl -MJSON::PP -0777 -ne 'my $o = decode_json($_);
		print join " ", grep { !exists $o->{$_} } qw(hz uncertainty_ppb bound_ppb
			source kernel_mult kernel_shift window_ns samples used steering_ppb
			hints ntp); print $o->{against}' "$out")" "$name" \
		"every key is there, against $name"
	case $options in *off)
		has "$out" '"source": "regression"' 'measured' ;;
	esac
	sed -n 's/^      "name": "\(.*\)",/\1/p' "$out" >"$scratch/hints"
	run_calibrated calibrate --window=50 $options
	is "$status $(sed -n 's/^ *\([a-z_]*\) .* +-[0-9.]*$/\1/p' "$out" | xargs)" \
		"0 $(xargs <"$scratch/hints")" 'the page has the same hints'
done
done_testing
