#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Does the profile count the same calls as callgrind? Runs one program with hooks
# both ways; every function's calls must be equal. Needs valgrind.
#
#	TW_BUILD=build tests/bench/profile_calls.sh PROGRAM [ARGUMENT...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${TW_BUILD:-$root/build}" && pwd)
LD_LIBRARY_PATH=$build
export LD_LIBRARY_PATH
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TICKWISE_PROFILE=file=$scratch/profile "$@" </dev/null >/dev/null
"$build/tickwise" profile --csv "$scratch/profile" >"$scratch/csv"
TICKWISE_PROFILE=off valgrind -q --tool=callgrind --compress-strings=no \
	--callgrind-out-file="$scratch/callgrind" "$@" </dev/null >/dev/null
perl -e '
	my ($csv, $grind, $name) = @ARGV;
	$name =~ s{.*/}{};
	my (%ours, %theirs, $callee, $here, $there);
	open(F, $csv);
	while (<F>) { $ours{$1} += $2 if /^"([^"(]*).*?","[^"]*",(\d+)/ }
	open(F, $grind);
	while (<F>) {
		# The C library has functions of the same names.
		$here = $1 if /^ob=(.*)/;
		$there = $1 if /^cob=(.*)/;
		$callee = $1 if /^cfn=([^\x27(\n]+)/;
		next unless /^calls=(\d+)/;
		my $calls = $1;
		$theirs{$callee} += $calls if ($there // $here) =~ m{/\Q$name\E$};
		$there = undef;
	}
	my ($same, $calls) = (0, 0);
	for (sort keys %ours) {
		if (($theirs{$_} // 0) == $ours{$_}) { $same++; $calls += $ours{$_} }
		else { print "$_: $ours{$_}, callgrind ", $theirs{$_} // "none", "\n" }
	}
	printf "%d of %d functions equal, %d calls\n", $same, scalar keys %ours, $calls;
' "$scratch/csv" "$scratch/callgrind" "$1"
