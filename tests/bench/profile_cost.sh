#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Measures what a call costs with hooks, and with uftrace's on the same program,
# alternating in one run. Needs uftrace. Prints the medians of ten rounds.
#
#	TW_BUILD=build tests/bench/profile_cost.sh
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${TW_BUILD:-$root/build}" && pwd)
command -v uftrace >/dev/null || { echo 'no uftrace'; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
cat >cost.c <<'END'
#include <stdio.h>
#include <time.h>
static volatile int sink;
static __attribute__((noinline)) void called(void) { sink++; }
static __attribute__((no_instrument_function)) double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}
__attribute__((no_instrument_function)) int main(void)
{
	double begin;
	for (int i = 0; i < 1000; i++)
		called();
	begin = now();
	for (int i = 0; i < 1000000; i++)
		called();
	printf("%.2f\n", (now() - begin) / 1e6);
	return 0;
}
END
gcc -O2 -o plain cost.c
gcc -O2 -finstrument-functions -o other cost.c
gcc -O2 -finstrument-functions -o ours cost.c -L"$build" -ltickwise-profile
for round in 1 2 3 4 5 6 7 8 9 10; do
	plain=$(./plain)
	rm -rf record
	uftrace=$(uftrace record -d record ./other 2>/dev/null | head -n 1)
	line="$plain $uftrace"
	for fence in rdtscp full none; do
		line="$line $(TICKWISE_PROFILE=file=p,fence=$fence \
			LD_LIBRARY_PATH=$build ./ours)"
	done
	echo "$line"
done >rounds
perl -ane '
	push @uftrace, $F[1] - $F[0];
	push @{$ours[$_]}, ($F[$_ + 2] - $F[0]) / ($F[1] - $F[0]) for 0 .. 2;
	sub median { my @s = sort { $a <=> $b } @_; ($s[4] + $s[5]) / 2 }
	END {
		printf "uftrace: %.1f ns a call\n", median(@uftrace);
		for (0 .. 2) {
			my @s = sort { $a <=> $b } @{$ours[$_]};
			printf "%-7s %.2f of that (%.2f to %.2f)\n",
				(qw(rdtscp full none))[$_], median(@s), $s[0], $s[9];
		}
	}' rounds
