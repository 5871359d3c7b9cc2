# SPDX-License-Identifier: MIT
#
# For the shell tests that run a real fio, on top of tests/tap.sh: they stand in
# $scratch and ask questions to JSON files. Sourced, not run.
#
# TICKWISE_SO, TW_BUILD and FIO come from `make check`; by hand they default to
# what `make` built.

. "$(dirname "$0")/../tap.sh"

TW_BUILD=${TW_BUILD:-$root/build}
TICKWISE_SO=${TICKWISE_SO:-$TW_BUILD/tickwise.so}
FIO=${FIO:-fio}

trap 'exit 130' INT
trap 'exit 143' TERM
cd "$scratch" || exit 1

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count # SKIP $1"
}

# json FILE PERL-EXPRESSION: $j is the parsed file; true or false.
json()
{
	perl -MJSON::PP -e '
		local $/; open my $f, "<", $ARGV[0] or exit 2;
		our $j = eval { JSON::PP->new->decode(<$f>) } or exit 3;
		my $r = eval $ARGV[1]; die $@ if $@; exit($r ? 0 : 1)' "$1" "$2"
}

# fio with the engine; out.json is its output, err its stderr.
run_fio()
{
	"$FIO" --ioengine="external:$TICKWISE_SO" --output-format=json \
		--output=out.json "$@" 2>err
}

if [ -n "${TW_SANITIZE-}" ]; then
	echo "1..0 # SKIP a sanitized engine can't be loaded by a stock fio"
	exit 0
fi
if ! "$TW_BUILD/tests/fio/have_io_uring" 2>why; then
	echo "1..0 # SKIP no io_uring here: $(cat why)"
	exit 0
fi
