#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures whether `tickwise attach` keeps up with a server: CONNECTIONS (5000) and
# READS (10000) of FILE a second, while IDLE (1000) connections wait for data, for
# SECONDS_EACH (30) seconds. Prints the rates that were reached, the I/Os that were counted and lost,
# and the memory of attach at the beginning and at the end. Run it as root.
#
#	tests/bench/attach_server.sh FILE
set -eu
file=$(realpath "${1:?FILE is missing}")
build=$(realpath "${TW_BUILD:-build}")
seconds=${SECONDS_EACH:-30}
connections=${CONNECTIONS:-5000}
reads=${READS:-10000}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

"$build/tickwise" attach --interval=0 --json=a.json --output=page -- \
	"$build/tests/fio/attach_server" "$file" $((seconds * connections)) "$connections" \
	$((seconds * reads)) "$reads" "${IDLE:-1000}" >out 2>err &
attach=$!
sleep 1
while kill -0 "$attach" 2>/dev/null; do
	awk '/^VmRSS/ { print $2 }' "/proc/$attach/status" >>rss 2>/dev/null || :
	sleep 1
done
wait "$attach" || { cat err; exit 1; }
cat out
awk 'NR == 1 { first = $1 } { last = $1 } $1 > most { most = $1 }
	END { printf "memory: %d KB after 1 s, %d KB at the end, %d KB at most\n",
		first, last, most }' rss
perl -MJSON::PP -0 -ne 'my $a = decode_json($_)->{attached}; my %sum;
	for my $row (@{$a->{operations}}) { $sum{$_} += $row->{$_} for "ios", "no_cqe",
		"unseen", "errors", "missing_stamp" }
	print "counted: $sum{ios} I/Os, of which $sum{missing_stamp} lack a stamp; not ",
		"counted so: $sum{no_cqe} without a completion, $sum{unseen} unseen, ",
		"$sum{errors} errors\nlost: ", join(", ", map { "$_ $a->{qq{lost_$_}}" }
		qw(records ios rings names processes)), "\nothers: ",
		join(", ", map { "$a->{others}{$_} $_" } sort keys %{$a->{others}}), "\n"' a.json
