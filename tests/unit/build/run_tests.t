#!/bin/sh
# SPDX-License-Identifier: MIT
#
# tests/run.sh runs tests alike whatever its parent ignores, counts them, and shows
# how far it is. `make test` runs one test. Fails if a test inherits an ignored
# signal, if a failed test passes, or if a long run says nothing, or not what it skips.
. "$(dirname "$0")/../../tap.sh"

terminal=${TW_BUILD:-$root/build}/tests/reader/on_terminal
mkdir -p "$scratch/tests/x"
cd "$scratch" || exit 1

# one NAME COMMANDS: makes a test of one check
one()
{
	printf '#!/bin/sh\n%s\necho "ok 1 - $0"\necho 1..1\n' "$2" >"tests/x/$1.t"
	chmod +x "tests/x/$1.t"
}
# The second test ends when the progress is seen: a line that has it alone as running.
one signals 'grep "^SigIgn" /proc/self/status'
one long 'until grep -q "1 of 2 tests, 1 failed; running: x/long.t" "$SEEN"; do sleep 0.1; done'
one skips 'echo "1..0 # SKIP no such thing"; exit'
one fails 'echo "not ok 1 - bad"; echo 1..1; exit 1'

# As Python starts programs, as a shell starts `make check &`, and as nohup does.
env --ignore-signal=PIPE,XFSZ,INT,QUIT,HUP,CHLD \
	"$root/tests/run.sh" log tests/x/signals.t >"$out" 2>"$err"
is "$? $(tail -n 1 "$out")" '0 1 passed, 0 failed, 0 skipped' 'a test passes'
# 32 and 33 are glibc's own, which posix_spawn() ignores in the child.
ignored=$(sed -n 's/^SigIgn:[^0-9a-f]*//p' log)
is "$((0x$ignored & 0x7fffffff))" 0 'it ignores no signal'

SEEN=$err
export SEEN
TW_PROGRESS_SECONDS=1 timeout 300 "$root/tests/run.sh" -j 2 log tests/x/fails.t \
	tests/x/long.t >"$out" 2>"$err"
is "$? $(tail -n 1 "$out")" '1 1 passed, 1 failed, 0 skipped' 'one of two fails'
has "$err" '1 of 2 tests, 1 failed; running: x/long.t' 'a log gets a line of the progress'
is "$(sed -n 2p "$out")" '  not ok 1 - bad' 'what failed is named'
has "$err" '1 of 2 tests, 1 failed; ended: x/fails.t (FAILED)' 'and has been, when it ended'

# On a terminal, where the line is written anew.
: >"$scratch/screen"
SEEN=$scratch/screen
TW_PROGRESS_SECONDS=900 timeout 300 "$terminal" -o "$root/tests/run.sh" -j 2 log \
	tests/x/fails.t tests/x/long.t >"$out" 2>"$SEEN"
is "$(tail -n 1 "$out")" '1 passed, 1 failed, 0 skipped' 'on a terminal, too'
has "$SEEN" 'x/fails.t FAILED' 'which keeps what failed'
is "$(tail -c 4 "$SEEN" | od -An -c | tr -d ' ')" '\r033[K' 'whose line is empty at the end'

one waits 'sleep 2'
timeout 300 "$root/tests/run.sh" -j 2 log tests/x/skips.t tests/x/waits.t >"$out" 2>"$err"
has "$err" 'x/skips.t (skipped: no such thing)' 'what is skipped has its reason at once'

# TW_CROSS_UNIT has spaces.
one environment '[ "${TW_CROSS_UNIT#* }" != "$TW_CROSS_UNIT" ] || exit 3'
env -u MAKEFLAGS -u MAKELEVEL -u TW_CROSS_UNIT make -s -C "$root" test \
	TEST="$scratch/tests/x/environment.t $scratch/tests/x/signals.t" >"$out" 2>&1
is "$? $(grep -c '^ok 1' "$out")" '0 2' 'make test TEST= gives tests their environment'
done_testing
