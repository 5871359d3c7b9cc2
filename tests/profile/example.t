#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests: core/profile core/profile/command
#
# The example that users are shown builds as they build it, without a warning, and
# its calls are counted. Fails if it does not follow the header.

. "$(dirname "$0")/../tap.sh"
. "$(dirname "$0")/profile.sh"

compile gcc words -std=c11 -Wall -Wextra -pedantic -Werror \
	<"$root/core/example/profile.c"
record '' "$scratch/words"
is "$program_status $status $(wc -l <"$scratch/program_out")" '0 0 3' 'runs'
calls make_word 200000 find 200000 hash 200000 build 1
record '' "$scratch/words" more
calls find 200000
done_testing
