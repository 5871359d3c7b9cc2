#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: a virtual machine boots, this build's program and engine and the host's
# fio run in it, and its counter is the one that the machine was given. Defect: a
# library or a module that the guest lacks, a machine on which every other test of
# this folder would measure something else.
. "$(dirname "$0")/boot.sh"

boot boots
ok $? "it boots and ends"
is "$(cat "$shared/clocksource")" tsc "the kernel keeps time by the counter"
is "$(cat "$shared/cpus")" 2 "two processors"
is "$(cat "$shared/fio.version")" "$("$FIO" --version)" "the host's fio"
grep -q tw_stages "$shared/enghelp"
ok $? "the engine loads"
json "$shared/check.json" '$j->{cpus} == 2 && $j->{verdict} ne "unreliable"'
ok $? "tickwise check: not unreliable"
json "$shared/calibrate.json" '$j->{hz} > 1e8'
ok $? "tickwise calibrate: $(value "$shared/calibrate.json" '$j->{hz}') Hz"
# The window of a slow machine may be as short as the opening of a file.
json "$shared/job.report.json" '$j->{counter}{at_end} &&
	$j->{counter}{verdict} ne "unreliable"'
ok $? "the engine checks the counter again when a job ends"
done_testing
