#!/bin/sh
# SPDX-License-Identifier: MIT
#
# Compares the log of the last `make check` with subtests.txt: which subtests are
# gone, and which are new? Fails if a subtest is gone that moved.txt does not
# explain.
#
#	tests/ported/check.sh LOG [LIST [MOVED]]
#	TW_EXPECT=1 tests/ported/check.sh LOG	writes subtests.txt anew
#
# A line of subtests.txt has the test's source in tests/, how many subtests have
# this name, and the name. A number in a name is N, as some are counts, times or
# process ids. The path of a temporary file is PATH. A line of moved.txt is one of
#
#	FILE: NAME -> FILE: NAME	what tests the same now; NAME is * for all of FILE
#	FILE: NAME -> deleted: WHAT	the feature that is gone
#	FILE: NAME -> varies: WHY	it is not there on every machine, or not as often
#
# What is skipped depends on the machine. A test that skipped anything in this run
# may lack other subtests of its file: those are counted and do not fail.
set -u

here=$(dirname "$0")
[ $# -ge 1 ] && [ -f "$1" ] || { echo "no log: run make check first" >&2; exit 1; }
log=$1
wanted=${2:-$here/subtests.txt}
moved=${3:-$here/moved.txt}
now=$(mktemp) || exit 1
trap 'rm -f "$now"' EXIT

perl -ne '
	if (/^==> (\S+)/) {
		$file = $1;
		$is_built = $file =~ m<(?:^|/)build/(?:\S+/)?tests/>;
		$file =~ s|.*\btests/|| or next;
		$file =~ s/\.t$/.c/ if $is_built;
		next;
	}
	next unless defined $file;
	print "#\t0\t$file\n" if /^1\.\.0 # SKIP/i || /^(?:not )?ok \d+.*# SKIP/i;
	next unless /^(?:not )?ok \d+ (?:- )?(.*)/;
	$name = $1;
	next if $name =~ /^# SKIP/i;
	$name =~ s/ # (?:SKIP|TODO)\b.*//i;
	$name =~ s|/\S*\btmp\.\w+\S*|PATH|g;
	$name =~ s|/tmp/\S+|PATH|g;
	$name =~ s/\d+(?:\.\d+)?/N/g;
	$name =~ s/[^\x20-\x7e]/?/g;
	$name =~ s/\s+/ /g;
	$count{"$file\t$name"}++;
	END {
		for (sort keys %count) {
			my ($file, $name) = split /\t/;
			print "$file\t$count{$_}\t$name\n";
		}
	}' "$log" >"$now"

if [ -n "${TW_EXPECT-}" ]; then
	grep -v '^#' "$now" | LC_ALL=C sort >"$wanted"
	wc -l <"$wanted"
	exit
fi

perl -e '
	sub lines { open my $f, "<", $_[0] or die "$_[0]: $!\n"; my @l = <$f>;
		chomp @l; return @l }
	my ($now, $wanted, $moved) = @ARGV;
	my (%is, %was, %skips, %files, @moves);
	for (lines($now)) {
		my ($file, $count, $name) = split /\t/;
		if ($file eq "#") { $skips{$name} = 1; next }
		$is{$file}{$name} = $count;
	}
	for (lines($wanted)) {
		my ($file, $count, $name) = split /\t/;
		$was{$file}{$name} = $count;
	}
	for (lines($moved)) {
		next if /^\s*(?:#|$)/;
		/^(\S+): (.+?) -> (deleted|varies|\S+): (.+)$/ or
			die "$moved: not such a line: $_\n";
		push @moves, [$1, $2, $3, $4];
	}
	my ($gone, $explained, $skipped, $new, $bad) = (0) x 5;
	# A move must lead to a subtest that exists.
	for (@moves) {
		my ($file, $name, $to, $what) = @$_;
		next if $to eq "deleted" || $to eq "varies";
		next if $what eq "*" ? $is{$to} : $is{$to}{$what};
		next if $skips{$to};
		print "moved.txt: there is no $to: $what\n";
		$bad++;
	}
	for my $file (sort keys %was) {
		for my $name (sort keys %{$was{$file}}) {
			my $less = $was{$file}{$name} - ($is{$file}{$name} || 0);
			next if $less <= 0;
			if (grep { $_->[0] eq $file && ($_->[1] eq "*" ||
					$_->[1] eq $name) } @moves) {
				$explained++;
			} elsif ($skips{$file}) {
				$skipped++;
			} else {
				$gone++;
				print "gone: $file: $name",
					$is{$file}{$name} ? " ($less times)" : "", "\n";
			}
		}
	}
	for my $file (sort keys %is) {
		for my $name (sort keys %{$is{$file}}) {
			next if $was{$file}{$name};
			$new++;
			print "new: $file: $name\n";
		}
	}
	print "subtests: $gone gone, $explained explained by moved.txt, ",
		"$skipped not seen in tests that skip, $new new\n";
	exit($gone || $bad ? 1 : 0)' "$now" "$wanted" "$moved"
