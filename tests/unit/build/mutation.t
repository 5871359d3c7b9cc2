#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Behaviour: tests/mutation.sh knows for each unit test which folder it belongs to.
# Defect: a test that it never runs, so that a change which only this test notices
# counts as survived.
. "$(dirname "$0")/../../tap.sh"

"$root/tests/mutation.sh" -u >"$scratch/unlisted"
is $? 0 'the list can be made'
is "$(cat "$scratch/unlisted")" '' 'each unit test belongs to a folder, or to none on purpose'
done_testing
